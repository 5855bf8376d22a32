"""One connection to one space's file, set up and checked.

Knows SQLite's settings, the mark of our files and how to open what is read-only. Must not know
the tables. Never opens or closes the file in any other way: closing any descriptor of a file
drops this process's POSIX locks on it, and another process would write into our transaction.
"""

import ctypes
import itertools
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import apsw

from simonides.disk import make_private, make_private_folder
from simonides.errors import NotASpace, NotFound, StoreBusy, StoreCorrupt, StoreError
from simonides.storage.sqlite import pages
from simonides.storage.sqlite.backup import restore_log
from simonides.storage.sqlite.busy import BusyHandler, Tuning
from simonides.storage.sqlite.error_mapping import as_disk_error, as_store_error, translate_errors
from simonides.storage.sqlite.file_names import mark_file

APPLICATION_ID = 0x53494D4F
"""Marks our files in SQLite's header: "SIMO"."""

SQLITE_FIRST = (3, 51, 3)
"""Oldest SQLite without the WAL-reset bug (sqlite.org/wal.html#walresetbug)."""

_OPENS_MAX = 10
"""How often a file is opened anew because another one lies at its path by then."""

_STATEMENTS = 96
"""Prepared statements kept by a connection; the store has fewer."""


@dataclass(slots=True, eq=False, kw_only=True)
class Handle:
    """An open connection with its state.

    `identity` tells whether the path still names the opened file, and of one that is opened
    read-only, whether others wrote to it since; `log_pages` is the length of the write-ahead log
    after this connection's last commit, `written_pages` what its commits have added to it since
    that was last asked; `read_only` says that it cannot write. `is_early` says that it was opened
    before the file said whether its pages have checksums, and must not fold the log in,
    which is taken for true until it is set up;
    `has_checksums`, that it compares every page that it reads.
    """

    sqlite: apsw.Connection
    file: Path
    patience: BusyHandler
    identity: tuple[int, ...]
    read_only: bool
    log_pages: int = field(default=0)
    written_pages: int = field(default=0)
    is_early: bool = field(default=True)
    has_checksums: bool = field(default=False)

    def is_stale(self) -> bool:
        """Return whether the file was removed, replaced or first made since it was opened."""
        identify = read_only_identity if self.read_only else _identity
        return self.is_early or identify(self.file) != self.identity

    def close(self) -> None:
        """Close the file; a stale one without touching a new file at its path."""
        if self.is_stale():
            pages.keep_log(self.sqlite)
        with suppress(apsw.Error):  # closed all the same; what is committed is safe in the log
            self.sqlite.close(True)  # noqa: FBT003  apsw's own signature: even with open cursors


def check_library(version: str) -> None:
    """Raise `StoreError` if SQLite is older than 3.51.3."""
    if tuple(int(part) for part in version.split(".")[:3]) < SQLITE_FIRST:
        first = ".".join(str(part) for part in SQLITE_FIRST)
        problem = f"SQLite {version} can damage files that two connections write"
        raise StoreError(f"{problem}; install apsw {first} or newer")


def connect(file: Path, *, tuning: Tuning, writes: bool, create: bool = False) -> Handle:
    """Return a connection that is set up; a reading one cannot write.

    Raises:
        NotFound: There is no file and `create` is false.
        NotASpace: Something else lies there.
        StoreBusy: Others replace the file all the time, or have one open whose log was put aside.
        StoreError: It cannot be opened.
    """
    _check_kind(file, create=create)
    restore_log(file, tuning=tuning)
    read_only = is_read_only(file)
    if read_only and writes:
        raise as_store_error(apsw.ReadOnlyError("no right to write"), file=file)
    for _ in range(_OPENS_MAX):
        handle = _open(file, tuning=tuning, read_only=read_only, create=create)
        try:
            _set_up(handle, tuning=tuning, writes=writes)
        except BaseException:
            handle.close()
            raise
        is_sure = not handle.is_early or not pages.claims_checksums(handle.sqlite)
        if is_sure and (read_only or not has_moved(handle)):
            return handle
        handle.close()  # erased or made between its opening and its first use; now it cannot be
        if not is_sure:
            pages.restore_first_page(file, timeout_s=tuning.timeout_s)
    if not is_sure:
        problem = f"{file} does not say whether its pages have checksums"
        raise StoreCorrupt(f"{problem}; run `simonides repair`, or restore a backup")
    raise StoreBusy(f"{file} is being replaced over and over; try again")


