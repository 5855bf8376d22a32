"""The door for OpenAI's clients before broken endpoints, odd requests and callers that leave."""

import asyncio
import itertools
import json
from pathlib import Path
from threading import Event
from typing import Any

import httpx2
import pytest
from tests.unit.http.test_http_openai import ALPHA, DOOR, answered, door_to, said, user

from simonides.http import proxy_upstream
from simonides.http.proxy_conversation import HEAD
from simonides.model.chat import ModelReply
from simonides_bench.testing.chat_script import AskedOver, Held, Raw

HELLO = user("Hello")
IN_S = {"X-Session-Id": "s"}


def whole(content: Any) -> bytes:
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps({"choices": [choice]}).encode()


def post(door: Any, body: bytes, **headers: Any) -> httpx2.Response:
    reported = {"Content-Type": "application/json", **headers}
    got: httpx2.Response = door.client.post(DOOR, content=body, headers=reported)
    return got


# ── broken endpoints ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("status", [301, 307, 308])
def test_an_endpoint_that_sends_elsewhere_is_not_followed(
    tmp_path: Path, status: int, *, streams: bool
) -> None:
    with door_to(tmp_path / "home", [Raw(chunks=[b"{}"], status=status)]) as door:
        got = door.ask(HELLO, stream=streams, headers=IN_S)

        assert (got.status_code, got.json()["error"]["code"]) == (502, "model_error")
        assert "set chat_base_url" in got.json()["error"]["message"]
        assert len(door.upstream.requests) == 1
        assert door.kept("s") == [("user", "Hello")]


def test_an_answer_without_end_is_broken_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy_upstream, "WHOLE_BYTES_MAX", 1 << 20)
    endless = (b"x" * 65_536 for _ in itertools.count())
    with door_to(tmp_path / "home", [Raw(chunks=endless), ModelReply(content="Hi!")]) as door:
        got = door.ask(HELLO, headers=IN_S)

        assert (got.status_code, got.json()["error"]["code"]) == (502, "model_error")
        assert "more than 1 MiB" in got.json()["error"]["message"]
        assert door.ask(HELLO, headers=IN_S).status_code == 200
        assert door.kept("s") == [("user", "Hello"), ("assistant", "Hi!")]


def test_a_long_answer_that_ends_comes_back_whole_and_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy_upstream, "GATHERED_MAX", 1_000)
    long = whole("x" * 2_000)
    with door_to(tmp_path / "home", [Raw(chunks=[long])]) as door:
        got = door.ask(HELLO, headers=IN_S)

        assert got.content == long
        assert door.kept("s") == [("user", "Hello")]


@pytest.mark.parametrize(
    ("chunks", "kind", "kept"),
    [
        ([b""], "application/json", None),
        ([b"<html>"], "text/html", None),
        ([b"[]"], "application/json", None),
        ([b"[" * 100_000], "application/json", None),
        ([b'{"choices": [5, null, {"message": 5}]}'], "application/json", None),
        ([b'{"choices": {"a": 1}}'], "application/json", None),
        ([whole([{"type": "text", "text": "parts"}])], "application/json", "parts"),
        ([whole("\x00")], "application/json", None),
        ([whole("  ")], "application/json", None),
        ([b"data: [DONE]\n\n"], "text/event-stream", None),
        ([b"\xff\xfe\n\n", b"data: [DONE]\n\n"], "text/event-stream", None),
    ],
)
def test_whatever_an_endpoint_says_comes_back_as_it_was(
    tmp_path: Path, chunks: list[bytes], kind: str, kept: str | None
) -> None:
    with door_to(tmp_path / "home", [Raw(chunks=chunks, content_type=kind)]) as door:
        got = door.ask(HELLO, headers=IN_S)

        assert (got.status_code, got.content) == (200, b"".join(chunks))
        assert got.headers["content-type"].startswith(kind)
        assert door.kept("s")[1:] in ([], [("assistant", kept)])
        assert (len(door.kept("s")) == 2) is (kept is not None)


