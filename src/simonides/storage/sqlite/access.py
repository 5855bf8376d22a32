"""Keys and the audit log of a home, in a separate small file.

An adapter of `ports.access.AccessStore`. Knows the tables and how the file is made; must not know
what a key looks like, nor what it allows. Nothing of what is kept in a space stands in this file.
"""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw

from simonides.disk import make_private, new_private_file, sync_folder
from simonides.errors import NewerFormat, NotASpace, StoreBusy, StoreCorrupt, StoreError
from simonides.model.access import ApiKey, AuditEntry, Permission
from simonides.model.times import microseconds, moment
from simonides.storage.sqlite import pages
from simonides.storage.sqlite.busy import BusyHandler
from simonides.storage.sqlite.connection import (
    is_read_only,
    make_folder,
    open_read_only,
    pragma,
    read_only_identity,
    use_log,
)
from simonides.storage.sqlite.error_mapping import MEND_KEYS, as_disk_error, translate_errors
from simonides.storage.sqlite.file_names import ACCESS_FILE, HEADER_BYTES, mark_file
from simonides.storage.sqlite.queries import statements

ACCESS_ID = 0x53494D4B
"""Marks the file in SQLite's header: "SIMK"; a space's mark is another one."""

ACCESS_FORMAT = 2
"""In format 2 every page has a checksum; a file of format 1 stays as it is."""

_OPENS_MAX = 10
"""How often the file is opened anew that another process made meanwhile."""

_SQL = statements("access.sql")


