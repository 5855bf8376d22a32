"""Keeping: what did not change costs nothing, and many items are one commit."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import pytest

from simonides import Item, Memory
from simonides.errors import EmbedderError, InvalidInput
from simonides.model.stored import Change, Outcome
from simonides_bench.testing.hashing import CountingEmbedder

GERMAN: Final = "Wir haben gestern im Hafen mit der Verwaltung gesprochen und das ist sehr gut"


def changes(outcomes: Sequence[Outcome]) -> list[tuple[str, int]]:
    return [(outcome.change.value, outcome.revision) for outcome in outcomes]


def test_many_items_are_one_revision(memory: Memory) -> None:
    outcomes = memory.add(["alpha", "beta", Item(content="gamma")])

    assert changes(outcomes) == [("added", 1)] * 3
    assert len({outcome.id for outcome in outcomes}) == 3
    assert memory.stats().items == 3


def test_no_items_are_no_revision(memory: Memory) -> None:
    assert memory.add([]) == ()
    assert memory.search("alpha").diagnostics.revision == 0


def test_what_did_not_change_is_neither_embedded_nor_written(
    memory: Memory, embedder: CountingEmbedder
) -> None:
    items = [Item(source_id=str(n), content=f"alpha {n}") for n in range(3)]
    memory.add(items)
    embedder.texts.clear()
    again = memory.add([*items, Item(source_id="9", content="new")])

    assert [outcome.change for outcome in again] == [Change.UNCHANGED] * 3 + [Change.ADDED]
    assert embedder.texts == ["new"]
    assert changes(memory.add(items)) == [("unchanged", 2)] * 3


def test_a_detected_language_is_no_change(memory: Memory, embedder: CountingEmbedder) -> None:
    first = memory.add(GERMAN, source_id="1")
    embedder.texts.clear()

    assert memory.get(first.id).language == "de"
    assert memory.add(GERMAN, source_id="1").change is Change.UNCHANGED
    assert memory.update(first.id).version == 1
    assert memory.add(memory.get(first.id)).change is Change.UNCHANGED
    assert embedder.texts == []


def test_another_language_is_a_change(memory: Memory) -> None:
    first = memory.add(GERMAN, source_id="1")

    assert memory.update(first.id, language="nl").version == 2
    assert memory.get(first.id).language == "nl"


def test_new_words_are_in_the_language_they_seem_to_be_in(memory: Memory) -> None:
    first = memory.add(GERMAN, source_id="1")

    assert memory.update(first.id, content="We have talked to them and it is good").language == "en"
    assert memory.update(first.id, content=GERMAN, language="nl").language == "nl"
    assert memory.update(first.id, tags=["red"]).language == "nl"


def test_the_language_of_what_changed_is_seen_anew(memory: Memory) -> None:
    memory.add(GERMAN, source_id="1")
    outcome = memory.add("We have talked to them about it and all is good", source_id="1")

    assert outcome.change is Change.UPDATED
    assert memory.get(outcome.id).language == "en"


@pytest.mark.parametrize("first", ["old", "new"])
def test_of_several_with_one_id_the_last_is_kept(
    memory: Memory, embedder: CountingEmbedder, first: str
) -> None:
    memory.add("old", source_id="1")
    embedder.texts.clear()
    last = {"old": "new", "new": "old"}[first]
    outcomes = memory.add([Item(source_id="1", content=one) for one in (first, last)])

    expected = Change.UPDATED if last == "new" else Change.UNCHANGED
    assert [outcome.change for outcome in outcomes] == [expected] * 2
    assert memory.get(outcomes[0].id).content == last
    assert embedder.texts == (["new"] if last == "new" else [])


def test_an_embedder_that_fails_leaves_everything_as_it_was(
    memory: Memory, embedder: CountingEmbedder
) -> None:
    memory.add("alpha", source_id="1")
    embedder.fails_after = 0
    with pytest.raises(EmbedderError):
        memory.add([Item(source_id="1", content="beta"), Item(content="gamma")])

    assert [item.content for item in memory.list().items] == ["alpha"]
    assert memory.stats().revision == 1


@pytest.mark.parametrize(
    "metadata",
    [
        {"n": object()}, {"n": float("nan")}, {1: "a", "b": 2}, {"a": {1: 2, "b": 3}},
        {"a": "\ud800"}, {"\ud800": 1}, {"a": {2: 3}},
    ],
    ids=range(7),
)  # fmt: skip
def test_metadata_that_cannot_be_kept_is_refused_and_nothing_is_written(
    memory: Memory, metadata: Any
) -> None:
    with pytest.raises(InvalidInput, match="metadata"):
        memory.add([Item(content="alpha"), Item(content="beta", metadata=metadata)])

    assert memory.list().items == ()


def test_what_was_forgotten_comes_back_by_hand(memory: Memory) -> None:
    first = memory.add("alpha", source_id="1")
    memory.forget(first.id)

    assert memory.list().items == ()
    assert memory.add("alpha", source_id="1").change is Change.ADDED
    assert [hit.id for hit in memory.search("alpha")] == [first.id]


def test_what_is_kept_is_read_back_as_it_was_given(memory: Memory, now: datetime) -> None:
    given = Item(
        kind="event",
        content="ünïcode \U0001f680\nline",
        source="calendar",
        title="t",
        summary="s",
        quoted="q",
        tags=("b", "a"),
        metadata={"n": [1, True, None, 1.5, {"ä": "ö"}]},
        collection="side",
        session="s",
        position=-3,
        happened_at=datetime(1969, 7, 20, 20, 17, 40, 123_456, tzinfo=UTC),
        language="de",
    )
    memory.add(given)
    back = memory.get(given.id)

    assert (back.stored_at, back.revision, back.version) == (now, 1, 1)
    for name in ("kind", "content", "tags", "metadata", "position", "happened_at", "session"):
        assert getattr(back, name) == getattr(given, name)
    assert memory.add(back).change is Change.UNCHANGED


@pytest.mark.parametrize("write", ["add", "update"])
def test_a_later_version_holds_nothing_of_the_earlier(memory: Memory, write: str) -> None:
    first = memory.add("walrus crossing", source_id="1", people=["Uwe Anders"])
    memory.search("walrus")
    later: dict[str, Callable[[], Any]] = {
        "add": lambda: memory.add("zebra", source_id="1"),
        "update": lambda: memory.update(first.id, content="zebra", people=[]),
    }
    later[write]()

    assert len(memory.search("walrus", mode="text")) == 0
    assert memory.search("what did Uwe say").plan.people == ()
    assert [hit.id for hit in memory.search("zebra", mode="text")] == [first.id]
    assert memory.entities() == ()
