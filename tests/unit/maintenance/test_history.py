"""The versions of an item, what each changed and why it left, and bringing one back."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from simonides import Item, Memory, MemoryTraits, Person, Settings
from simonides.errors import Conflict, InvalidInput, NotFound
from simonides.ingest.keep import keep
from simonides.maintenance import item_history as module
from simonides.maintenance.item_history import list_changes
from simonides.model.maintenance import Cause
from simonides_bench.testing.hashing import HashingEmbedder

NOON: Final = datetime(2026, 3, 12, 12, tzinfo=UTC)


class Ticking:
    """A clock that goes on by an hour each time it is looked at."""

    def __init__(self) -> None:
        self.looks = -1

    def __call__(self) -> datetime:
        self.looks += 1
        return NOON + timedelta(hours=self.looks)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory with nothing in it yet, whose clock goes on with each write."""
    settings = Settings(timezone="UTC", durability="relaxed")
    with Memory(tmp_path, settings=settings, embedder=HashingEmbedder(), clock=Ticking()) as opened:
        yield opened


def lived(memory: Memory) -> None:
    """Write three versions of an item, forget it, and keep another one."""
    memory.add("tea", id="a")
    memory.update("a", content="coffee", tags=["drink"])
    memory.update("a", traits={"importance": 0.9, "entity": "Tom"})
    memory.forget("a")
    memory.add("rice", id="b")


def test_versions_follow_each_other_with_their_times_and_what_they_changed(memory: Memory) -> None:
    lived(memory)

    versions = memory.history("a")

    assert [(one.version, one.born, one.died) for one in versions] == [
        (1, 1, 2), (2, 2, 3), (3, 3, 4),
    ]  # fmt: skip
    assert [one.changed for one in versions] == [
        (), ("content", "tags"), ("traits.importance", "traits.entity"),
    ]  # fmt: skip
    assert [one.cause for one in versions] == [Cause.REPLACED, Cause.REPLACED, Cause.FORGOTTEN]
    assert [one.item.content for one in versions] == ["tea", "coffee", "coffee"]
    assert [one.born_at for one in versions][1:] == [one.died_at for one in versions][:-1]
    assert versions[-1].died_at == NOON + timedelta(hours=3)


def test_the_present_version_has_no_end(memory: Memory) -> None:
    memory.add("tea", id="a")

    (only,) = memory.history("a")

    assert (only.died, only.died_at, only.cause, only.changed) == (None, None, None, ())
    assert only.item == memory.get("a")


def test_what_came_back_goes_on_with_its_history(memory: Memory) -> None:
    lived(memory)
    memory.add("water", id="a")

    versions = memory.history("a")

    assert [one.version for one in versions] == [1, 2, 3, 4]
    assert versions[2].cause is Cause.FORGOTTEN
    assert (versions[3].cause, versions[3].born) == (None, 6)


def test_a_memory_that_no_longer_holds_was_superseded(memory: Memory) -> None:
    memory.add(Item(id="a", content="Tom lives in Rome", traits=MemoryTraits()))
    memory.update("a", traits={"status": "superseded"})
    memory.update("a", title="Where Tom lived")

    causes = [one.cause for one in memory.history("a")]

    assert causes == [Cause.SUPERSEDED, Cause.REPLACED, None]


def test_an_item_that_never_was_has_no_history(memory: Memory) -> None:
    with pytest.raises(NotFound, match="nobody"):
        memory.history("nobody")
    lived(memory)
    with pytest.raises(NotFound, match="nobody"):
        memory.history("nobody")


def test_every_field_that_differs_is_named_and_no_other() -> None:
    first = Item(id="a", content="x", people=(Person(name="Tom"),), traits=MemoryTraits())
    other: dict[str, Any] = {
        "kind": "email", "content": "y", "source": "gmail", "source_id": "7", "title": "t",
        "summary": "s", "quoted": "q", "tags": ("z",), "people": (), "metadata": {"n": 1},
        "collection": "work", "session": "s1", "position": 3, "happened_at": NOON,
        "language": "de",
    }  # fmt: skip
    second = Item(id="a", traits=MemoryTraits(confidence=0.1), version=2, revision=9,
                  stored_at=NOON, **other)  # fmt: skip

    assert set(list_changes(first, second)) == {*other, "traits.confidence"}
    assert list_changes(first, first) == ()
    assert list_changes(first, Item(id="a", kind="email", content="x")) == (
        "kind", "people", "traits",
    )  # fmt: skip


# ── restore ────────────────────────────────────────────────────────────────────────────────────


def test_a_forgotten_item_comes_back_as_it_was_last(memory: Memory) -> None:
    lived(memory)
    was = memory.history("a")[-1].item

    item = memory.restore("a")

    assert (item.version, item.revision) == (4, 6)
    assert list_changes(was, item) == ()
    assert memory.get("a") == item
    assert "a" in [hit.id for hit in memory.search("coffee")]


def test_an_earlier_version_comes_back_as_a_new_one_and_none_is_lost(memory: Memory) -> None:
    memory.add("tea", id="a")
    memory.update("a", content="coffee")

    item = memory.restore("a", version=1)

    assert (item.version, item.content) == (3, "tea")
    assert [one.item.content for one in memory.history("a")] == ["tea", "coffee", "tea"]
    assert [hit.id for hit in memory.search("tea", mode="text")] == ["a"]
    assert not memory.search("coffee", mode="text").hits


def test_a_forgotten_item_comes_back_in_any_of_its_versions(memory: Memory) -> None:
    lived(memory)

    assert memory.restore("a", version=1).content == "tea"
    assert memory.restore("a", version=2).content == "coffee"


def test_restoring_what_is_present_needs_a_version(memory: Memory) -> None:
    memory.add("tea", id="a")
    memory.update("a", content="coffee")

    with pytest.raises(InvalidInput, match="present as version 2; name the one to go back to"):
        memory.restore("a")


def test_restoring_the_present_version_changes_nothing(memory: Memory) -> None:
    memory.add("tea", id="a")

    assert memory.restore("a", version=1).version == 1
    assert memory.stats().revision == 1


def test_a_version_that_is_not_kept_is_reported_with_those_that_are(memory: Memory) -> None:
    lived(memory)

    with pytest.raises(NotFound, match="9 of a; kept are 1, 2, 3"):
        memory.restore("a", version=9)
    with pytest.raises(NotFound, match="nobody"):
        memory.restore("nobody")
    with pytest.raises(NotFound, match="nobody"):
        memory.in_space("empty").restore("nobody")


def test_a_change_in_between_is_not_written_over(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.add("tea", id="a")
    memory.update("a", content="coffee")

    def late(*given: Any, **named: Any) -> Any:
        memory.update("a", content="water")
        return keep(*given, **named)

    monkeypatch.setattr(module, "keep", late)

    with pytest.raises(Conflict):
        memory.restore("a", version=1)
    assert memory.get("a").content == "water"
