"""The proxy's parts: reading a conversation, gathering an answer, keeping behind it."""

import asyncio
from threading import Event
from typing import Any

import pytest
from starlette.requests import Request

from simonides.http import proxy_conversation
from simonides.http.errors import RequestRefused
from simonides.http.proxy_conversation import (
    HEAD,
    TAIL,
    Turns,
    in_words,
    read,
    text_of,
    with_context,
)
from simonides.http.proxy_dialects import COMPLETIONS, NO_REPLY
from simonides.http.proxy_upstream import (
    GATHERED_MAX,
    Gathered,
    LeftError,
    select_headers,
    unless_left,
)

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
    monkeypatch.setattr(proxy_conversation, "WAITING_MAX", 0)
    with pytest.raises(RequestRefused, match="wait to be kept"):
        kept.check()
    kept.close()


def test_closing_keeps_what_waits() -> None:
    kept, done = Turns(), list[int]()
    for n in range(20):
        kept.later("default", lambda n=n: done.append(n))  # type: ignore[misc]  # bound early
    kept.close()

    assert done == list(range(20))


def test_what_comes_after_the_end_is_logged_and_raises_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    kept, done = Turns(), list[int]()
    kept.close()
    kept.later("default", lambda: done.append(1))
    asyncio.run(kept.wait_until_stored("default"))  # nothing is waited for

    assert done == []
    assert "a turn was not kept: the server has stopped" in caplog.text


def test_who_gives_up_waiting_takes_no_turn_with_them() -> None:
    kept, done, go = Turns(), list[str](), Event()

    def slow() -> None:
        go.wait(20)
        done.append("kept")

    async def give_up() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await kept.wait_until_stored("default")

    kept.later("default", slow)
    kept.later("default", lambda: done.append("and the next"))
    asyncio.run(give_up())
    go.set()
    kept.close()

    assert done == ["kept", "and the next"]


def test_only_what_was_said_in_the_same_space_is_waited_for() -> None:
    kept, go = Turns(), Event()
    done: list[str] = []

    def slow() -> None:
        go.wait(20)
        done.append("alice")

    async def wait_for(space: str) -> None:
        async with asyncio.timeout(20):
            await kept.wait_until_stored(space)
        done.append(f"after {space}")

    kept.later("alice", slow)
    asyncio.run(wait_for("bob"))
    go.set()
    asyncio.run(wait_for("alice"))
    kept.close()

    assert done == ["after bob", "alice", "after alice"]


def test_a_turn_that_fails_is_logged_without_words_and_the_next_is_kept(
    caplog: pytest.LogCaptureFixture,
) -> None:
    kept, done = Turns(), list[int]()

    def fails() -> None:
        raise RuntimeError("my secret")

    kept.later("default", fails)
    kept.later("default", lambda: done.append(1))
    kept.close()

    assert done == [1]
    assert "a turn was not kept: RuntimeError" in caplog.text
    assert "secret" not in caplog.text


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
    assert with_context(said, "context", part="text")[0] != messages[0] == user("Alpha?")


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
    gathered = Gathered(COMPLETIONS)
    for byte in sent.encode():
        gathered.add(bytes([byte]))

    assert gathered.reply(streams=streams).text == said


def test_an_endless_answer_is_not_gathered() -> None:
    gathered = Gathered(COMPLETIONS)
    for _ in range(5):
        gathered.add(b"x" * (GATHERED_MAX // 4))

    assert gathered.reply(streams=False) == NO_REPLY
    assert sum(map(len, gathered._pieces)) <= GATHERED_MAX


def test_a_header_that_is_no_ascii_does_not_come_back() -> None:
    assert select_headers({"OpenAI-Organization": "日本", "Retry-After": "5"}) == {
        "Retry-After": "5"
    }


def test_the_first_words_name_a_session_and_the_last_ones_a_turn() -> None:
    one = read([user(" "), user("Hello"), answered("Hi"), user("A?")])
    other = read([user("Hello"), answered("Hi"), user("B?")])

    assert one is not None
    assert other is not None
    assert (one.first, one.asked, one.place) == ("Hello", "A?", 3)
    assert one.session_of("k") == other.session_of("k") != one.session_of("l")
    assert one.turn != other.turn
    assert len(one.turn) == len(one.session_of("k")) == 32


def test_words_are_compared_whatever_blanks_stand_between_them() -> None:
    said = read([user("One\n two"), answered("three\tfour"), user("five")])

    assert said is not None
    assert said.texts == {"One two", "three four", "five"}
    assert in_words("  a\u00a0 b\n") == "a b"


@pytest.mark.parametrize(
    "messages",
    [[], [answered("x")], [user("")], [user("  ")], [user("x"), user(" ")], [user(None)]],
)
def test_where_the_user_says_nothing_there_is_no_conversation(messages: list[Any]) -> None:
    assert read(messages) is None


def test_a_context_stands_before_the_words_and_before_the_parts() -> None:
    plain, parts = read([user("Alpha?"), answered("?")]), read([user([{"text": "Alpha?"}])])

    assert plain is not None
    assert parts is not None
    reported = with_context(plain, "[1] it is due", part="text")
    assert reported[0]["content"] == f"{HEAD}[1] it is due{TAIL}Alpha?"
    assert reported[1] == answered("?")
    (message,) = with_context(parts, "c", part="input_text")
    assert message["content"] == [
        {"type": "input_text", "text": f"{HEAD}c{TAIL}"}, {"text": "Alpha?"},
    ]  # fmt: skip


def test_few_headers_come_back() -> None:
    came = {"Content-Type": "a", "Set-Cookie": "b", "X-RateLimit-Remaining": "c",
            "OpenAI-Version": "d", "Content-Length": "5", "Connection": "close"}  # fmt: skip

    assert set(select_headers(came)) == {"Content-Type", "X-RateLimit-Remaining", "OpenAI-Version"}


# ── who leaves ───────────────────────────────────────────────────────────────────────────────────


def asked_by(*reported: str) -> Request:
    """Return a request whose caller does these things, and then nothing more."""
    left = iter(reported)

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
