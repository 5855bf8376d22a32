"""The bench of many at once: it counts what happened, and sees each fault that it looks for."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.bench.lying import Lying

from simonides.api.memory import Memory
from simonides.errors import StoreBusy
from simonides_bench.together import run
from simonides_bench.together.process import open_memory, to_json, work
from simonides_bench.together.work import COUNTERS, Seen, Worker, counter_id

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    """The figures of a small run of two processes."""
    return run.run(run.Load(processes=2, threads=2, seconds=0.8))


def test_two_processes_at_once_lose_nothing(figures: dict[str, Any]) -> None:
    assert run.is_sound(figures), figures["faults"]
    assert figures["adds"] > 0
    assert figures["counts"] > 0


def test_times_of_writes_are_reported(figures: dict[str, Any]) -> None:
    p50, p99, slowest = (
        figures[name] for name in ("write_ms_p50", "write_ms_p99", "slowest_write_ms")
    )

    assert 0.0 < p50 <= p99 <= slowest
    assert 0.0 < figures["least_share"] <= 1.0


@pytest.mark.parametrize(
    "name", ["lost_updates", "stale_reads", "lock_errors", "errors", "starved", "unsound"]
)
def test_one_fault_of_any_sort_is_not_sound(figures: dict[str, Any], name: str) -> None:
    assert not run.is_sound({**figures, name: 1})


def test_a_writer_that_waited_past_the_time_out_is_not_sound(figures: dict[str, Any]) -> None:
    assert not run.is_sound({**figures, "slowest_write_ms": 1000.0 * run.TIMEOUT_S + 1.0})


# ── one thread ────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_memory(tmp_path, timeout_s=5.0) as found:
        for number in range(COUNTERS):
            found.add("A counter of the harbor.", title="counted to 0", id=counter_id(number))
        yield found


def times(count: int) -> Callable[[], bool]:
    """Return what lets a worker do so many things."""
    left = iter([False] * count)
    return lambda: next(left, True)


def worked(memory: Any, count: int = 80) -> Seen:
    return Worker(memory, name="p0t0", chance=random.Random(7)).work(times(count))


def test_a_worker_does_a_bit_of_everything_and_sees_no_fault(memory: Memory) -> None:
    seen = worked(memory)

    assert seen.faults == []
    assert {"adds", "replacements", "forgets", "counts", "searches", "briefs"} <= set(seen.done)
    assert len(seen.write_ms) == sum(
        seen.done[name] for name in ("adds", "replacements", "forgets", "counts")
    )
    assert {one.id for one in memory.list(limit=500).items} >= set(seen.kept)


def test_what_a_process_says_is_what_its_threads_saw(memory: Memory) -> None:
    orders = {"process": 3, "threads": 2, "seconds": 0.05, "seed": 1}
    seen = work(memory, orders)

    read = [run._read(to_json(one)) for one in seen]

    assert len(read) == 2
    assert [(one.done, one.kept, one.forgotten) for one in read] == [
        (one.done, one.kept, one.forgotten) for one in seen
    ]


def test_a_search_that_lags_behind_is_a_stale_read(memory: Memory) -> None:
    old = memory.search("harbor")

    seen = worked(Lying(memory, search=lambda *_, **__: old))

    assert seen.done["stale read"] > 0
    assert any("is not found right after" in fault for fault in seen.faults)


def test_a_revision_that_falls_is_a_stale_read(memory: Memory) -> None:
    old = memory.search("harbor", limit=1)
    memory.add("later")
    asked = iter([memory.search("harbor", limit=1), old])
    worker = Worker(
        Lying(memory, search=lambda *_, **__: next(asked)),  # type: ignore[arg-type]
        name="p0t0",
        chance=random.Random(1),
    )

    worker._ask()
    worker._ask()

    assert worker.seen.faults == ["p0t0: stale read: revision 8 was seen after 9"]


def test_a_forgotten_item_that_is_still_there_is_a_stale_read(memory: Memory) -> None:
    seen = worked(Lying(memory, forget=lambda *_: ()))

    assert any("is there right after it was forgotten" in fault for fault in seen.faults)


def test_a_busy_store_is_a_lock_error(memory: Memory) -> None:
    def busy(*_: Any, **__: Any) -> Any:
        raise StoreBusy("another writer")

    seen = worked(Lying(memory, add=busy))

    assert seen.done["lock error"] > 0
    assert seen.done["adds"] == 0


def test_lost_counts_and_writes_are_reported(memory: Memory) -> None:
    seen = worked(memory)
    kept, forgotten = min(seen.kept), min(seen.forgotten)
    seen.counted[counter_id(0)] += 1
    memory.update(kept, content="something else")
    memory.add("back again", id=forgotten)

    lost = list(run._find_lost(memory, [seen]))

    assert len(lost) == 3
    assert lost[0].startswith("counter-0 was counted")
    assert lost[1] == f"{kept} does not say {seen.kept[kept]}"
    assert lost[2] == f"{forgotten} was forgotten and is there"
