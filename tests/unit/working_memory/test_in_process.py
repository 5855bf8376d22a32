"""The working memory of one process: its bound, and what it holds on to."""

import pytest

from simonides.errors import InvalidInput
from simonides.working_memory.in_process import ENTRIES_MAX, InProcessWorkingMemory


class Stopwatch:
    """Seconds that pass when a test says so."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Stopwatch:
    return Stopwatch()


def held(memory: InProcessWorkingMemory, *keys: str) -> list[str]:
    return [key for key in keys if memory.get("s", key) is not None]


def test_what_ends_first_goes_first_when_there_is_no_room(clock: Stopwatch) -> None:
    memory = InProcessWorkingMemory(clock, entries_max=3)
    for key, ttl_s in (("a", 30), ("b", 10), ("c", 20)):
        memory.put("s", key, key, ttl_s=ttl_s)

    memory.put("s", "d", "d", ttl_s=5)

    assert held(memory, "a", "b", "c", "d") == ["a", "c", "d"]
    assert len(memory) == 3


def test_what_is_put_is_there_even_if_it_ends_first(clock: Stopwatch) -> None:
    memory = InProcessWorkingMemory(clock, entries_max=1)
    memory.put("s", "a", 1, ttl_s=100)
    memory.put("s", "b", 2, ttl_s=1)

    assert held(memory, "a", "b") == ["b"]


def test_of_what_ends_together_the_older_goes(clock: Stopwatch) -> None:
    memory = InProcessWorkingMemory(clock, entries_max=2)
    for key in ("a", "b", "c"):
        memory.put("s", key, key, ttl_s=10)

    assert held(memory, "a", "b", "c") == ["b", "c"]


def test_a_value_in_the_place_of_another_takes_nobodys_room(clock: Stopwatch) -> None:
    memory = InProcessWorkingMemory(clock, entries_max=2)
    for key in ("a", "b", "a", "b", "a"):
        memory.put("s", key, key, ttl_s=10)

    assert held(memory, "a", "b") == ["a", "b"]


def test_room_is_made_of_what_has_ended_before_of_what_has_not(clock: Stopwatch) -> None:
    memory = InProcessWorkingMemory(clock, entries_max=2)
    memory.put("s", "a", 1, ttl_s=1)
    memory.put("s", "b", 2, ttl_s=2)
    clock.now_s = 1.0
    memory.put("s", "c", 3, ttl_s=100)

    assert held(memory, "a", "b", "c") == ["b", "c"]


def test_a_value_put_again_is_not_taken_by_the_end_of_the_one_before(clock: Stopwatch) -> None:
    memory = InProcessWorkingMemory(clock)
    memory.put("s", "k", 1, ttl_s=1)
    memory.delete("s", "k")
    memory.put("s", "k", 2, ttl_s=10)
    clock.now_s = 5.0

    assert memory.get("s", "k") == 2


def test_what_has_ended_is_not_held_on_to(clock: Stopwatch) -> None:
    memory = InProcessWorkingMemory(clock)
    for n in range(100):
        memory.put("s", str(n), n, ttl_s=1 + n % 10)
    clock.now_s = 10.0

    assert len(memory) == 0
    assert (memory._entries, memory._queue) == ({}, [])


def test_one_key_put_again_and_again_does_not_grow_the_queue(clock: Stopwatch) -> None:
    memory = InProcessWorkingMemory(clock)
    for n in range(5_000):
        memory.put("s", "k", n, ttl_s=1_000)

    assert len(memory._queue) < 100
    assert memory.get("s", "k") == 4_999


def test_it_holds_twenty_thousand_values_unless_told_otherwise(clock: Stopwatch) -> None:
    memory = InProcessWorkingMemory(clock)
    for n in range(ENTRIES_MAX + 1):
        memory.put("s", str(n), n, ttl_s=10)

    assert len(memory) == ENTRIES_MAX == 20_000
    assert held(memory, "0", "1", str(ENTRIES_MAX)) == ["1", str(ENTRIES_MAX)]


def test_a_bound_of_none_is_refused() -> None:
    with pytest.raises(InvalidInput, match="entries_max: must be 1 or more, got 0"):
        InProcessWorkingMemory(entries_max=0)


def test_the_clock_of_the_system_is_taken_unless_one_is_given() -> None:
    memory = InProcessWorkingMemory()
    memory.put("s", "k", 1, ttl_s=3_600)

    assert memory.get("s", "k") == 1