def has_moved(handle: Handle) -> bool:
    """Return whether the opened file is not the one at its path any more.

    A file is only ever removed while nobody else holds it, and setting a connection up holds it.
    """
    moved = ctypes.c_int(0)
    asked = apsw.SQLITE_FCNTL_HAS_MOVED
    handle.sqlite.file_control("main", asked, ctypes.addressof(moved))
    return bool(moved.value)


def _check_kind(file: Path, *, create: bool) -> None:
    """Raise an error for a special file before SQLite opens it (a FIFO would block for ever)."""
    try:
        mode = file.stat().st_mode
    except FileNotFoundError:
        if create:
            return
        raise NotFound("space", file.stem) from None
    except OSError as error:
        raise StoreError(f"{file} cannot be read ({error.strerror}); check its rights") from error
    if not stat.S_ISREG(mode):
        raise NotASpace(f"{file} is no file; move it away, or choose another name")


def is_read_only(file: Path) -> bool:
    """Return whether the folder (of the log) or the file is read-only."""
    if not os.access(file.parent, os.W_OK):
        return True
    return file.exists() and not os.access(file, os.W_OK)


def _open(file: Path, *, tuning: Tuning, read_only: bool, create: bool) -> Handle:
    patience = BusyHandler(tuning.timeout_s)
    with translate_errors(file):
        if read_only:
            identity = read_only_identity(file)  # first: what is written meanwhile makes it stale
            sqlite = open_read_only(file)
        else:
            flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
            sqlite = pages.open_file(file, flags=flags, statements=_STATEMENTS)
            if create:
                make_private(file)  # the log and its index take over these rights
            identity = _identity(file)
        sqlite.set_busy_handler(patience)
    return Handle(
        sqlite=sqlite, file=file, patience=patience, identity=identity, read_only=read_only
    )


def open_read_only(file: Path) -> apsw.Connection:
    """Open read-only: with the log of others, or as an immutable file if there can be none.

    Without a log, nobody is writing; the file then holds everything and needs no locks. Once its
    `read_only_identity` is another one, it has to be opened again.
    """
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    query = "mode=ro" if _has_log(file) else "mode=ro&immutable=1"
    address = f"file:{quote(str(file))}?{query}"
    return pages.open_file(address, flags=flags, statements=_STATEMENTS)


def _set_up(handle: Handle, *, tuning: Tuning, writes: bool) -> None:
    try:
        _check_mark(handle)
    except apsw.NotADBError as error:
        raise _no_database(handle.file) from error
    except apsw.Error as error:
        raise as_store_error(error, file=handle.file) from error
    with translate_errors(handle.file):
        if writes:
            if is_blank(handle.sqlite):
                _begin_file(handle.sqlite, tuning=tuning)
            use_log(handle.sqlite, handle.patience)
            _watch_log(handle)
        _set(handle.sqlite, "synchronous", 1 if tuning.durability == "relaxed" else 2)
        _set(handle.sqlite, "fullfsync", 1)  # macOS: a plain fsync there survives no power cut
        _set(handle.sqlite, "foreign_keys", 1)
        _set(handle.sqlite, "secure_delete", 1)
        _set(handle.sqlite, "trusted_schema", 0)
        _set(handle.sqlite, "query_only", 0 if writes else 1)
        pages.check_build(handle.sqlite, handle.file)
        handle.has_checksums = pages.has_checksums(handle.sqlite)
        handle.is_early = _is_early(handle)


def _no_database(file: Path) -> StoreCorrupt | NotASpace:
    """Return the error for a file that SQLite cannot read."""
    if mark_file(file).exists():
        problem = f"the first bytes of {file} are damaged"
        return StoreCorrupt(f"{problem}; restore a backup with `simonides repair --from FILE`")
    problem = f"{file} is no space, or its first bytes are damaged"
    return NotASpace(f"{problem}; restore a backup of it, or move it away")


