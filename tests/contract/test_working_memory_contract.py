"""The laws of `WorkingMemory` and `SharedState`. Another adapter joins in `timed`."""

import gc
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from simonides.errors import InvalidInput
from simonides.ports.models import WorkingMemory
from simonides.ports.shared_state import SharedState
from simonides.working_memory.fallback import FallbackState
from simonides.working_memory.in_process import InProcessWorkingMemory
from simonides.working_memory.redis_state import RedisState
from simonides.working_memory.sqlite_state import SQLiteState
from simonides_bench.testing.servers.valkey import ValkeyServer

MINUTE = 60.0


@dataclass(frozen=True, slots=True)
class Timed:
    """An adapter and what lets time pass for it."""

    memory: SharedState
    pass_s: Callable[[float], None]


class Stopwatch:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s

    def pass_s(self, seconds: float) -> None:
        self.now_s += seconds


def in_process() -> Timed:
    clock = Stopwatch()
    return Timed(InProcessWorkingMemory(clock), clock.pass_s)


def in_redis(url: str) -> Timed:
    clock = Stopwatch()
    remote = RedisState(url, clock=clock)
    return Timed(FallbackState(remote, watches=False), clock.pass_s)


def in_a_file(folder: Path) -> Timed:
    clock = Stopwatch()
    state = SQLiteState(folder / "state.db", clock=clock)
    return Timed(FallbackState(state, watches=False), clock.pass_s)


@pytest.fixture(params=["in-process", "workers", "redis", "redis-cluster"])
def timed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Timed]:
    if request.param == "in-process":
        made = in_process()
    elif request.param == "workers":
        made = in_a_file(tmp_path)
    elif request.param == "redis":
        made = in_redis(request.getfixturevalue("valkey_url"))
    else:
        made = in_redis(request.getfixturevalue("valkey_cluster_url"))
    yield made
    made.memory.close()


@pytest.fixture(scope="module")
def valkey_cluster() -> Iterator[ValkeyServer]:
    with ValkeyServer(cluster=True) as server:
        yield server


@pytest.fixture
def valkey_cluster_url(valkey_cluster: ValkeyServer) -> str:
    valkey_cluster.clear()
    return valkey_cluster.url


@pytest.fixture
def memory(timed: Timed) -> SharedState:
    return timed.memory


def test_it_is_a_working_memory(memory: WorkingMemory) -> None:
    assert isinstance(memory, WorkingMemory)
    assert isinstance(memory, SharedState)


def test_nothing_is_there_before_it_was_put(memory: WorkingMemory) -> None:
    assert memory.get("s", "k") is None
    assert memory.delete("s", "k") is False
    assert memory.clear("s") == 0


@pytest.mark.parametrize(
    "value",
    [0, 1.5, "", "täxt", "\ud800", True, [], [1, [2, None]], {}, {"a": {"b": [1, "x", False]}}],
    ids=repr,
)
def test_what_was_put_is_what_is_got(memory: WorkingMemory, value: Any) -> None:
    memory.put("s", "k", value, ttl_s=MINUTE)

    assert memory.get("s", "k") == value
    assert type(memory.get("s", "k")) is type(value)


def test_a_value_that_is_changed_later_stays_as_it_was_put(memory: WorkingMemory) -> None:
    value = {"ids": ["a"]}
    memory.put("s", "k", value, ttl_s=MINUTE)
    value["ids"].append("b")
    got = memory.get("s", "k")
    assert got == {"ids": ["a"]}

    got["ids"].append("c")
    assert memory.get("s", "k") == {"ids": ["a"]}


def test_the_last_put_stands(memory: WorkingMemory) -> None:
    memory.put("s", "k", 1, ttl_s=MINUTE)
    memory.put("s", "k", 2, ttl_s=MINUTE)

    assert memory.get("s", "k") == 2


def test_a_value_is_gone_when_its_time_is_over(timed: Timed) -> None:
    timed.memory.put("s", "k", 1, ttl_s=MINUTE)
    timed.pass_s(MINUTE - 1)
    assert timed.memory.get("s", "k") == 1

    timed.pass_s(1)
    assert timed.memory.get("s", "k") is None
    assert timed.memory.delete("s", "k") is False


def test_each_put_begins_its_time_anew_for_longer_and_for_shorter(timed: Timed) -> None:
    timed.memory.put("s", "longer", 1, ttl_s=10)
    timed.memory.put("s", "shorter", 1, ttl_s=10 * MINUTE)
    timed.pass_s(9)
    timed.memory.put("s", "longer", 2, ttl_s=10)
    timed.memory.put("s", "shorter", 2, ttl_s=10)
    timed.pass_s(9)
    assert (timed.memory.get("s", "longer"), timed.memory.get("s", "shorter")) == (2, 2)

    timed.pass_s(1)
    assert (timed.memory.get("s", "longer"), timed.memory.get("s", "shorter")) == (None, None)