class SQLiteAccessStore:
    """A store of keys in `<home>/access.sqlite3`, which is created with the first key.

    One connection reads and one writes, so that a lookup never waits for a commit. Safe to use
    from several threads and processes.
    """

    def __init__(self, home: Path, *, timeout_s: float = 10.0) -> None:
        self._file = home.absolute() / ACCESS_FILE
        self._timeout_s = timeout_s
        self._locks = {False: threading.Lock(), True: threading.Lock()}
        self._open: dict[bool, apsw.Connection] = {}
        self._read_only: tuple[int, ...] = ()

    def add(self, key: ApiKey, digest: bytes) -> None:
        """Store a key with the hash of its whole text; durable when it returns."""
        row = (
            key.id, digest, key.prefix, key.space, json.dumps(key.shared),
            json.dumps([str(one) for one in key.permissions]), key.name,
            microseconds(key.created_at), _us(key.expires_at), _us(key.revoked_at),
        )  # fmt: skip
        with self._writing() as sqlite:
            sqlite.execute(_SQL["add_key"], row)
        self._mark_made()

    def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        """Return a key and its hash; None if there is no key of that id."""
        rows = self._rows("key", (key_id,))
        return (_key(rows[0]), rows[0][1]) if rows else None

    def keys(self) -> tuple[ApiKey, ...]:
        """Return every key, including revoked ones, oldest first."""
        return tuple(map(_key, self._rows("keys")))

    def has_keys(self) -> bool:
        """Return whether a key was ever created."""
        has_keys = bool(self._rows("any_key"))
        if has_keys:
            self._mark_made()
        return has_keys

    def _mark_made(self) -> None:
        """Note beside the file, if possible, that keys were made: without it nobody would know."""
        with suppress(OSError):
            if not mark_file(self._file).exists():
                new_private_file(mark_file(self._file)).close()
                sync_folder(self._file.parent)

    def revoke(self, key_id: str, *, at: datetime) -> bool:
        """Revoke a key; return whether there is one of that id."""
        if not self._is_there():
            return False
        with self._writing() as sqlite:
            sqlite.execute(_SQL["revoke_key"], {"id": key_id, "at_us": microseconds(at)})
            return bool(sqlite.changes())

    def note(self, entries: Sequence[AuditEntry]) -> None:
        """Add entries to the audit log; durable when it returns."""
        rows = [
            (microseconds(one.at), one.key_id, one.verb, one.space, one.status, one.count)
            for one in entries
        ]
        with self._writing() as sqlite:
            sqlite.executemany(_SQL["note"], rows)

    def read_log(
        self, *, limit: int, before: int = 0, key_id: str = "", space: str = ""
    ) -> tuple[AuditEntry, ...]:
        """Return the audit log, latest first; below the number `before` unless that is 0."""
        asked = {"limit": limit, "before": before, "key_id": key_id, "space": space}
        return tuple(
            AuditEntry(number=number, at=moment(at), key_id=of, verb=verb, space=its_space,
                       status=status, count=count)
            for number, at, of, verb, its_space, status, count in self._rows("noted", asked)
        )  # fmt: skip

    def close(self) -> None:
        """Close the file. Closing twice is no error."""
        for writes, lock in self._locks.items():
            with lock:
                sqlite = self._open.pop(writes, None)
                if sqlite is not None:
                    with suppress(apsw.Error):  # what is committed is safe in the log
                        sqlite.close()

    def _rows(self, name: str, values: Any = None) -> list[Any]:
        """Return the rows of a statement; none if there is no file yet."""
        with self._locks[False]:
            if False not in self._open and not self._is_there():
                return []
            with translate_errors(self._file, mend=MEND_KEYS):
                sqlite = self._connection(writes=False)
                return sqlite.execute(_SQL[name], values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[apsw.Connection]:
        """Hold the write lock; commit at the end, or roll back on an error."""
        with self._locks[True], translate_errors(self._file, mend=MEND_KEYS):
            sqlite = self._connection(writes=True)
            sqlite.execute("BEGIN IMMEDIATE")
            try:
                yield sqlite
                sqlite.execute("COMMIT")
            finally:
                if sqlite.in_transaction:
                    sqlite.execute("ROLLBACK")

    def _connection(self, *, writes: bool) -> apsw.Connection:
        if not writes and self._is_outdated():
            self._open.pop(writes).close()
        if writes not in self._open:
            read_only = self._is_there() and is_read_only(self._file)
            if read_only and writes:
                raise apsw.ReadOnlyError("no right to write")
            if not writes:
                self._read_only = read_only_identity(self._file) if read_only else ()
            self._open[writes] = self._open_read_only() if read_only else self._open_connection()
        return self._open[writes]

    def _is_outdated(self) -> bool:
        """Return whether others wrote to the file since it was opened read-only."""
        if False not in self._open or not self._read_only:
            return False
        return self._read_only != read_only_identity(self._file)

    def _open_read_only(self) -> apsw.Connection:
        sqlite = open_read_only(self._file)
        try:
            self._check(sqlite)
            self._check_pages(sqlite)
        except BaseException:
            sqlite.close()
            raise
        return sqlite

    def _open_connection(self) -> apsw.Connection:
        """Return a connection that knows whether pages have checksums: one file's all do so.

        The file is made if need be, such that only its owner can read it.
        """
        make_folder(self._file.parent)
        for _ in range(_OPENS_MAX):
            sqlite = pages.open_file(self._file)
            try:
                self._make_private()
                self._set_up(sqlite)
                if pages.has_checksums(sqlite) or not pages.claims_checksums(sqlite):
                    self._check_pages(sqlite)
                    return sqlite
            except BaseException:
                pages.keep_log(sqlite)
                sqlite.close()
                raise
            pages.keep_log(sqlite)
            sqlite.close()
            pages.restore_first_page(self._file, timeout_s=self._timeout_s)
        raise StoreBusy(f"{self._file} is being made anew over and over; try again")

    def _check_pages(self, sqlite: apsw.Connection) -> None:
        """Refuse a file that has lost the mark that its pages have checksums."""
        if pragma(sqlite, "user_version") == ACCESS_FORMAT and not pages.has_checksums(sqlite):
            problem = f"{self._file} has lost the mark that its pages have checksums"
            raise StoreCorrupt(
                f"{problem}; restore a copy of it, or move it away and make new keys"
            )

    def _make_private(self) -> None:
        """Let only its owner read the file.

        Raises:
            StoreFull: The system did not allow it.
        """
        try:
            make_private(self._file)
        except OSError as error:
            raise as_disk_error(error, file=self._file) from error

    def _is_there(self) -> bool:
        """Return whether the file exists; an empty one is left by a set-up that had no room.

        Raises:
            StoreCorrupt: Keys were made, and the file is gone or cut: nobody is let in without one.
            StoreError: That is not known. A home that cannot be looked into is not one without
                keys, which lets everybody in.
        """
        # Asked for before the file, which is made before its mark: what another process makes
        # between the two looks would else be a file that is gone.
        was_made = mark_file(self._file).exists()
        try:
            is_there, size_bytes = True, self._file.stat().st_size
        except FileNotFoundError:
            is_there, size_bytes = False, 0
        except OSError as error:
            problem = f"{self._file} cannot be read ({error.strerror})"
            raise StoreError(f"{problem}; check the rights of its folder") from error
        if size_bytes < HEADER_BYTES and was_made:
            was = f"was cut to {size_bytes} bytes" if is_there else "is gone"
            raise StoreCorrupt(
                f"{self._file} {was}, and keys were made in it; restore a copy of it, or remove "
                f"{mark_file(self._file)} and what is left of it, and make new keys"
            )
        return size_bytes > 0

    def _set_up(self, sqlite: apsw.Connection) -> None:
        sqlite.set_busy_handler(BusyHandler(self._timeout_s))
        if self._check(sqlite) == 0 and pragma(sqlite, "page_count") == 0:
            pages.reserve(sqlite)
        pages.check_build(sqlite, self._file)
        use_log(sqlite, BusyHandler(self._timeout_s))
        for setting in ("synchronous=2", "fullfsync=1", "trusted_schema=0"):
            sqlite.execute(f"PRAGMA {setting}").fetchall()
        sqlite.execute("BEGIN IMMEDIATE")  # of two processes at once, one makes the tables
        try:
            if self._check(sqlite) == 0:
                sqlite.execute(_SQL["make_access"]).fetchall()
                sqlite.execute(f"PRAGMA application_id={ACCESS_ID}")
                made = ACCESS_FORMAT if pages.claims_checksums(sqlite) else 1
                sqlite.execute(f"PRAGMA user_version={made}")
            sqlite.execute("COMMIT")
        finally:
            if sqlite.in_transaction:
                sqlite.execute("ROLLBACK")

    def _check(self, sqlite: apsw.Connection) -> int:
        """Return the format of the file, 0 for an empty one; raise an error for a foreign file."""
        # Asked for first: tables and mark are committed together, so whoever sees the tables of a
        # file that another connection just made sees its mark, too.
        is_empty = sqlite.execute("SELECT count(*) FROM sqlite_schema").get == 0
        mark, found = pragma(sqlite, "application_id"), int(pragma(sqlite, "user_version"))
        if mark != ACCESS_ID and not is_empty:
            raise NotASpace(f"{self._file} is no file of keys; move it away, then make keys anew")
        if found > ACCESS_FORMAT:
            problem = f"{self._file} has format {found}, this engine reads up to {ACCESS_FORMAT}"
            raise NewerFormat(f"{problem}; use the newer simonides")
        return found


def _key(row: tuple[Any, ...]) -> ApiKey:
    key_id, _, prefix, space, shared, permissions, name, created, expires, revoked = row
    return ApiKey(
        id=key_id, prefix=prefix, space=space, name=name, shared=tuple(json.loads(shared)),
        permissions=tuple(map(Permission, json.loads(permissions))), created_at=moment(created),
        expires_at=None if expires is None else moment(expires),
        revoked_at=None if revoked is None else moment(revoked),
    )  # fmt: skip


def _us(when: datetime | None) -> int | None:
    return None if when is None else microseconds(when)
