"""Views of the past: built from rows, kept warm a few at a time, dropped when they must go."""

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from simonides.index import space_index
from simonides.index.build import empty_view, extend
from simonides.index.index_cache import IndexCache
from simonides.index.index_view import IndexView
from simonides.index.space_index import PAST_VIEWS_MAX, PastIndexes, SpaceIndex
from simonides.ports.space import Reader

DIMENSION = 16
NOON = datetime(2026, 3, 12, 12, tzinfo=UTC)
STATISTICS = ("items_alive", "chunks_alive", "vectors_alive", "length_total")


def lived(kept: Any) -> list[IndexView]:
    """Write six revisions; return the view of each as it was built then."""
    views = [kept.anew()]
    for words in (("alpha", "beta"), ("gamma",), ("delta", "alpha beta")):
        kept.words(*words, tags=("x",))
        views.append(kept.anew())
    kept.forget("beta")
    views.append(kept.anew())
    kept.words("beta", title="again")
    views.append(kept.anew())
    kept.words("alpha", title="longer than before")
    return [*views, kept.anew()]


@pytest.mark.parametrize("revision", range(6))
def test_a_view_of_the_past_has_the_numbers_of_then(kept: Any, revision: int) -> None:
    then = lived(kept)[revision]
    with kept.space.read() as reader:
        view = PastIndexes(DIMENSION).of(reader.past(revision))

    assert view.revision == then.revision == revision
    assert [getattr(view, name) for name in STATISTICS] == [
        getattr(then, name) for name in STATISTICS
    ]
    assert np.array_equal(view.vector_total, then.vector_total)
    assert ids(view) == ids(then)
    for key in then.terms.segments[0].keys if then.terms.segments else ():
        assert view.term([int(key)]).idf == then.term([int(key)]).idf


def ids(view: IndexView) -> list[bytes]:
    return [bytes(one) for one in view.items.ids.rows(view.item_count)[view.ordered]]


def test_a_revision_that_is_asked_again_is_not_built_again(
    kept: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived(kept)
    views, built = PastIndexes(DIMENSION), []

    def counted(view: IndexView, reader: Reader) -> IndexView:
        built.append(reader.revision)
        return extend(view, reader)

    monkeypatch.setattr(space_index, "extend", counted)
    for revision in (1, 2, 1, 2, 1):
        with kept.space.read() as reader:
            views.of(reader.past(revision))

    assert built == [1, 2]


def test_the_revision_asked_longest_ago_goes_first(kept: Any) -> None:
    lived(kept)
    views = PastIndexes(DIMENSION)
    with kept.space.read() as reader:
        first, second, *_ = [views.of(reader.past(number)) for number in range(PAST_VIEWS_MAX)]
        assert views.of(reader.past(0)) is first  # asked again: now 1 is the oldest
        views.of(reader.past(PAST_VIEWS_MAX))

        assert views.of(reader.past(0)) is first
        assert views.of(reader.past(1)) is not second


def test_what_was_compacted_away_is_not_held_any_longer(kept: Any) -> None:
    lived(kept)
    views = PastIndexes(DIMENSION)
    with kept.space.read() as reader:
        for revision in (1, 5):
            views.of(reader.past(revision))
        both = views.nbytes
    kept.space.compact(before=4, now=NOON, decided_before=None, limit=99)

    with kept.space.read() as reader:
        views.of(reader.past(5))
    assert 0 < views.nbytes < both


def test_what_was_erased_is_not_shown_from_a_warm_view(kept: Any) -> None:
    lived(kept)
    views = PastIndexes(DIMENSION)
    with kept.space.read() as reader:
        assert views.of(reader.past(1)).items_alive == 2
    kept.space.erase(["beta"], at=NOON)

    with kept.space.read() as reader:
        assert views.of(reader.past(1)).items_alive == 1


def test_views_of_the_past_count_as_memory_and_can_be_dropped(kept: Any) -> None:
    lived(kept)
    space_view = SpaceIndex(DIMENSION)
    with kept.space.read() as reader:
        space_view.at(reader)
        alone = space_view.nbytes
        space_view.past(reader.past(2))

    assert space_view.nbytes > alone
    space_view.drop_pasts()
    assert space_view.nbytes == alone


def test_where_memory_is_short_the_past_goes_before_the_present(kept: Any) -> None:
    lived(kept)
    probe = SpaceIndex(DIMENSION)
    with kept.space.read() as reader:
        probe.at(reader)
    views = IndexCache(bytes_max=int(1.2 * probe.nbytes), snapshot_path=lambda _: "")
    view = views.of(kept.space)
    with kept.space.read() as reader:
        present = view.at(reader)
        view.past(reader.past(4))
    assert views.nbytes > 1.2 * probe.nbytes

    assert views.of(kept.space) is view
    assert view.nbytes < 1.2 * probe.nbytes
    with kept.space.read() as reader:
        assert view.at(reader) is present


def test_an_empty_view_reads_no_deaths(kept: Any) -> None:
    """A space that was changed a hundred thousand times is opened without wading through them."""
    lived(kept)

    class NoDeaths:
        def __init__(self, reader: Reader) -> None:
            self._reader = reader

        def __getattr__(self, name: str) -> Any:
            if name == "deaths":
                pytest.fail("nothing in an empty view can die")
            return getattr(self._reader, name)

    with kept.space.read() as reader:
        watched: Any = NoDeaths(reader)
        assert extend(empty_view(DIMENSION), watched).items_alive == 5
