"""The operations of the assistant: chat and retrieve."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from simonides.api.operations.arguments import Sent
from simonides.api.operations.fields import Ids, Names, NewSessionId, Question, Spaces, Time, Zone
from simonides.api.operations.operation import Operation
from simonides.model.access import Permission
from simonides.model.answer import Scorer
from simonides.model.chat import ChatMode, ChatReply, Retrieved
from simonides.model.query import NamedTime

if TYPE_CHECKING:
    from simonides.api.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """A message to the assistant.

    `session_id` is the conversation that it belongs to; a new one if it is empty. With `stream`
    the answer comes as events. `spaces` are read besides the own one, where the messages are kept.
    """

    message: Question
    session_id: NewSessionId = ""
    sources: Names = ()
    time_filter: NamedTime | None = None
    mode: ChatMode | None = None
    now: Time | None = None
    timezone: Zone | None = None
    stream: bool = False
    spaces: Spaces = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveRequest:
    """A question to items and conversations together, of the own space and of `spaces`."""

    query: Question
    session_id: NewSessionId = ""
    sources: Names = ()
    time_filter: NamedTime | None = None
    entity_filter: Names = ()
    include_episodic: bool = True
    limit: Annotated[int, Meta(ge=1, le=100)] = 10
    without_ids: Ids = ()
    scorer: Scorer = Scorer.FUSED
    now: Time | None = None
    timezone: Zone | None = None
    spaces: Spaces = ()


def chat(memory: "Memory", sent: Sent, **in_process: Any) -> "ChatReply":
    """Return the answer to a message; streaming is up to the interface."""
    message = sent.pop("message")
    sent.pop("stream", None)
    return memory.chat(message, **sent, **in_process)


OPERATIONS = (
    Operation(
        name="chat", subject="questions", method="POST", path="/v1/chat",
        summary="Send a message to the assistant; both messages are stored in the session.",
        request=ChatRequest, call=chat, result=ChatReply,
        permission=Permission.WRITE, shows=True, writes=True,
        example={"message": "What did Sarah send me last week?"},
    ),
    Operation(
        name="retrieve", subject="questions", method="POST", path="/v1/retrieve",
        summary="Search items and conversations together, as a chat turn does.",
        request=RetrieveRequest, positional=("query",), result=Retrieved,
        example={"query": "the Alpha deadline", "time_filter": "last_week"},
    ),
)  # fmt: skip
