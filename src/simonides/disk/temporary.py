"""Temporary files and folders, held by the process that makes them.

So anybody can tell what a process that is gone has left behind, and remove it. Must not know what
is kept in files, nor what they are called.
"""

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from simonides.disk.durable import (
    link_durably,
    make_private_folder,
    remove_durably,
    remove_folder_durably,
    rename_durably,
    sync_folder,
)

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

AGE_MAX_S = 3600.0
"""Where files cannot be held (Windows): older than this, in seconds, they are taken as left over.

Chosen: longer than the largest copy that was measured takes (a space of a million items).
"""

RUN = os.urandom(4).hex()
"""Tells this process from an earlier one of the same number, as a container gives out again."""

_PART = ".part"
"""How the names of files end that are not whole yet."""

_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
"""What systems say whose files have one name each, such as those of a FAT stick (link(2))."""


def temporary_prefix(path: Path) -> str:
    """Return the name prefix of the temporary files that replace `path`."""
    return f".{path.suffix.removeprefix('.')}-{path.stem}-"


@contextmanager
def write_atomically(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file that replaces `path` at the end, complete and durable, or not at all."""
    descriptor, temporary = make_held_file(path.parent, prefix=temporary_prefix(path))
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
            temporary.replace(path)
        sync_folder(path.parent)
    except BaseException:
        remove_durably(temporary)
        raise


def make_held_file(folder: Path, *, prefix: str, suffix: str = "") -> tuple[int, Path]:
    """Make an empty file that is held until its descriptor is closed; return both."""
    while True:
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=prefix, suffix=suffix)
        if _hold(descriptor, name):
            return descriptor, Path(name)
        os.close(descriptor)


@contextmanager
def make_held_folder(parent: Path, *, prefix: str) -> Iterator[Path]:
    """Yield an empty folder that is held, and removed at the end with its contents.

    Files of SQLite's are held by their folder: a descriptor of a file itself, once closed, takes
    along the locks that SQLite has on it.
    """

    def make() -> Path:
        return Path(tempfile.mkdtemp(dir=parent, prefix=prefix))

    with _make_held(make, remove=remove_folder_durably) as folder:
        yield folder


@contextmanager
def scratch_folder(parent: Path | None) -> Iterator[Path]:
    """Yield an empty private folder below `parent`, held, and removed at the end.

    It bears the process's mark, so that whoever starts next removes what a killed process left
    (`remove_left_in`). Without a parent it lies in the system's temporary folder.
    """
    if parent is None:
        with tempfile.TemporaryDirectory(prefix="simonides-") as folder:
            yield Path(folder)
        return

    with _make_held(lambda: make_marked_folder(parent), remove=shutil.rmtree) as made:
        yield made  # who is killed leaves it whatever is synced


def make_marked_folder(parent: Path) -> Path:
    """Return a new private folder below `parent` that bears this process's mark."""
    made = parent / process_mark()
    make_private_folder(made)
    return made


def remove_left_in(parent: Path, *, prefix: str = "") -> None:
    """Remove the marked entries that killed processes left in a folder, as far as possible.

    A mark stands behind the `prefix` of its name.
    """
    with suppress(OSError):
        for left in parent.iterdir():
            name = left.name.removeprefix(prefix)
            if left.name.startswith(prefix) and is_of_dead_process(name):
                remove_if_abandoned(left)


IN_MEMORY = Path("/dev/shm")  # noqa: S108  a private folder is made there
"""Where Linux keeps files in memory alone."""


def process_folder(kind: str, *, in_memory: bool = False) -> Path:
    """Return a new private folder in the system's temporary one, for as long as a process runs.

    With `in_memory` it lies in memory alone, where the system has such a place. What killed
    processes of this user left of its kind is removed first.
    """
    parent, prefix = Path(tempfile.gettempdir()), f"simonides-{kind}-"
    if in_memory and os.access(IN_MEMORY, os.W_OK | os.X_OK):
        parent = IN_MEMORY
    remove_left_in(parent, prefix=prefix)  # another user's stays: the system sees to that
    made = parent / f"{prefix}{os.getpid()}-{RUN}-{os.urandom(3).hex()}"
    make_private_folder(made)
    return made


@contextmanager
def _make_held(make: Callable[[], Path], *, remove: Callable[[Path], object]) -> Iterator[Path]:
    """Yield a folder that is made, held, and removed at the end with its contents."""
    while True:
        folder = make()
        descriptor = os.open(folder, os.O_RDONLY) if fcntl is not None else None
        if descriptor is None or _hold(descriptor, folder):
            break
        os.close(descriptor)
    try:
        yield folder
    finally:
        with suppress(OSError):
            remove(folder)
        if descriptor is not None:
            os.close(descriptor)


def _hold(descriptor: int, name: str | Path) -> bool:
    """Hold a new file; return whether it still exists and was not removed before."""
    if fcntl is not None:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        return os.path.samestat(os.fstat(descriptor), Path(name).stat())
    except FileNotFoundError:
        return False


@contextmanager
def hold_abandoned(path: Path) -> Iterator[bool]:
    """Yield whether nobody holds `path`, and keep others from it until the end.

    What cannot be looked at counts as held.
    """
    if fcntl is None:
        yield _is_old(path)
        return
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        yield False
        return
    try:
        yield _is_free(descriptor)
    finally:
        os.close(descriptor)


def _is_old(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > AGE_MAX_S
    except OSError:
        return False


def _is_free(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def remove_if_abandoned(path: Path) -> bool:
    """Remove a file or folder that nobody holds, durably; return whether it existed and is gone.

    What the system refuses to remove stays.
    """
    with hold_abandoned(path) as is_free:
        if not is_free:
            return False
        with suppress(OSError):
            if path.is_dir():
                remove_folder_durably(path)
                return True
            return bool(remove_durably(path))
    return False


@contextmanager
def new_whole_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file that gets the name `path` at the end, complete and durable, or never.

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
    descriptor, temporary = make_held_file(path.parent, prefix=f".{path.name}.", suffix=_PART)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
            _give_name(temporary, path)
    finally:
        remove_durably(temporary)


def remove_parts_of(path: Path) -> None:
    """Remove what earlier writers of `path` left, except for files still being written."""
    for one in path.parent.iterdir():
        if one.name.startswith(f".{path.name}.") and one.name.endswith(_PART):
            remove_if_abandoned(one)


def _give_name(temporary: Path, path: Path) -> None:
    """Name a file `path`, which must not exist yet."""
    try:
        link_durably(temporary, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from error
        rename_durably(temporary, path)


def process_mark() -> str:
    """Return a new name that identifies this process."""
    return f"{os.getpid()}-{RUN}-{os.urandom(8).hex()}"


def is_of_dead_process(name: str) -> bool:
    """Return whether a `process_mark` belongs to a dead process; false for any other name."""
    pid, _, rest = name.partition("-")
    if not (pid.isascii() and pid.isdigit()):
        return False
    if int(pid) == os.getpid():
        return not rest.startswith(f"{RUN}-")
    return not _is_alive(int(pid))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
