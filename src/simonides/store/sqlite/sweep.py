"""After an erasure: the file is written anew and the log emptied, so that no byte is left.

SQLite overwrites what is deleted (`secure_delete`), but what it moved around before stays in pages
that are part of the file (measured: 1 of 429 texts); only writing the file anew takes that
away. Knows files, pages and the log. Must not know what was erased.
"""

from contextlib import suppress
from pathlib import Path

import apsw

from simonides.errors import StoreError
from simonides.model.upkeep import Swept
from simonides.store.sqlite.connection import Handle, pragma
from simonides.store.sqlite.erase import ERASE, SWEEP_DUE
from simonides.store.sqlite.faults import translated
from simonides.store.sqlite.meta import set_meta
from simonides.store.sqlite.names import SNAPSHOT_SUFFIX

_READER = (
    "somebody has been reading the space for too long, and its log cannot be emptied under a "
    "reader: end what reads it and erase once more"
)


def sweep(handle: Handle, *, timeout_s: float) -> Swept:
    """Write the file anew without what is gone and empty its log; say what stood in the way.

    Waits up to `timeout_s` seconds each for writers and for readers of other threads and processes.
    Needs as much room beside the file as it takes. The index snapshot is removed.
    """
    removed = remove_snapshot(handle.file)
    before = _size_bytes(handle)
    handle.patience.timeout_s = timeout_s
    try:
        with translated(handle.file):
            handle.sqlite.execute("VACUUM")
    except StoreError as error:
        return Swept(
            rewritten=False, log_emptied=False, bytes_before=before, bytes_after=before,
            files=removed,
            problem=f"the file could not be written anew: {error}; then erase once more",
        )  # fmt: skip
    emptied = empty_log(handle)
    if emptied:
        _forget_that_it_was_due(handle)
    return Swept(
        rewritten=True,
        log_emptied=emptied,
        bytes_before=before,
        bytes_after=_size_bytes(handle),
        files=(str(handle.file), f"{handle.file}-wal", *removed),
        problem="" if emptied else _READER,
    )


def empty_log(handle: Handle) -> bool:
    """Fold the whole log into the file and cut it to nothing; return whether that was possible."""
    try:
        handle.sqlite.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except apsw.Error:  # a reader is in the way, or the disk fails: it stays due
        return False
    handle.log_pages = 0
    return True


def is_sweep_due(sqlite: apsw.Connection) -> bool:
    """Return whether an erasure was not brought to its end."""
    return bool(sqlite.execute(ERASE["sweep_due"], {"key": SWEEP_DUE}).get)


def remove_snapshot(file: Path) -> tuple[str, ...]:
    """Remove the index snapshot of the space at `file`, and what a broken-off one left.

    Returns what was removed.
    """
    removed = []
    for one in (file.with_suffix(SNAPSHOT_SUFFIX), *file.parent.glob(f".index-{file.stem}-*")):
        with suppress(FileNotFoundError):
            one.unlink()
            removed.append(str(one))
    return tuple(removed)


def _forget_that_it_was_due(handle: Handle) -> None:
    with translated(handle.file):
        set_meta(handle.sqlite, SWEEP_DUE, 0)
    empty_log(handle)


def _size_bytes(handle: Handle) -> int:
    pages = int(pragma(handle.sqlite, "page_count"))
    return pages * int(pragma(handle.sqlite, "page_size"))
