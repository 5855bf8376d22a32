"""Which state a question is about, and what is said of a past that is not whole any more."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final

import pytest

from simonides import Filter, Item, Memory
from simonides.errors import HistoryGone, InvalidInput
from simonides.retrieval.plan import check_as_of, reader_as_of, revision_asked
from simonides_bench.testing.hashing import HashingEmbedder

NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
SECOND: Final = timedelta(seconds=1)


@pytest.fixture
def lived(memory: Memory) -> Memory:
    """Four revisions at one time: tea and ham; coffee for tea; ham forgotten; rice."""
    memory.add([Item(id="a", content="tea", tags=("hot",)), Item(id="b", content="ham")])
    memory.update("a", content="coffee")
    memory.forget("b")
    memory.add("rice", id="c")
    return memory


@pytest.mark.parametrize("as_of", [None, 0, 7, NOW, datetime(1, 1, 1, tzinfo=UTC)])
def test_a_time_with_a_zone_and_a_revision_can_be_asked_for(as_of: Any) -> None:
    check_as_of(as_of)


@pytest.mark.parametrize(
    "as_of",
    [-1, True, "soon", 1.5, datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))],
)
def test_nothing_else_can(lived: Memory, as_of: Any) -> None:
    for ask in (
        lambda: check_as_of(as_of),
        lambda: lived.search("tea", as_of=as_of),
        lambda: lived.brief("tea", as_of=as_of),
        lambda: lived.explain("tea", as_of=as_of),
        lambda: lived.list(as_of=as_of),
        lambda: lived.get("a", as_of=as_of),
    ):
        with pytest.raises(InvalidInput, match="as_of"):
            ask()


def test_a_time_in_another_zone_is_the_same_time(lived: Memory) -> None:
    tokyo = NOW.astimezone(timezone(timedelta(hours=9)))

    assert lived.get("c", as_of=tokyo).content == "rice"
    assert lived.list(as_of=tokyo - SECOND).items == ()


def test_the_present_is_asked_through_its_own_reader(lived: Memory) -> None:
    space = lived._runtime.store.open_any("default")
    with space.read() as reader:
        assert [revision_asked(as_of, reader) for as_of in (None, 4, NOW)] == [4, 4, 4]
        assert reader_as_of(reader, 4) is reader
        assert reader_as_of(reader, 1) is not reader
        with pytest.raises(InvalidInput, match="the space is at revision 4, got 5"):
            revision_asked(5, reader)


def test_each_verb_shows_the_state_that_is_asked_for(lived: Memory) -> None:
    def known(as_of: int) -> tuple[Any, ...]:
        found = lived.search("tea coffee ham rice", mode="text", as_of=as_of)
        listed = sorted(item.content for item in lived.list(as_of=as_of).items)
        brief = lived.brief("tea coffee ham rice", mode="text", as_of=as_of, worth_min=0.0)
        assert found.diagnostics.revision == brief.receipt.revision == as_of
        assert sorted(hit.item.content for hit in found) == listed
        assert all(word in brief.text for word in listed)
        return tuple(listed)

    assert [known(number) for number in range(1, 5)] == [
        ("ham", "tea"),
        ("coffee", "ham"),
        ("coffee",),
        ("coffee", "rice"),
    ]


def test_the_state_before_the_first_write_is_empty(lived: Memory) -> None:
    found = lived.search("tea", as_of=0)

    assert (found.hits, found.diagnostics.revision) == ((), 0)
    assert lived.list(as_of=NOW - SECOND).items == ()
    assert lived.brief("tea", as_of=0).items == ()


def test_filters_look_at_what_was(lived: Memory) -> None:
    lived.update("a", tags=["cold"])

    assert [hit.id for hit in lived.search("coffee", filter=Filter(tags=("hot",)), as_of=2)] == [
        "a"
    ]
    assert not lived.search("coffee", filter=Filter(tags=("cold",)), as_of=2).hits
    assert [item.version for item in lived.list(filter=Filter(ids=("a",)), as_of=1).items] == [1]


def test_pages_of_the_past_follow_each_other(lived: Memory) -> None:
    first = lived.list(limit=1, as_of=2)
    second = lived.list(limit=1, as_of=2, cursor=first.cursor)

    assert [one.id for page in (first, second) for one in page.items] == ["a", "b"]
    assert second.cursor == ""


def test_the_past_of_nothing_is_nothing(memory: Memory) -> None:
    assert memory.search("tea", as_of=NOW).hits == ()
    assert memory.list(as_of=NOW).items == ()


def test_what_is_compacted_away_is_said_by_every_verb(lived: Memory) -> None:
    lived.compact(before=3)

    for ask in (
        lambda: lived.search("tea", as_of=2),
        lambda: lived.brief("tea", as_of=2),
        lambda: lived.list(as_of=2),
        lambda: lived.get("a", as_of=2),
        lambda: lived.list(as_of=NOW - SECOND),
    ):
        with pytest.raises(HistoryGone, match="revision 3"):
            ask()
    assert lived.get("a", as_of=3).content == "coffee"


def test_what_was_erased_since_is_said_of_and_not_shown(lived: Memory) -> None:
    assert not lived.search("ham", as_of=2).diagnostics.notes
    lived._runtime.store.open_any("default").erase(["b"], at=NOW)

    found = lived.search("ham coffee", mode="text", as_of=2)

    assert [hit.id for hit in found] == ["a"]
    assert any("erased" in note and "revision 2" in note for note in found.diagnostics.notes)
    later = lived.stats().revision
    lived.add("soup", id="d")
    assert not lived.search("coffee", as_of=later).diagnostics.notes


def test_vectors_made_anew_since_are_said_of(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    memory.add("tea", id="a")
    memory.add("coffee", id="a")
    memory.close()
    other = open_memory(embedder=HashingEmbedder(32))
    other.reembed()

    found = other.search("tea", as_of=1)

    assert [hit.item.content for hit in found] == ["tea"]
    assert any("vectors were made anew" in note for note in found.diagnostics.notes)
    assert not other.search("coffee").diagnostics.notes
