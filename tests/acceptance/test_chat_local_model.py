"""Conversations with a real model in this process, by llama.cpp. Runs if asked to:

`SIMONIDES_TEST_GGUF=/path/to/a-chat-model.gguf pytest tests/acceptance/test_chat_local_model.py`

Any chat model will do, also one of `tiny_gguf`, which babbles: the tests ask how turns run and end,
and never how good an answer is. Needs the extra `local`.
"""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
from tests.acceptance.conftest import Home

from simonides import Memory, Settings
from simonides.errors import ModelError
from simonides.model.chat import ChatEvent, ChatMode, ChatReply, Stop
from simonides.models.chat.gguf import LocalChatModel
from simonides_bench.testing.hashing import HashingEmbedder

GGUF: Final = os.environ.get("SIMONIDES_TEST_GGUF", "")
NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
NOTES: Final = Path(__file__).parents[2] / "samples" / "desk" / "notes"
ALPHA: Final = "When is Alpha due?"
ENDED: Final = {Stop.ANSWERED, Stop.CLARIFICATION}

pytestmark = pytest.mark.skipif(
    not GGUF, reason="SIMONIDES_TEST_GGUF names no GGUF file of a chat model"
)


@pytest.fixture(scope="module")
def model() -> Iterator[LocalChatModel]:
    opened = LocalChatModel(GGUF)
    yield opened
    opened.close()


@pytest.fixture
def desk(model: LocalChatModel, tmp_path: Path) -> Iterator[Memory]:
    """Return a memory of the sample notes, whose assistant is the real model."""
    settings = Settings(timezone="UTC", durability="relaxed", chat_timeout_s=600.0)
    with Memory(
        tmp_path / "home", settings=settings, embedder=HashingEmbedder(), chat_model=model,
        clock=lambda: NOW,
    ) as memory:  # fmt: skip
        memory.import_(NOTES)
        yield memory


def shown_text(events: list[ChatEvent]) -> str:
    """Return what whoever listened has before them."""
    text = ""
    for one in events:
        text = "" if one.kind == "retract" else text + (one.text if one.kind == "text" else "")
    return text


def ask(memory: Memory, message: str = ALPHA, **how: Any) -> ChatReply:
    """Return the answer, after what holds for every turn was seen to hold."""
    events: list[ChatEvent] = []
    reply = memory.chat(message, on_event=events.append, **how)

    assert shown_text(events) == reply.message != ""
    assert reply.model == Path(GGUF).stem
    assert 0 < reply.calls <= 10
    assert reply.receipt is not None
    assert memory.replay(reply.receipt).exact
    return reply


def test_by_schema_something_is_looked_up_and_then_answered(desk: Memory) -> None:
    reply = ask(desk, mode="json_schema")

    assert reply.stop in ENDED
    assert reply.calls == 2
    assert reply.items


def test_prefetch_answers_in_one_call(desk: Memory) -> None:
    reply = ask(desk, mode="prefetch")

    assert (reply.stop, reply.calls) == (Stop.ANSWERED, 1)


def test_native_ends_whether_the_model_can_call_tools_or_not(desk: Memory) -> None:
    assert ask(desk, mode="native").stop in {*ENDED, Stop.CALLS}


@pytest.mark.parametrize("mode", list(ChatMode))
def test_a_conversation_keeps_both_sides_in_their_order(desk: Memory, mode: ChatMode) -> None:
    first = ask(desk, mode=mode)
    second = ask(desk, "And who said so?", mode=mode, session_id=first.session_id)
    kept = desk.sessions.last(first.session_id, 10)

    assert [one.content for one in kept] == [
        ALPHA, first.message, "And who said so?", second.message,
    ]  # fmt: skip


@pytest.mark.parametrize("mode", ["json_schema", "prefetch"])
def test_a_turn_that_is_taken_back_ends_and_the_next_one_answers(desk: Memory, mode: str) -> None:
    events: list[ChatEvent] = []
    cut = desk.chat(
        ALPHA, mode=mode, on_event=events.append, is_cancelled=lambda: bool(events), session_id="s1"
    )

    assert cut.stop is Stop.CANCELLED
    assert len(desk.sessions.last("s1", 10)) == 1
    assert ask(desk, mode=mode, session_id="s1").stop in ENDED


def test_a_context_that_is_too_small_is_an_error_that_says_so(desk: Memory) -> None:
    small = LocalChatModel(GGUF, context_tokens=256)
    with pytest.raises(ModelError, match="chat_context_tokens"):
        desk.chat(ALPHA, model=small, mode="prefetch", session_id="s1")
    small.close()

    assert [one.content for one in desk.sessions.last("s1", 10)] == [ALPHA]


def test_the_binary_answers_by_the_file_of_the_settings(home: Home) -> None:
    home.answer("import", str(NOTES))
    own = {
        "SIMONIDES_CHAT_PROVIDER": "local", "SIMONIDES_CHAT_MODEL_PATH": GGUF,
        "SIMONIDES_CHAT_MODE": "json_schema",
    }  # fmt: skip
    status, out, err = home.run("chat", ALPHA, "--json", environment=own)

    assert (status, err) == (0, "")
    assert '"calls": 2' in out or '"calls":2' in out
