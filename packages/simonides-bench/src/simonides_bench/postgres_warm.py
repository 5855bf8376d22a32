"""`simonides bench postgres-warm`: PostgreSQL as a store of rows, beside the embedded one.

The same items in both, asked from the same index in memory; how long that takes to fill from rows;
and how fast items are kept, beside a bare binary COPY of the very rows that they became. All by
turns, so that a busy machine is busy for both.
"""

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import psycopg
from psycopg import sql

from simonides.api.memory import DEFAULT_SPACE, Memory
from simonides.config import Settings
from simonides.errors import InvalidInput
from simonides.index.space_index import SpaceIndex
from simonides.ingest.prepare import Preparer
from simonides.ports.space import SpaceStore
from simonides.storage.sqlite import SQLiteStore
from simonides_bench.corpus import passages
from simonides_bench.filling import Batch, batches
from simonides_bench.recall import Progress
from simonides_bench.testing.hashing import HashingEmbedder
from simonides_bench.writing import BEGINNING, BETWEEN, Writer, questions
from simonides_postgres import PostgresStore

DIMENSION = 384
PASSAGES_MAX, QUESTIONS = 4_000, 60
ROUNDS, LOADS = 3, 7
INGESTED_MAX = 4_000
"""Chunks that are kept and copied: some fifteen transactions."""

EMBEDDED, WARM = "sqlite", "postgresql"
KEPT, COPIED = "ingested", "copied"
"""The spaces that items are kept in, and their rows copied to."""

TABLES = {
    "knowledge_items": "key",
    "chunks": "item_key",
    "embeddings": "item_key",
    "entity_mentions": "item_key",
    "lane_vectors": "item_key",
}
"""The tables that an item has rows in, as these refer to each other, with the key of the item."""


@dataclass(slots=True, kw_only=True)
class _Took:
    """Milliseconds of each way."""

    asked: dict[str, list[float]] = field(default_factory=lambda: {EMBEDDED: [], WARM: []})
    loaded: dict[str, list[float]] = field(default_factory=lambda: {EMBEDDED: [], WARM: []})
    ingested: list[float] = field(default_factory=list)
    copied: list[float] = field(default_factory=list)
    chunks: int = 0


def run(*, chunks: int, dsn: str, on_progress: Progress | None = None) -> dict[str, Any]:
    """Return the figures (see docs/reference/benchmarks.md). Progress is counted in chunks.

    The database must hold no spaces; those that are made go in the end. Its role must be a
    superuser: under row-level security PostgreSQL copies nothing in.

    Raises:
        InvalidInput: The database holds spaces.
        StoreError: The database cannot be reached.
        NotFound: Python came without its documentation, of which the corpus is made.
    """
    corpus = passages(passages_max=min(PASSAGES_MAX, max(chunks, 50)))
    embedder = HashingEmbedder(DIMENSION)
    took = _Took()
    with (
        tempfile.TemporaryDirectory(prefix="simonides-bench-") as home,
        closing(PostgresStore(dsn)) as store,
    ):
        if store.names():
            raise InvalidInput("dsn", "names a database that holds spaces; give an empty one")
        ways = {
            EMBEDDED: Settings(timezone="UTC", lanes="memory"),
            WARM: Settings(timezone="UTC", lanes="memory", store=dsn),
        }
        memories = {
            way: Memory(Path(home) / way, settings=one, embedder=embedder)
            for way, one in ways.items()
        }
        try:
            ingest = _Ingest(store=store, dsn=dsn, embedder=embedder, took=took)
            rule = Preparer(identity=embedder.identity, embedder=None).rule
            done = 0
            for batch in batches(Writer(corpus).items(), rule=rule, chunks=chunks):
                for memory in memories.values():
                    memory.add(batch.items)
                if took.chunks < INGESTED_MAX:
                    ingest.keep_and_copy(batch)
                done += len(batch.texts)
                if on_progress is not None:
                    on_progress(done, chunks)
            _ask(memories, questions(corpus, count=QUESTIONS), chunks=chunks, took=took)
            _load({EMBEDDED: Path(home) / EMBEDDED, WARM: dsn}, took)
        finally:
            for memory in memories.values():
                memory.close()
            for name in store.names():
                store.remove(name)
    return _figures(chunks, took)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ingest:
    """Keeps items in one space, and copies the rows that they became to another."""

    store: PostgresStore
    dsn: str
    embedder: HashingEmbedder
    took: _Took

    def keep_and_copy(self, batch: Batch) -> None:
        """Keep a batch in one transaction, and copy its rows in one; both are synced or neither."""
        identity = self.embedder.identity
        prepared = Preparer(identity=identity, embedder=self.embedder).prepare(batch.items)
        kept, _copied = (
            self.store.open(name, embedder=identity, create=True) for name in (KEPT, COPIED)
        )
        before = _last_key(self.dsn, KEPT)
        self.took.ingested.append(_ms(lambda: kept.commit(prepared, stored_at=BEGINNING)))
        with psycopg.connect(self.dsn) as connection:
            rows = _rows(connection, above=before)
            self.took.copied.append(_ms(lambda: _copy_in(connection, rows)))
        self.took.chunks += len(batch.texts)


