"""One caller's flood, however costly, takes no other's place, thread or time."""

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simonides import Memory
from simonides.http.errors import RequestRefused
from simonides.http.request_body import CapacityLimiter
from simonides.http.threads import Threads
from simonides_bench.testing.depth import examples


async def settle() -> None:
    """Let the loop do what is due."""
    for _ in range(5):
        await asyncio.sleep(0)


def test_one_caller_leaves_a_thread_for_another() -> None:
    go_on, done = threading.Event(), []

    async def ask() -> str:
        threads = Threads(3, waiting_max=9, each_max=2, name="test")
        flood = [
            asyncio.ensure_future(threads.run(lambda: go_on.wait(20), caller="a")) for _ in range(9)
        ]
        await settle()
        said = await threads.run(lambda: "b was answered", caller="b")
        done.append(sum(one.done() for one in flood))
        go_on.set()
        await asyncio.gather(*flood)
        threads.close()
        return said

    assert asyncio.run(ask()) == "b was answered"
    assert done == [0]


def test_who_floods_loses_places_to_who_does_not() -> None:
    go_on = threading.Event()

    async def ask() -> tuple[list[Any], list[Any], int]:
        threads = Threads(1, each_max=1, waiting_max=4, name="test")

        def begin(caller: str, count: int) -> list["asyncio.Future[Any]"]:
            work = lambda: go_on.wait(20)  # noqa: E731  the same of each
            return [asyncio.ensure_future(threads.run(work, caller=caller)) for _ in range(count)]

        flood = begin("a", 9)
        await settle()
        others = [*begin("b", 1), *begin("c", 1)]
        await settle()
        full = threads.taken
        go_on.set()
        ended = await asyncio.gather(*flood, return_exceptions=True)
        reported = await asyncio.gather(*others, return_exceptions=True)
        threads.close()
        return ended, reported, full

    ended, reported, full = asyncio.run(ask())

    assert reported == [True, True]
    assert full == 5
    refused = [one for one in ended if isinstance(one, RequestRefused)]
    assert len(refused) == 6
    assert {(one.status, one.code) for one in refused} == {(503, "overloaded")}


def order_of(callers: list[str]) -> list[str]:
    """Return the callers in the order in which one thread served them."""
    served: list[str] = []

    async def ask() -> None:
        threads, go_on = Threads(1, each_max=1, waiting_max=99, name="test"), threading.Event()
        first = asyncio.ensure_future(threads.run(lambda: go_on.wait(20), caller="first"))
        await settle()
        later = [
            asyncio.ensure_future(threads.run(partial(served.append, who), caller=who))
            for who in callers
        ]
        await settle()
        go_on.set()
        await asyncio.gather(first, *later)
        threads.close()

    asyncio.run(ask())
    return served


def test_callers_take_turns_whoever_came_first() -> None:
    assert order_of(["a", "a", "a", "a", "b", "b", "c"]) == ["a", "b", "c", "a", "b", "a", "a"]


@settings(max_examples=examples(30))
@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=30))
def test_nobody_is_served_two_more_than_another_who_waits(who: list[str]) -> None:
    served = order_of(who)

    assert sorted(served) == sorted(who)
    left = {one: who.count(one) for one in "abc"}
    had = dict.fromkeys("abc", 0)
    for one in served:
        had[one] += 1
        left[one] -= 1
        waiting = [other for other in "abc" if left[other]]
        assert all(had[one] <= had[other] + 1 for other in waiting)


