"""The statements of one space, run by name: an adapter of `storage.transaction.Transaction`.

Every statement names the space, which this module adds to its values. Must not know what the
statements mean, nor when a transaction begins or ends.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from typing import Any, cast

import psycopg
from psycopg import ServerCursor, sql

from simonides.errors import InvalidInput, StoreError
from simonides.storage.rows import TERM_BYTES
from simonides.storage.space_facts import SpaceFacts
from simonides.storage.transaction import NewVersion, Row, UndoneWhole, Values
from simonides_postgres.error_mapping import RETRYABLE, translate_errors
from simonides_postgres.exact_text import load_as_kept, text_columns, unescape_rows
from simonides_postgres.facts import COLUMNS, read_facts
from simonides_postgres.for_each import for_each, rows_of
from simonides_postgres.queries import STATEMENTS

Connection = psycopg.Connection[tuple[Any, ...]]

_ROWS_AT_ONCE = 2000
"""So many rows of a stream are in memory at a time."""

_HASH_BYTES = TERM_BYTES - 1

_NUMBERS = count()
"""Names of server-side cursors, which must differ within one transaction."""

_ITEM = (
    "key version born stored_us id digest kind source source_id collection session position "
    "happened_us language tags traits people metadata title summary content quoted"
).split()
_CHUNK = "item_key ordinal start stop words dated length terms tsv".split()
_VECTOR = "item_key ordinal vector embedded".split()
_MENTION = "item_key ordinal entity kind name role".split()


class PostgresTransaction:
    """The statements on one space, on a connection with a transaction begun."""

    refused: tuple[type[Exception], ...] = (
        InvalidInput,
        psycopg.IntegrityError,
        psycopg.DataError,
    )

    def __init__(self, connection: Connection, space_id: int, *, last_key: int = 0) -> None:
        self._connection = connection
        self._space_id = space_id
        self._cursors: list[ServerCursor[tuple[Any, ...]]] = []
        self._is_over = False
        self.last_key = last_key

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
        self._check()
        lists = {name: [one[name] for one in values] for name in values[0]}
        cursor = self._connection.cursor(binary=True)
        cursor.execute(cast("Any", for_each(names, values)), self._with_space(lists))
        return rows_of(cursor)

    def value(self, name: str, values: Values = ()) -> Any:
        """Return the first value of the first row; None if there is none."""
        row = self.one(name, values)
        return None if row is None else row[0]

    def all(self, name: str, values: Values = ()) -> list[Row]:
        """Return every row."""
        return self._run(name, values).fetchall()

    def rows(self, name: str, values: Values = ()) -> Iterator[Row]:
        """Yield every row, a few in memory at a time; other statements may run meanwhile."""
        self._check()
        cursor = ServerCursor(self._connection, f"rows_{next(_NUMBERS)}")
        self._cursors.append(cursor)
        load_as_kept(cursor.adapters)
        cursor.execute(_query(name), self._with_space(values), binary=True)
        texts = text_columns(cursor)
        while found := cursor.fetchmany(_ROWS_AT_ONCE):
            for row in unescape_rows(found, texts):
                self._check()
                yield row
        cursor.close()

    def run(self, name: str, values: Values = ()) -> int:
        """Return how many rows the statement changed."""
        return self._run(name, values).rowcount

    def many(self, name: str, values: Sequence[Values]) -> int:
        """Run a statement once for each of several values; return how many rows they changed."""
        if not values:
            return 0
        cursor = self._connection.cursor()
        with self._connection.pipeline():
            cursor.executemany(_query(name), [self._with_space(one) for one in values])
        return cursor.rowcount

    def add_versions(self, versions: Sequence[NewVersion]) -> list[int]:
        """Add versions with their chunks and mentions; return their keys, which rise."""
        first = self.last_key + 1
        keys = list(range(first, first + len(versions)))
        self.last_key += len(versions)
        pairs = list(zip(keys, versions, strict=True))
        with self._connection.pipeline():  # the server adds items while chunks are made ready
            self._add(
                "add_item", _ITEM,
                [(key, one.version, one.born, one.stored_us, *one.packed.columns)
                 for key, one in pairs],
            )  # fmt: skip
            self._add(
                "add_chunk", _CHUNK,
                [(key, *row[:7], lane_words(self._space_id, row[6]))
                 for key, one in pairs for row in one.packed.chunks],
            )  # fmt: skip
            self._add(
                "add_vector", _VECTOR,
                [(key, row[0], *row[7:]) for key, one in pairs for row in one.packed.chunks],
            )  # fmt: skip
            mentions = [(key, *row) for key, one in pairs for row in one.packed.mentions]
            self._add("add_mention", _MENTION, mentions)
        return keys

    def facts(self) -> SpaceFacts:
        """Return the facts of the space now."""
        facts = read_facts(self._connection, self._space_id)
        assert facts is not None  # noqa: S101  its row is locked, or of this snapshot
        return facts

    def set_fact(self, name: str, value: str | int) -> None:
        """Set one of the space's own values."""
        if name not in COLUMNS:
            raise ValueError(f"no fact is called {name!r}")
        update = "UPDATE spaces SET {} = %s WHERE space_id = %s"
        column = sql.Identifier(name)
        self._connection.execute(sql.SQL(update).format(column), (value, self._space_id))

    def drop_fact(self, name: str) -> None:
        """Take one of the space's own values back."""
        self.set_fact(name, "")

    @contextmanager
    def part(self) -> Iterator[None]:
        """Undo what runs inside the block, and nothing else, if an error leaves it.

        Raises:
            UndoneWhole: Such an error undid everything.
        """
        self._connection.execute("SAVEPOINT one")
        last_key = self.last_key
        try:
            yield
        except Exception as error:
            if self._connection.broken or isinstance(error, RETRYABLE):
                raise UndoneWhole(error) from error
            self._connection.execute("ROLLBACK TO SAVEPOINT one; RELEASE SAVEPOINT one")
            self.last_key = last_key
            raise
        self._connection.execute("RELEASE SAVEPOINT one")

    def translate_errors(self) -> AbstractContextManager[None]:
        """Translate the database's errors inside the block into the engine's."""
        return translate_errors()

    def close(self) -> None:
        """Close what `rows` still has open; whoever asks anything from now on gets an error."""
        self._is_over = True
        for cursor in self._cursors:
            if not self._connection.broken:
                cursor.close()
        self._cursors.clear()

    def _add(self, name: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        if rows:
            self._run(name, dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)))

    def _run(self, name: str, values: Values) -> psycopg.Cursor[tuple[Any, ...]]:
        self._check()
        cursor = self._connection.cursor(binary=True)
        return cursor.execute(_query(name), self._with_space(values))

    def _check(self) -> None:
        """Refuse what comes after the end: the connection serves others by then."""
        if self._is_over:
            raise StoreError("this read has ended; begin another one")

    def _with_space(self, values: Values) -> Mapping[str, Any] | tuple[Any, ...]:
        if isinstance(values, Mapping):
            return {**values, "space": self._space_id}
        return (self._space_id, *values) if values else {"space": self._space_id}


def _query(name: str) -> Any:
    return cast("Any", STATEMENTS[name])


def lane_words(space_id: int, terms: bytes) -> str:
    """Return the terms of a packed list as the words of a tsvector, as `terms_words` has them."""
    hashes = terms[: len(terms) // TERM_BYTES * _HASH_BYTES]
    between = lane_word(space_id, "")
    return between + hashes.hex(" ", _HASH_BYTES).replace(" ", f" {between}") if hashes else ""


def lane_word(space_id: int, digits: str) -> str:
    """Return the word of a term, by the hexadecimal digits of its key's bytes."""
    return f"{space_id:x}.{digits}"
