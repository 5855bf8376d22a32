"""The threads that verbs run in: so many at once, so many waiting, and no more."""

import asyncio
import gc
import threading
import weakref
from typing import Any

import pytest

from simonides.errors import InvalidInput
from simonides.http.errors import RequestRefused
from simonides.http.limits import Limits
from simonides.http.request_body import CapacityLimiter
from simonides.http.threads import Threads


def test_past_those_that_may_wait_a_call_is_refused() -> None:
    go_on = threading.Event()

    async def fill() -> list[Any]:
        threads = Threads(1, each_max=1, waiting_max=2, name="test")
        calls = [asyncio.ensure_future(threads.run(lambda: go_on.wait(20))) for _ in range(5)]
        done, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        assert all(isinstance(one.exception(), RequestRefused) for one in done)
        go_on.set()
        ended = await asyncio.gather(*calls, return_exceptions=True)
        await asyncio.sleep(0)
        threads.close()
        return [*ended, threads.taken]

    *ended, taken = asyncio.run(fill())

    refused = [one for one in ended if isinstance(one, RequestRefused)]
    assert [one for one in ended if one is True] == [True] * 3
    assert [(one.status, one.code, one.retry_s) for one in refused] == [(503, "overloaded", 1)] * 2
    assert taken == 0


def test_what_a_call_raises_is_raised_and_its_place_is_free_again() -> None:
    async def fail() -> int:
        threads = Threads(1, each_max=1, waiting_max=1, name="test")
        for _ in range(5):
            with pytest.raises(ZeroDivisionError):
                await threads.run(lambda: 1 // 0)
            await asyncio.sleep(0)
        threads.close()
        return threads.taken

    assert asyncio.run(fail()) == 0


def test_an_overloaded_server_says_when_to_come_again(open_site: Any, monkeypatch: Any) -> None:
    came, go_on = threading.Event(), threading.Event()

    def slow(*_: Any, **__: Any) -> dict[str, str]:
        came.set()
        go_on.wait(20)
        return {}

    with open_site(threads=1, waiting_max=1) as site:
        monkeypatch.setattr("simonides.api.memory.Memory.stats", slow)
        asked = [threading.Thread(target=site.ask, args=("GET", "/v1/stats")) for _ in range(2)]
        asked[0].start()
        assert came.wait(20)
        asked[1].start()
        while site.server.threads.taken < 2:
            asked[1].join(0.001)
        response = site.ask("GET", "/v1/stats")
        go_on.set()
        for one in asked:
            one.join()

        assert (response.status_code, response.headers["retry-after"]) == (503, "1")
        assert response.json()["code"] == "overloaded"
        assert site.ask("GET", "/health/live").status_code == 200


@pytest.mark.parametrize("name", ["waiting_max", "body_bytes_max", "rate_per_s", "drain_s"])
def test_a_limit_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match=name):
        Limits(**{name: 0})  # type: ignore[arg-type]  # a number


def test_threads_are_two_for_each_core_unless_told() -> None:
    assert 2 <= Limits().threads <= 8
    assert Limits(threads=3).threads == 3
    with pytest.raises(InvalidInput, match="threads"):
        Limits(threads=-1)


def test_what_is_taken_in_at_once_is_bounded() -> None:
    held = CapacityLimiter(10)

    with held.room(6), pytest.raises(RequestRefused, match="try again"), held.room(5):
        pass
    with held.room(10):
        pass


def test_bodies_and_uploads_past_the_bound_have_to_wait(site: Any) -> None:
    body = {"query": "x" * 1000}
    with site.server.held.room(site.server.held._left - 500), site.server.uploading.room(16):
        long = site.ask("POST", "/v1/search", body)
        short = site.ask("POST", "/v1/search", {"query": "x"})
        upload = site.client.post("/v1/imports", files={"file": ("a.md", b"# a")})

    assert (long.status_code, short.status_code, upload.status_code) == (503, 200, 503)
    assert site.ask("POST", "/v1/search", body).status_code == 200


def test_after_closing_a_call_is_refused_and_none_counts_as_running() -> None:
    async def late() -> int:
        threads = Threads(1, each_max=1, waiting_max=1, name="test")
        threads.close()
        for _ in range(3):
            with pytest.raises(RequestRefused, match="stopping") as reported:
                await threads.run(lambda: None)
            assert reported.value.status == 503
        return threads.taken

    assert asyncio.run(late()) == 0


