"""The statements of a space's file, run by name: an adapter of `storage.transaction.Transaction`.

Must not know what the statements mean, nor when a transaction begins or ends.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import apsw

from simonides.errors import InvalidInput
from simonides.storage.sqlite.error_mapping import translate_errors
from simonides.storage.sqlite.meta import Meta, read_meta, set_meta
from simonides.storage.sqlite.queries import QUERIES, STATEMENTS
from simonides.storage.transaction import NewVersion, Row, UndoneWhole, Values


class SqliteTransaction:
    """The statements on one file; `connection` returns it, or raises where it was taken back."""

    refused: tuple[type[Exception], ...] = (
        InvalidInput,
        apsw.ConstraintError,
        apsw.MismatchError,
    )

    def __init__(self, connection: Callable[[], apsw.Connection], file: Path) -> None:
        self._connection = connection
        self._file = file
        self._cursors: list[apsw.Cursor] = []

    def has(self, name: str) -> bool:
        """Return whether there is a statement of that name."""
        return name in STATEMENTS

    def one(self, name: str, values: Values = ()) -> Row | None:
        """Return the first row; None if there is none."""
        return self._run(name, values).fetchone()

    def each(
        self, names: Sequence[str], values: Sequence[Mapping[str, int | str]]
    ) -> list[tuple[Row | None, ...]]:
        """Return for each of several values what `one` does by each of several statements."""
        statements = [STATEMENTS[name] for name in names]
        found = []
        for one in values:
            execute = self._connection().execute
            found.append(tuple([execute(text, one).fetchone() for text in statements]))
        return found

    def value(self, name: str, values: Values = ()) -> Any:
        """Return the first value of the first row; None if there is none."""
        row = self._run(name, values).fetchone()
        return None if row is None else row[0]

    def all(self, name: str, values: Values = ()) -> list[Row]:
        """Return every row."""
        return self._run(name, values).fetchall()

    def rows(self, name: str, values: Values = ()) -> Iterator[Row]:
        """Yield every row, a few in memory at a time; other statements may run meanwhile."""
        cursor = self._run(name, values)
        self._cursors.append(cursor)
        return cursor

    def run(self, name: str, values: Values = ()) -> int:
        """Return how many rows the statement changed."""
        self._run(name, values)
        return self._connection().changes()

    def many(self, name: str, values: Sequence[Values]) -> int:
        """Run a statement once for each of several values; return how many rows they changed."""
        sqlite = self._connection()
        before = sqlite.total_changes()
        sqlite.executemany(STATEMENTS[name], values)
        return sqlite.total_changes() - before

    def add_versions(self, versions: Sequence[NewVersion]) -> list[int]:
        """Add versions with their chunks and mentions; return their keys, which rise."""
        sqlite = self._connection()
        keys = []
        for version, born, stored_us, packed in versions:
            sqlite.execute(QUERIES["add_item"], (version, born, stored_us, *packed.columns))
            keys.append(sqlite.last_insert_rowid())
        pairs = list(zip(keys, (one.packed for one in versions), strict=True))
        chunks = [(key, *row) for key, packed in pairs for row in packed.chunks]
        mentions = [(key, *row) for key, packed in pairs for row in packed.mentions]
        add_chunks(sqlite, chunks)
        sqlite.executemany(QUERIES["add_mention"], mentions)
        return keys

    def facts(self) -> Meta:
        """Return the facts of the space now."""
        return read_meta(self._connection())

    def set_fact(self, name: str, value: str | int) -> None:
        """Set one of the space's own values."""
        set_meta(self._connection(), name, value)

    def drop_fact(self, name: str) -> None:
        """Take one of the space's own values back."""
        self._connection().execute(QUERIES["drop_meta"], {"key": name})

    @contextmanager
    def part(self) -> Iterator[None]:
        """Undo what runs inside the block, and nothing else, if an error leaves it.

        Raises:
            UndoneWhole: Such an error undid everything.
        """
        sqlite = self._connection()
        sqlite.execute("SAVEPOINT one")
        try:
            yield
        except Exception as error:
            if not sqlite.in_transaction:
                raise UndoneWhole(error) from error
            sqlite.execute("ROLLBACK TO one")
            sqlite.execute("RELEASE one")
            raise
        sqlite.execute("RELEASE one")

    def translate_errors(self) -> AbstractContextManager[None]:
        """Translate SQLite's errors inside the block into the engine's."""
        return translate_errors(self._file)

    def close(self) -> None:
        """Close what `rows` still has open."""
        for cursor in self._cursors:
            cursor.close(True)  # noqa: FBT003  apsw's own signature: even if unread
        self._cursors.clear()

    def _run(self, name: str, values: Values) -> apsw.Cursor:
        return self._connection().execute(STATEMENTS[name], values)


def add_chunks(sqlite: apsw.Connection, chunks: Sequence[tuple[Any, ...]]) -> None:
    """Add the chunks of present items."""
    sqlite.executemany(QUERIES["add_chunk"], chunks)


def transaction(sqlite: apsw.Connection, file: Path = Path()) -> SqliteTransaction:
    """Return the statements on a connection that nobody takes back."""
    return SqliteTransaction(lambda: sqlite, file)
