"""The proxy's parts: reading a conversation, gathering an answer, keeping behind it."""

import asyncio
from typing import Any

import pytest
from starlette.requests import Request

from simonides.http.problems import Refused
from simonides.http.proxy import turns
from simonides.http.proxy.conversation import read, text_of, with_context
from simonides.http.proxy.relay import GATHERED_MAX, Gathered
from simonides.http.proxy.turns import Turns
from simonides.http.proxy.upstream import LeftError, sent_back, unless_left

SYSTEM = {"role": "system", "content": "Be brief."}
TOLD = 'data: {"choices":[{"index":0,"delta":{"content":"\u2028 ä"}}]}\r\n\r\n: hm\n\n'
ENDED = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def answered(content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content}


def test_where_too_many_wait_to_be_kept_a_request_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = Turns()
    monkeypatch.setattr(turns, "WAITING_MAX", 0)
    with pytest.raises(Refused, match="wait to be kept"):
        kept.check()
    kept.close()


def test_closing_keeps_what_waits() -> None:
    kept, done = Turns(), list[int]()
    for n in range(20):
        kept.later("default", lambda n=n: done.append(n))  # type: ignore[misc]  # bound early
    kept.close()

    assert done == list(range(20))


# ── the parts ────────────────────────────────────────────────────────────────────────────────────


def test_a_turn_has_the_same_name_whatever_else_is_sent() -> None:
    plain = read([user("Hello"), answered("Hi!"), user("Alpha?")])
    more = read([SYSTEM, user("Hello"), answered("Hi!"), user("Alpha?"), answered(None)])
    other = read([user("Hello"), answered("Hi?"), user("Alpha?")])

    assert plain is not None
    assert more is not None
    assert other is not None
    assert plain.turn == more.turn != other.turn
    assert (plain.asked, plain.first, more.place) == ("Alpha?", "Hello", 3)


def test_the_words_of_parts_are_read_and_nothing_else() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "image_url"}, "b", {"text": 5}]

    assert text_of(parts) == "a"
    assert text_of({"text": "x"}) == text_of(None) == text_of(7) == ""


def test_the_request_itself_is_never_changed() -> None:
    messages = [user("Alpha?")]
    said = read(messages)

    assert said is not None
    assert with_context(said, "context")[0] != messages[0] == user("Alpha?")


@pytest.mark.parametrize(
    ("sent", "streams", "said"),
    [
        (TOLD + ENDED, True, "\u2028 ä"),
        (TOLD, True, ""),
        ("data: nonsense\n\n" + ENDED, True, ""),
        ('{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}]}', False, "a"),
        ('{"choices":[{"message":{"content":"a"}}]}', False, ""),
        ('{"error": {"message": "no"}}', False, ""),
        ("<html>", False, ""),
        ("", False, ""),
    ],
)
def test_only_what_came_to_its_end_is_taken_as_said(sent: str, said: str, *, streams: bool) -> None:
    gathered = Gathered()
    for byte in sent.encode():
        gathered.add(bytes([byte]))

    assert gathered.said(streams=streams) == said


def test_an_endless_answer_is_not_gathered() -> None:
    gathered = Gathered()
    for _ in range(5):
        gathered.add(b"x" * (GATHERED_MAX // 4))

    assert gathered.said(streams=False) == ""
    assert sum(map(len, gathered._pieces)) <= GATHERED_MAX


def test_few_headers_come_back() -> None:
    came = {"Content-Type": "a", "Set-Cookie": "b", "X-RateLimit-Remaining": "c",
            "OpenAI-Version": "d", "Content-Length": "5", "Connection": "close"}  # fmt: skip

    assert set(sent_back(came)) == {"Content-Type", "X-RateLimit-Remaining", "OpenAI-Version"}


# ── who leaves ───────────────────────────────────────────────────────────────────────────────────


def asked_by(*told: str) -> Request:
    """Return a request whose caller does these things, and then nothing more."""
    left = iter(told)

    async def receive() -> dict[str, Any]:
        kind = next(left, "")
        if not kind:
            await asyncio.Event().wait()
        return {"type": kind}

    return Request({"type": "http", "method": "POST", "headers": []}, receive)


def test_who_leaves_has_the_work_cancelled() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    with pytest.raises(LeftError):
        asyncio.run(unless_left(asked_by("http.request", "http.disconnect"), work()))

    assert ended == ["cancelled"]


def test_who_stays_gets_what_the_work_returns_or_raises() -> None:
    async def work() -> str:
        return "done"

    async def fails() -> str:
        raise ValueError("no")

    assert asyncio.run(unless_left(asked_by(), work())) == "done"
    with pytest.raises(ValueError, match="no"):
        asyncio.run(unless_left(asked_by(), fails()))
