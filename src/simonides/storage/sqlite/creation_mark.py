"""Whether a space was ever made at a path, so that a file that lost all its bytes is no new one.

SQLite takes a file of no byte, and of a few, for a database that is still to be made. So does a
crash between a file's creation and its first page, and only that: an erasure leaves a whole page.
What tells the two apart is an empty file beside the space, put there once the space is durable and
taken away with it. Knows names and sizes. Must not know what is in any of the files.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from simonides.disk import new_private_file, remove_durably
from simonides.errors import StoreCorrupt
from simonides.storage.sqlite.error_mapping import translated_removal
from simonides.storage.sqlite.file_names import MADE_SUFFIX

HEADER_BYTES = 100
"""Bytes of SQLite's header: a shorter file is none (sqlite.org/fileformat.html, section 1.3)."""


def mark_file(file: Path) -> Path:
    """Return the path of the mark of the space at `file`."""
    return file.with_suffix(MADE_SUFFIX)


def mark_identity(mark: str) -> tuple[int, int] | None:
    """Return what tells one mark from a later one at the same path; None where there is none."""
    try:
        found = os.stat(mark)  # noqa: PTH116  three times faster than Path.stat, with every verb
    except OSError:
        return None
    return (found.st_ino, found.st_ctime_ns)


def write_mark(file: Path, *, is_there: Callable[[], bool]) -> None:
    """Put the mark beside a space that is durable; where it cannot be, there is just none.

    Whoever calls holds the file open, so that its name stays; and `is_there` says whether it still
    is that space: one that was erased meanwhile gets no mark, or the next one of its name could be
    refused while it is being made.
    """
    with suppress(OSError):
        new_private_file(mark_file(file)).close()
        if not is_there():
            remove_durably(mark_file(file))


def remove_mark(file: Path) -> None:
    """Take the mark away, before the space is made anew.

    Raises:
        StoreFull: The system refuses it.
    """
    with translated_removal(mark_file(file)):
        remove_durably(mark_file(file))


def check_not_truncated(file: Path) -> None:
    """Raise `StoreCorrupt` if the file at a path is what is left of a space.

    That is no byte where a space was made, or fewer than a header has where nothing is undone.
    """
    try:
        size = file.stat().st_size
    except OSError:
        return
    if size >= HEADER_BYTES or (size == 0 and not mark_file(file).exists()):
        return
    if size and file.with_name(f"{file.name}-journal").exists():
        return  # its making was cut short, and SQLite undoes it
    problem = f"{file} was cut to {size} bytes: what was kept in it is not there any more"
    raise StoreCorrupt(
        f"{problem}; restore a backup with `simonides repair --from FILE`, or remove the file to "
        "begin anew"
    )
