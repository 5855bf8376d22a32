"""Records of language models and chats: messages, tool calls, replies, sessions.

Knows the records and their ranges. Must not know any provider's wire format, nor how a turn runs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from simonides.model.answer import Hit
from simonides.model.brief import Receipt
from simonides.model.chat_role import ChatRole
from simonides.model.result import Result, omit_when

CHAT_SOURCE = "chat"
"""The source of messages, the same as that of imported chats."""


class ChatMode(StrEnum):
    """How a model is made to search."""

    NATIVE = "native"
    """It calls tools by itself."""
    JSON_SCHEMA = "json_schema"
    """It writes one action as JSON of a schema: small local models obey that alone."""
    PREFETCH = "prefetch"
    """It never calls: what the message finds is all it gets."""


class Stop(StrEnum):
    """The reason why a turn ended."""

    ANSWERED = "answered"
    CLARIFICATION = "clarification"
    """The model asked the user back."""
    NO_MODEL = "no_model"
    """None is configured: the answer is cited lines."""
    CALLS = "calls"
    """It still asked for tools at its last model call."""
    TOKENS = "tokens"
    """The turn's tokens were used up."""
    TIME = "time"
    """The turn's time was used up."""
    CANCELLED = "cancelled"
    """Whoever asked took it back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call that a model asked for; `arguments` is the text it wrote, JSON or not."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One message of a conversation. `tool_calls` are the assistant's, `tool_call_id` a tool's."""

    role: ChatRole
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSchema:
    """A tool's description for a model: name, purpose, JSON Schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one model call, as the endpoint counted them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        """The sum of both counts."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One call of a model.

    `schema` is a JSON Schema that the answer has to obey (None: free text). `tokens_max` bounds
    the answer, 0 means the endpoint's own bound. `timeout_s` bounds the whole call.
    """

    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSchema, ...] = ()
    schema: Mapping[str, Any] | None = None
    tokens_max: int = 0
    timeout_s: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """A model's answer; `usage` is None where the endpoint did not count.

    `is_cut` is true if the answer stopped at a limit of tokens, not at its end; `is_refused` if the
    model's provider refused to answer, or filtered what it said.
    """

    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    model: str = ""
    is_cut: bool = False
    is_refused: bool = False


class ChatEventKind(StrEnum):
    """The events of a running turn."""

    TEXT = "text"
    """A piece of the answer."""
    RETRACT = "retract"
    """The text so far was no answer (the model went on to call tools)."""
    TOOL = "tool"
    """A tool was called; `name` is its name."""
    TOOL_RESULT = "tool_result"
    """It answered; `text` says in one line what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatEvent(Result):
    """One event of a running turn."""

    kind: ChatEventKind
    text: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved(Result):
    """The result of `retrieve_context`: hits, best first, and the known entities among them.

    `entities` are lines as a prompt shows them; `notes` say what could not run.
    """

    hits: tuple[Hit, ...] = ()
    entities: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def found(self) -> int:
        """The number of hits."""
        return len(self.hits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation(Result):
    """A number in square brackets in an answer, and the id of the item that it stands for.

    `space` is whose it is where several are asked; else empty. `spans` are the characters of its
    text that the model was shown, if it was shown in the context.
    """

    number: int
    id: str
    space: str = omit_when("")
    spans: tuple[tuple[int, int], ...] = omit_when(())


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply(Result):
    """The answer of a chat turn.

    `items` are the hits that stood in the context or that tools found, each once: `[n]` in the
    answer is the n-th.
    `tokens_used` adds up all model calls, estimated where an endpoint does not count.
    `message_id` and `reply_id` are the items the two messages are kept as. `calls` is how many
    times the model was called, `stop` why it ended; `notes` say what could not run, and how a
    follow-up question was understood. `citations` are the items that the answer cites by number.
    """

    message: str
    session_id: str
    items: tuple[Hit, ...] = ()
    entities: tuple[str, ...] = ()
    tokens_used: int = 0
    needs_clarification: bool = False
    clarification_question: str = ""
    receipt: Receipt | None = None
    message_id: str = ""
    reply_id: str = ""
    model: str = ""
    calls: int = 0
    stop: Stop = Stop.ANSWERED
    notes: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Session(Result):
    """A conversation: its id, its number of stored messages, and its first and last time."""

    id: str
    messages: int
    started_at: datetime
    updated_at: datetime
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPage(Result):
    """One page of sessions, last used first; `cursor` asks for the next one, empty at the end."""

    sessions: tuple[Session, ...]
    cursor: str = ""


class Origin(StrEnum):
    """The origin of a preference."""

    EXPLICIT = "explicit"
    INFERRED = "inferred"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference(Result):
    """A preference of the user: `value` for `key`, and its confidence in [0, 1]."""

    key: str
    value: str
    origin: Origin
    confidence: float
    seen: int
    updated_at: datetime
    id: str = ""
