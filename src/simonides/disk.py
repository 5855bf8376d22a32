"""What the system has to be asked for names to last. Must not know what is kept in files."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_PART = ".part"
"""How the names of files end that are not whole yet."""

_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
"""What systems say whose files have one name each, such as those of a FAT stick (link(2))."""


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` survive a power cut, where the system has a way to."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Make a folder that only its owner can enter, with what leads to it, and make that durable."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    sync_folder(folder.parent)


@contextmanager
def new_whole_file(path: Path) -> Iterator[BinaryIO]:
    """Give a new file that gets the name `path` at the end, whole and durable, or never.

    Until then it lies beside it under a name that begins with a dot and ends in `.part`. Only its
    owner can read it. Another file of that name is never written over. What a killed process left
    of an earlier try is removed.

    Raises:
        FileExistsError: There is a file of that name.
        OSError: It cannot be written; nothing of it is left.
    """
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    remove_parts_of(path)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=_PART)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            _takes_lock(descriptor)
            yield file
            file.flush()
            os.fsync(file.fileno())
        _give_name(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def remove_parts_of(path: Path) -> None:
    """Remove what earlier writers of the file `path` left, unless one of them still writes it."""
    for one in path.parent.iterdir():
        if one.name.startswith(f".{path.name}.") and one.name.endswith(_PART):
            with suppress(OSError), one.open("rb") as file:
                if _takes_lock(file.fileno()):
                    one.unlink()


def _takes_lock(descriptor: int) -> bool:
    """Take the lock of a file until it is closed; return whether nobody else has it."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # it is being written, or this file system has no locks
        return False
    return True


def _give_name(temporary: Path, path: Path) -> None:
    """Name a file `path`, which nothing is called yet."""
    try:
        os.link(temporary, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from error
        temporary.rename(path)
