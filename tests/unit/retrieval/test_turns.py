"""Searches take turns, first come first served, and nothing ever waits for good."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from simonides import Memory
from simonides.retrieval.evidence import gather
from simonides.retrieval.fair_queue import FairQueue
from simonides.retrieval.query_vector import QueryVector, embed_question
from simonides_bench.testing.hashing import HashingEmbedder

WAIT_S = 20.0
LOOKS_MAX = 20_000


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as threads:
        yield threads


def waiting(turns: FairQueue, count: int) -> None:
    """Return once so many wait."""
    look = threading.Event()
    for _ in range(LOOKS_MAX):
        if len(turns._waiting) == count:
            return
        look.wait(0.001)
    pytest.fail(f"there are never {count} waiting")


def queued(turns: FairQueue, pool: ThreadPoolExecutor, names: str) -> tuple[list[str], list[Any]]:
    """Have callers wait in this order; return who had a turn so far, and their futures."""
    had: list[str] = []

    def take(name: str) -> None:
        with turns.turn():
            had.append(name)

    calls: list[Future[None]] = []
    for name in names:
        calls.append(pool.submit(take, name))
        waiting(turns, len(calls))
    return had, calls


def test_whoever_came_first_has_the_first_turn(pool: ThreadPoolExecutor) -> None:
    turns = FairQueue(1, timeout_s=WAIT_S)
    with turns.turn():
        had, calls = queued(turns, pool, "abcd")
        assert had == []
    for one in calls:
        one.result(WAIT_S)

    assert had == ["a", "b", "c", "d"]
    assert (turns._free, len(turns._waiting)) == (1, 0)


@pytest.mark.parametrize("places", [1, 2, 3])
def test_only_so_many_are_in_at_once(places: int, pool: ThreadPoolExecutor) -> None:
    turns = FairQueue(places, timeout_s=WAIT_S)
    lock, inside, most = threading.Lock(), 0, 0

    def take(_: int) -> None:
        nonlocal inside, most
        for _ in range(50):
            with turns.turn():
                with lock:
                    inside += 1
                    most = max(most, inside)
                with lock:
                    inside -= 1

    list(pool.map(take, range(8)))

    assert 1 <= most <= places
    assert (turns._free, len(turns._waiting)) == (places, 0)


def test_an_error_within_a_turn_ends_it() -> None:
    turns = FairQueue(1, timeout_s=WAIT_S)
    with pytest.raises(ZeroDivisionError), turns.turn():
        raise ZeroDivisionError

    assert turns._free == 1


def test_who_loses_patience_goes_in_and_makes_no_room_for_more(pool: ThreadPoolExecutor) -> None:
    turns = FairQueue(1, timeout_s=0.001)
    with turns.turn():
        pool.submit(_take, turns).result(WAIT_S)
        assert not turns._waiting

    assert turns._free == 1


def test_a_turn_that_got_lost_is_found_again_by_the_next_one() -> None:
    turns = FairQueue(1, timeout_s=0.001)
    turns._free = 0
    _take(turns)

    assert turns._free == 1


def _take(turns: FairQueue) -> None:
    with turns.turn():
        pass


class Interrupted:
    """A lock whose second taking is interrupted, perhaps after somebody released it."""

    def __init__(self, release: Callable[[], None]) -> None:
        self.release = release
        self.taken = False

    def acquire(self, timeout: float = -1) -> bool:
        if self.taken:
            if timeout > 0:
                self.release()
            raise KeyboardInterrupt
        self.taken = True
        return True


@pytest.mark.parametrize("came", [False, True])
def test_an_interrupt_while_waiting_leaves_the_queue_and_keeps_no_turn(
    monkeypatch: pytest.MonkeyPatch, *, came: bool
) -> None:
    turns = FairQueue(1, timeout_s=WAIT_S)

    def handed_on() -> None:
        if came:  # the turn is handed over just before the interrupt
            turns._waiting.popleft()

    locks = SimpleNamespace(Lock=lambda: Interrupted(handed_on))
    with turns.turn():
        with monkeypatch.context() as patch:
            patch.setattr("simonides.retrieval.fair_queue.threading", locks)
            with pytest.raises(KeyboardInterrupt):
                _take(turns)
        assert not turns._waiting
        assert turns._free == came

    assert turns._free == 1


FORK = """
import os, warnings
from simonides.retrieval.fair_queue import TURNS

warnings.simplefilter("ignore", DeprecationWarning)
with TURNS.turn():
    child = os.fork()
    if child == 0:
        with TURNS.turn():
            os._exit(len(TURNS._waiting))
    assert os.waitpid(child, 0)[1] == 0
assert TURNS._free == TURNS._places
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_forked_process_waits_for_nobody_of_the_first_one() -> None:
    done = subprocess.run([sys.executable, "-c", FORK], timeout=60, check=False)

    assert done.returncode == 0


# ── as a search uses it ──────────────────────────────────────────────────────────────────────────


class Watching(HashingEmbedder):
    """Notes how many turns are free while a question is embedded."""

    def __init__(self, turns: FairQueue) -> None:
        super().__init__()
        self.turns = turns
        self.free: list[int] = []

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        self.free.append(self.turns._free)
        return super().embed_query(text)


def test_a_search_takes_a_turn_but_waits_for_no_model_in_it(
    open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = FairQueue(1, timeout_s=WAIT_S)
    monkeypatch.setattr("simonides.retrieval.search.TURNS", turns)
    during: list[int] = []

    def watched(*given: Any, **named: Any) -> Any:
        during.append(turns._free)
        return gather(*given, **named)

    monkeypatch.setattr("simonides.retrieval.search.gather", watched)
    embedder = Watching(turns)
    memory = open_memory(embedder=embedder)
    memory.add("The boiler is in the cellar.")
    result = memory.search("where is the boiler?")

    assert len(result.hits) == 1
    assert (embedder.free, during, turns._free) == ([1], [0], 1)


def test_many_at_once_are_answered_as_one_alone(
    open_memory: Callable[..., Memory], pool: ThreadPoolExecutor
) -> None:
    memory = open_memory()
    memory.add([f"The harbor has {n} cranes." for n in range(20)])
    asked = [f"which harbor has {n} cranes?" for n in range(20)] * 3
    alone = [memory.search(one).hits for one in asked]

    assert [one.hits for one in pool.map(memory.search, asked)] == alone


def test_the_time_of_the_model_counts_for_the_semantic_lane(
    open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    memory.add("The boiler is in the cellar.")

    def slowly(*given: Any, **how: Any) -> QueryVector:
        return replace(embed_question(*given, **how), took_ms=5000.0)

    monkeypatch.setattr("simonides.retrieval.search.embed_question", slowly)
    lanes = {one.name: one for one in memory.search("boiler").diagnostics.lanes}

    assert lanes["semantic"].took_ms >= 5000.0
    assert lanes["lexical"].took_ms < 5000.0