def test_of_several_choices_the_first_is_kept(tmp_path: Path) -> None:
    choices = [
        {"index": n, "message": {"content": text}, "finish_reason": "stop"}
        for n, text in ((1, "second"), (0, "first"))
    ]
    body = json.dumps({"choices": choices}).encode()
    with door_to(tmp_path / "home", [Raw(chunks=[body])]) as door:
        got = door.ask(HELLO, n=2, headers=IN_S)

        assert got.content == body
        assert door.kept("s")[1] == ("assistant", "first")


def test_where_too_many_are_on_their_way_who_comes_is_told_to_try_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy_upstream, "CONNECTIONS_MAX", 1)
    monkeypatch.setattr(proxy_upstream, "POOL_S", 0.05)
    until, arrived = Event(), Event()

    def held(_: AskedOver) -> Held:
        arrived.set()
        return Held(until=until, reply=ModelReply(content="late"))

    with door_to(tmp_path / "home", held) as door:

        async def two() -> list[httpx2.Response]:
            transport = httpx2.ASGITransport(app=door.client.app)
            async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as asks:
                body = {"messages": [HELLO]}
                first = asyncio.ensure_future(asks.post(DOOR, json=body, headers=IN_S))
                await asyncio.to_thread(arrived.wait, 20)
                second = await asks.post(DOOR, json=body, headers=IN_S)
                until.set()
                return [await first, second]

        first, second = door.client.portal.call(two)  # type: ignore[union-attr]  # it runs

        assert first.status_code == 200
        assert (second.status_code, second.json()["error"]["code"]) == (503, "overloaded")
        assert second.headers["retry-after"]


# ── odd requests ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("number", [b"NaN", b"1e999", b"-1e999", b"Infinity"])
def test_a_number_that_none_can_be_is_not_sent_on_in_words_of_ours(
    tmp_path: Path, number: bytes
) -> None:
    body = b'{"model": "simonides", "messages": [{"role": "user", "content": "x"}], "seed": %s}'
    with door_to(tmp_path / "home", said) as door:
        got = post(door, body % number)

        assert (got.status_code, got.json()["error"]["code"]) == (400, "malformed")
        assert door.upstream.requests == []


@pytest.mark.parametrize("header", ["Accept", "OpenAI-Beta"])
def test_a_header_that_is_no_ascii_stays_here(tmp_path: Path, header: str) -> None:
    with door_to(tmp_path / "home", said) as door:
        body = json.dumps({"messages": [HELLO]}).encode()
        got = post(door, body, **{header: b"\xe9"})

        assert got.status_code == 200
        assert "é" not in door.upstream.requests[-1].headers.get(header.lower(), "")


def test_headers_that_an_endpoint_understands_go_on(tmp_path: Path) -> None:
    with door_to(tmp_path / "home", said) as door:
        post(door, json.dumps({"messages": [HELLO]}).encode(), **{"OpenAI-Beta": "assistants=v2"})

        assert door.upstream.requests[-1].headers["openai-beta"] == "assistants=v2"


@pytest.mark.parametrize(
    "body",
    [
        b'\xef\xbb\xbf{"messages": [{"role": "user", "content": "x"}]}',
        '{"messages": [{"role": "user", "content": "x"}]}'.encode("utf-16"),
        b'{"messages": [{"role": "user", "content": "\xff"}]}',
        b'{"messages": [{"role": "user", "content": "x"}], "seed": ' + b"[" * 9_000 + b"]" * 9_000,
        b'{"messages": [{"role": "user", "content": "x"}], "seed": ' + b"1" * 5_000 + b"}",
        b"null", b"[]", b"",
    ],
)  # fmt: skip
def test_a_body_that_is_no_request_goes_nowhere(tmp_path: Path, body: bytes) -> None:
    with door_to(tmp_path / "home", said) as door:
        got = post(door, body)

        assert got.status_code in (400, 422)
        assert got.headers["content-type"] == "application/json"
        assert door.upstream.requests == []


