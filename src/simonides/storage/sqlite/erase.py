"""The wiping of a file: every byte of what was erased goes from it.

SQLite overwrites what is deleted (`secure_delete`), but what it moved around before stays in pages
that are part of the file (measured: 1 of 429 texts); only writing the file anew and emptying the
log takes that away. Must not know which items are erased, nor who asked.
"""

import time
from collections.abc import Callable

import apsw

from simonides.errors import StoreError, StoreFull
from simonides.model.maintenance import WipeResult
from simonides.storage.space_facts import SWEEP_DUE
from simonides.storage.sqlite.busy import active_readers
from simonides.storage.sqlite.connection import Handle, pragma
from simonides.storage.sqlite.error_mapping import translate_errors
from simonides.storage.sqlite.home_files import remove_snapshot
from simonides.storage.sqlite.meta import set_meta
from simonides.storage.sqlite.queries import statements

ERASE = statements("erase.sql")

_READER = (
    "somebody{} has been reading the space for too long, and its log cannot be emptied under a "
    "reader: end what reads it and erase once more"
)


def sweep(handle: Handle, *, timeout_s: float, make_way: Callable[[], object]) -> WipeResult:
    """Rewrite the file without deleted data and empty its log; return the obstacle, if any.

    Waits up to `timeout_s` seconds each for writers and for readers of other threads and processes;
    `make_way` is called meanwhile and ends readers of this process. Those of others see in the file
    until when it waits, and are ended there (see `readers_wanted_away`). Needs as much room beside
    the file as it takes. The index snapshot is removed.
    """
    removed = remove_snapshot(handle.file)
    before = _size_bytes(handle)
    handle.patience.timeout_s = timeout_s
    try:
        with translate_errors(handle.file):
            handle.sqlite.execute("VACUUM")
    except StoreError as error:
        return WipeResult(
            rewritten=False, log_emptied=False, bytes_before=before, bytes_after=before,
            files=removed,
            problem=f"the file could not be written anew: {error}; then erase once more",
        )  # fmt: skip
    emptied = _empty_among_readers(handle, timeout_s=timeout_s, make_way=make_way)
    if emptied:
        _forget_that_it_was_due(handle)
    return WipeResult(
        rewritten=True,
        log_emptied=emptied,
        bytes_before=before,
        bytes_after=_size_bytes(handle),
        files=(str(handle.file), f"{handle.file}-wal", *removed),
        problem="" if emptied else _READER.format(active_readers(handle.file)),
    )


def _empty_among_readers(
    handle: Handle, *, timeout_s: float, make_way: Callable[[], object]
) -> bool:
    """Empty the log while readers are asked to leave; return whether that was possible."""
    until_us = time.time_ns() // 1000 + round(timeout_s * 1e6)
    with translate_errors(handle.file):
        set_meta(handle.sqlite, SWEEP_DUE, until_us)
    handle.patience.make_way = make_way
    try:
        return truncate_log(handle)
    finally:
        handle.patience.make_way = None


def readers_wanted_away(handle: Handle) -> bool:
    """Return whether an erasure is waiting for readers, or has removed everything.

    An erasure that was broken off, or gave up, wants nobody away: its time is over.
    """
    try:
        found = handle.sqlite.execute(ERASE["sweep_due"], {"key": SWEEP_DUE}).get
    except apsw.SQLError:  # the whole space was erased, its tables, too
        return True
    return found is not None and time.time_ns() // 1000 < int(found)


def truncate_log(handle: Handle) -> bool:
    """Fold the whole log into the file and cut it to nothing; return whether that was possible."""
    try:
        handle.sqlite.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except apsw.Error:  # a reader is in the way, or the disk fails: it stays due
        return False
    handle.log_pages = 0
    return True


def checkpoint_fully(handle: Handle) -> None:
    """Fold the whole log into a file that is about to be put in another one's place, alone.

    Raises:
        StoreFull: The disk did not let it be.
    """
    if not truncate_log(handle):
        raise StoreFull(f"{handle.file} could not be written whole; check space and disk")


def is_sweep_due(sqlite: apsw.Connection) -> bool:
    """Return whether an erasure was not brought to its end."""
    return bool(sqlite.execute(ERASE["sweep_due"], {"key": SWEEP_DUE}).get)


def _forget_that_it_was_due(handle: Handle) -> None:
    with translate_errors(handle.file):
        set_meta(handle.sqlite, SWEEP_DUE, 0)
    truncate_log(handle)


def _size_bytes(handle: Handle) -> int:
    pages = int(pragma(handle.sqlite, "page_count"))
    return pages * int(pragma(handle.sqlite, "page_size"))
