"""Shared state of the workers of one machine: a small SQLite file that all of them open.

The file lies in a private folder that ends with the server. What is kept may hold words of a space:
so what is deleted is overwritten, and no log keeps what was cleared. Must not know what is kept.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from simonides.ports.shared_state import Refill
from simonides.working_memory.buckets import fill
from simonides.working_memory.fallback import Unreachable

VALUES_MAX = 100_000
"""Values of all workers: five times what one process keeps. Of more, those go that end first."""

BUCKETS_MAX = 30_000
"""Buckets of all workers; of more, those go that were used longest ago, and begin full again."""

TRIM_EVERY = 256
"""So many writes of one process lie between two looks whether there are too many."""

BUSY_MS = 1_000
"""How long a request waits for another process's write, in milliseconds; one takes a tenth."""

_OPEN = """
PRAGMA synchronous = OFF;
PRAGMA secure_delete = ON;
CREATE TABLE IF NOT EXISTS value(
    space BLOB, key BLOB, text TEXT NOT NULL, ends_s REAL NOT NULL, PRIMARY KEY (space, key)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS value_ends ON value(ends_s);
CREATE TABLE IF NOT EXISTS bucket(
    name BLOB PRIMARY KEY, left REAL NOT NULL, at_s REAL NOT NULL
) WITHOUT ROWID;
"""
_TRIM = (
    """DELETE FROM value WHERE (space, key) IN (
        SELECT space, key FROM value ORDER BY ends_s
        LIMIT max(0, (SELECT count(*) FROM value) - ?))""",
    """DELETE FROM bucket WHERE name IN (
        SELECT name FROM bucket ORDER BY at_s
        LIMIT max(0, (SELECT count(*) FROM bucket) - ?))""",
)


class SQLiteState:
    """The values and buckets of all processes that open this file. Thread-safe.

    Made in the process that uses it, after a fork. `clock` tells seconds that all processes count
    alike: the machine's monotonic clock unless given.
    """

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        self._lock = threading.Lock()
        self._sqlite: apsw.Connection | None = None
        self._writes = 0

    def get(self, space: str, key: str) -> str | None:
        """Return the text of a key."""
        with self._reading() as ask:
            found = ask(
                "SELECT text FROM value WHERE space = ? AND key = ? AND ends_s > ?",
                (_code(space), _code(key), self._clock()),
            )
            return found[0][0] if found else None

    def put(self, space: str, key: str, text: str, *, ttl_s: float) -> None:
        """Store a text."""
        with self._writing() as ask:
            self._store(ask, space, key, text, ttl_s)

    def put_new(self, space: str, key: str, text: str, *, ttl_s: float) -> bool:
        """Store a text if there is none; return whether it was stored."""
        place = _code(space), _code(key)
        with self._writing() as ask:
            if ask("SELECT 1 FROM value WHERE space = ? AND key = ?", place):
                return False
            self._store(ask, space, key, text, ttl_s)
            return True

    def delete(self, space: str, key: str) -> bool:
        """Delete a text; return whether there was one."""
        with self._writing() as ask:
            place = _code(space), _code(key)
            return bool(ask("DELETE FROM value WHERE space = ? AND key = ? RETURNING 1", place))

    def clear(self, space: str) -> int:
        """Delete everything of a space, also in the log."""
        with self._writing() as ask:
            gone = len(ask("DELETE FROM value WHERE space = ? RETURNING 1", (_code(space),)))
        with self._reading() as ask:
            ask("PRAGMA wal_checkpoint(TRUNCATE)", ())
        return gone

    def names(self, space: str) -> tuple[str, ...]:
        """Return the keys of a space, sorted."""
        with self._reading() as ask:
            found = ask(
                "SELECT key FROM value WHERE space = ? AND ends_s > ?",
                (_code(space), self._clock()),
            )
        return tuple(sorted(key.decode(errors="surrogatepass") for (key,) in found))

    def ping(self) -> None:
        """Return if the file answers."""
        with self._reading() as ask:
            ask("SELECT 1 FROM value LIMIT 1", ())

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._sqlite is not None:
                self._sqlite.close()
                self._sqlite = None

    def spend(self, name: str, amount: float, refill: Refill) -> float:
        """Draw an amount from a bucket and return what is left there, also less than nothing."""
        with self._writing() as ask:
            found = ask("SELECT left, at_s FROM bucket WHERE name = ?", (_code(name),))
            left, at_s = fill(found[0] if found else None, refill, now_s=self._clock())
            ask(
                "INSERT OR REPLACE INTO bucket VALUES (?, ?, ?)",
                (_code(name), left - amount, at_s),
            )
            return left - amount

    def _store(self, ask: "_Ask", space: str, key: str, text: str, ttl_s: float) -> None:
        place = _code(space), _code(key)
        ask(
            "INSERT OR REPLACE INTO value VALUES (?, ?, ?, ?)",
            (*place, text, self._clock() + ttl_s),
        )

    @contextmanager
    def _reading(self) -> "Iterator[_Ask]":
        """Yield a way to ask, with this process's connection to itself."""
        with self._lock, _translate_errors():
            sqlite = self._open()
            yield lambda sql, given: sqlite.execute(sql, given).fetchall()

    @contextmanager
    def _writing(self) -> "Iterator[_Ask]":
        """Yield a way to ask within a transaction, before which what has ended is deleted."""
        with self._reading() as ask:
            ask("BEGIN IMMEDIATE", ())
            try:
                ask("DELETE FROM value WHERE ends_s <= ?", (self._clock(),))
                yield ask
                self._trim(ask)
                ask("COMMIT", ())
            except BaseException:
                ask("ROLLBACK", ())
                raise

    def _trim(self, ask: "_Ask") -> None:
        self._writes += 1
        if self._writes % TRIM_EVERY == 0:
            for sql, most in zip(_TRIM, (VALUES_MAX, BUCKETS_MAX), strict=True):
                ask(sql, (most,))

    def _open(self) -> apsw.Connection:
        if self._sqlite is None:
            sqlite = apsw.Connection(str(self._path))
            sqlite.set_busy_timeout(BUSY_MS)
            _use_log(sqlite)
            for statement in filter(str.strip, _OPEN.split(";")):
                sqlite.execute(statement)
            self._sqlite = sqlite
        return self._sqlite


def _use_log(sqlite: apsw.Connection) -> None:
    """Turn on the write-ahead log; while another connection does it, SQLite refuses at once."""
    ends_s = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            sqlite.execute("PRAGMA journal_mode = WAL")
        except apsw.BusyError:
            if time.monotonic() > ends_s:
                raise
            time.sleep(0.005)
        else:
            return


_Ask = Callable[[str, tuple[Any, ...]], list[Any]]


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Turn errors of the file into `Unreachable`."""
    try:
        yield
    except apsw.Error as error:
        raise Unreachable(str(error)) from error


def _code(name: str) -> bytes:
    return name.encode(errors="surrogatepass")
