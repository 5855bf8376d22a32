"""What the system has to be asked for: that names last, and that what is kept is its owner's alone.

The one place that makes folders and plain files of a home: 0700 and 0600 whatever the umask says,
and whoever is first to need one. Must not know what is kept in files.
"""

import errno
import os
import stat
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

FOLDER_MODE, FILE_MODE = 0o700, 0o600
"""Only the owner may enter, read or write: what lies in a home is as private as mail."""

_OTHERS = 0o077
"""What others than the owner may do."""

_DEPTH_MAX = 2
"""Folders below a home: `spaces`, `uploads`, and one for each upload."""


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` survive a power cut, where the system has a way to."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_private_folder(folder: Path) -> None:
    """Make a folder that only its owner can enter, with what leads to it, and make that durable.

    One that is there already stays as it is.

    Raises:
        OSError: The system did not allow it.
    """
    if folder.is_dir():
        return
    make_private_folder(folder.parent)
    try:
        folder.mkdir(mode=FOLDER_MODE)
    except FileExistsError:  # another process was faster, or it is a file
        if not folder.is_dir():
            raise
        return
    folder.chmod(FOLDER_MODE)  # an umask may have taken the owner's own rights away
    sync_folder(folder.parent)


def new_private_file(path: Path) -> BinaryIO:
    """Return a new file to write to that only its owner can read.

    Raises:
        OSError: There is one of that name, or the system did not allow it.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    try:
        make_private(path)
        return os.fdopen(descriptor, "wb")
    except BaseException:
        os.close(descriptor)
        raise


def make_private(path: Path) -> None:
    """Let only its owner read and write a file that something else has made."""
    path.chmod(FILE_MODE)


def open_to_others(home: Path) -> list[Path]:
    """Return what of a home others than its owner may enter, read or write."""
    return sorted(one for one in (home, *_below(home, _DEPTH_MAX)) if _is_open(one))


def _below(folder: Path, depth: int) -> Iterator[Path]:
    try:
        found = list(folder.iterdir())
    except OSError:
        return
    for one in found:
        yield one
        if depth and one.is_dir() and not one.is_symlink():
            yield from _below(one, depth - 1)


def _is_open(path: Path) -> bool:
    if os.name != "posix":
        return False
    try:
        return bool(stat.S_IMODE(path.lstat().st_mode) & _OTHERS) and not path.is_symlink()
    except OSError:  # gone meanwhile
        return False


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
