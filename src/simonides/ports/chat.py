"""What the assistant asks of a language model and of its working memory, and by which laws.

Must not know any adapter.
"""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from simonides.model.chat import ModelReply, ModelRequest

OnText = Callable[[str], None]
"""Is told each piece of an answer as it comes."""

IsCancelled = Callable[[], bool]
"""Says whether whoever asked took it back."""


@runtime_checkable
class ChatModel(Protocol):
    """A language model that answers.

    Laws: it raises nothing but `ModelError` and its kind; it never answers later than `timeout_s`
    by more than a moment; it is safe to use from several threads.
    """

    @property
    def name(self) -> str:
        """The model's name, for receipts and replies."""
        ...

    def complete(
        self,
        request: ModelRequest,
        *,
        on_text: OnText | None = None,
        is_cancelled: IsCancelled | None = None,
    ) -> ModelReply:
        """Return the answer to one request; with `on_text`, stream it there as well.

        `is_cancelled` is asked between pieces; where it says yes, what came so far is returned.

        Raises:
            ModelError: The endpoint failed or answered what can not be read.
            ModelTimeout: It did not answer in time.
        """
        ...

    def close(self) -> None:
        """Give back connections; using the model afterwards is a mistake."""
        ...


@runtime_checkable
class WorkingMemory(Protocol):
    """Short-lived values of a space, JSON-able.

    Laws: a value is gone `ttl_s` after its last put; what was put is what is got; no space sees
    another's; nothing of it is durable.
    """

    def get(self, space: str, key: str) -> Any | None:
        """Return what is kept under a key; None where nothing is, or no longer."""
        ...

    def put(self, space: str, key: str, value: Any, *, ttl_s: float) -> None:
        """Keep a JSON-able value for `ttl_s` seconds, in the place of what was there."""
        ...

    def put_new(self, space: str, key: str, value: Any, *, ttl_s: float) -> bool:
        """Keep a value only where nothing is; return whether it was kept (one of many wins)."""
        ...

    def delete(self, space: str, key: str) -> bool:
        """Drop what is kept under a key; return whether something was."""
        ...

    def clear(self, space: str) -> int:
        """Drop everything of a space, because it was erased; return how much that was."""
        ...
