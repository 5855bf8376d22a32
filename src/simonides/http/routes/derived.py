"""Routes made from operations: a request is read, `Memory` does it, the result is written."""

from dataclasses import fields
from functools import partial
from typing import Any

from simonides.api.operations import OPERATIONS, Operation
from simonides.codec.request import MalformedJson, decode, read_request
from simonides.http.errors import RequestRefused
from simonides.http.route import Answer, Call, Route
from simonides.http.schema import array, record, schema_of


def answer(operation: Operation, call: Call) -> Answer:
    """Do what an operation says, with what was sent."""
    request = request_of(operation, call)
    result = operation.run(call.memory, request)
    return Answer(
        record=operation.answer(request, result),
        status=operation.status(result),
        count=_count(result),
    )


def request_of(operation: Operation, call: Call) -> Any:
    """Return the request of a call: its body or its parameters, and the id of its path."""
    given = _body(call.sent) if operation.has_body else _parameters(operation, call)
    if operation.id_field and isinstance(given, dict):
        given = {**given, operation.id_field: call.ids["id"]}
    return read_request(operation.request, given, from_text=not operation.has_body)


def _body(sent: bytes) -> Any:
    try:
        return decode(sent)
    except MalformedJson as error:
        raise RequestRefused(400, str(error)) from error


def _parameters(operation: Operation, call: Call) -> dict[str, Any]:
    """Return the parameters of a query string; those of a list may be given several times."""
    sent = call.request.query_params
    lists = {one.name for one in fields(operation.request) if one.default == ()}
    return {
        name: values if name in lists or len(values) > 1 else values[0]
        for name in sent
        if (values := sent.getlist(name))
    }


def _count(result: Any) -> int:
    """Return how many things a result is about, for the audit log."""
    if isinstance(result, tuple):
        return len(result)
    listed = getattr(result, fields(result)[0].name, None) if hasattr(result, "cursor") else None
    return len(listed) if isinstance(listed, tuple) else 1


def route_of(operation: Operation) -> Route:
    """Return the route of an operation."""
    result = schema_of(operation.result) if operation.result is not bool else array(str)
    if operation.result_name:
        result = record(**{operation.result_name: result})
    return Route(
        method=operation.method, path=operation.path, verb=operation.name,
        told=operation.summary, tag=operation.subject, run=partial(answer, operation),
        operation=operation, permission=operation.permission, shows=operation.shows,
        writes=operation.writes, problems=operation.problems, example=operation.example,
        answers=dict.fromkeys(operation.statuses, result),
    )  # fmt: skip


_BY_HAND = frozenset({
    "search", "brief", "explain", "replay", "diff", "chat", "retrieve", "list", "add", "get",
    "update", "forget", "remember", "erase", "spaces",
})  # fmt: skip

ROUTES = tuple(
    route_of(one) for one in OPERATIONS.values() if one.path and one.name not in _BY_HAND
)
