"""A desk of mail and notes, a clock that stands still, and a language model that is scripted."""

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings
from simonides.model.chat import ChatEvent, ChatReply, ModelReply, ModelRequest, ToolCall, Usage
from simonides_bench.testing.hashing import HashingEmbedder
from simonides_bench.testing.scripted import ScriptedChatModel

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)

DESK: list[dict[str, Any]] = [
    {
        "content": "The Alpha deadline moved to Friday, said the client.", "kind": "email",
        "source": "gmail", "source_id": "m1", "title": "Re: Alpha",
        "people": ["Sarah Johnson <sarah@example.com>"], "happened_at": "2026-03-06T10:00:00Z",
    },
    {
        "content": "Harbor pilot starts in April with two cranes.", "kind": "document",
        "source": "gdrive", "source_id": "d1", "title": "Harbor plan",
        "happened_at": "2026-02-01T10:00:00Z",
    },
    {"content": "Tom prefers tea.", "happened_at": "2026-01-10T10:00:00Z"},
]  # fmt: skip


def said(content: str = "", *calls: ToolCall, tokens: int = 10, **rest: Any) -> ModelReply:
    """Return what a model answers, with calls of tools and ten tokens used."""
    usage = Usage(prompt_tokens=tokens - 1, completion_tokens=1)
    return ModelReply(content=content, tool_calls=calls, usage=usage, **rest)


def call(name: str, given: Any = None, /, id_: str = "c1", **arguments: Any) -> ToolCall:
    """Return a call of a tool: its arguments as text, or as what becomes JSON."""
    written = given if isinstance(given, str) else json.dumps(arguments)
    return ToolCall(id=id_, name=name, arguments=written)


class Desk:
    """A memory that is talked with; it notes what the model was asked and what was told."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.events: list[ChatEvent] = []
        self.requests: list[ModelRequest] = []

    said = staticmethod(said)
    call = staticmethod(call)

    def chat(self, message: str, *replies: Any, ever: Iterable[Any] = (), **how: Any) -> ChatReply:
        """Return the answer of a turn in which the model says these replies, then those of `ever`.

        Texts are replies without calls.
        """
        texts = (said(one) if isinstance(one, str) else one for one in chain(replies, ever))
        model = ScriptedChatModel(texts)
        self.events.clear()
        self.requests = model.requests
        return self.memory.chat(message, model=model, on_event=self.events.append, **how)

    @property
    def event_names(self) -> list[tuple[str, str]]:
        """What was told, but for pieces of text: kind and name."""
        return [(one.kind.value, one.name) for one in self.events if one.kind != "text"]

    @property
    def heard(self) -> str:
        """What whoever listens has before them at the end."""
        text = ""
        for one in self.events:
            text = "" if one.kind == "retract" else text + (one.text if one.kind == "text" else "")
        return text

    def result(self, request: int = 1, place: int = -1) -> Any:
        """Return what the model was told of a call: the last message of its second request."""
        return json.loads(self.requests[request].messages[place].content)

    def kept(self, session_id: str) -> list[tuple[str, str]]:
        """Return who said what in a session, by what is kept."""
        items = self.memory.sessions.messages(session_id, limit=100).items
        return [(one.author.name if one.author else "", one.content) for one in items]


@pytest.fixture
def open_desk(tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    """Return a maker of desks with other settings; all share one home."""
    opened: list[Memory] = []

    def make(**settings: Any) -> Desk:
        memory = Memory(
            tmp_path / "home",
            settings=Settings(timezone="UTC", durability="relaxed", **settings),
            embedder=HashingEmbedder(),
            clock=lambda: NOW,
        )
        opened.append(memory)
        for fields in DESK:
            memory.add(**fields)
        return Desk(memory)

    yield make
    for memory in opened:
        memory.close()


@pytest.fixture
def desk(open_desk: Callable[..., Desk]) -> Desk:
    """Return a memory of three things, to talk with."""
    return open_desk()