def test_what_calls_cost_is_reported_by_caller() -> None:
    reported: list[tuple[str, float]] = []

    async def ask() -> None:
        threads = Threads(
            1,
            each_max=1,
            waiting_max=1,
            name="test",
            on_cost=lambda who, cost_s: reported.append((who, cost_s)),
        )
        await threads.run(lambda: sum(range(200_000)), caller="a")
        with pytest.raises(ZeroDivisionError):
            await threads.run(lambda: 1 // 0, caller="b")
        threads.close()

    asyncio.run(ask())

    assert [who for who, _ in reported] == ["a", "b"]
    assert reported[0][1] > 0.0


def test_nothing_is_remembered_of_callers_who_have_gone() -> None:
    async def ask() -> int:
        threads = Threads(2, each_max=2, waiting_max=9, name="test")
        await asyncio.gather(*(threads.run(lambda: None, caller=str(n)) for n in range(9)))
        left = len(threads._lines)
        threads.close()
        return left

    assert asyncio.run(ask()) == 0


def test_one_caller_holds_half_the_room_for_bodies() -> None:
    held = CapacityLimiter(10, each_max=5)

    with held.room(5, caller="a"):
        with pytest.raises(RequestRefused, match="try again"), held.room(1, caller="a"):
            pass
        with held.room(5, caller="b"):
            pass
    with held.room(5, caller="a"):
        pass


def slow_spaces(monkeypatch: Any) -> tuple[Callable[[], bool], threading.Event]:
    """Have `stats` of one space wait; return whether it is waiting, and what lets it go on."""
    came, go_on = threading.Semaphore(0), threading.Event()
    plain = Memory.stats

    def slow(self: Memory) -> Any:
        if self.space == "eve":
            came.release()
            assert go_on.wait(30)
        return plain(self)

    monkeypatch.setattr(Memory, "stats", slow)
    return lambda: came.acquire(timeout=20), go_on


def test_a_key_that_floods_the_server_is_refused_and_others_are_answered(
    open_site: Any, monkeypatch: Any
) -> None:
    came, go_on = slow_spaces(monkeypatch)
    with open_site(threads=2, waiting_max=3) as site:
        site.add("x", space="eve")
        site.add("x", space="bob")
        eve, bob = site.key("eve"), site.key("bob")
        flood = [
            threading.Thread(target=lambda: codes.append(site.ask("GET", "/v1/stats", key=eve)))
            for _ in range(12)
        ]
        codes: list[Any] = []
        for one in flood:
            one.start()
        assert came()
        assert came()
        while site.server.threads.taken < 5:
            flood[0].join(0.001)
        response = [site.ask("GET", "/v1/stats", key=bob).status_code for _ in range(5)]
        go_on.set()
        for one in flood:
            one.join()

    assert response == [200] * 5
    assert sorted({one.status_code for one in codes}) == [200, 503]


def test_who_has_no_key_is_told_apart_by_address(open_site: Any, monkeypatch: Any) -> None:
    seen: list[str] = []
    with open_site() as site:
        plain = site.server.threads.run

        async def run(call: Any, *, caller: str = "") -> Any:
            seen.append(caller)
            return await plain(call, caller=caller)

        monkeypatch.setattr(site.server.threads, "run", run)
        site.ask("GET", "/v1/spaces")
        key = site.key("alice")
        site.ask("GET", "/v1/spaces", key=key)

        assert seen == ["here@127.0.0.1", site.memory.keys.list()[0].id]


def test_a_key_that_costs_too_much_has_to_wait_and_no_other(open_site: Any) -> None:
    with open_site(cost_per_s=0.5, cost_burst_s=10.0) as site:
        at = [100.0]
        site.server.monotonic_s = lambda: at[0]
        eve, bob = site.key("eve"), site.key("bob")
        eve_id = next(one.id for one in site.memory.keys.list() if one.space == "eve")
        for _ in range(4):  # four side by side: each is charged
            site.server.costs.charge(eve_id, 4.0, now_s=100.0)

        refused = site.ask("GET", "/v1/items", key=eve)
        other = site.ask("GET", "/v1/items", key=bob)
        at[0] += 12.5

        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
        assert "processor time" in refused.json()["detail"]
        assert int(refused.headers["retry-after"]) in (12, 13)
        assert other.status_code == 200
        assert site.ask("GET", "/v1/items", key=eve).status_code == 200