def test_a_call_that_nobody_waits_for_any_more_runs_to_its_end() -> None:
    began, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        go_on.wait(20)
        ended.set()

    async def leave() -> None:
        threads = Threads(1, each_max=1, waiting_max=1, name="test")
        running = asyncio.ensure_future(threads.run(work))
        await asyncio.to_thread(began.wait, 20)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        go_on.set()
        threads.close()

    asyncio.run(leave())

    assert ended.is_set()


def test_a_call_that_nobody_waits_for_any_more_is_not_begun() -> None:
    began, go_on, done = threading.Event(), threading.Event(), []

    def work() -> None:
        began.set()
        go_on.wait(20)

    async def leave() -> int:
        threads = Threads(1, each_max=1, waiting_max=1, name="test")
        first = asyncio.ensure_future(threads.run(work))
        await asyncio.to_thread(began.wait, 20)
        second = asyncio.ensure_future(threads.run(lambda: done.append(1)))
        await asyncio.sleep(0)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        await asyncio.sleep(0)
        left = threads.taken
        go_on.set()
        await first
        threads.close()
        return left

    assert asyncio.run(leave()) == 1
    assert done == []


def test_the_loop_is_woken_once_for_a_call() -> None:
    async def count() -> int:
        threads, woken = Threads(1, each_max=1, waiting_max=1, name="test"), []
        loop = asyncio.get_running_loop()
        plain = loop.call_soon_threadsafe

        def call_soon_threadsafe(*given: Any, **named: Any) -> Any:
            woken.append(given)
            return plain(*given, **named)

        loop.call_soon_threadsafe = call_soon_threadsafe  # type: ignore[assignment,method-assign]  # it looks on
        assert await threads.run(lambda: 7) == 7
        threads.close()
        return len(woken)

    assert asyncio.run(count()) == 1


def test_what_a_call_returned_is_let_go_with_its_last_user() -> None:
    class Answer:
        pass

    async def ask() -> weakref.ref[Answer]:
        threads = Threads(1, each_max=1, waiting_max=1, name="test")
        answer = weakref.ref(await threads.run(Answer))
        threads.close()
        return answer

    gc.disable()
    try:
        assert asyncio.run(ask())() is None
    finally:
        gc.enable()


def test_what_waits_when_the_server_stops_is_not_begun() -> None:
    began, go_on, done = threading.Event(), threading.Event(), []

    def work() -> None:
        began.set()
        go_on.wait(20)

    async def stop() -> None:
        threads = Threads(1, each_max=1, waiting_max=1, name="test")
        first = asyncio.ensure_future(threads.run(work))
        await asyncio.to_thread(began.wait, 20)
        second = asyncio.ensure_future(threads.run(lambda: done.append(1)))
        await asyncio.sleep(0)
        threads.stop()
        with pytest.raises(RequestRefused, match="stopping"):
            await second
        go_on.set()
        await first
        await asyncio.to_thread(threads.close)

    asyncio.run(stop())

    assert done == []


def test_what_waits_when_the_threads_are_closed_is_refused_once_they_have_ended() -> None:
    began, go_on, done = threading.Event(), threading.Event(), []

    def work() -> None:
        began.set()
        go_on.wait(20)

    async def close() -> None:
        threads = Threads(1, each_max=1, waiting_max=1, name="test")
        first = asyncio.ensure_future(threads.run(work))
        await asyncio.to_thread(began.wait, 20)
        second = asyncio.ensure_future(threads.run(lambda: done.append(1)))
        await asyncio.sleep(0)
        closing = threading.Thread(target=threads.close)
        closing.start()
        while not threads._pool._shutdown:
            closing.join(0.001)
        go_on.set()
        await first
        with pytest.raises(RequestRefused, match="stopping"):
            await second
        closing.join()

    asyncio.run(close())

    assert done == []


def test_a_call_for_which_no_thread_can_be_started_waits_for_one_that_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    began, go_on = threading.Event(), threading.Event()

    def work() -> bool:
        began.set()
        return go_on.wait(20)

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    async def ask() -> tuple[bool, int, int]:
        threads = Threads(2, each_max=2, waiting_max=1, name="test")
        first = asyncio.ensure_future(threads.run(work))
        await asyncio.to_thread(began.wait, 20)
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", refuse)
            second = asyncio.ensure_future(threads.run(lambda: 7))
            await asyncio.sleep(0)
        go_on.set()
        ended = await first, await second
        threads.close()
        return *ended, threads.taken

    assert asyncio.run(ask()) == (True, 7, 0)
