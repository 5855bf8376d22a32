"""Files that last: names that are made, exchanged and removed so that no power cut takes it back.

A rename or a removal is in the folder, and survives a power cut only once the folder was synced.
Every file that the engine gives a name, or takes one from, gets or loses it here. What is only
there for a moment is held by the process that makes it, so that anybody can tell what a process
that is gone has left behind.

Knows the file system. Must not know what is kept in files, nor what they are called.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

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


# ── names that last ───────────────────────────────────────────────────────────────────────────


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` survive a power cut, where the system has a way to."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(file: Path) -> None:
    """Make the bytes of a file that nobody has open survive a power cut."""
    with file.open("rb") as stream:
        os.fsync(stream.fileno())


def remove_durably(*files: Path) -> tuple[Path, ...]:
    """Remove files so that they stay removed; return those that were there.

    Their folders are synced even where nothing was there any more: whoever removed it before may
    have been killed before the sync.

    Raises:
        OSError: The system refuses one; those before it are gone for good.
    """
    removed = []
    try:
        for one in files:
            with suppress(FileNotFoundError):
                one.unlink()
                removed.append(one)
    finally:
        _sync_folders(files)
    return tuple(removed)


def remove_folder_durably(folder: Path) -> None:
    """Remove a folder with all that is in it, so that it stays removed.

    Raises:
        OSError: The system refuses it; a part may be gone.
    """
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
    _sync_folders([folder])


def rename_durably(file: Path, name: Path) -> None:
    """Give a file another name, whose own file it replaces, so that it keeps it."""
    file.replace(name)
    _sync_folders([file, name])


def link_durably(file: Path, name: Path) -> None:
    """Give a file a second name that it keeps.

    Raises:
        FileExistsError: There is a file of that name.
    """
    os.link(file, name)
    sync_folder(name.parent)


def _sync_folders(files: Iterable[Path]) -> None:
    for folder in dict.fromkeys(one.parent for one in files):
        with suppress(FileNotFoundError):
            sync_folder(folder)


# ── files that are there for a moment ─────────────────────────────────────────────────────────


def temporary_prefix(path: Path) -> str:
    """Return how the names of the temporary files begin that take the place of `path`."""
    return f".{path.suffix.removeprefix('.')}-{path.stem}-"


@contextmanager
def written_aside(path: Path) -> Iterator[BinaryIO]:
    """Give a new file that takes the place of `path` at the end, whole and durable, or never."""
    descriptor, temporary = held_file(path.parent, prefix=temporary_prefix(path))
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


def held_file(folder: Path, *, prefix: str) -> tuple[int, Path]:
    """Make an empty file that is held until its descriptor is closed; return both."""
    while True:
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=prefix)
        if _hold(descriptor, name):
            return descriptor, Path(name)
        os.close(descriptor)


@contextmanager
def held_folder(parent: Path, *, prefix: str) -> Iterator[Path]:
    """Give an empty folder that is held, and gone at the end with all that is in it.

    Files of SQLite's are held by their folder: a descriptor of a file itself, once closed, takes
    along the locks that SQLite has on it.
    """
    while True:
        folder = Path(tempfile.mkdtemp(dir=parent, prefix=prefix))
        descriptor = os.open(folder, os.O_RDONLY) if fcntl is not None else None
        if descriptor is None or _hold(descriptor, folder):
            break
        os.close(descriptor)
    try:
        yield folder
    finally:
        with suppress(OSError):
            remove_folder_durably(folder)
        if descriptor is not None:
            os.close(descriptor)


def _hold(descriptor: int, name: str | Path) -> bool:
    """Hold what was just made; return whether it is still there, not removed before it was held."""
    if fcntl is not None:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        return os.path.samestat(os.fstat(descriptor), Path(name).stat())
    except FileNotFoundError:
        return False


@contextmanager
def abandoned(path: Path) -> Iterator[bool]:
    """Say whether nobody holds what lies at `path`, and keep others from it until the end.

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
    """Remove a file or folder that nobody holds, durably; return whether it was there and is gone.

    What the system refuses to remove stays.
    """
    with abandoned(path) as is_free:
        if not is_free:
            return False
        with suppress(OSError):
            if path.is_dir():
                remove_folder_durably(path)
                return True
            return bool(remove_durably(path))
    return False


# ── folders that name their process ───────────────────────────────────────────────────────────


def process_mark() -> str:
    """Return a new name that tells which process made what is called so."""
    return f"{os.getpid()}-{RUN}-{os.urandom(8).hex()}"


def is_of_dead_process(name: str) -> bool:
    """Return whether a `process_mark` is of a process that is gone; any other name is not."""
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