def test_put_new_keeps_only_where_nothing_is(timed: Timed) -> None:
    assert timed.memory.put_new("s", "k", 1, ttl_s=MINUTE) is True
    timed.pass_s(MINUTE - 1)
    assert timed.memory.put_new("s", "k", 2, ttl_s=MINUTE) is False
    assert timed.memory.get("s", "k") == 1

    timed.pass_s(1)
    assert timed.memory.put_new("s", "k", 3, ttl_s=MINUTE) is True
    assert timed.memory.get("s", "k") == 3


def test_of_many_that_put_new_at_once_one_wins(memory: WorkingMemory) -> None:
    begin, won = threading.Barrier(8), []

    def work(n: int) -> None:
        begin.wait(timeout=10)
        if memory.put_new("s", "k", n, ttl_s=MINUTE):
            won.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=10)

    assert len(won) == 1
    assert memory.get("s", "k") == won[0]


def test_what_is_deleted_is_gone_and_can_be_put_anew(memory: WorkingMemory) -> None:
    memory.put("s", "k", 1, ttl_s=MINUTE)

    assert memory.delete("s", "k") is True
    assert memory.delete("s", "k") is False
    assert memory.get("s", "k") is None
    assert memory.put_new("s", "k", 2, ttl_s=MINUTE) is True


def test_no_space_sees_another(memory: WorkingMemory) -> None:
    memory.put("a", "k", 1, ttl_s=MINUTE)
    memory.put("a:b", "k", 2, ttl_s=MINUTE)
    memory.put("a", "b:k", 3, ttl_s=MINUTE)

    assert memory.get("b", "k") is None
    assert [memory.get("a", "k"), memory.get("a:b", "k"), memory.get("a", "b:k")] == [1, 2, 3]
    assert memory.put_new("b", "k", 4, ttl_s=MINUTE) is True
    assert memory.delete("b", "k") is True
    assert memory.get("a", "k") == 1


def test_clear_takes_one_space_and_says_how_much_that_was(timed: Timed) -> None:
    memory = timed.memory
    memory.put("a", "short", 1, ttl_s=1)
    for key in ("x", "y"):
        memory.put("a", key, 1, ttl_s=MINUTE)
        memory.put("ab", key, 1, ttl_s=MINUTE)
    timed.pass_s(1)

    assert memory.clear("a") == 2
    assert memory.clear("a") == 0
    assert [memory.get("a", "x"), memory.get("ab", "x"), memory.get("ab", "y")] == [None, 1, 1]


def test_the_names_of_a_space_are_those_of_its_values(timed: Timed) -> None:
    for key in ("b", "a\ud800", "short", "gone"):
        timed.memory.put("s", key, 1, ttl_s=1 if key == "short" else MINUTE)
    timed.memory.put("t", "other", 1, ttl_s=MINUTE)
    timed.memory.delete("s", "gone")
    timed.pass_s(1)

    assert timed.memory.names("s") == ("a\ud800", "b")
    assert timed.memory.names("none") == ()


@pytest.mark.parametrize(
    "value",
    [{1, 2}, object(), b"x", float("nan"), [float("inf")]],
    ids=["set", "object", "bytes", "nan", "infinity"],
)
def test_what_has_no_json_is_refused_and_nothing_changes(memory: WorkingMemory, value: Any) -> None:
    memory.put("s", "k", 1, ttl_s=MINUTE)

    for put in (memory.put, memory.put_new):
        with pytest.raises(InvalidInput, match="value: cannot be kept as JSON"):
            put("s", "k", value, ttl_s=MINUTE)
    assert memory.get("s", "k") == 1


@pytest.mark.parametrize("ttl_s", [0, -1, float("nan"), float("inf"), True, "60", None])
def test_a_time_that_is_none_is_refused(memory: WorkingMemory, ttl_s: Any) -> None:
    for put in (memory.put, memory.put_new):
        with pytest.raises(InvalidInput, match="ttl_s: must be a finite number above 0"):
            put("s", "k", 1, ttl_s=ttl_s)
    assert memory.get("s", "k") is None


def test_many_threads_lose_nothing(memory: WorkingMemory) -> None:
    def work(n: int) -> None:
        for turn in range(50):
            memory.put("s", f"{n}/{turn}", turn, ttl_s=MINUTE)
            memory.get("s", f"{n}/{turn}")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)

    assert memory.clear("s") == 8 * 50


def test_a_closed_memory_leaves_no_connection_to_a_cluster_open(
    valkey_cluster: ValkeyServer,
) -> None:
    memory = RedisState(valkey_cluster.url)
    memory.put("s", "k", "v", ttl_s=9.0)
    memory.close()
    del memory

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        gc.collect()
    assert [one for one in found if issubclass(one.category, ResourceWarning)] == []
