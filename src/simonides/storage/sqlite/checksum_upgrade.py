"""Page checksums for a file that was made before there were any.

A copy that has them takes the file's place while nobody else has it open: of two connections to
one file, one that was there before would go on writing pages without. Must not know the tables.
"""

from pathlib import Path

from simonides.storage.sqlite import pages
from simonides.storage.sqlite.backup import copy_pages, temporary_copy
from simonides.storage.sqlite.busy import Tuning
from simonides.storage.sqlite.connection import connect
from simonides.storage.sqlite.error_mapping import translated
from simonides.storage.sqlite.file_names import SUFFIX
from simonides.storage.sqlite.meta import PAGE_CHECKSUMS, set_meta
from simonides.storage.sqlite.replace_file import exclusive_connection, remove_set_aside, replace_by
from simonides.storage.sqlite.wipe import checkpoint_fully


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
        with translated(temporary):
            copy_pages(old, temporary)
        give_checksums(temporary, tuning=tuning)
        aside = replace_by(file, temporary)
    if aside is not None:
        remove_set_aside(aside)


def give_checksums(file: Path, *, tuning: Tuning) -> None:
    """Write a file anew that nobody else has open, such that every page has a checksum."""
    handle = connect(file, tuning=tuning, writes=True)
    try:
        if handle.has_checksums or pages.checksum_vfs() is None:
            return
        with translated(file):
            pages.reserve(handle.sqlite)
            handle.sqlite.execute("PRAGMA auto_vacuum=INCREMENTAL").fetchall()
            handle.sqlite.execute("VACUUM").fetchall()
            set_meta(handle.sqlite, PAGE_CHECKSUMS, 1)
        checkpoint_fully(handle)
    finally:
        handle.close()
