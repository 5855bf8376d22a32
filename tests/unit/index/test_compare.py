"""Two views of one revision are the same index, however they came to be; a wrong number is seen."""

from typing import Any

import numpy as np
import pytest

from simonides import Item, Kind, Person
from simonides.index.build import STATISTICS, differences, empty_view, extend
from simonides.index.index_view import IndexView


@pytest.fixture
def grown(kept: Any) -> IndexView:
    """A view that grew with every write, some of which replaced and forgot."""
    view = empty_view(16)

    def seen() -> None:
        nonlocal view
        with kept.space.read() as reader:
            view = extend(view, reader)

    for n in range(6):
        kept.keep(
            Item(
                id=f"i{n}", content=f"alpha number {n} of the harbor", tags=("red", f"t{n}"),
                kind=Kind.MESSAGE if n % 2 else Kind.MEMORY, language="en",
                people=(Person(name=f"Sarah {n}", address=f"s{n}@example.com"),),
            )
        )  # fmt: skip
        seen()
    kept.words("i2")
    kept.forget("i3", "i0")
    seen()
    return view


def test_a_grown_view_is_the_one_that_rows_make(kept: Any, grown: IndexView) -> None:
    assert len(grown.alive) > grown.items_alive
    assert differences(grown, kept.anew()) == []
    assert differences(kept.anew(), grown) == []


def test_two_empty_views_are_the_same() -> None:
    assert differences(empty_view(16), empty_view(16)) == []


@pytest.mark.parametrize("name", STATISTICS)
def test_a_wrong_count_is_seen(kept: Any, grown: IndexView, name: str) -> None:
    wrong = np.asarray(getattr(grown, name)) + 1
    fresh = kept.anew()
    object.__setattr__(grown, name, wrong if wrong.shape else int(wrong))

    assert name in differences(grown, fresh)


@pytest.mark.parametrize("name", ["happened", "stored", "born", "importance", "ids", "position"])
def test_a_wrong_column_of_items_is_seen(kept: Any, grown: IndexView, name: str) -> None:
    column = grown.items.growing[name].rows(grown.item_count)
    last = int(np.flatnonzero(grown.alive)[-1])
    column[last] = b"other" if name == "ids" else 70

    assert differences(grown, kept.anew()) == [f"items.{name}"]


def test_a_wrong_column_of_chunks_is_seen(kept: Any, grown: IndexView) -> None:
    grown.chunks.words.rows(grown.chunk_count)[-1] += 1

    assert differences(grown, kept.anew()) == ["chunks.words"]


def test_a_wrong_vector_is_seen(kept: Any, grown: IndexView) -> None:
    grown.vectors.rows.rows(grown.chunk_count)[-1, 0] ^= 1

    assert differences(grown, kept.anew()) == ["vectors"]


def test_a_wrong_code_is_seen(kept: Any, grown: IndexView) -> None:
    codes = grown.items.codes["source"]
    codes.values[codes.column.rows(grown.item_count)[-1]] = "elsewhere"

    assert differences(grown, kept.anew()) == ["items.source"]


@pytest.mark.parametrize("part", ["terms", "facets"])
@pytest.mark.parametrize("array", ["docs", "counts", "keys"])
def test_a_single_wrong_posting_is_seen(kept: Any, grown: IndexView, part: str, array: str) -> None:
    owners = np.arange(grown.item_count) if part == "facets" else grown.chunk_items
    segment = max(getattr(grown, part).segments, key=lambda one: len(one.docs))
    posting = int(np.flatnonzero(grown.alive[owners[segment.docs]])[-1])
    place = int(np.searchsorted(segment.starts, posting, side="right")) - 1
    getattr(segment, array)[place if array == "keys" else posting] += 100

    assert part in differences(grown, kept.anew())


def test_what_is_wrong_with_the_dead_is_of_no_account(kept: Any, grown: IndexView) -> None:
    dead = int(np.flatnonzero(~grown.alive)[0])
    grown.items.happened.rows(grown.item_count)[dead] = 7

    assert differences(grown, kept.anew()) == []
