"""Removal of a space's files while others may have them open.

The space's file is emptied first, in a transaction that every other process sees: whoever still has
it open is refused from then on, and no write is acknowledged that would then be lost. Then all that
lies beside it goes, and last, if nobody has it open any more, its name. A file that somebody holds
stays, empty: that is a space whose making was cut short, and the next writer makes a new one of it.
What is broken off in between is finished by whoever comes next, by the record in `erasing`.

Knows the order of the steps and SQLite's locks. Must not know what is in the tables.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import apsw

from simonides.disk import remove_durably
from simonides.errors import NotFound, SimonidesError, StoreBusy, StoreCorrupt
from simonides.model.maintenance import WipeResult
from simonides.ports.maintenance import Check
from simonides.storage.reader import StoredReader
from simonides.storage.sqlite.busy import ALONE_S, BusyHandler, Tuning, active_readers
from simonides.storage.sqlite.connection import (
    Handle,
    connect,
    is_blank,
    is_read_only,
    pragma,
    writing,
)
from simonides.storage.sqlite.erase import truncate_log
from simonides.storage.sqlite.erasing import (
    Erasure,
    ErasureRecord,
    list_unfinished,
    record_erasure,
    take_up,
)
from simonides.storage.sqlite.error_mapping import (
    as_store_error,
    translate_errors,
    translate_removal_errors,
)
from simonides.storage.sqlite.file_names import SUFFIX, size_of, space_file
from simonides.storage.sqlite.home_files import (
    HomeFileSort,
    files_of,
    home_of,
    remove_left_behind,
    remove_sidecars,
)
from simonides.storage.sqlite.meta import read_meta
from simonides.storage.sqlite.pages import open_file, read_unchecked
from simonides.storage.sqlite.transaction import transaction

_READER = "somebody{} still reads what is erased, and its log cannot be emptied under a reader"
_UNREADABLE = "unreadable "
"""Begins what stands for the uuid of a space that is damaged too badly to say its own."""

MakeWay = Callable[[], object]
"""Ends readers of this process that stand in the way."""

_HELD = (
    "another process still has the emptied file open, so its name stays: it holds nothing, and the "
    "next writer makes a new space of it"
)


def remove_space(
    file: Path, *, tuning: Tuning, make_way: MakeWay, check: Check | None = None
) -> WipeResult:
    """Remove a space with all its files, or the remains of one that was emptied before.

    `make_way` is called while it waits for readers, and ends those of this process. `check` looks
    at the space in the transaction that empties it.

    Raises:
        NotFound: There is no file of it.
        StoreBusy: Another writer held it past the time-out; nothing was erased.
        StoreFull: The system refuses it; what is left goes with the next erasure. Of what is
            read-only nothing goes.
        NotASpace: Something else lies there.
    """
    space = file.name.removesuffix(SUFFIX)
    if not any(one.path.exists() for one in files_of(file)):
        raise NotFound("space", space)
    if is_read_only(file):
        raise as_store_error(apsw.ReadOnlyError("no right to write"), file=file)
    before = size_of(file)
    erasure = Erasure(space=space, uuid=_identity(file, tuning))
    with translate_removal_errors(file), record_erasure(home_of(file), erasure) as record:
        try:
            if check is None:
                _empty(file, tuning=tuning, make_way=make_way)
            else:
                _empty_checked(file, tuning=tuning, make_way=make_way, check=check)
        except StoreBusy:
            record.withdraw()
            raise
        swept = _clear(file, record, tuning=tuning, make_way=make_way)
    return replace(swept, bytes_before=before)


def finish_removals(home: Path, *, tuning: Tuning) -> dict[str, WipeResult]:
    """Finish the erasures of spaces that were broken off; return those that are done, by space.

    Those that others are at are let be, and what cannot be finished now is left for the next time.
    """
    done = {}
    for path in list_unfinished(home):
        with suppress(SimonidesError, OSError), take_up(path) as erasure:
            if erasure is not None:
                swept = _finish(home, path, erasure, tuning=tuning)
                if swept is not None:
                    done[erasure.space] = swept
    return done


def _finish(home: Path, path: Path, erasure: Erasure, *, tuning: Tuning) -> WipeResult | None:
    """Finish one erasure; None if it had not begun, and the space stays."""
    file, record = space_file(home, erasure.space), ErasureRecord(path)
    found = _identity(file, tuning)
    if found and found == erasure.uuid:
        record.withdraw()
        return None
    if found.startswith(_UNREADABLE):
        return None
    return _clear(file, record, tuning=tuning, make_way=lambda: None)


def _identity(file: Path, tuning: Tuning) -> str:
    """Return the identity of the space in `file`; empty if there is none.

    That is its uuid, or for a file that is damaged too badly to say one, its number on the disk.

    Raises:
        NotASpace: Something else lies there.
    """
    if not file.is_file():
        return ""
    try:
        return _uuid(file, tuning)
    except StoreCorrupt:
        return f"{_UNREADABLE}{file.stat().st_ino}"


def _uuid(file: Path, tuning: Tuning) -> str:
    handle = connect(file, tuning=tuning, writes=False)
    try:
        with translate_errors(file):
            return "" if is_blank(handle.sqlite) else read_meta(handle.sqlite).uuid
    finally:
        handle.close()


def _empty(file: Path, *, tuning: Tuning, make_way: MakeWay) -> None:
    """Make the file one that holds nothing, not even a table: as if it had just been made."""
    if not file.is_file():
        return
    try:
        handle = connect(file, tuning=tuning, writes=True)
    except StoreCorrupt:
        _empty_damaged(file, tuning=tuning, make_way=make_way)
        return
    handle.patience.make_way = make_way
    try:
        with translate_errors(file):
            _reset(handle.sqlite)
    except StoreCorrupt:
        _empty_damaged(file, tuning=tuning, make_way=make_way)
    finally:
        handle.close()


def _empty_checked(file: Path, *, tuning: Tuning, make_way: MakeWay, check: Check) -> None:
    """Make the file one that holds nothing, if `check` allows it, before anybody else can write.

    Tables go one by one in a transaction, because `VACUUM` has to have one of its own; what another
    process makes of the empty file then stays.
    """
    handle = connect(file, tuning=tuning, writes=True)
    handle.patience.make_way = make_way
    try:
        with translate_errors(file):
            with writing(handle) as sqlite:
                tx = transaction(sqlite, file)
                check(StoredReader(lambda: tx, read_meta(sqlite)))
                tx.close()
                _drop_all(sqlite)
            handle.sqlite.execute("VACUUM")
    finally:
        handle.close()


def _drop_all(sqlite: apsw.Connection) -> None:
    """Drop every table, those that others refer to last, and what SQLite made of its own."""
    for sort in ("trigger", "view", "table"):
        named = "SELECT name FROM sqlite_schema WHERE type = ? AND name NOT GLOB 'sqlite_*'"
        for (name,) in sqlite.execute(f"{named} ORDER BY rowid DESC", (sort,)).fetchall():
            sqlite.execute(f'DROP {sort} "{name}"')
    sqlite.execute("PRAGMA writable_schema=ON; DELETE FROM sqlite_schema")
    sqlite.execute("PRAGMA writable_schema=OFF; PRAGMA user_version=0; PRAGMA application_id=0")


def _empty_damaged(file: Path, *, tuning: Tuning, make_way: MakeWay) -> None:
    """Empty a file with damaged pages, without trusting its content."""
    patience = BusyHandler(tuning.timeout_s)
    patience.make_way = make_way
    with translate_errors(file):
        sqlite = open_file(file, flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            sqlite.set_busy_handler(patience)
            with read_unchecked(sqlite):
                with suppress(apsw.CorruptError, apsw.NotADBError):  # keeps the log, if it has one
                    sqlite.execute("SELECT count(*) FROM sqlite_schema").fetchall()
                _reset(sqlite)
        finally:
            sqlite.close(True)  # noqa: FBT003  apsw's own signature: even with open cursors


def _reset(sqlite: apsw.Connection) -> None:
    """Take every page but the first away, whatever they hold, in one transaction."""
    sqlite.config(apsw.SQLITE_DBCONFIG_RESET_DATABASE, 1)
    try:
        sqlite.execute("VACUUM")
    finally:
        sqlite.config(apsw.SQLITE_DBCONFIG_RESET_DATABASE, 0)


def _clear(file: Path, record: ErasureRecord, *, tuning: Tuning, make_way: MakeWay) -> WipeResult:
    """Take all files of an emptied space away, the record of it last.

    Another space that somebody made of the emptied file meanwhile stays.
    """
    removed = (*remove_sidecars(file), *remove_left_behind(home_of(file)))
    emptied, is_gone = _file_gone(file, tuning=tuning, make_way=make_way)
    if is_gone:
        removed = (*removed, *map(str, remove_durably(*_logs(file))))
    if emptied:
        record.withdraw()
    return WipeResult(
        rewritten=True,
        log_emptied=emptied,
        bytes_before=0,
        bytes_after=0 if is_gone else file.stat().st_size,
        files=(str(file), f"{file}-wal", *removed),
        problem="" if is_gone else (_HELD if emptied else _READER.format(active_readers(file))),
    )


def _file_gone(file: Path, *, tuning: Tuning, make_way: MakeWay) -> tuple[bool, bool]:
    """Remove an emptied file; return whether its log is empty, and whether its name is gone."""
    if not file.is_file():
        return True, True
    handle = connect(file, tuning=tuning, writes=True)
    handle.patience.make_way = make_way
    try:
        emptied = truncate_log(handle)
        return emptied, emptied and _unlink(handle)
    finally:
        handle.close()


def _logs(file: Path) -> list[Path]:
    return [
        one.path for one in files_of(file) if one.sort is HomeFileSort.SPACE and one.path != file
    ]


def _unlink(handle: Handle) -> bool:
    """Remove the file if it is empty and nobody else has it open; return whether it was removed."""
    handle.patience.timeout_s = min(ALONE_S, handle.patience.timeout_s)
    try:
        with exclusive_file(handle):
            is_empty = is_blank(handle.sqlite)
            if is_empty:
                remove_durably(handle.file)
    except StoreBusy:
        return False
    return is_empty


@contextmanager
def exclusive_file(handle: Handle) -> Iterator[None]:
    """Hold the file so that no other connection of any process has it open, nor can read it.

    It has no log then: all of it is in the file.

    Raises:
        StoreBusy: Others have it open.
    """
    with translate_errors(handle.file):
        _set(handle, "locking_mode", "exclusive")
        try:
            _set(handle, "journal_mode", "delete")
        except apsw.BusyError:
            _set(handle, "locking_mode", "normal")
            raise
    yield


def _set(handle: Handle, name: str, value: str) -> None:
    """Set one of SQLite's modes; raises a busy error if that is impossible now."""
    for _ in handle.sqlite.execute(f"PRAGMA {name}={value}"):
        pass
    if pragma(handle.sqlite, name) != value:
        raise apsw.BusyError(f"the mode {name} stays as it is: others have the file open")