def _last_key(dsn: str, space: str) -> int:
    with psycopg.connect(dsn) as connection:
        asked = "SELECT last_key FROM spaces JOIN space_names USING (space_id) WHERE name = %s"
        row = connection.execute(asked, (space,)).fetchone()
    return 0 if row is None else int(row[0])


def _rows(
    connection: psycopg.Connection[Any], *, above: int
) -> list[tuple[sql.Composed, list[bytes]]]:
    """Return for each table the statement that takes rows, and the new ones as COPY writes them."""
    ids = dict(connection.execute("SELECT name, space_id FROM space_names").fetchall())
    found = []
    for table, key in TABLES.items():
        columns = _columns(connection, table)
        named = sql.SQL(", ").join(map(sql.Identifier, columns))
        out = sql.SQL(
            "COPY (SELECT {copied}::bigint, {named} FROM {table} WHERE space_id = {kept} "
            "AND {key} > {above} ORDER BY {key}) TO STDOUT (FORMAT binary)"
        ).format(
            copied=ids[COPIED], named=named, table=sql.Identifier(table), kept=ids[KEPT],
            key=sql.Identifier(key), above=above,
        )  # fmt: skip
        into = sql.SQL("COPY {table} (space_id, {named}) FROM STDIN (FORMAT binary)").format(
            table=sql.Identifier(table), named=named
        )
        with connection.cursor().copy(out) as copy:
            found.append((into, [bytes(one) for one in copy]))
    return found


def _columns(connection: psycopg.Connection[Any], table: str) -> list[str]:
    asked = (
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 "
        "AND NOT attisdropped AND attname <> 'space_id' ORDER BY attnum"
    )
    return [name for (name,) in connection.execute(asked, (table,))]


def _copy_in(
    connection: psycopg.Connection[Any], rows: Sequence[tuple[sql.Composed, Sequence[bytes]]]
) -> None:
    for into, buffers in rows:
        with connection.cursor().copy(into) as copy:
            for one in buffers:
                copy.write(one)
    connection.commit()


def _ask(memories: Mapping[str, Memory], asked: Sequence[str], *, chunks: int, took: _Took) -> None:
    """Ask every way, each time another one first; the first round only warms."""
    now = BEGINNING + chunks * BETWEEN
    for turn in range(ROUNDS + 1):
        for place, question in enumerate(asked):
            order = list(memories) if (turn + place) % 2 else [*memories][::-1]
            for way in order:
                ms = _ms(lambda: memories[way].search(question, now=now))  # noqa: B023  called here
                if turn:
                    took.asked[way].append(ms)


def _load(places: Mapping[str, Path | str], took: _Took) -> None:
    """Open a space that nothing is known of and fill its index from rows, by turns."""
    for _ in range(LOADS):
        for way, place in places.items():
            with closing(_store(place)) as store:
                took.loaded[way].append(_ms(lambda: _fill(store)))


def _store(place: Path | str) -> SpaceStore:
    return SQLiteStore(place) if isinstance(place, Path) else PostgresStore(place)


def _fill(store: SpaceStore) -> None:
    with store.reading(DEFAULT_SPACE) as (space, reader):
        SpaceIndex(space.embedder.dimension).at(reader)


def _ms(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return 1000.0 * (time.perf_counter() - started)


def _figures(chunks: int, took: _Took) -> dict[str, Any]:
    asked = {way: median(times) for way, times in took.asked.items()}
    per_s = {
        "postgresql": 1000.0 * took.chunks / sum(took.ingested),
        "copy": 1000.0 * took.chunks / sum(took.copied),
    }
    return {
        "chunks": chunks,
        "search_ms_p50": asked,
        "warm_ratio": asked[WARM] / asked[EMBEDDED],
        "load_ms_p50": {way: median(times) for way, times in took.loaded.items()},
        "ingest_chunks_per_s": per_s,
        "ingest_to_copy_ratio": per_s["postgresql"] / per_s["copy"],
    }
