"""Routes made from operations: a request is read, `Memory` does it, the result is written."""

from dataclasses import fields
from functools import partial
from typing import Any

from simonides.api.operations import OPERATIONS, Operation
from simonides.http.authentication import check_allowed
from simonides.http.route import Answer, Call, Route


def answer(operation: Operation, call: Call) -> Answer:
    """Do what an operation says, with what was sent."""
    return answer_to(operation, call, call.asked())


def answer_to(operation: Operation, call: Call, asked: Any, **in_process: Any) -> Answer:
    """Do what an operation says, with a request that was read already."""
    for permission in operation.permissions(asked):
        check_allowed(call.caller, permission)
    result = operation.run(call.memory, asked, now=call.server.now(), **in_process)
    return Answer(
        record=operation.answer(asked, result),
        status=operation.status(result),
        count=_count(result),
    )


def _count(result: Any) -> int:
    """Return how many things a result is about, for the audit log."""
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
    """Return the route of an operation; `more` are the fields of it that are not derived."""
    operation = OPERATIONS[name]
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
