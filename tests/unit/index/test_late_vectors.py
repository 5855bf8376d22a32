"""A warm view when vectors come after their items: like one made anew, and no earlier one moves."""

import random
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from simonides.index.build import differences
from simonides.index.index_view import IndexView
from simonides.index.snapshot import read, write
from simonides.index.space_index import SpaceIndex
from simonides.ingest.prepare import Preparer, vectors_of
from simonides.model.item import Item
from simonides.model.stored import LateVector

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)


def words(kept: Any, *texts: str) -> None:
    """Keep items whose vectors are left for later."""
    preparer = Preparer(identity=kept.embedder.identity, embedder=None)
    items = [Item(content=text, id=text) for text in texts]
    kept.space.commit(preparer.prepare(items), stored_at=NOW)


def embed(kept: Any, count: int) -> None:
    """Embed the newest chunks that wait, in one revision."""
    with kept.space.read() as reader:
        places = reader.waiting()[:count]
        items = reader.items([key for key, _ in places])
    vectors = vectors_of([items[key].content for key, _ in places], kept.embedder)
    late = [
        LateVector(item_key=key, ordinal=ordinal, vector=vector)
        for (key, ordinal), vector in zip(places, vectors, strict=True)
    ]
    assert kept.space.put_vectors(late, identity=kept.embedder.identity, at=NOW) == count


def at(kept: Any, space_view: SpaceIndex) -> IndexView:
    with kept.space.read() as reader:
        view = space_view.at(reader)
    assert view is not None
    return view


def test_a_view_that_catches_up_is_the_one_that_rows_make(kept: Any) -> None:
    space_view = SpaceIndex(16)
    kept.words("first")
    words(kept, "alpha", "harbor lunch", "zebra")
    seen = [at(kept, space_view)]
    for step in (
        lambda: embed(kept, 1),
        lambda: kept.forget("alpha"),
        lambda: words(kept, "late"),
        lambda: embed(kept, 2),
        lambda: kept.words("first", language="de"),
    ):
        step()
        seen.append(at(kept, space_view))
        assert differences(seen[-1], kept.anew()) == []

    assert [view.waiting_count for view in seen] == [3, 2, 1, 2, 0, 0]
    assert seen[-1].waiting is None


def test_an_earlier_view_goes_on_waiting_for_what_came_later(kept: Any) -> None:
    space_view = SpaceIndex(16)
    kept.words("first")
    words(kept, "alpha", "zebra")
    query = kept.embedder.embed_query("alpha")
    before = at(kept, space_view)
    cosines = before.cosines(query)
    embed(kept, 2)
    after = at(kept, space_view)

    assert before.waiting is not None
    assert before.waiting.tolist() == [False, True, True]
    np.testing.assert_array_equal(before.cosines(query), cosines)
    assert before.vectors_alive == 1
    assert after.vectors_alive == 3
    assert after.cosines(query)[1] > 0.9
    np.testing.assert_array_equal(after.semantic(query), kept.anew().semantic(query))


def test_an_earlier_view_that_is_asked_again_spoils_no_later_one(kept: Any) -> None:
    space_view = SpaceIndex(16)
    words(kept, *(f"word{n}" for n in range(40)))
    query = kept.embedder.embed_query("word7")
    before = at(kept, space_view)
    before.semantic(query)
    embed(kept, 3)
    after = at(kept, space_view)
    before.semantic(query)  # caches norms as they were then, or as they are now

    np.testing.assert_array_equal(after.semantic(query), kept.anew().semantic(query))


def test_the_view_of_the_past_is_that_of_then(kept: Any) -> None:
    space_view = SpaceIndex(16)
    words(kept, "alpha", "zebra")
    before = at(kept, space_view)
    embed(kept, 1)
    embed(kept, 1)

    with kept.space.read() as reader:
        past = space_view.past(reader.past(1))
    assert past.waiting_count == before.waiting_count == 2
    assert past.vectors_alive == 0
    assert not past.vector_total.any()
    with kept.space.read() as reader:
        assert space_view.past(reader.past(2)).waiting_count == 1


def test_a_snapshot_knows_what_waits(kept: Any, tmp_path: Any) -> None:
    space_view = SpaceIndex(16)
    words(kept, "alpha", "zebra")
    embed(kept, 1)
    view = at(kept, space_view)
    write(tmp_path / "s", view, space_uuid="u", epoch=0)
    found = read(tmp_path / "s", space_uuid="u", epoch=0, dimension=16)

    assert found is not None
    assert found.waiting_count == 1
    assert differences(found, kept.anew()) == []


@pytest.mark.parametrize("count", [1, 2])
def test_vectors_that_came_before_their_slots_were_known_come_with_the_rows(
    kept: Any, count: int
) -> None:
    space_view = SpaceIndex(16)
    kept.words("first")
    at(kept, space_view)
    words(kept, "alpha", "zebra")
    embed(kept, count)

    assert differences(at(kept, space_view), kept.anew()) == []


@pytest.mark.parametrize("seed", range(4))
def test_any_order_of_writes_gives_the_view_that_rows_make(kept: Any, seed: int) -> None:
    chance = random.Random(seed)
    space_view = SpaceIndex(16)
    query = kept.embedder.embed_query("word3 word5")
    held: list[tuple[IndexView, list[bool] | None, list[float]]] = []
    for step in range(30):
        with kept.space.read() as reader:
            count = reader.waiting_count()
        names = [f"word{chance.randrange(12)}" for _ in range(3)]
        write = chance.choice(["later", "embed", "at once", "forget"])
        if write == "later":
            words(kept, *dict.fromkeys(f"{name} {step}" for name in names))
        elif write == "at once":
            kept.words(*dict.fromkeys(names), language=chance.choice(["en", "de"]))
        elif write == "forget":
            kept.forget(*names, f"{names[0]} {step - 3}")
        elif count:
            embed(kept, chance.randint(1, count))
        if chance.random() < 0.5:
            view = at(kept, space_view)
            assert differences(view, kept.anew()) == []
            if view.chunk_count:
                held.append((view, _waits(view), view.cosines(query).tolist()))
    for view, waits, cosines in held:
        assert (_waits(view), view.cosines(query).tolist()) == (waits, cosines)


def _waits(view: IndexView) -> list[bool] | None:
    fresh = replace(view)  # without what it has cached
    return None if fresh.waiting is None else fresh.waiting.tolist()
