"""What is sent is read within bounds: in time, no longer than it may be, and checked."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.datastructures import QueryParams
from starlette.requests import Request

from simonides.http.errors import RequestRefused
from simonides.http.request_body import (
    BYTES_PER_S_MIN,
    CapacityLimiter,
    SlowBodyGuard,
    check_media,
    content_length,
    size_of,
)

Received = Callable[[], Awaitable[Any]]


def pieces(*bodies: bytes, ends: bool = True) -> Received:
    """Return a way to receive these pieces of a body, and nothing after them, ever."""
    left = [
        {"type": "http.request", "body": body, "more_body": n < len(bodies) - 1 or not ends}
        for n, body in enumerate(bodies)
    ]

    async def receive() -> Any:
        if left:
            return left.pop(0)
        return await asyncio.Event().wait()

    return receive


def request(receive: Any = None, **headers: str) -> Request:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "headers": raw}, receive or pieces(b""))


def paced(receive: Received, *, pause_s: float = 30.0, bytes_max: int = 10**6) -> SlowBodyGuard:
    return SlowBodyGuard(receive, pause_s=pause_s, bytes_max=bytes_max)


def status(call: Callable[[], Any]) -> int:
    with pytest.raises(RequestRefused) as raised:
        call()
    return raised.value.status


@pytest.mark.parametrize(
    ("reported", "size"),
    [
        ("0", 0), ("17", 17), ("00017", 17), ("", None), ("-1", None), ("1.5", None),
        ("+5", None), ("1_000", None), ("\uff19", None), ("9" * 5_000, 10**18),
        ("0" * 5_000 + "7", 7),
    ],
)  # fmt: skip
def test_the_length_that_is_told_is_read_without_being_trusted(
    reported: str, size: int | None
) -> None:
    assert content_length(request(content_length=reported.encode().decode("latin-1"))) == size


def test_room_is_held_for_what_is_told_or_for_the_most_that_may_come() -> None:
    assert size_of(request(content_length="10"), most=100, has_body=True) == 10
    assert size_of(request(content_length="100"), most=100, has_body=True) == 100
    assert size_of(request(), most=100, has_body=True) == 100
    assert size_of(request(content_length="10"), most=100, has_body=None) == 0


def test_a_body_comes_back_whole_up_to_its_bound() -> None:
    whole = request(paced(pieces(b"ab", b"", b"cde"), bytes_max=5))

    assert asyncio.run(whole.body()) == b"abcde"


@pytest.mark.parametrize("headers", [{"content_length": "1"}, {}])
def test_a_longer_body_is_refused_whatever_it_says_of_itself(headers: dict[str, str]) -> None:
    asked_for = request(paced(pieces(b"abc", b"def"), bytes_max=5), **headers)

    assert status(lambda: asyncio.run(asked_for.body())) == 413


def test_a_body_that_says_that_it_is_too_long_is_refused_by_its_head() -> None:
    assert status(lambda: size_of(request(content_length="6"), most=5, has_body=True)) == 413


def test_a_body_that_stops_coming_is_refused() -> None:
    silent = paced(pieces(b"{", ends=False), pause_s=0.01)

    assert status(lambda: asyncio.run(request(silent).body())) == 408


def test_a_body_that_never_begins_is_refused() -> None:
    silent = paced(pieces(), pause_s=0.01)

    assert status(lambda: asyncio.run(request(silent).body())) == 408


def dribbled(sizes: Iterable[int], *, every_s: float, pause_s: float) -> tuple[int, int]:
    """Return how many pieces are taken, one each `every_s`, and the status in the end."""
    now = [0.0]
    bodies = [b"x" * size for size in sizes]
    receive = pieces(*bodies)

    async def later() -> Any:
        now[0] += every_s
        return await receive()

    taken = 0

    async def take() -> None:
        nonlocal taken
        one = SlowBodyGuard(later, pause_s=pause_s, bytes_max=10**9, clock=lambda: now[0])
        while (await one()).get("more_body"):
            taken += 1

    try:
        asyncio.run(take())
    except RequestRefused as refused:
        reported = refused.status
    else:
        reported = 200
    return taken, reported


def test_who_dribbles_is_stopped_once_the_pause_is_used_up() -> None:
    assert dribbled([1] * 100, every_s=1.0, pause_s=10.0) == (10, 408)


def test_who_sends_fast_enough_may_take_as_long_as_it_takes() -> None:
    assert dribbled([BYTES_PER_S_MIN] * 100, every_s=1.0, pause_s=10.0) == (99, 200)


def test_an_upload_is_counted_as_it_comes() -> None:
    one = paced(pieces(b"x" * 60, b"x" * 60, ends=False), bytes_max=100)

    async def take() -> None:
        await one()
        await one()

    assert status(lambda: asyncio.run(take())) == 413


def test_after_the_body_a_hanging_up_is_waited_for_without_end() -> None:
    async def wait() -> bool:
        one = paced(pieces(b"{}"), pause_s=0.01)
        await one()
        leaving = asyncio.ensure_future(one())
        done, _ = await asyncio.wait({leaving}, timeout=0.05)
        leaving.cancel()
        return bool(done)

    assert not asyncio.run(wait())


def test_room_that_was_held_is_free_again_also_after_an_error() -> None:
    held = CapacityLimiter(10)
    with held.room(10):
        assert status(lambda: held.room(1).__enter__()) == 503

    with pytest.raises(ZeroDivisionError), held.room(10):
        1 // 0  # noqa: B018  what goes wrong while room is held

    held.room(10).__enter__()


@pytest.mark.parametrize(
    ("media", "is_taken"),
    [
        ("application/json", True), ("Application/JSON; charset=utf-8", True),
        ("application/problem+json", True), ("", False), ("text/plain", False),
        ("application/jsonp", False), ("text/plain; application/json", False),
        ("multipart/form-data", False), ("application/x-www-form-urlencoded", False),
    ],
)  # fmt: skip
def test_only_what_no_page_can_send_unasked_is_taken_as_json(media: str, is_taken: bool) -> None:
    asked_for = request(content_type=media)
    if is_taken:
        check_media(asked_for)
    else:
        assert status(lambda: check_media(asked_for)) == 415


# ── what a route is asked with ───────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("body", "reported"),
    [
        (b"", 400), (b"null", 422), (b"[]", 422), (b'"x"', 422), (b"{", 400), (b"\xff\xfe", 400),
        (b'{"query": "\\ud800"}', 400), (b'{"query": NaN}', 400), (b"[" * 10_000, 400),
        (b'{"query": "x"} {}', 400), (b'\xef\xbb\xbf{"query": "x"}', 400),
        (b'{"query": 7}', 422), (b'{"query": "x", "limit": "5"}', 422),
        (b'{"query": "x", "limit": 5.5}', 422), (b'{"query": "x", "limit": true}', 422),
    ],
)  # fmt: skip
def test_what_is_no_json_or_does_not_fit_is_refused(site: Any, body: bytes, reported: int) -> None:
    assert site.problem("POST", "/v1/search", body)["status"] == reported


def test_a_problem_names_its_place_and_never_what_was_sent(site: Any) -> None:
    refusal = site.problem("POST", "/v1/erase", {"ids": [{"secret": 4711}] * 100})

    assert refusal["errors"][0]["field"] == "ids[0]"
    assert "4711" not in str(refusal)


def test_parameters_of_lists_may_be_repeated_and_no_others(site: Any) -> None:
    site.memory.add("Alpha is due on Friday", kind="email")
    site.memory.add("Call Tom", kind="task")
    site.memory.add("Beta is delayed", kind="memory")

    def kinds(query: str) -> set[str]:
        return {one["kind"] for one in site.answer("GET", f"/v1/items?{query}")["items"]}

    assert kinds("kind=email&kind=task&limit=3") == {"email", "task"}
    assert kinds("kind=email") == {"email"}
    assert site.problem("GET", "/v1/items?limit=3&limit=4")["status"] == 422


def test_a_parameter_can_be_a_whole_filter(site: Any) -> None:
    site.memory.add("Alpha is due on Friday", tags=["alpha"], metadata={"priority": 5})
    site.memory.add("Beta is delayed", metadata={"priority": 1})

    def found(**wanted: Any) -> list[str]:
        query = urlencode({"filter": json.dumps(wanted)})
        items = site.answer("GET", f"/v1/items?{query}")["items"]
        return [one["content"] for one in items]

    assert found(where={"priority": {"gte": 3}}) == ["Alpha is due on Friday"]
    assert found(tags=["beta"]) == []
    assert site.problem("GET", "/v1/items?filter=x")["errors"][0]["field"] == "filter"
    both = urlencode({"filter": '{"tags": ["a"]}', "tag": "b"})
    assert site.problem("GET", f"/v1/items?{both}")["errors"][0]["field"] == "tag"
    unknown = urlencode({"filter": '{"tag": ["a"]}'})
    refusal = site.problem("GET", f"/v1/items?{unknown}")["errors"][0]
    assert (refusal["field"], "did you mean" in refusal["problem"]) == ("filter.tag", True)


@pytest.mark.parametrize(
    "query", ["colour=red", "limit=", "limit=1e2", "limit=1001", "limit=-1", "kind=poem", "%00=1"]
)
def test_a_parameter_that_does_not_fit_names_itself(site: Any, query: str) -> None:
    refusal = site.problem("GET", f"/v1/items?{query}")

    assert refusal["status"] == 422
    assert refusal["errors"][0]["field"].partition("[")[0] in QueryParams(query)
