"""Indexes of vectors, one of each large space: who gets one, and that answers stay as they are."""

from collections.abc import Callable, Iterator
from datetime import datetime

import numpy as np
import psycopg
import pytest

from simonides import Database
from simonides.errors import InvalidInput, StoreError
from simonides.model.filter import Filter
from simonides.model.stored import EmbedderIdentity, Prepared
from simonides.ports.lanes import Wanted
from simonides_postgres import PostgresStore
from simonides_postgres.lanes.statements import as_halfvec
from simonides_postgres.lanes.vector_indexes import EF_SEARCH, nearest_of_all

Prepare = Callable[..., Prepared]

SIZES = {"ana": 300, "ben": 20}


@pytest.fixture
def store(
    served_dsn: str, tiny: EmbedderIdentity, prepare: Prepare, noon: datetime
) -> Iterator[PostgresStore]:
    """A store with a large and a small space, of a role that only reads and writes rows."""
    made = PostgresStore(served_dsn)
    draw = np.random.default_rng(7)
    for name, size in SIZES.items():
        rows = draw.integers(-127, 128, (size, tiny.dimension), dtype=np.int8)
        items = [
            prepare(f"item {n}", id=f"{name}{n}", vector=row.tobytes())
            for n, row in enumerate(rows)
        ]
        made.open(name, embedder=tiny, create=True).commit(items, stored_at=noon)
    yield made
    made.close()


@pytest.fixture
def database(store: PostgresStore, owner_dsn: str) -> Iterator[Database]:
    """The tables with both spaces, for the role that owns them."""
    _ = store
    with Database(owner_dsn) as made:
        yield made


@pytest.fixture
def owner_dsn(served_dsn: str) -> str:
    """The address for the role that made the tables."""
    return served_dsn.replace("//serves@", "//postgres@")


def nearest(store: PostgresStore, query: list[int], *, limit: int) -> list[int]:
    with store.open_any("ana").read() as reader:
        assert reader.lanes is not None
        return reader.lanes.nearest(query, Wanted(filter=Filter()), limit=limit)


def indexes(dsn: str) -> list[str]:
    with psycopg.connect(dsn) as connection:
        asked = (
            "SELECT indexname FROM pg_indexes WHERE indexname LIKE 'lane_vectors_of_%' ORDER BY 1"
        )
        return [name for (name,) in connection.execute(asked)]


def test_a_large_space_gets_an_index_and_answers_as_before(
    store: PostgresStore, database: Database, tiny: EmbedderIdentity
) -> None:
    query = list(range(3, 3 + tiny.dimension))
    limits = (1, 10, 100, EF_SEARCH, EF_SEARCH + 1)
    before = [nearest(store, query, limit=limit) for limit in limits]

    done = database.index(chunks_min=100)

    assert (done.spaces, done.before, done.dropped) == (("ana",), (), ())
    assert [nearest(store, query, limit=limit) for limit in limits] == before
    again = database.index(chunks_min=100)
    assert (again.spaces, again.before, again.statements) == ((), ("ana",), ())


def test_the_index_is_met_behind_the_walls(
    database: Database, served_dsn: str, tiny: EmbedderIdentity
) -> None:
    database.index(chunks_min=100)
    values = {"space": 1, "query": as_halfvec(range(tiny.dimension)), "limit": 10}

    with psycopg.connect(served_dsn) as connection:
        connection.execute("SET LOCAL simonides.space = '1'; SET LOCAL enable_seqscan = off")
        connection.execute("SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_sort = off")
        statement = nearest_of_all(1, dimension=tiny.dimension, limit=10)
        plan = connection.execute(f"EXPLAIN {statement}".encode(), values).fetchall()

    assert any("lane_vectors_of_1_" in line for (line,) in plan), plan


def test_a_dry_run_only_says_what_it_would_do(database: Database, owner_dsn: str) -> None:
    done = database.index(chunks_min=1, dry_run=True)

    assert done.spaces == ("ana", "ben")
    assert [one.partition(" ON ")[0] for one in done.statements] == [
        "CREATE INDEX CONCURRENTLY lane_vectors_of_1_4",
        "CREATE INDEX CONCURRENTLY lane_vectors_of_2_4",
    ]
    assert indexes(owner_dsn) == []


def test_an_index_that_no_space_needs_goes(
    store: PostgresStore, database: Database, owner_dsn: str
) -> None:
    database.index(chunks_min=1)
    store.remove("ben")

    assert database.index(chunks_min=1).dropped == ("lane_vectors_of_2_4",)
    assert database.index(chunks_min=1_000).dropped == ("lane_vectors_of_1_4",)
    assert indexes(owner_dsn) == []


def test_one_that_was_left_unfinished_is_made_anew(database: Database, owner_dsn: str) -> None:
    database.index(chunks_min=100)
    with psycopg.connect(owner_dsn) as connection:
        connection.execute(
            "UPDATE pg_index SET indisvalid = false "
            "WHERE indexrelid = 'lane_vectors_of_1_4'::regclass"
        )

    done = database.index(chunks_min=100)

    assert (done.spaces, done.dropped) == (("ana",), ("lane_vectors_of_1_4",))
    assert indexes(owner_dsn) == ["lane_vectors_of_1_4"]


def test_vectors_of_another_length_are_none_of_its_business(
    database: Database, owner_dsn: str
) -> None:
    """They come when a space is embedded anew with another model."""
    database.index(chunks_min=100)

    with psycopg.connect(owner_dsn) as connection:
        changed = connection.execute(
            "UPDATE lane_vectors SET embedding = '[1,2,3]' WHERE space_id = 1 AND item_key < 9"
        )

        assert changed.rowcount > 0


def test_a_role_that_only_reads_and_writes_makes_none(
    store: PostgresStore, served_dsn: str
) -> None:
    _ = store
    with Database(served_dsn) as served, pytest.raises(StoreError, match="the one that migrates"):
        served.index(chunks_min=100)


def test_no_bound_below_one_is_taken(database: Database) -> None:
    with pytest.raises(InvalidInput, match="at least 1"):
        database.index(chunks_min=0)
