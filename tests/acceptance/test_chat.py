"""A conversation through the real binary and the library, with a model over real HTTP."""

import json
import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from simonides import Memory, Settings
from simonides.errors import ModelError
from simonides.model.chat import ChatEvent, ModelReply, Stop, ToolCall, Usage
from simonides_bench.testing.chat_script import AskedOver, Broken, Refusal
from simonides_bench.testing.chat_server import ChatServer
from simonides_bench.testing.hashing import HashingEmbedder

if TYPE_CHECKING:
    from tests.acceptance.conftest import Home

pytest.importorskip("openai", reason="needs the extra openai")

SARAH: Final = "What did Sarah send me last week?"
NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
USED: Final = Usage(prompt_tokens=100, completion_tokens=10)
MAIL: Final[dict[str, Any]] = {
    "content": "The Alpha deadline moved to Friday, said the client.", "kind": "email",
    "source": "gmail", "title": "Re: Alpha", "people": ["Sarah Johnson <sarah@example.com>"],
    "happened_at": "2026-03-06T10:00:00Z",
}  # fmt: skip


def said(content: str = "", *calls: ToolCall) -> ModelReply:
    return ModelReply(content=content, tool_calls=calls, usage=USED)


def look(query: str = "Sarah sent last week", id_: str = "c1") -> ToolCall:
    given = {"query": query, "sources": ["gmail", "outlook"], "time_filter": "last_week"}
    return ToolCall(id=id_, name="retrieve_context", arguments=json.dumps(given))


def asked_of(server: ChatServer) -> dict[str, str]:
    """Return the environment that points the binary at a server."""
    return {"SIMONIDES_CHAT_PROVIDER": "openai", "SIMONIDES_CHAT_BASE_URL": server.base_url,
            "SIMONIDES_CHAT_MODEL": "tiny", "SIMONIDES_CHAT_API_KEY": "key"}  # fmt: skip


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Return a maker of memories with Sarah's mail, whose model is played by a server."""
    opened: list[Memory] = []

    def make(server: ChatServer, **settings: Any) -> Memory:
        chosen = Settings(
            timezone="UTC", durability="relaxed", chat_provider="openai", chat_model="tiny",
            chat_base_url=server.base_url, **settings,
        )  # fmt: skip
        memory = Memory(tmp_path / "home", settings=chosen, embedder=HashingEmbedder(),
                        clock=lambda: NOW)  # fmt: skip
        opened.append(memory)
        memory.add(**MAIL)
        return memory

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIMONIDES_CHAT_API_KEY", "key")
        yield make
    for memory in opened:
        memory.close()


# ── the binary ───────────────────────────────────────────────────────────────────────────────────


def add_mail(home: "Home") -> None:
    home.answer(
        "add", MAIL["content"], "--kind", "email", "--source", "gmail", "--title", MAIL["title"],
        "--author", MAIL["people"][0], "--happened-at", MAIL["happened_at"],
    )  # fmt: skip


def test_without_a_model_a_conversation_is_held_in_cited_lines(home: "Home") -> None:
    add_mail(home)
    first = home.answer("chat", SARAH, "--now", "2026-03-12T09:00:00Z")
    again = home.answer(
        "chat",
        "-",
        "--session",
        first["session_id"],
        stdin=b"And Alpha?",
    )

    assert first["stop"] == again["stop"] == "no_model"
    assert first["message"].split("\n")[1].startswith("[1] GMAIL · 2026-03-06 · Sarah Johnson")
    messages = home.answer("sessions", "messages", first["session_id"])["items"]
    assert [one["content"] for one in messages] == [
        SARAH, first["message"], "And Alpha?", again["message"],
    ]  # fmt: skip
    assert home.answer("replay", "-", stdin=json.dumps(first["receipt"]).encode())["exact"]


def test_the_seeds_question_is_answered_by_a_model_that_looks_it_up(home: "Home") -> None:
    add_mail(home)
    with ChatServer([said("", look()), said("Sarah wrote that Alpha is due on Friday.")]) as server:
        status, out, err = home.run(
            "chat", SARAH, "--now", "2026-03-12T09:00:00Z", "--json", environment=asked_of(server)
        )
    reply = json.loads(out)

    assert (status, err) == (0, "")
    assert reply["message"] == "Sarah wrote that Alpha is due on Friday."
    assert (reply["tokens_used"], reply["calls"], reply["needs_clarification"]) == (220, 2, False)
    assert [one["item"]["title"] for one in reply["items"]] == ["Re: Alpha"]
    found = json.loads(server.requests[1].last)
    assert (found["found"], found["items"][0]["author"]) == (
        1, "Sarah Johnson at sarah@example.com"
    )  # fmt: skip


def test_a_model_that_is_down_is_a_failure_that_keeps_the_message(home: "Home") -> None:
    with ChatServer(lambda _: Refusal(status=400, message="no such model")) as server:
        status, out, err = home.run("chat", SARAH, "--session", "s1", environment=asked_of(server))

    assert (status, out) == (11, "")
    assert "[model_error]" in err
    [kept] = home.answer("sessions", "messages", "s1")["items"]
    assert kept["content"] == SARAH


