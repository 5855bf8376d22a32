"""Temporary files of snapshots: made, held while they are written, removed where nobody holds them.

A crash in the middle of a snapshot leaves its temporary file behind. Whoever writes one holds a
lock on it, so that whoever opens the space next can tell what is left over from what is being
written.
Must not know what a snapshot holds.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from simonides.disk import sync_folder

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

AGE_MAX_S = 3600.0
"""Where files cannot be held: older than this, they are taken to be left over."""


@contextmanager
def written_aside(path: Path) -> Iterator[BinaryIO]:
    """Give a new file that takes the place of `path` at the end, whole and durable, or never."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=_prefix(path))
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            _hold(descriptor)
            yield file
            file.flush()
            os.fsync(descriptor)
            temporary.replace(path)
        sync_folder(path.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def remove_leftovers(path: Path) -> None:
    """Remove the temporary files of `path` that nobody is writing."""
    for one in sorted(path.parent.glob(f"{_prefix(path)}*")):
        with suppress(OSError):
            if _is_left_over(one):
                one.unlink()


def _prefix(path: Path) -> str:
    return f".index-{path.stem}-"


def _is_left_over(path: Path) -> bool:
    if fcntl is None:
        return time.time() - path.stat().st_mtime > AGE_MAX_S
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _hold(descriptor: int) -> None:
    if fcntl is not None:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
