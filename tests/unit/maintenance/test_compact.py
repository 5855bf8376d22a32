"""When history ends, what compaction takes, and that it stops in time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from tests.unit.maintenance.conftest import NOON, Clock

from simonides import Memory, Settings
from simonides.errors import HistoryGone, InvalidInput, NotFound, StoreBusy
from simonides.maintenance import compact as module
from simonides.maintenance.compact import Retention, compact, compact_if_due
from simonides.model.maintenance import Compaction, Removed
from simonides_bench.testing.hashing import HashingEmbedder

DAY: Final = timedelta(days=1)


Open = Callable[..., Memory]


@pytest.fixture
def open_memory(tmp_path: Path, clock: Clock) -> Iterator[Open]:
    """Return a function that opens the memory of one home with some settings."""
    opened: list[Memory] = []

    def make(**given: Any) -> Memory:
        settings = Settings(timezone="UTC", durability="relaxed", **given)
        opened.append(Memory(tmp_path, settings=settings, embedder=HashingEmbedder(), clock=clock))
        return opened[-1]

    yield make
    for memory in opened:
        memory.close()


def daily(memory: Memory, clock: Clock, days: int, *, first: int = 0) -> None:
    """Change one item once a day, from the first day on."""
    for number in range(first, first + days):
        clock.now = NOON + number * DAY
        memory.add(f"state {number}", id="a")


def versions(memory: Memory) -> list[str]:
    return [one.item.content for one in memory.history("a")]


def test_all_history_is_kept_unless_a_retention_is_set(open_memory: Open, clock: Clock) -> None:
    memory = open_memory()
    daily(memory, clock, 5)
    clock.now = NOON + 10_000 * DAY

    done = memory.compact()

    assert (done.versions, done.oldest, done.is_done) == (0, 0, True)
    assert len(versions(memory)) == 5
    assert memory.get("a", as_of=NOON).content == "state 0"


def test_what_was_replaced_longer_ago_than_retention_goes(open_memory: Open, clock: Clock) -> None:
    memory = open_memory(retention_days=2)
    daily(memory, clock, 6)  # the last one on the fifth day after

    done = memory.compact()

    assert versions(memory) == ["state 3", "state 4", "state 5"]
    assert (done.versions, done.oldest) == (3, 4)
    assert memory.get("a", as_of=clock.now - 2 * DAY).content == "state 3"
    with pytest.raises(HistoryGone, match="oldest that can be asked is revision 4"):
        memory.get("a", as_of=clock.now - 2 * DAY - timedelta(seconds=1))


def test_before_says_which_state_is_to_stay_whatever_retention_says(
    open_memory: Open, clock: Clock
) -> None:
    memory = open_memory()
    daily(memory, clock, 6)

    assert memory.compact(before=2).versions == 1
    assert versions(memory)[0] == "state 1"
    assert memory.compact(before=NOON + 3 * DAY).versions == 2
    assert versions(memory) == ["state 3", "state 4", "state 5"]
    assert memory.get("a", as_of=NOON + 3 * DAY).content == "state 3"
    assert memory.compact(before=1).versions == 0  # that is gone already
    assert memory.compact(before=NOON - DAY).versions == 0


@pytest.mark.parametrize("before", [7, -1, True, "now", 1.5])
def test_a_state_that_cannot_be_named_is_refused(
    open_memory: Open, clock: Clock, before: Any
) -> None:
    memory = open_memory()
    daily(memory, clock, 3)

    with pytest.raises(InvalidInput):
        memory.compact(before=before)

    assert len(versions(memory)) == 3


def test_a_space_that_is_not_there_cannot_be_compacted(open_memory: Open) -> None:
    with pytest.raises(NotFound):
        open_memory().compact()


def test_a_retention_longer_than_time_itself_keeps_all(open_memory: Open, clock: Clock) -> None:
    memory = open_memory(retention_days=1e9)
    daily(memory, clock, 3)

    assert memory.compact().versions == 0


def test_the_answers_of_a_warm_memory_stay_the_same(open_memory: Open, clock: Clock) -> None:
    memory = open_memory()
    daily(memory, clock, 4)
    memory.add("another state", id="b")
    before = memory.search("state", now=NOON)

    memory.compact(before=memory.stats().revision)

    after = memory.search("state", now=NOON)
    assert [(hit.id, hit.score) for hit in after] == [(hit.id, hit.score) for hit in before]


def test_a_view_of_before_the_floor_is_built_anew(open_memory: Open, clock: Clock) -> None:
    """Another process still holds a view that knows versions whose deaths are gone by now."""
    memory, other = open_memory(), open_memory()
    daily(memory, clock, 2)
    assert [hit.passage for hit in other.search("state")] == ["state 1"]
    daily(memory, clock, 4)

    memory.compact(before=memory.stats().revision)

    assert [hit.passage for hit in other.search("state")] == ["state 3"]


def test_a_snapshot_of_before_the_floor_is_not_believed(
    open_memory: Open, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simonides.index.snapshot.CHUNKS_MIN", 1)
    memory = open_memory()
    daily(memory, clock, 2)
    memory.add("another state", id="z")  # the last one, by which a snapshot is told, lives on
    memory.search("state")
    memory.close()
    daily(memory, clock, 4)
    space = memory._runtime.store.open_any("default")
    space.compact(before=7, now=NOON, decided_before=None, limit=99)
    memory._runtime.store.close()

    found = open_memory().search("state")
    assert sorted(hit.passage for hit in found) == ["another state", "state 3"]


def test_the_snapshot_is_renewed(
    open_memory: Open, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simonides.index.snapshot.CHUNKS_MIN", 1)
    memory = open_memory()
    daily(memory, clock, 4)

    memory.compact(before=4)

    assert (tmp_path / "spaces" / "default.index").exists()


# ── of its own accord ──────────────────────────────────────────────────────────────────────────


def test_a_space_is_compacted_by_itself_after_so_many_versions(
    open_memory: Open, clock: Clock
) -> None:
    memory = open_memory(retention_days=1, compaction_threshold=4)
    daily(memory, clock, 8)
    assert len(versions(memory)) == 8  # asked after four had left: only three were due

    daily(memory, clock, 1, first=8)

    assert versions(memory) == ["state 7", "state 8"]


def test_forgetting_counts_too(open_memory: Open, clock: Clock) -> None:
    memory = open_memory(retention_days=1, compaction_threshold=3)
    memory.add([f"note {n}" for n in range(6)])
    ids = sorted(item.id for item in memory.list().items)
    memory.forget(*ids[:3])
    clock.now += 2 * DAY

    memory.forget(*ids[3:])

    assert memory.stats().archived == 3


def test_fewer_than_the_threshold_stay(open_memory: Open, clock: Clock) -> None:
    memory = open_memory(retention_days=1, compaction_threshold=100)
    daily(memory, clock, 9)
    memory.close()

    assert len(versions(memory)) == 9


def test_a_threshold_of_zero_is_never_reached(open_memory: Open, clock: Clock) -> None:
    memory = open_memory(retention_days=1, compaction_threshold=0)
    daily(memory, clock, 9)
    memory.close()

    assert len(versions(memory)) == 9
    assert memory.compact().versions == 7


def test_closing_compacts_what_is_due_by_then(open_memory: Open, clock: Clock) -> None:
    memory = open_memory(retention_days=1, compaction_threshold=5)
    daily(memory, clock, 5)
    clock.now += 9 * DAY
    memory.add("state 5", id="a")  # the fifth that leaves, just now
    clock.now += 9 * DAY
    memory.close()

    assert versions(memory) == ["state 5"]


def test_who_only_reads_compacts_nothing(open_memory: Open, clock: Clock) -> None:
    memory = open_memory()
    daily(memory, clock, 9)
    memory.close()
    reader = open_memory(retention_days=1, compaction_threshold=2)
    clock.now += 99 * DAY
    reader.search("state")
    reader.close()

    assert len(versions(memory)) == 9


def test_a_write_succeeds_where_compaction_cannot_be_done(
    open_memory: Open, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: Any, **__: Any) -> None:
        raise StoreBusy("somebody else")

    monkeypatch.setattr(module, "compact_if_due", busy)
    memory = open_memory(retention_days=1, compaction_threshold=2)
    daily(memory, clock, 5)
    memory.close()

    assert len(versions(memory)) == 5


# ── slices ─────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Slices:
    """A space that notes what it is asked, and always has more to remove."""

    asked: list[str] = field(default_factory=list)
    left: int = 5
    loose: bool = False

    def compact(self, *, limit: int, **_: Any) -> Removed:
        self.asked.append("slice")
        self.left -= 1
        return Removed(versions=limit, engagements=1, backgrounds=2, proposals=3, revisions=4,
                       more=self.left > 0)  # fmt: skip

    def is_loose(self) -> bool:
        return self.loose

    def write_anew(self) -> None:
        self.asked.append("anew")

    def give_back(self, *, pages: int) -> int:
        self.asked.append("give back")
        return 0 if pages else 1


class Space(Slices):
    """The same, over a real space."""

    def __init__(self, space: Any, **given: Any) -> None:
        super().__init__(**given)
        self.real = space

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


FOREVER: Final = Retention(days=0.0, threshold=512, clock=lambda: NOON)


@pytest.fixture
def space(open_memory: Open) -> Any:
    """A space of one item."""
    memory = open_memory()
    memory.add("tea", id="a")
    return memory._runtime.store.open_any("default")


def test_slices_go_on_until_nothing_is_left_and_are_added_up(space: Any) -> None:
    sliced = Space(space)

    done: Compaction = compact(sliced, retention=FOREVER)

    assert sliced.asked == [*["slice"] * 5, "anew", "give back"]
    assert (done.versions, done.engagements, done.backgrounds) == (5 * 256, 5, 10)
    assert (done.proposals, done.revisions, done.is_done) == (15, 20, True)


def test_a_file_is_written_anew_only_where_that_pays(space: Any) -> None:
    few, old = Space(space, left=1), Space(space, left=1, loose=True)
    compact(few, retention=FOREVER)
    compact(old, retention=FOREVER)

    assert few.asked == ["slice", "give back"]
    assert old.asked == ["slice", "anew", "give back"]


def test_a_compaction_of_its_own_accord_ends_in_time_and_says_that_more_is_left(space: Any) -> None:
    sliced = Space(space, left=99)
    ticks = iter(range(1000))

    done = compact(
        sliced,
        retention=FOREVER,
        time_max_s=4.0,
        monotonic=lambda: float(next(ticks)),
    )

    assert not done.is_done
    assert sliced.asked.count("slice") == 3
    assert "anew" not in sliced.asked


def test_what_is_not_due_is_left_alone(space: Any) -> None:
    sliced = Space(space)

    assert compact_if_due(sliced, retention=FOREVER, time_max_s=1.0) is None
    assert sliced.asked == []