def _begin_file(sqlite: apsw.Connection, *, tuning: Tuning) -> None:
    """Set the options of a new file that only VACUUM could change later."""
    if tuning.checksums and pragma(sqlite, "page_count") == 0:
        pages.reserve(sqlite)
    sqlite.execute("PRAGMA auto_vacuum=INCREMENTAL").fetchall()


def _is_early(handle: Handle) -> bool:
    """Return whether the file had no page when it was opened, or has checksums unseen by then."""
    if pragma(handle.sqlite, "page_count") == 0:
        return True
    return pages.claims_checksums(handle.sqlite) and not handle.has_checksums


def _check_mark(handle: Handle) -> None:
    """Refuse files of others; a file without mark and tables is one whose making was cut short.

    The mark is asked for again because another process may just have made the space.
    """
    if _is_marked(handle.sqlite) or is_blank(handle.sqlite) or _is_marked(handle.sqlite):
        return
    raise NotASpace(f"{handle.file} is another program's database; move it, or choose another name")


def _is_marked(sqlite: apsw.Connection) -> bool:
    return pragma(sqlite, "application_id") == APPLICATION_ID


def is_blank(sqlite: apsw.Connection) -> bool:
    """Return whether the file has no table, no mark and no format yet."""
    tables: int = sqlite.execute("SELECT count(*) FROM sqlite_schema").get
    return tables == pragma(sqlite, "application_id") == pragma(sqlite, "user_version") == 0


def pragma(sqlite: apsw.Connection, name: str) -> int | str:
    """Return the value of one of SQLite's settings."""
    value: int | str = sqlite.execute(f"PRAGMA {name}").get
    return value


def _set(sqlite: apsw.Connection, name: str, value: int | str) -> None:
    """Set one of SQLite's settings and read it back: SQLite silently ignores a refused one."""
    for _ in sqlite.execute(f"PRAGMA {name}={value}"):
        pass
    got = pragma(sqlite, name)
    if got != value:
        raise StoreError(f"SQLite did not take {name}={value}, it says {got}; check the disk")


@contextmanager
def writing(handle: Handle) -> Iterator[apsw.Connection]:
    """Hold the write lock; commit at the end, or roll back everything on an error.

    Raises:
        StoreBusy: Another process held the lock for longer than the handle's patience.
    """
    with translate_errors(handle.file):
        handle.sqlite.execute("BEGIN IMMEDIATE")
        try:
            yield handle.sqlite
            handle.sqlite.execute("COMMIT")
        finally:
            if handle.sqlite.in_transaction:
                handle.sqlite.execute("ROLLBACK")


def use_log(sqlite: apsw.Connection, patience: BusyHandler) -> None:
    """Turn on the write-ahead log; of two connections that do it at once SQLite refuses one."""
    for tries in itertools.count():
        try:
            _set(sqlite, "journal_mode", "wal")
        except apsw.BusyError:
            if not patience(tries):
                raise
        else:
            return


def _watch_log(handle: Handle) -> None:
    """Note the log's length at each commit; this also replaces SQLite's own checkpoints."""

    def note(_sqlite: apsw.Connection, _database: str, pages: int) -> int:
        handle.written_pages += pages - (handle.log_pages if pages > handle.log_pages else 0)
        handle.log_pages = pages
        return apsw.SQLITE_OK

    handle.sqlite.set_wal_hook(note)


def _identity(file: Path) -> tuple[int, ...]:
    try:
        found = os.stat(file)  # noqa: PTH116  three times faster than Path.stat, on every read
    except OSError:
        return (0, 0)
    return (found.st_dev, found.st_ino)


def read_only_identity(file: Path) -> tuple[int, ...]:
    """Return the mark of a file's state; it is another one once others wrote to the file."""
    try:
        found = file.stat()
    except OSError:
        return (0, 0)
    return (found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size, _has_log(file))


def _has_log(file: Path) -> bool:
    return file.with_name(file.name + "-wal").exists()


def make_folder(folder: Path) -> None:
    """Make a private folder, and its parents, durably.

    Raises:
        StoreFull: The system did not allow it.
    """
    try:
        make_private_folder(folder)
    except OSError as error:
        raise as_disk_error(error, file=folder) from error
