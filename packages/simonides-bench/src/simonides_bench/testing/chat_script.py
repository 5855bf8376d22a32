"""What a scripted server of language models does, request by request.

Knows the steps of a script. Must not know HTTP, nor a vendor's wire format.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Any

from simonides.model.chat import ModelReply


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedOver:
    """One request as it came over HTTP; the names of `headers` are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def streams(self) -> bool:
        """Whether the answer was asked for in pieces."""
        return self.body.get("stream") is True

    @property
    def last(self) -> Any:
        """The content of the last message; empty if there is none."""
        messages = self.body.get("messages") or [{}]
        return messages[-1].get("content", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An error of that status; `retry_after_s` becomes the header `Retry-After`."""

    status: int = 429
    message: str = "no"
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Silence until `until` is set or the server stops; then the reply."""

    until: Event
    reply: ModelReply = field(default_factory=ModelReply)


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A stream of the reply's first `pieces` pieces; then the connection is cut.

    With `garbage`, that is sent as one more piece first, and the stream then ends as it should.
    """

    reply: ModelReply
    pieces: int = 2
    garbage: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """These bytes, chunk by chunk, whatever they are; may be endless."""

    chunks: Iterable[bytes]
    status: int = 200
    content_type: str = "application/json"


Step = ModelReply | Refusal | Held | Broken | Raw
Script = Iterable[Step | Callable[[AskedOver], Step]] | Callable[[AskedOver], Step]
"""The steps in order, each one or made from the request; or one function for every request."""


class Following:
    """Follows a script, whatever thread asks; notes the requests."""

    def __init__(self, script: Script) -> None:
        self._script = script if callable(script) else iter(script)
        self._lock = Lock()
        self.requests: list[AskedOver] = []

    def step(self, asked: AskedOver) -> Step:
        """Return the next step; past the script's end, an error that says so."""
        with self._lock:
            self.requests.append(asked)
            script = self._script
            step = script if callable(script) else next(script, None)
        if step is None:
            message = f"the script holds no answer to request {len(self.requests)}"
            return Refusal(status=410, message=message)
        return step(asked) if callable(step) else step
