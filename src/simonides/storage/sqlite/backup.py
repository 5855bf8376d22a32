"""A whole copy of a space's file, and files put in place so that no crash tears them.

Knows SQLite's backup, how a file gets its name durably, and how one that others have open is
replaced by another. Must not know what is in the tables.
"""

import glob
import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import apsw

from simonides.disk import link_durably, make_held_folder, remove_durably, rename_durably, sync_file
from simonides.errors import InvalidInput, StoreBusy, StoreCorrupt
from simonides.storage.sqlite.busy import ALONE_S, BusyHandler, Tuning
from simonides.storage.sqlite.error_mapping import as_disk_error, as_store_error, translate_errors
from simonides.storage.sqlite.file_names import SET_ASIDE, size_of
from simonides.storage.sqlite.home_files import remove_snapshot, temporary_prefix_of
from simonides.storage.sqlite.pages import (
    claims_checksums,
    is_damage,
    keep_log,
    open_file,
    read_unchecked,
    write_first_page,
)

PAGES_AT_ONCE = 1_000
"""Pages copied before progress is reported: 4 MB."""

Progress = Callable[[int, int], None]
"""Is called with (done, all) pages."""


def copy(
    source: apsw.Connection, target: Path, *, space: str, on_progress: Progress | None = None
) -> None:
    """Copy the state in view of `source` to `target`, which must not exist.

    The copy appears under its name only when it is whole and durable.

    Raises:
        InvalidInput: There is a file of that name, or its folder is none.
        StoreFull: There is no room for it, or no right.
        StoreCorrupt: What was copied fails SQLite's own check.
    """
    check_new(target)
    with temporary_copy(target, space=space) as temporary:
        with translate_errors(temporary):
            copy_pages(source, temporary, on_progress=on_progress)
        put_in_place(temporary, target)


def check_new(target: Path) -> None:
    """Raise `InvalidInput` unless a file of that name can be made."""
    if os.path.lexists(target):
        raise InvalidInput("file", f"{target} is there already; choose a new name")
    if not target.parent.is_dir():
        raise InvalidInput("file", f"{target.parent} is no folder; make it first")


@contextmanager
def temporary_copy(target: Path, *, space: str) -> Iterator[Path]:
    """Make a temporary file for a space beside `target`; it is removed unless it was renamed.

    Raises:
        StoreFull: It cannot be made there.
    """
    with ExitStack() as stack:
        try:
            making = make_held_folder(target.parent, prefix=temporary_prefix_of(space))
            temporary = stack.enter_context(making) / "space.sqlite3"
            temporary.touch(mode=0o600)
        except OSError as error:
            raise as_disk_error(error, file=target) from error
        yield temporary


def put_in_place(temporary: Path, target: Path) -> None:
    """Give a whole file its name, durably; never write over another one."""
    try:
        sync_file(temporary)
        link_durably(temporary, target)
    except FileExistsError as error:
        raise InvalidInput("file", f"{target} is there already; choose a new name") from error
    except OSError as error:
        raise as_disk_error(error, file=target) from error


def copy_pages(
    source: apsw.Connection, temporary: Path, *, on_progress: Progress | None = None
) -> None:
    """Copy the state in view of `source` into an empty file, and check it.

    Raises:
        StoreCorrupt: A page of it is damaged, or the copy fails SQLite's own check.
    """
    copied = open_file(temporary)
    try:
        if claims_checksums(source):
            write_first_page(copied)
        running = copied.backup("main", source, "main")
        try:  # its own `with` raises a SystemError where the disk fails a second time
            while not running.done:
                running.step(PAGES_AT_ONCE)
                if on_progress is not None:
                    on_progress(running.page_count - running.remaining, running.page_count)
            running.finish()
        finally:
            running.close(True)  # noqa: FBT003  apsw's own signature: whatever its end says
        said = copied.execute("PRAGMA quick_check(1)").get
        if said != "ok":
            raise StoreCorrupt(f"the copy fails SQLite's check ({said}); run `simonides verify`")
    except apsw.IOError as error:
        if is_damage(error):
            raise as_store_error(error, file=Path(source.filename)) from error
        raise
    finally:
        copied.close()


_HELD = "close every other program that has it open, and repair it then; nothing was changed"


@contextmanager
def exclusive_connection(file: Path, *, tuning: Tuning) -> Iterator[apsw.Connection]:
    """Open a space's file so that nobody else has it open, nor can; without changing a byte of it.

    Damage is no obstacle: what is asked of the connection may fail.

    Raises:
        StoreBusy: Others have it open.
    """
    with translate_errors(file):
        sqlite = open_file(file, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        keep_log(sqlite)
        # a file cut short is refused as a whole, unless SQLite knows that whoever asks knows
        sqlite.config(apsw.SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1)
        sqlite.set_busy_handler(BusyHandler(min(ALONE_S, tuning.timeout_s)))
        try:  # asked for before anything is read, this takes the whole file with the first look
            sqlite.execute("PRAGMA locking_mode=EXCLUSIVE").fetchall()
            with read_unchecked(sqlite):  # what it has read of a damaged list of tables it keeps
                sqlite.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        except apsw.BusyError as error:
            raise StoreBusy(f"{file} is open elsewhere: {_HELD}") from error
        except apsw.Error:
            pass  # whoever else opens it finds the same damage, and does nothing with it
        yield sqlite
    finally:
        sqlite.close(True)  # noqa: FBT003  apsw's own signature: even with open cursors


def set_aside(file: Path) -> Path:
    """Give a held file a second name, and move its log to that name; return the name.

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
    """Replace a held file by a complete new one; return the path of the old file, set aside.

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
    """Restore the log of a file after a replacement that was interrupted in between.

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
    """Undo `set_aside` of a held file, unless another one has replaced it."""
    for aside in _names_set_aside(file):
        if not _log(aside).exists():
            remove_durably(aside)
        elif size_of(_log(file)) == 0:  # else somebody wrote since, and the older log stays aside
            rename_durably(_log(aside), _log(file))
            remove_durably(aside)


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
