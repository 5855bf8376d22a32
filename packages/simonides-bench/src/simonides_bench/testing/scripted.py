"""A language model for tests: answers by a script, in this process.

Knows the records of a chat. Must not know a wire format; for that there is `chat_server`.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from threading import Lock

from simonides.errors import ModelError
from simonides.model.chat import ModelReply, ModelRequest
from simonides.ports.models import IsCancelled, OnText

ScriptedReply = ModelReply | Exception | Callable[[ModelRequest], ModelReply]
"""What is answered, what is raised, or what makes the answer out of the request."""

_WORD = re.compile(r"\s*\S+\s*|\s+")


class ScriptedChatModel:
    """Answers one reply per request, in order; at their end it fails. An adapter of `ChatModel`.

    With `on_text`, the content goes there word by word, and `is_cancelled` is asked before each;
    a cancelled answer holds the words sent so far and no tool calls.

    Args:
        replies: May be endless, as a generator or `itertools.repeat` is.
        name: The model's name; replies without one of their own carry it.
    """

    def __init__(self, replies: Iterable[ScriptedReply], name: str = "scripted") -> None:
        self._replies = iter(replies)
        self._name = name
        self._lock = Lock()
        self.requests: list[ModelRequest] = []
        self.is_closed = False

    @property
    def name(self) -> str:
        """The model's name."""
        return self._name

    def complete(
        self,
        request: ModelRequest,
        *,
        on_text: OnText | None = None,
        is_cancelled: IsCancelled | None = None,
    ) -> ModelReply:
        """Note the request and return the next reply, or raise it where it is an error.

        Raises:
            ModelError: The replies are used up.
        """
        reply = self._next(request)
        if on_text is None:
            return reply
        return _stream(reply, on_text, is_cancelled or _never)

    def close(self) -> None:
        """Note that the model was closed."""
        self.is_closed = True

    def _next(self, request: ModelRequest) -> ModelReply:
        with self._lock:
            self.requests.append(request)
            reply = next(self._replies, None)
            asked = len(self.requests)
        if reply is None:
            raise ModelError(f"the script holds no reply to request {asked}; give it one more")
        if isinstance(reply, Exception):
            raise reply
        answer = reply if isinstance(reply, ModelReply) else reply(request)
        return answer if answer.model else replace(answer, model=self._name)


def _stream(reply: ModelReply, on_text: OnText, is_cancelled: IsCancelled) -> ModelReply:
    sent = ""
    for word in _WORD.findall(reply.content):
        if is_cancelled():
            return ModelReply(content=sent, usage=reply.usage, model=reply.model)
        on_text(word)
        sent += word
    return reply


def _never() -> bool:
    return False
