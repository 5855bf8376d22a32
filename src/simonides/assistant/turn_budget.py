"""What a turn has used up of its calls, tokens and seconds, and when that is enough.

Knows numbers and a monotonic clock, which is an argument. Must not know what is said.
"""

from collections.abc import Callable
from dataclasses import dataclass

from simonides.model.chat import ChatMessage, ChatRole, ModelReply, Stop
from simonides.ports.chat import IsCancelled
from simonides.text.tokens import count_batch

MESSAGE_TOKENS = 4
"""What a message costs besides its words (OpenAI's cookbook on counting tokens for chat models)."""

ANSWER_TOKENS = 4_096
"""Where more than this is left of a turn's tokens, an answer is bounded by the endpoint alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a turn may use up: model calls, tokens and seconds in all, tokens of one tool's result.

    Tokens that an endpoint does not count are counted in `encoding`.
    """

    calls_max: int = 10
    tokens_max: int = 100_000
    timeout_s: float = 120.0
    result_tokens_max: int = 4_000
    encoding: str = "cl100k_base"


class TurnBudget:
    """Counts what one turn uses up."""

    def __init__(
        self, limits: Limits, *, monotonic: Callable[[], float], is_cancelled: IsCancelled
    ) -> None:
        self._limits = limits
        self._monotonic = monotonic
        self._deadline = monotonic() + limits.timeout_s
        self.is_cancelled = is_cancelled
        self.calls = 0
        self.tokens = 0
        self.is_estimated = False

    @property
    def remaining_s(self) -> float:
        """Seconds that are left, 0 where none are."""
        return max(0.0, self._deadline - self._monotonic())

    @property
    def is_last_call(self) -> bool:
        """Whether the model may be called just once more."""
        return self.calls + 1 >= self._limits.calls_max

    def stop(self, prompt_tokens: int) -> Stop | None:
        """Return why no call of so many tokens may follow; None where one may."""
        if self.is_cancelled():
            return Stop.CANCELLED
        if not self.remaining_s:
            return Stop.TIME
        return Stop.TOKENS if self.tokens + prompt_tokens >= self._limits.tokens_max else None

    def answer_tokens_max(self, prompt_tokens: int) -> int:
        """Return the most tokens that the next answer may take; 0 for no bound of ours."""
        left = self._limits.tokens_max - self.tokens - prompt_tokens
        return left if left < ANSWER_TOKENS else 0

    def count(self, reply: ModelReply, *, prompt_tokens: int) -> None:
        """Count a call: by its own figures, or by ours where it has none."""
        self.calls += 1
        if reply.usage is not None:
            self.tokens += max(0, reply.usage.total_tokens)
            return
        self.is_estimated = True
        self.tokens += prompt_tokens + sum(self.costs([_answered(reply)]))

    def costs(self, messages: list[ChatMessage]) -> list[int]:
        """Return about how many tokens each message takes in a prompt."""
        texts = [_text(one) for one in messages]
        return [cost + MESSAGE_TOKENS for cost in count_batch(texts, self._limits.encoding)]


def _answered(reply: ModelReply) -> ChatMessage:
    return ChatMessage(role=ChatRole.ASSISTANT, content=reply.content, tool_calls=reply.tool_calls)


def _text(message: ChatMessage) -> str:
    calls = (f"{call.name} {call.arguments}" for call in message.tool_calls)
    return "\n".join((message.content, *calls))
