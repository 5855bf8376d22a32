"""Compaction of a file: it gives back the room of what was removed.

A file that was made before there were page checksums gets them in a copy that takes its place while
nobody else has it open: of two connections to one file, one that was there before would go on
writing pages without. Must not know which rows go.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw

from simonides.storage.sqlite import pages
from simonides.storage.sqlite.backup import (
    copy_pages,
    exclusive_connection,
    remove_set_aside,
    replace_by,
    temporary_copy,
)
from simonides.storage.sqlite.busy import Tuning
from simonides.storage.sqlite.connection import Handle, connect, pragma, writing
from simonides.storage.sqlite.erase import checkpoint_fully
from simonides.storage.sqlite.error_mapping import translate_errors
from simonides.storage.sqlite.file_names import SUFFIX
from simonides.storage.sqlite.meta import PAGE_CHECKSUMS, set_meta

_INCREMENTAL = 2
"""SQLite's number for a file that gives pages back a few at a time."""


def release_pages(handle: Handle, *, pages: int) -> int:
    """Cut up to so many free pages off the file in one transaction; return how many are left.

    A file that was made before it could do this gives nothing back until `rewrite_file`.
    """
    with writing(handle) as sqlite:
        if pragma(sqlite, "auto_vacuum") != _INCREMENTAL:
            return 0
        _exhaust(sqlite.execute(f"PRAGMA incremental_vacuum({pages:d})"))
        return int(pragma(sqlite, "freelist_count"))


def needs_rewrite(handle: Handle, *, tuning: Tuning) -> bool:
    """Return whether the file was made before its pages could be cut off, or have checksums."""
    with translate_errors(handle.file):
        is_fixed = pragma(handle.sqlite, "auto_vacuum") != _INCREMENTAL
        return is_fixed or lacks_checksums(handle, tuning=tuning)


def lacks_checksums(handle: Handle, *, tuning: Tuning) -> bool:
    """Return whether the file's pages have no checksums, and should and could get them."""
    return tuning.checksums and not handle.has_checksums and pages.checksum_vfs() is not None


def rewrite_file(handle: Handle) -> None:
    """Rewrite the whole file without free space, so that it can shrink from then on.

    Needs as much room beside the file as it takes; other writers wait, readers do not.
    """
    with translate_errors(handle.file):
        _exhaust(handle.sqlite.execute("PRAGMA auto_vacuum=INCREMENTAL"))
        handle.sqlite.execute("VACUUM")


def cut_log(handle: Handle) -> None:
    """Fold the log into the file and cut it to nothing, unless a reader still needs it.

    Raises:
        StoreFull: There is no room for what the log holds; it stays there, safe.
    """
    handle.patience.timeout_s = 0.0
    with translate_errors(handle.file), suppress(apsw.BusyError):
        handle.sqlite.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        handle.log_pages = 0


def _exhaust(rows: Iterator[Any]) -> None:
    """Take every row of a statement that works while it is read."""
    for _ in rows:
        pass


def add_page_checksums(file: Path, *, tuning: Tuning) -> None:
    """Put a dense copy with page checksums in the place of a file; it gives room back, too.

    Needs as much room beside the file as two of it take.

    Raises:
        StoreBusy: Others have it open; nothing was changed.
    """
    with (
        exclusive_connection(file, tuning=tuning) as old,
        temporary_copy(file, space=file.name.removesuffix(SUFFIX)) as temporary,
    ):
        with translate_errors(temporary):
            copy_pages(old, temporary)
        give_checksums(temporary, tuning=tuning)
        aside = replace_by(file, temporary)
    if aside is not None:
        remove_set_aside(aside)


def give_checksums(file: Path, *, tuning: Tuning) -> None:
    """Rewrite a file that nobody else has open, so that every page has a checksum, if wanted."""
    handle = connect(file, tuning=tuning, writes=True)
    try:
        if not lacks_checksums(handle, tuning=tuning):
            return
        with translate_errors(file):
            pages.reserve(handle.sqlite)
            handle.sqlite.execute("PRAGMA auto_vacuum=INCREMENTAL").fetchall()
            handle.sqlite.execute("VACUUM").fetchall()
            set_meta(handle.sqlite, PAGE_CHECKSUMS, 1)
        checkpoint_fully(handle)
    finally:
        handle.close()
