"""What a route is: data that the pipeline runs and the OpenAPI document is made of.

Knows shapes only. Must not know any verb.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from simonides.api.memory import Memory
from simonides.api.operations import Operation
from simonides.model.access import ApiKey, Permission

if TYPE_CHECKING:
    from simonides.http.state import Server


class Way(StrEnum):
    """How a route is run."""

    THREAD = "thread"
    """A verb, in a thread: it answers with a record."""
    ASYNC = "async"
    """On the event loop: it streams, or answers at once. It returns a response."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a route: who asks, the memory of their space, and what they sent.

    `who` is by what the caller is told apart from others: the key's id, or the address of who has
    none. `query` and `body` are of the route's models, `sent` is the body as it came; `ids` are the
    parts of the path.
    """

    caller: ApiKey
    who: str
    memory: Memory
    request: Request
    server: "Server"
    ids: Mapping[str, str] = field(default_factory=dict)
    query: Any = None
    body: Any = None
    sent: bytes = b""

    def header(self, name: str) -> str:
        """Return a header that was sent, or an empty text."""
        value: str = self.request.headers.get(name, "")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a verb answers: a record, and what goes with it. `count` is for the audit log."""

    record: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    count: int = 0


Run = Callable[[Call], Any]
"""Runs a verb: returns an `Answer`, or a record for 200; of a way of its own, a response."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One thing that can be asked over HTTP.

    `verb` is the method of `Memory` that it stands for. `answers` is the JSON Schema of each
    status but those of problems; `problems` are statuses besides those that every route has.
    `permission` None means that nobody is asked who they are; `shows` says that the answer holds
    words of what is kept, so that the key must allow to read as well. Of a route that writes, a key
    that does not allow to read is told nothing but that it was accepted, unless `is_for_writers`
    says that the answer tells nothing of what is kept. `writes` says that the same
    request sent twice with one Idempotency-Key is done once. `more_media` are schemas of other
    forms that an answer may have, by their media type. `operation` is the one that the route was
    made of: what is sent is checked against its request.
    """

    method: str
    path: str
    verb: str
    told: str
    run: Run
    permission: Permission | None = Permission.READ
    shows: bool = False
    is_for_writers: bool = False
    query: type[BaseModel] | None = None
    body: type[BaseModel] | None = None
    answers: Mapping[int, Any] = field(default_factory=dict)
    problems: tuple[int, ...] = ()
    writes: bool = False
    way: Way = Way.THREAD
    is_upload: bool = False
    example: Any = None
    media: str = "application/json"
    more_media: Mapping[str, Any] = field(default_factory=dict)
    headers: tuple[str, ...] = ()
    tag: str = ""
    operation: Operation | None = None

    @property
    def has_body(self) -> bool:
        """Whether a request brings JSON."""
        by_operation = self.operation is not None and self.operation.has_body
        return self.body is not None or by_operation

    @property
    def has_parameters(self) -> bool:
        """Whether a request may bring a query string."""
        return self.query is not None or (self.operation is not None and not self.has_body)

    @property
    def refuses_parameters(self) -> bool:
        """Whether a query string that the route knows nothing of is refused.

        Probes of monitors and clients of another protocol bring what they are used to.
        """
        return self.permission is not None and self.path.startswith("/v1/")


Responder = Callable[[Request], Response]