def on_terminal(home: "Home", typed: bytes, *argv: str) -> tuple[int, str]:
    """Return the status of the binary on a terminal of its own, and all that stands there."""
    ours, its = os.openpty()
    own = {"SIMONIDES_HOME": str(home.path), "SIMONIDES_TIMEZONE": "UTC", "TERM": "dumb",
           "SIMONIDES_EMBEDDER": "none"}  # fmt: skip
    binary = Path(sys.executable).with_name("simonides")
    shown = b""
    with subprocess.Popen(
        [binary, *argv], stdin=its, stdout=its, stderr=its, env={**os.environ, **own}
    ) as process:
        os.close(its)
        os.write(ours, typed)
        while select.select([ours], [], [], 60)[0]:
            try:
                shown += os.read(ours, 4096)
            except OSError:  # it closed its end
                break
        status = process.wait(timeout=60)
    os.close(ours)
    return status, shown.decode().replace("\r\n", "\n")


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no terminals of one's own here")
def test_without_a_model_what_is_beside_the_point_is_not_quoted(home: "Home") -> None:
    add_mail(home)
    asked = ("--json", "--embedder", "none")
    apart = home.answer("chat", "Who won the regatta?", *asked)
    close = home.answer("chat", "Did the client say anything?", *asked)

    assert apart["message"].endswith("and nothing in memory answers this.")
    assert apart["items"] == []
    assert close["message"].endswith(MAIL["content"])
    assert [one["summary"] for one in close["items"]] == [MAIL["title"]]


def test_a_conversation_is_held_on_a_terminal(home: "Home") -> None:
    add_mail(home)
    status, shown = on_terminal(home, b"When is Alpha due?\n/sources\n/quit\n", "chat")

    assert status == 0
    who = "Sarah Johnson at sarah@example.com · unknown sender"
    assert f"this is what was found:\n[1] GMAIL · 2026-03-06 · {who} · Re: Alpha" in shown
    assert "[1] 2026-03-06  gmail · Sarah Johnson at sarah@example.com" in shown
    [session] = home.answer("sessions", "list")["sessions"]
    assert session["messages"] == 2


# ── the library, over real HTTP ──────────────────────────────────────────────────────────────────


def test_calls_beside_each_other_bad_ones_among_them_are_all_answered(
    talk: Callable[..., Memory],
) -> None:
    calls = (
        look(), ToolCall(id="c2", name="retrieve_context", arguments="{query: no JSON}"),
        ToolCall(id="c3", name="fly", arguments="{}"),
        ToolCall(id="c4", name="remember", arguments='{"text": "Alpha is due on Friday."}'),
    )  # fmt: skip
    with ChatServer([said("", *calls), said("Friday.")]) as server:
        reply = talk(server).chat(SARAH)
    messages = server.requests[1].body["messages"]
    reported = {one["tool_call_id"]: json.loads(one["content"]) for one in messages[-4:]}

    assert reply.message == "Friday."
    assert list(reported) == ["c1", "c2", "c3", "c4"]
    assert reported["c1"]["found"] == 1
    assert (reported["c2"]["code"], reported["c3"]["code"]) == ("invalid_input", "not_found")
    assert reported["c4"]["op"] == "add"


def test_an_answer_streams_over_http_and_adds_up(talk: Callable[..., Memory]) -> None:
    events: list[ChatEvent] = []
    with ChatServer([said("Let me look.", look()), said("It is due on Friday.")]) as server:
        reply = talk(server).chat(SARAH, on_event=events.append)

    assert server.requests[0].streams
    kinds = [one.kind.value for one in events]
    assert kinds.count("retract") == 1
    after = events[kinds.index("retract") :]
    assert "".join(one.text for one in after if one.kind == "text") == reply.message


def test_a_model_that_calls_for_ever_is_stopped(talk: Callable[..., Memory]) -> None:
    with ChatServer(repeat(said("", look()))) as server:
        reply = talk(server).chat(SARAH)

    assert (reply.stop, reply.calls, len(server.requests)) == (Stop.CALLS, 10, 10)
    assert "[1] GMAIL · 2026-03-06 · Sarah Johnson" in reply.message


def test_a_stream_that_breaks_is_an_error_and_no_answer(talk: Callable[..., Memory]) -> None:
    with ChatServer(lambda _: Broken(reply=said("It is due on Friday."))) as server:
        memory = talk(server)
        with pytest.raises(ModelError):
            memory.chat(SARAH, on_event=lambda _: None, session_id="s1")

        assert len(memory.sessions.last("s1", 10)) == 1


def test_a_server_that_is_busy_once_is_asked_again(talk: Callable[..., Memory]) -> None:
    with ChatServer([Refusal(status=429, retry_after_s=0.01), said("Friday.")]) as server:
        assert talk(server).chat(SARAH).message == "Friday."


def test_an_endpoint_that_counts_no_tokens_is_counted_for(talk: Callable[..., Memory]) -> None:
    with ChatServer([ModelReply(content="Friday.")]) as server:
        reply = talk(server).chat(SARAH)

    assert reply.tokens_used > 100
    assert "estimated" in reply.notes[-1]


def test_a_small_model_is_led_by_schemas(talk: Callable[..., Memory]) -> None:
    actions = ('{"action": "retrieve_context", "query": "Sarah Alpha"}',
               '{"action": "answer", "text": "Friday."}')  # fmt: skip

    def schema(asked: AskedOver) -> Any:
        return asked.body["response_format"]["json_schema"]["schema"]["properties"]["action"]

    with ChatServer(map(said, actions)) as server:
        reply = talk(server, chat_mode="json_schema").chat(SARAH)

    assert reply.message == "Friday."
    assert [schema(one)["enum"] for one in server.requests] == [
        ["retrieve_context"], ["answer", "ask_user"],
    ]  # fmt: skip


def test_a_turn_of_another_space_of_the_home_sees_nothing(talk: Callable[..., Memory]) -> None:
    with ChatServer(repeat(said("Nothing."))) as server:
        other = talk(server).in_space("other")
        reply = other.chat(SARAH)

    assert reply.items == ()
    assert "Friday" not in json.dumps([dict(one.body) for one in server.requests])
