"""What is sent while it is made: chats as events, exports as lines; and who leaves early."""

import json
from typing import Any

from simonides.errors import ModelTimeout
from simonides.model.chat import ChatEvent, ChatEventKind, ChatReply

ASKED = {"message": "When is Alpha due?"}


def events(text: str) -> list[tuple[str, Any]]:
    """Return the events of a stream, each with its data."""
    found = []
    for block in text.strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


def replying(*reported: ChatEvent, fails: Exception | None = None) -> Any:
    """Return a `chat` that tells these events and then answers."""

    def chat(_memory: Any, message: str, *, on_event: Any, **named: Any) -> ChatReply:
        for one in reported if on_event else ():
            on_event(one)
        if fails:
            raise fails
        return ChatReply(message=f"heard {message}", session_id=named["session_id"] or "new")

    return chat


PIECES = tuple(ChatEvent(kind=ChatEventKind.TEXT, text=f"piece {n}") for n in range(3))


def test_a_chat_without_a_model_cites_what_is_kept(site: Any) -> None:
    site.add("The Alpha deadline moved to Friday.")

    reply = site.answer("POST", "/v1/chat", ASKED)

    assert "Friday" in reply["message"]
    assert reply["stop"] == "no_model"
    assert site.memory.sessions.get(reply["session_id"]).messages == 2


def test_a_chat_is_streamed_as_events_that_end_with_the_reply(site: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(type(site.memory), "chat", replying(*PIECES))

    asked = site.ask("POST", "/v1/chat", {**ASKED, "stream": True})
    by_header = site.ask("POST", "/v1/chat", ASKED, headers={"Accept": "text/event-stream"})

    assert asked.headers["content-type"].startswith("text/event-stream")
    assert [name for name, _ in events(asked.text)] == ["text", "text", "text", "reply"]
    assert events(asked.text)[0][1]["text"] == "piece 0"
    assert events(asked.text)[-1][1]["message"] == "heard When is Alpha due?"
    assert events(by_header.text) == events(asked.text)


def test_a_chat_that_fails_before_it_says_anything_is_reported_as_a_problem(
    site: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(type(site.memory), "chat", replying(fails=ModelTimeout("too slow")))

    for body in (ASKED, {**ASKED, "stream": True}):
        refusal = site.problem("POST", "/v1/chat", body)
        assert (refusal["status"], refusal["code"], refusal["retryable"]) == (
            504,
            "model_timeout",
            True,
        )


def test_a_chat_that_fails_half_way_ends_with_the_problem(site: Any, monkeypatch: Any) -> None:
    failing = replying(*PIECES, fails=ModelTimeout("too slow"))
    monkeypatch.setattr(type(site.memory), "chat", failing)

    got = site.ask("POST", "/v1/chat", {**ASKED, "stream": True})

    assert got.status_code == 200
    assert events(got.text)[-1][0] == "problem"
    assert events(got.text)[-1][1]["code"] == "model_timeout"


def test_a_chat_with_a_key_is_run_once_streamed_or_not(site: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(type(site.memory), "chat", replying(*PIECES))
    headers = {"Idempotency-Key": "k"}
    body = {**ASKED, "stream": True}

    first = site.ask("POST", "/v1/chat", body, headers=headers)
    again = site.ask("POST", "/v1/chat", body, headers=headers)

    assert [name for name, _ in events(again.text)] == ["reply"]
    assert events(again.text)[-1] == events(first.text)[-1]


def test_what_a_question_finds_is_reported(site: Any) -> None:
    site.add("The Alpha deadline moved to Friday.")

    found = site.answer("POST", "/v1/retrieve", {"query": "Alpha deadline"})

    assert found["found"] == 1
    assert found["items"][0]["item"]["content"] == "The Alpha deadline moved to Friday."


def test_an_export_is_the_one_that_the_library_writes(site: Any, tmp_path: Any) -> None:
    site.add("one", "two")
    site.memory.export(tmp_path / "whole.jsonl")

    got = site.ask("GET", "/v1/export")

    assert got.content == (tmp_path / "whole.jsonl").read_bytes()
    assert got.headers["content-type"] == "application/x-ndjson"
    assert 'filename="default.simonides.jsonl"' in got.headers["content-disposition"]


def test_an_export_of_nothing_is_reported_as_a_problem(site: Any) -> None:
    assert site.problem("GET", "/v1/export")["status"] == 404


def test_the_head_of_an_export_is_told_without_reading_any_of_it(
    site: Any, monkeypatch: Any
) -> None:
    site.add("one", "two")
    full = site.ask("GET", "/v1/export")

    def read(*_: Any, **__: Any) -> None:
        raise AssertionError("it was read")

    monkeypatch.setattr(type(site.memory), "export", read)
    head = site.ask("HEAD", "/v1/export")

    assert (head.status_code, head.content) == (200, b"")
    assert {**head.headers, "x-request-id": ""} == {**full.headers, "x-request-id": ""}


def test_the_head_of_an_export_is_refused_as_the_export_is(site: Any) -> None:
    nothing = [site.ask(method, "/v1/export") for method in ("HEAD", "GET")]
    site.add("one", space="alice")
    key = site.key("alice", "write")
    forbidden = [site.ask(method, "/v1/export", key=key) for method in ("HEAD", "GET")]

    assert [one.status_code for one in (*nothing, *forbidden)] == [404, 404, 403, 403]
    assert nothing[0].headers["content-type"] == nothing[1].headers["content-type"]
