"""A space's file put aside and another one put in its place, while nobody else has it open.

Knows SQLite's locks and how files change their names. Must not know what is in the tables. The file
put aside is left byte for byte as it was, its log with it.
"""

import glob
import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from simonides.disk import link_durably, remove_durably, rename_durably, sync_file
from simonides.errors import StoreBusy
from simonides.storage.sqlite.backup import put_in_place
from simonides.storage.sqlite.busy import ALONE_S, BusyHandler, Tuning
from simonides.storage.sqlite.error_mapping import as_disk_error, translated
from simonides.storage.sqlite.file_names import SET_ASIDE
from simonides.storage.sqlite.home_files import remove_snapshot
from simonides.storage.sqlite.pages import open_file, unchecked

_HELD = "close every other program that has it open, and repair it then; nothing was changed"


@contextmanager
def exclusive_connection(file: Path, *, tuning: Tuning) -> Iterator[apsw.Connection]:
    """Open a space's file so that nobody else has it open, nor can; without changing a byte of it.

    Damage is no obstacle: what is asked of the connection may fail.

    Raises:
        StoreBusy: Others have it open.
    """
    with translated(file):
        sqlite = open_file(file, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        sqlite.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        # a file cut short is refused as a whole, unless SQLite is told that whoever asks knows
        sqlite.config(apsw.SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1)
        sqlite.set_busy_handler(BusyHandler(min(ALONE_S, tuning.timeout_s)))
        try:  # asked for before anything is read, this takes the whole file with the first look
            sqlite.execute("PRAGMA locking_mode=EXCLUSIVE").fetchall()
            with unchecked(sqlite):  # what it has read of a damaged list of tables it keeps
                sqlite.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        except apsw.BusyError as error:
            raise StoreBusy(f"{file} is open elsewhere: {_HELD}") from error
        except apsw.Error:
            pass  # whoever else opens it finds the same damage, and does nothing with it
        yield sqlite
    finally:
        sqlite.close(True)  # noqa: FBT003  apsw's own signature: even with open cursors


def set_aside(file: Path) -> Path:
    """Give a held file a second name beside it, and its log that name alone; return it.

    The file keeps its own name until another file takes it: there is never none of that name.

    Raises:
        OSError: The system refuses it.
    """
    for number in itertools.count(1):
        aside = file.with_name(f"{file.name}{SET_ASIDE}{number}")
        if not (os.path.lexists(aside) or os.path.lexists(_log(aside))):
            break
    link_durably(file, aside)
    with suppress(FileNotFoundError):
        rename_durably(_log(file), _log(aside))
    return aside


def replace_by(file: Path, temporary: Path) -> Path | None:
    """Put a whole new file in the place of a held one, which is put aside; return where that is.

    None where there was none. The index snapshot goes: it is of other rows. Where the system
    refuses, all is as it was; where it also refuses that, the next connection sees to it.

    Raises:
        StoreFull: The system refuses it.
    """
    remove_snapshot(file)
    if not file.exists():
        put_in_place(temporary, file)
        return None
    try:
        sync_file(temporary)
        aside = set_aside(file)
        rename_durably(temporary, file)
    except OSError as error:
        with suppress(OSError):
            _undo_set_aside(file)
        raise as_disk_error(error, file=file) from error
    return aside


def restore_log(file: Path, *, tuning: Tuning) -> None:
    """Give a file its log again where a replacement was broken off after the log was put aside.

    Such a file has two names still. Without its log it would be what it was some time before.

    Raises:
        StoreBusy: Others have it open.
        StoreFull: The system refuses it.
    """
    if not _is_linked(file) or not _names_set_aside(file):
        return
    with exclusive_connection(file, tuning=tuning):
        try:
            _undo_set_aside(file)
        except OSError as error:
            raise as_disk_error(error, file=file) from error


def _is_linked(file: Path) -> bool:
    """Return whether a file has more than one name; most have one, so this is asked first."""
    try:
        return file.stat().st_nlink > 1
    except OSError:
        return False


def _names_set_aside(file: Path) -> list[Path]:
    """Return the names under which a file is put aside while it still has its own."""
    found = file.parent.glob(f"{glob.escape(file.name)}{SET_ASIDE}*[0-9]")
    return [one for one in found if one.samefile(file)]


def _undo_set_aside(file: Path) -> None:
    """Undo what `set_aside` did to a held file; nothing where another one took its place."""
    for aside in _names_set_aside(file):
        if not _log(aside).exists():
            remove_durably(aside)
        elif _size(_log(file)) == 0:  # else somebody wrote since, and the older log stays aside
            rename_durably(_log(aside), _log(file))
            remove_durably(aside)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _log(file: Path) -> Path:
    return file.with_name(f"{file.name}-wal")


def remove_set_aside(aside: Path) -> bool:
    """Remove a file that was put aside and held nothing that is not in the new one.

    Returns whether the system let it be removed.
    """
    try:
        remove_durably(aside, _log(aside))
    except OSError:
        return False
    return True
