"""What the lanes keep of a space: always what counting it anew would give."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import psycopg
import pytest

from simonides.model.stored import EmbedderIdentity, LateVector, Prepared
from simonides.ports.space import Space
from simonides.scoring.quantise import MEAN_CHUNKS_MAX
from simonides_postgres import PostgresStore
from simonides_postgres.lanes.following import follow

Prepare = Callable[..., Prepared]
Look = Callable[[], tuple[Any, ...]]


@pytest.fixture
def store(pooled_dsn: str) -> Iterator[PostgresStore]:
    """A store of a role that only reads and writes rows."""
    made = PostgresStore(pooled_dsn)
    yield made
    made.close()


@pytest.fixture
def space(store: PostgresStore, tiny: EmbedderIdentity) -> Space:
    """An empty space, which is not the first one."""
    store.open("other", embedder=tiny, create=True)
    return store.open("ana", embedder=tiny, create=True)


@pytest.fixture
def super_dsn(pooled_dsn: str) -> str:
    """The address of the same database for its superuser, whom no wall holds."""
    return pooled_dsn.replace("//serves@", "//postgres@")


@pytest.fixture
def kept(super_dsn: str) -> Look:
    """Return a function that tells what the lanes keep of the space."""

    def look() -> tuple[Any, ...]:
        with psycopg.connect(super_dsn) as connection:
            row = connection.execute("SELECT * FROM space_statistics WHERE space_id = 2").fetchone()
            vectors = connection.execute(
                "SELECT item_key, ordinal, embedding::text FROM lane_vectors WHERE space_id = 2 "
                "ORDER BY 1, 2"
            ).fetchall()
        return row, vectors

    return look


@pytest.fixture
def counted_anew(super_dsn: str, kept: Look) -> Look:
    """Return a function that tells what they would keep if they had never counted before."""

    def count() -> tuple[Any, ...]:
        with psycopg.connect(super_dsn) as connection:
            connection.execute("DELETE FROM space_statistics; DELETE FROM lane_vectors")
            follow(connection, 2)
        return kept()

    return count


@pytest.fixture
def looks(kept: Look, counted_anew: Look) -> tuple[Look, Look]:
    """Both of them."""
    return kept, counted_anew


def expected(space: Space) -> tuple[int, int, int, list[int]]:
    with space.read() as reader:
        rows = list(reader.chunk_rows(0))
    firsts = [one for one in rows if one.ordinal < MEAN_CHUNKS_MAX]
    vectors = np.array([list(np.frombuffer(one.vector, np.int8)) for one in firsts], np.int64)
    total = vectors.sum(axis=0).tolist() if rows else [0] * 4
    return len(rows), sum(row.length for row in rows), sum(map(any, vectors.tolist())), total


def test_the_lanes_follow_every_kind_of_write(
    space: Space,
    prepare: Prepare,
    noon: datetime,
    tiny: EmbedderIdentity,
    looks: tuple[Look, Look],
) -> None:
    kept, counted_anew = looks

    def late() -> None:
        space.commit([prepare("waits", id="late", vector=b"")], stored_at=noon)
        with space.read() as reader:
            ((key, ordinal),) = reader.waiting()
        vector = LateVector(item_key=key, ordinal=ordinal, vector=b"\x7f\x80\x00\x05")
        space.put_vectors([vector], identity=tiny, at=noon)

    writes: list[Callable[[], object]] = [
        lambda: space.commit(
            [prepare("one two\nthree", id="a"), prepare("four", id="b")], stored_at=noon
        ),
        lambda: space.commit([prepare("one", id="a")], stored_at=noon),
        late,
        lambda: space.forget(["b"], at=noon),
        lambda: space.commit([prepare("one two three", id="late")], stored_at=noon),
        lambda: space.erase(["a"], at=noon + timedelta(days=1)),
        lambda: space.commit([prepare("five\nsix", id="c")], stored_at=noon),
    ]
    for write in writes:
        write()
        row, vectors = kept()

        assert row[3:7] == expected(space)
        assert row[1] == space.stats().revision
        assert (row, vectors) == counted_anew()
        assert len(vectors) == row[3]


def test_a_space_without_vectors_is_counted_too(
    store: PostgresStore, prepare: Prepare, noon: datetime, kept: Look
) -> None:
    none = EmbedderIdentity(model="none", dimension=0, window_words=20, quantiser="none")
    store.open("other", embedder=none, create=True)
    bare = store.open("ana", embedder=none, create=True)
    bare.commit([prepare("one two", id="a", vector=b"")], stored_at=noon)

    assert kept() == ((2, 1, 0, 1, 2, 0, [], '{"[\\"memory\\", \\"note\\", \\"\\"]": 1}'), [])
