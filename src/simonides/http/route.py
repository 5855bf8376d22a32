"""The record of a route: data for the pipeline and the OpenAPI document.

Knows shapes only. Must not know any verb.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.requests import Request

from simonides.api.memory import Memory
from simonides.api.operations import Operation
from simonides.api.operations.fields import Nothing
from simonides.api.operations.remote import REMOTE
from simonides.codec.request import MalformedJson, decode, list_fields, read_request
from simonides.errors import NotFound
from simonides.http.authentication import check_allowed
from simonides.http.errors import RequestRefused
from simonides.model.access import ApiKey, Permission

if TYPE_CHECKING:
    from simonides.http.state import Server


class Way(StrEnum):
    """The way in which a route is run."""

    THREAD = "thread"
    """A verb, in a thread: it answers with a record."""
    ASYNC = "async"
    """On the event loop: it streams, or answers at once. It returns a response."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a route: the caller, the memory of their space, and the request.

    `who` is by what the caller is distinguished from others: the key's id, or the address of who
    has none. `sent` is the body as it came; `ids` are the parts of the path.
    """

    route: "Route"
    caller: ApiKey
    who: str
    memory: Memory
    request: Request
    server: "Server"
    ids: Mapping[str, str] = field(default_factory=dict)
    sent: bytes = b""

    def read_request(self) -> Any:
        """Return the request record: the body or the parameters, and the id in the path.

        Raises:
            RequestRefused: The body is no JSON.
            NotFound: The path ends where an id should stand.
            InvalidInput: Something is not known, or does not fit.
        """
        route = self.route
        given = self.body() if route.has_body else self._parameters()
        if route.is_open and isinstance(given, dict):
            known = {one.name for one in fields(route.request)}
            given = {name: value for name, value in given.items() if name in known}
        if self.ids.get("id") == "":
            raise NotFound(route.path.split("/")[2], "")
        if route.id_field and isinstance(given, dict):
            is_list = route.id_field in list_fields(route.request)
            given = {**given, route.id_field: [self.ids["id"]] if is_list else self.ids["id"]}
        return read_request(route.request, given, from_text=not route.has_body)

    def body(self) -> Any:
        """Return the JSON of the body.

        Raises:
            RequestRefused: It is none.
        """
        try:
            return decode(self.sent)
        except MalformedJson as error:
            raise RequestRefused(400, str(error)) from error

    def _parameters(self) -> dict[str, Any]:
        """Return the parameters of the query string; those of a list may be repeated."""
        sent = self.request.query_params
        lists = list_fields(self.route.request)
        return {
            name: values if name in lists or len(values) > 1 else values[0]
            for name in sent
            if (values := sent.getlist(name))
        }

    def header(self, name: str) -> str:
        """Return a header of the request; empty without it."""
        value: str = self.request.headers.get(name, "")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer of a route: a record with status and headers. `count` is for the audit log."""

    record: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    count: int = 0


Run = Callable[[Call], Any]
"""Runs a verb: returns an `Answer`, or a record for 200; of a way of its own, a response."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One route of the HTTP interface.

    `verb` is the method of `Memory` that it stands for. `answers` is the JSON Schema of each
    status but those of problems; `problems` are statuses besides those that every route has.
    `permission` None means that nobody is asked who they are; `shows` says that the answer holds
    words of what is kept, so that the key must allow to read as well. Of a route that writes, a key
    that does not allow to read is answered no more than that it was accepted, unless
    `is_for_writers` says that the answer tells nothing of what is kept. `writes` says that the same
    request sent twice with one Idempotency-Key is done once. `more_media` are schemas of other
    forms that an answer may have, by their media type. `request` is the record that the body or
    the parameters are read as; `id_field` is the field of it that the path gives. `is_open` says
    that fields that are not known are passed over; `takes_body` that a DELETE has one.
    """

    method: str
    path: str
    verb: str
    summary: str
    run: Run
    request: type[Any] = Nothing
    id_field: str = ""
    permission: Permission | None = Permission.READ
    shows: bool = False
    is_for_writers: bool = False
    answers: Mapping[int, Any] = field(default_factory=dict)
    problems: tuple[int, ...] = ()
    writes: bool = False
    way: Way = Way.THREAD
    is_upload: bool = False
    is_open: bool = False
    takes_body: bool = False
    example: Any = None
    media: str = "application/json"
    more_media: Mapping[str, Any] = field(default_factory=dict)
    headers: tuple[str, ...] = ()
    tag: str = ""

    @property
    def has_body(self) -> bool:
        """Whether a request has a JSON body."""
        has_one = self.takes_body or self.method in ("POST", "PUT", "PATCH")
        return has_one and not self.is_upload

    @property
    def has_parameters(self) -> bool:
        """Whether a request may have a query string."""
        return not self.has_body and any(one.name != self.id_field for one in fields(self.request))

    @property
    def refuses_parameters(self) -> bool:
        """Whether unknown query parameters are refused.

        Probes of monitors and clients of another protocol bring what they are used to.
        """
        is_own = self.path.startswith("/v1/") and not self.is_open
        return is_own and self.permission is not None


def answer(operation: Operation, call: Call) -> Answer:
    """Return the answer of an operation to a call."""
    return answer_to(operation, call, call.read_request())


def answer_to(operation: Operation, call: Call, asked: Any, **in_process: Any) -> Answer:
    """Return the answer of an operation to a request that was read already."""
    for permission in operation.permissions(asked):
        check_allowed(call.caller, permission)
    result = operation.run(call.memory, asked, now=call.server.now(), **in_process)
    return Answer(
        record=operation.answer(asked, result),
        status=operation.status(result),
        count=_count(result),
    )


def _count(result: Any) -> int:
    """Return the number of items in a result, for the audit log."""
    result = getattr(result, "brief", result)
    if isinstance(result, tuple):
        return len(result)
    for name in ("hits", "outcomes", "written", "items"):
        held = getattr(result, name, None)
        if isinstance(held, tuple):
            return len(held)
    listed = getattr(result, fields(result)[0].name, None) if hasattr(result, "cursor") else None
    return len(listed) if isinstance(listed, tuple) else 1


def route_of(name: str, **more: Any) -> Route:
    """Return the route of an operation; `more` are the fields that are not derived."""
    operation = REMOTE[name]
    given = {
        "method": operation.method, "path": operation.path, "verb": operation.name,
        "summary": operation.summary, "tag": operation.subject, "request": operation.request,
        "id_field": operation.id_field, "permission": operation.permission,
        "shows": operation.shows, "writes": operation.writes, "problems": operation.problems,
        "answers": dict.fromkeys(operation.statuses, operation.result_schema()),
        "example": operation.example if operation.has_body else None,
        "run": partial(answer, operation),
    }  # fmt: skip
    return Route(**{**given, **more})
