"""What a space may be called, where its files lie, and whether one was ever made there.

Knows the rule of names, the layout of a home, and the mark beside a space: SQLite takes a file of
no byte, and of a few, for a database that is still to be made. So does a crash between a file's
creation and its first page, and only that: an erasure leaves a whole page. What tells the two apart
is an empty file beside the space, put there once the space is durable and taken away with it. Must
not know what is in any of the files.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

from simonides.disk import new_private_file, remove_durably
from simonides.errors import StoreCorrupt, StoreError
from simonides.storage.names import check_name, is_name
from simonides.storage.sqlite.error_mapping import translate_removal_errors

SPACES = "spaces"
ERASING = "erasing"
"""Folders of a home; `erasing` is there while a space is being erased."""

SETTINGS_FILE = "config.toml"
ACCESS_FILE = "access.sqlite3"

SUFFIX = ".sqlite3"
SNAPSHOT_SUFFIX = ".index"
SET_ASIDE = ".damaged-"
"""What a repair puts between the name of a file it sets aside and a number."""
MADE_SUFFIX = ".made"


def space_file(home: Path, name: str) -> Path:
    """Return the path of the space: `<home>/spaces/<name>.sqlite3`."""
    check_name(name)
    return home / SPACES / (name + SUFFIX)


def snapshot_file(home: Path, name: str) -> Path:
    """Return the path of the disposable snapshot: `<home>/spaces/<name>.index`."""
    check_name(name)
    return home / SPACES / (name + SNAPSHOT_SUFFIX)


def space_names(home: Path) -> list[str]:
    """Return the names of the spaces under `home`, sorted; empty if there is no home yet.

    Raises:
        StoreError: `home` is a file.
    """
    if home.exists() and not home.is_dir():
        raise StoreError(f"{home} is a file, and a home is a directory; name another")
    folder = home / SPACES
    if not folder.is_dir():
        return []
    found = (one.name.removesuffix(SUFFIX) for one in folder.iterdir() if _is_space(one))
    return sorted(found)


def _is_space(path: Path) -> bool:
    name = path.name
    return name.endswith(SUFFIX) and is_name(name.removesuffix(SUFFIX)) and path.is_file()


HEADER_BYTES = 100
"""Bytes of SQLite's header: a shorter file is none (sqlite.org/fileformat.html, section 1.3)."""


def size_of(file: Path) -> int:
    """Return the bytes of a file; 0 for one that is not there, or that goes meanwhile."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def mark_file(file: Path) -> Path:
    """Return the path of the mark of the space at `file`."""
    return file.with_suffix(MADE_SUFFIX)


def mark_identity(mark: str) -> tuple[int, int] | None:
    """Return the identity of a mark file; None if there is none."""
    try:
        found = os.stat(mark)  # noqa: PTH116  three times faster than Path.stat, with every verb
    except OSError:
        return None
    return (found.st_ino, found.st_ctime_ns)


def write_mark(file: Path, *, is_there: Callable[[], bool]) -> None:
    """Create the durable mark of a space, if possible.

    Whoever calls holds the file open, so that its name stays; and `is_there` says whether it still
    is that space: one that was erased meanwhile gets no mark, or the next one of its name could be
    refused while it is being made.
    """
    with suppress(OSError):
        new_private_file(mark_file(file)).close()
        if not is_there():
            remove_durably(mark_file(file))


def remove_mark(file: Path) -> None:
    """Remove the mark, before the space is created again.

    Raises:
        StoreFull: The system refuses it.
    """
    with translate_removal_errors(mark_file(file)):
        remove_durably(mark_file(file))


def check_not_truncated(file: Path) -> None:
    """Raise `StoreCorrupt` if the file at a path is the remains of a space.

    That is no byte where a space was made, or fewer than a header has where nothing is undone.
    """
    was_made = mark_file(file).exists()  # before the look at the file: it may just be being made
    try:
        found = file.stat()
    except OSError:
        return
    size = found.st_size
    if not S_ISREG(found.st_mode):
        return  # the size of a folder means nothing
    if size >= HEADER_BYTES or (size == 0 and not (was_made and mark_file(file).exists())):
        return
    if size and file.with_name(f"{file.name}-journal").exists():
        return  # its making was cut short, and SQLite undoes it
    problem = f"{file} was cut to {size} bytes: what was kept in it is not there any more"
    raise StoreCorrupt(
        f"{problem}; restore a backup with `simonides repair --from FILE`, or remove the file to "
        "begin anew"
    )
