"""Re-embedding: all vectors anew in one transaction, or none."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pytest

from simonides import Item, Memory, Person, Settings
from simonides.errors import EmbedderError, NotFound, WrongEmbedder
from simonides.maintenance.repair import BATCH_ITEMS
from simonides.ports.models import Embedder
from simonides_bench.testing.hashing import HashingEmbedder

NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
ITEMS: Final = [
    Item(
        id=f"i{n:03}",
        content=f"alpha harbor number {n} and it is not the last one of them",
        people=(Person(name="Sarah Lindqvist"),),
        metadata={"n": n},
    )
    for n in range(2 * BATCH_ITEMS + 5)
]


class Failing(HashingEmbedder):
    """Fails at its third batch."""

    def __init__(self, dimension: int) -> None:
        super().__init__(dimension)
        self.batches = 0

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.batches += 1
        if self.batches > 2:
            raise EmbedderError("out of breath")
        return super().embed(texts)


@pytest.fixture
def open_memory(tmp_path: Path) -> Iterator[Callable[..., Memory]]:
    """Return a function that opens the home with one embedder or another."""
    opened: list[Memory] = []

    def open_one(embedder: Embedder | int | None) -> Memory:
        chosen = HashingEmbedder(embedder) if isinstance(embedder, int) else embedder
        settings = Settings(
            timezone="UTC", durability="relaxed", embedder="minilm" if chosen else "none"
        )
        memory = Memory(tmp_path, settings=settings, embedder=chosen, clock=lambda: NOW)
        opened.append(memory)
        return memory

    yield open_one
    for memory in opened:
        memory.close()


@pytest.fixture
def full(open_memory: Callable[..., Memory]) -> Memory:
    """A space of 133 items with vectors of 64 dimensions; one was forgotten, one replaced."""
    memory = open_memory(64)
    memory.add(ITEMS)
    memory.add("to be forgotten", id="gone")
    memory.forget("gone")
    memory.update("i000", content="zebra crossing of the first one")
    return memory


def answers(memory: Memory) -> list[tuple[str, float]]:
    questions = ("alpha 7", "zebra", "what did Sarah say", "the last one")
    return [(h.id, h.score) for q in questions for h in memory.search(q, limit=200)]


def test_a_space_of_another_embedder_is_not_opened_and_says_how_to_change_it(
    full: Memory, open_memory: Callable[..., Memory]
) -> None:
    full.close()
    memory = open_memory(32)
    for verb in (
        lambda: memory.search("alpha"),
        lambda: memory.add("x"),
        lambda: memory.brief("alpha"),
    ):
        with pytest.raises(WrongEmbedder, match="simonides reembed --space default"):
            verb()


def test_a_space_re_embedded_answers_as_one_made_with_that_embedder(
    full: Memory, open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    full.close()
    smaller = open_memory(32)
    reported: list[tuple[int, int]] = []

    assert smaller.reembed(on_progress=lambda *at: reported.append(at)) == len(ITEMS)
    assert reported == [(64, 133), (128, 133), (133, 133)]
    assert smaller.stats().items == len(ITEMS)
    with Memory(
        tmp_path / "other",
        settings=smaller.settings,
        embedder=HashingEmbedder(32),
        clock=lambda: NOW,
    ) as made:
        made.add(ITEMS)
        made.update("i000", content="zebra crossing of the first one")
        assert answers(made) == answers(smaller)
    assert all(finding.sound for finding in smaller.doctor())


def test_items_stay_as_they_were(full: Memory, open_memory: Callable[..., Memory]) -> None:
    before = [full.get(item.id) for item in ITEMS]
    full.close()
    memory = open_memory(32)
    memory.reembed()

    assert [memory.get(item.id) for item in ITEMS] == before
    assert [outcome.change for outcome in memory.add(ITEMS[1:3])] == ["unchanged", "unchanged"]
    assert memory.search("forgotten", mode="text").hits == ()


def test_a_failure_midway_keeps_the_old_vectors(
    full: Memory, open_memory: Callable[..., Memory]
) -> None:
    before = answers(full)
    full.close()
    failing = open_memory(Failing(32))
    with pytest.raises(EmbedderError, match="out of breath"):
        failing.reembed()
    with pytest.raises(WrongEmbedder):
        failing.search("alpha")
    failing.close()

    assert answers(open_memory(64)) == before


def test_vectors_can_be_given_up_and_come_back(
    full: Memory, open_memory: Callable[..., Memory]
) -> None:
    before = answers(full)
    full.close()
    without = open_memory(None)
    without.reembed()
    note = without.search("alpha").diagnostics.notes
    without.close()
    again = open_memory(64)
    with pytest.raises(WrongEmbedder):
        again.search("alpha")
    again.reembed()

    assert "the space holds no vectors" in note[0]
    assert answers(again) == before


def test_the_same_embedder_again_changes_no_answer(full: Memory) -> None:
    before = answers(full)

    assert full.reembed() == len(ITEMS)
    assert answers(full) == before


def test_a_warm_view_of_the_old_vectors_is_dropped(
    full: Memory, open_memory: Callable[..., Memory]
) -> None:
    full.search("alpha")
    full.close()
    memory = open_memory(32)
    memory.reembed()
    memory.search("alpha")

    assert memory.search("alpha 7")[0].id == "i007"


def test_what_others_kept_meanwhile_is_re_embedded_as_well(
    full: Memory, open_memory: Callable[..., Memory]
) -> None:
    full.search("alpha")
    open_memory(64).add("alpha from elsewhere", id="late")

    assert full.reembed() == len(ITEMS) + 1
    assert "late" in [hit.id for hit in full.search("elsewhere", mode="vector")]


def test_a_space_that_was_never_written_to_cannot_be_re_embedded(
    open_memory: Callable[..., Memory],
) -> None:
    with pytest.raises(NotFound):
        open_memory(32).reembed()


def test_a_space_that_holds_nothing_is_re_embedded_to_nothing(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory(64)
    memory.add("alpha", id="a")
    memory.forget("a")
    memory.close()
    smaller = open_memory(32)

    assert smaller.reembed() == 0
    assert smaller.add("alpha", id="a").change == "added"


class Counting(HashingEmbedder):
    """Remembers how many texts it embedded, and does something before the third batch."""

    def __init__(self, dimension: int, meanwhile: Callable[[], object] = lambda: None) -> None:
        super().__init__(dimension)
        self.count = 0
        self.batches = 0
        self.meanwhile = meanwhile

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.batches += 1
        if self.batches == 3:
            self.meanwhile()
        self.count += len(texts)
        return super().embed(texts)


def break_off(full: Memory, open_memory: Callable[..., Memory]) -> None:
    """Begin a re-embedding that fails on the way."""
    full.close()
    failing = open_memory(Failing(32))
    with pytest.raises(EmbedderError):
        failing.reembed()
    failing.close()


def test_after_a_failure_it_goes_on_where_it_was(
    full: Memory, open_memory: Callable[..., Memory]
) -> None:
    break_off(full, open_memory)
    counting = Counting(32)
    again = open_memory(counting)

    assert again.reembed() == len(ITEMS)
    assert counting.count == len(ITEMS) - 2 * BATCH_ITEMS
    assert all(finding.sound for finding in again.verify())


def test_what_was_made_for_another_embedder_is_dropped(
    full: Memory, open_memory: Callable[..., Memory]
) -> None:
    break_off(full, open_memory)
    counting = Counting(16)

    assert open_memory(counting).reembed() == len(ITEMS)
    assert counting.count == len(ITEMS)


def test_others_search_write_and_erase_meanwhile(
    full: Memory, open_memory: Callable[..., Memory]
) -> None:
    def meanwhile() -> None:
        assert full.search("alpha").diagnostics.mode_used == "hybrid"
        full.add("written meanwhile")
        full.update("i100", content="changed meanwhile")
        full.forget("i101")
        assert full.erase("i102", prove=True).proof is not None

    other = open_memory(Counting(32, meanwhile))
    assert other.reembed() == len(ITEMS) - 1

    full.close()
    assert other.search("written changed meanwhile", mode="vector").hits[0].score > 0
    assert other.get("i100").content == "changed meanwhile"
    assert all(finding.sound for finding in other.verify())
    assert other.stats().waiting == 0
