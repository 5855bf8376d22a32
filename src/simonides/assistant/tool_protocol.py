"""How one mode speaks with a model: what a request holds, and what a reply comes to.

Knows records. Each mode is a file of its own: `native` (also without tools, for prefetch) and
`by_schema`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from simonides.assistant.results import Result
from simonides.model.chat import ChatMessage, ModelReply, ToolCall, ToolSchema


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOptions:
    """What a request has beside its messages; `tokens_max` 0 bounds nothing."""

    tools: tuple[ToolSchema, ...] = ()
    schema: Mapping[str, Any] | None = None
    tokens_max: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What a reply comes to: the calls that it asks for, or else an answer."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()


class ToolProtocol(Protocol):
    """One mode. Laws: stateless; the same reply at the same step is the same move."""

    @property
    def how(self) -> str:
        """What the system text says of this mode."""
        ...

    def form(self, step: int, *, is_last: bool) -> RequestOptions:
        """Return what the request of a step (0, 1, …) has beside its messages."""
        ...

    def heard(self, told: str, step: int) -> str:
        """Return what of the text that came so far is the answer's; it only ever grows."""
        ...

    def move(self, reply: ModelReply, step: int, *, is_last: bool) -> Action:
        """Return what a reply comes to."""
        ...

    def told(
        self, reply: ModelReply, move: Action, results: Sequence[Result]
    ) -> tuple[ChatMessage, ...]:
        """Return the messages by which the next request tells the calls and what came of them."""
        ...