def test_roles_and_contents_of_strange_sorts_are_borne_and_the_words_found(tmp_path: Path) -> None:
    strange: list[dict[str, Any]] = [
        {"role": ["user"], "content": "a"}, {"role": None}, {"content": "b"},
        {"role": "assistant", "content": {"a": 1}}, {"role": "tool", "content": 5},
        user([{"type": "text", "text": {"a": 1}}, {"type": "text", "text": "Alpha?"}]),
    ]  # fmt: skip
    with door_to(tmp_path / "home", said) as door:
        door.memory.add(ALPHA)
        got = door.ask(*strange, headers=IN_S)

        assert got.headers["x-simonides-context-items"] == "1"
        assert door.sent["messages"][:5] == strange[:5]
        assert door.sent["messages"][5]["content"][0]["text"].startswith(HEAD)
        assert door.sent["messages"][5]["content"][1:] == strange[5]["content"]
        assert door.kept("s")[0] == ("user", "Alpha?")


@pytest.mark.parametrize("wish", ["maybe", "1", "ON OFF"])
def test_a_wish_for_context_that_is_none_is_refused(tmp_path: Path, wish: str) -> None:
    with door_to(tmp_path / "home", said) as door:
        got = door.ask(HELLO, headers={"X-Simonides-Context": wish})

        assert got.status_code == 422
        assert "must be on or off" in got.json()["error"]["message"]
        assert door.upstream.requests == []


def test_without_context_nothing_is_added_and_the_turn_is_kept(tmp_path: Path) -> None:
    with door_to(tmp_path / "home", said) as door:
        door.memory.add(ALPHA)
        got = door.ask(user("Alpha?"), headers={**IN_S, "X-Simonides-Context": " OFF "})

        assert door.sent["messages"] == [user("Alpha?")]
        assert "x-simonides-receipt" not in got.headers
        assert [one for one, _ in door.kept("s")] == ["user", "assistant"]


def test_the_question_is_the_end_of_what_is_pasted(tmp_path: Path) -> None:
    with door_to(tmp_path / "home", said) as door:
        door.memory.add(ALPHA)
        pasted = "zebra " * 3_000
        door.ask(user(f"{pasted}\nWhen is the Alpha deadline?"))
        assert ALPHA in door.sent["messages"][0]["content"]

        door.ask(user(f"When is the Alpha deadline?\n{pasted}"))
        assert ALPHA not in door.sent["messages"][0]["content"]


# ── two conversations ────────────────────────────────────────────────────────────────────────────


def test_two_conversations_that_begin_alike_lose_nothing(tmp_path: Path) -> None:
    script = [ModelReply(content=text) for text in ("Hi, A.", "Hi, B.", "Graz.", "Linz.")]
    with door_to(tmp_path / "home", script) as door:
        session = door.ask(HELLO).headers["x-simonides-session"]
        assert door.ask(HELLO).headers["x-simonides-session"] == session
        door.ask(HELLO, answered("Hi, A."), user("Where is Ann?"))
        door.ask(HELLO, answered("Hi, B."), user("Where is Bob?"))

        assert door.kept(session) == [
            ("user", "Hello"), ("assistant", "Hi, A."), ("assistant", "Hi, B."),
            ("user", "Where is Ann?"), ("assistant", "Graz."),
            ("user", "Where is Bob?"), ("assistant", "Linz."),
        ]  # fmt: skip


def test_the_same_question_after_other_words_is_another_turn(tmp_path: Path) -> None:
    with door_to(tmp_path / "home", lambda _: ModelReply(content="Yes.")) as door:
        for before in ("Hi, A.", "Hi, B."):
            door.ask(HELLO, answered(before), user("Sure?"), headers=IN_S)

        assert door.kept("s") == [("user", "Sure?"), ("assistant", "Yes.")] * 2
