"""Random requests at the limits: none ends in a mistake of the server's, and one would be told."""

import asyncio
import json
import random
from typing import Any

import pytest

from simonides.http.openapi import document
from simonides.http.routes import ROUTES
from simonides_bench import requests
from simonides_bench.in_process import ESCAPED, Answer, Message, running
from simonides_bench.request_values import Requests, Sent
from simonides_bench.requests import is_sound, run


@pytest.mark.slow
def test_some_hundred_requests_of_all_routes_leave_a_space_that_answers() -> None:
    seen: list[tuple[int, int]] = []
    figures = run(count=500, seed=7, on_progress=lambda *one: seen.append(one))

    assert figures["examples"] == []
    assert is_sound(figures)
    assert figures["operations"] == len(ROUTES)
    assert figures["probes"] > 80
    assert figures["by_status"]["2xx"] > 80
    assert seen == [(500, 500)]


def test_the_same_seed_draws_the_same_requests_and_another_one_others() -> None:
    def drawn(seed: int) -> list[Sent]:
        made = Requests(document=document(ROUTES), draw=random.Random(seed))
        return [made.one() for _ in range(200)]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_values_lie_at_the_limits_of_their_schemas_and_past_them() -> None:
    made = Requests(document=document(ROUTES), draw=random.Random(3))
    schema = {"type": "integer", "minimum": 1, "maximum": 1_000}
    found = {made.value(schema, depth=0) for _ in range(500)}

    assert {0, 1, 2, 999, 1_000, 1_001} <= found


def test_most_bodies_are_json() -> None:
    made = Requests(document=document(ROUTES), draw=random.Random(4))
    bodies = [one.body for one in (made.one() for _ in range(500)) if one.method == "POST"]
    readable = sum(_is_json(body) for body in bodies)

    assert readable > len(bodies) // 2


def _is_json(body: bytes) -> bool:
    try:
        json.loads(body)
    except (RecursionError, ValueError):
        return False
    return True


# ── what goes wrong is told ───────────────────────────────────────────────────────────────────


async def _asked(app: Any) -> Answer:
    async with running(app) as started:
        return await started.ask(Sent(method="GET", path="/"))


def test_an_error_that_leaves_the_application_is_an_answer() -> None:
    async def app(scope: Message, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await receive()
            await send({"type": "lifespan.startup.complete"})
            return
        raise OverflowError("out of bounds for int32")

    answer = asyncio.run(_asked(app))

    assert answer.status == ESCAPED
    assert b"int32" in answer.body


def test_a_mistake_and_a_space_that_does_not_answer_are_counted_and_shown() -> None:
    tally = requests._Tally()
    sent = Sent(method="GET", path="/v1/items", operation="GET list")
    broken = Answer(status=500, body=b"a mistake of ours")
    tally.note(sent, broken)
    tally.note_probe(sent, broken, sent)
    figures = tally.figures(count=1, seed=1)

    assert (figures["server_errors"], figures["unanswered"]) == (1, 1)
    assert not is_sound(figures)
    assert "a mistake of ours" in figures["examples"][0]


def test_an_endpoint_that_is_not_set_is_no_mistake() -> None:
    tally = requests._Tally()
    tally.note(Sent(method="POST", path="/v1/x"), Answer(status=501, body=b""))

    assert is_sound(tally.figures(count=1, seed=1))
