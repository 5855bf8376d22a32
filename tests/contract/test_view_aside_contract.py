"""A view is not disturbed by revisions in which no item changed, whoever took them."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from simonides import Item, Memory, Settings
from simonides.index import snapshot
from simonides.index.space_index import SpaceIndex
from simonides.model.stored import Engaged, PreparedBackground
from simonides.ports.space import Space
from simonides.storage.sqlite import SQLiteStore
from simonides_bench.testing.hashing import HashingEmbedder

NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
QUESTIONS: Final = ("alpha harbor", "latest budget", "first", "zebra")

Answers = list[tuple[str, float, str]]


@pytest.fixture
def open_memory(tmp_path: Path) -> Iterator[Callable[[], Memory]]:
    """Return a function that opens one more memory on the same home, as a process would."""
    opened: list[Memory] = []

    def open_one() -> Memory:
        settings = Settings(timezone="UTC", durability="relaxed")
        embedder = HashingEmbedder(16)
        opened.append(Memory(tmp_path, settings=settings, embedder=embedder, clock=lambda: NOW))
        return opened[-1]

    yield open_one
    for memory in opened:
        memory.close()


@pytest.fixture
def space(open_memory: Callable[[], Memory], tmp_path: Path) -> Iterator[Space]:
    """The store's own view of the space, through which others write."""
    open_memory().add([item(number) for number in range(30)])
    store = SQLiteStore(tmp_path, durability="relaxed")
    yield store.open_any("default")
    store.close()


def item(number: int) -> Item:
    words = f"alpha harbor number {number} " + ("budget" if number % 3 else "lunch")
    return Item(id=f"i{number}", content=words)


def answers(memory: Memory) -> list[Answers]:
    found = [memory.search(question, limit=99) for question in QUESTIONS]
    return [[(hit.id, hit.score, hit.item.content) for hit in hits] for hits in found]


def move(space: Space) -> None:
    """Take two revisions in which no item changes."""
    space.record_usage(["i3", "i4"], how=Engaged.CITED, at=NOW)
    made = PreparedBackground(id="b", collection="main", text="zebra budget", terms=bytes(9))
    space.put_background(made, at=NOW)


def test_engagement_and_background_change_no_answer(
    open_memory: Callable[[], Memory], space: Space
) -> None:
    memory = open_memory()
    before = answers(memory)
    revision = memory.stats().revision

    move(space)

    assert memory.stats().revision == revision + 2
    assert answers(memory) == before
    assert answers(open_memory()) == before


def test_items_written_after_them_are_found(
    open_memory: Callable[[], Memory], space: Space
) -> None:
    memory, same = open_memory(), open_memory()
    answers(memory)
    move(space)
    answers(memory)
    memory.add("zebra crossing", id="z")
    memory.forget("i3")
    space.delete_background("b", due=NOW)

    assert [hit.id for hit in memory.search("zebra", mode="text")] == ["z"]
    assert "i3" not in {hit.id for hit in memory.search("alpha", limit=99)}
    assert answers(memory) == answers(same)


def test_a_snapshot_taken_before_them_serves_after(
    open_memory: Callable[[], Memory], space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "CHUNKS_MIN", 1)
    first = open_memory()
    before = answers(first)
    first.close()

    move(space)

    assert answers(open_memory()) == before


def test_the_view_of_a_space_that_holds_background_only_is_empty(
    open_memory: Callable[[], Memory], tmp_path: Path
) -> None:
    memory = open_memory()
    memory.add("alpha", id="a")
    memory.forget("a")
    store = SQLiteStore(tmp_path, durability="relaxed")
    move(store.open_any("default"))
    store.close()

    assert list(memory.search("zebra budget")) == []


def test_a_view_goes_on_from_the_revision_of_an_engagement(space: Space) -> None:
    view = SpaceIndex(space.embedder.dimension)
    with space.read() as reader:
        before = view.at(reader)
    move(space)
    with space.read() as reader:
        after = view.at(reader)
        late = SpaceIndex(space.embedder.dimension).at(reader)

    assert before is not None
    assert after is not None
    assert late is not None
    assert (before.revision, after.revision) == (1, 3)
    for name in ("item_count", "chunk_count", "items_alive", "chunks_alive", "vectors_alive",
                 "length_total"):  # fmt: skip
        assert getattr(before, name) == getattr(after, name) == getattr(late, name)
    assert (before.vector_total == after.vector_total).all()
    assert (late.vector_total == after.vector_total).all()
