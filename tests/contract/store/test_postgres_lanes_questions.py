"""What the lanes of PostgreSQL bring: as much as is asked for, in order, by the index, once."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime

import numpy as np
import psycopg
import pytest

from simonides.model.filter import Filter
from simonides.model.stored import EmbedderIdentity, Prepared
from simonides.ports.lanes import Lanes, Wanted
from simonides.ports.space import Space
from simonides.text.terms import pack, term_key
from simonides_postgres import PostgresStore
from simonides_postgres.lanes.statements import LANES

Prepare = Callable[..., Prepared]

ITEMS = 300
EVERY = {"a": 1, "b": 7, "c": 50}
"""Every so many items are of this collection, where no rarer one takes them."""


def collection_of(number: int) -> str:
    return next(name for name in "cba" if number % EVERY[name] == 0)


@pytest.fixture
def space(
    pooled_dsn: str, tiny: EmbedderIdentity, prepare: Prepare, noon: datetime
) -> Iterator[Space]:
    """A space of 300 items with vectors drawn at random, in collections of all sizes."""
    store = PostgresStore(pooled_dsn)
    rows = np.random.default_rng(7).integers(-127, 128, (ITEMS, tiny.dimension), dtype=np.int8)
    made = store.open("ana", embedder=tiny, create=True)
    items = [
        prepare(
            f"item {n}", id=f"i{n:03}", vector=row.tobytes(), collection=collection_of(n),
            session=f"s{n % 3}",
        )
        for n, row in enumerate(rows)
    ]  # fmt: skip
    made.commit(items, stored_at=noon)
    yield made
    store.close()


@pytest.fixture
def lanes(space: Space) -> Iterator[Lanes]:
    """The lanes of a look at it."""
    with space.read() as reader:
        assert reader.lanes is not None
        yield reader.lanes


def nearest_first(space: Space, query: list[int], collections: tuple[str, ...]) -> list[int]:
    """Return the items of some collections by falling cosine, computed here."""
    with space.read() as reader:
        items = {row.key: row for row in reader.item_rows(0)}
        rows = [row for row in reader.chunk_rows(0)
                if not collections or items[row.item_key].collection in collections]  # fmt: skip
    blob = b"".join(row.vector for row in rows)
    vectors = np.frombuffer(blob, np.int8).reshape(-1, len(query)).astype(np.float64)
    cosines = vectors @ np.array(query) / np.linalg.norm(vectors, axis=1)
    return [rows[at].item_key for at in np.argsort(-cosines, kind="stable")]


@pytest.mark.parametrize("collections", [(), ("a",), ("b", "c"), ("b",), ("c",), ("none",)])
@pytest.mark.parametrize("limit", [1, 10, 200])
def test_the_nearest_of_what_is_wanted_are_never_too_few(
    space: Space, lanes: Lanes, tiny: EmbedderIdentity, collections: tuple[str, ...], limit: int
) -> None:
    query = list(range(3, 3 + tiny.dimension))
    wanted = Wanted(filter=Filter(collections=collections))

    found = lanes.nearest(query, wanted, limit=limit)

    assert found == nearest_first(space, query, collections)[:limit]


def test_those_around_an_item_are_of_its_session(space: Space, lanes: Lanes) -> None:
    with space.read() as reader:
        of_session = [row.key for row in reader.item_rows(0) if row.session == "s1"]

    assert lanes.around([of_session[0], of_session[40]], steps=2) == [
        *of_session[:3], *of_session[38:43],
    ]  # fmt: skip
    assert lanes.around([of_session[0]], steps=0) == [of_session[0]]


def test_matches_are_told_in_order_with_the_terms_that_were_asked_for(
    space: Space, prepare: Prepare, noon: datetime
) -> None:
    def with_terms(made: Prepared) -> Prepared:
        lines = made.item.content.split("\n")
        chunks = [
            replace(chunk, terms=pack(Counter(line.split())))
            for chunk, line in zip(made.chunks, lines, strict=True)
        ]
        return replace(made, chunks=tuple(chunks))

    two, three = term_key("two"), term_key("three")
    texts = {"x": "one two\nthree four", "y": "three three five"}
    space.commit([with_terms(prepare(text, id=one)) for one, text in texts.items()], stored_at=noon)
    with space.read() as reader:
        assert reader.lanes is not None
        found = reader.lanes.holding([two, three])
        x, y = reader.keys(["x", "y"])

    assert list(zip(found.item_keys.tolist(), found.ordinals.tolist(), strict=True)) == [
        (x, 0), (x, 1), (y, 0),
    ]  # fmt: skip
    assert found.sizes.tolist() == [1, 1, 1]
    assert found.terms.tolist() == [two, three, three]
    assert found.counts.tolist() == [1, 1, 2]


@pytest.mark.usefixtures("space")
def test_words_are_looked_up_in_their_index_behind_the_walls(served_dsn: str) -> None:
    with psycopg.connect(served_dsn.replace("//serves@", "//postgres@")) as connection:
        connection.execute("ALTER TABLE chunks DROP CONSTRAINT chunks_pkey CASCADE")
    with psycopg.connect(served_dsn) as connection:
        connection.execute("SET LOCAL simonides.space = '1'; SET LOCAL enable_seqscan = off")
        plan = connection.execute(
            f"EXPLAIN {LANES['holding']}", {"space": 1, "terms": "'1.00'|'1.01'"}
        ).fetchall()

    assert any("chunks_terms" in line for (line,) in plan), plan


def test_terms_of_a_chunk_are_not_sent_with_its_row(lanes: Lanes, space: Space) -> None:
    with space.read() as reader:
        keys = reader.keys(["i001", "i002"])

    assert [row.terms for row in lanes.among(keys).chunk_rows(0)] == [b"", b""]
