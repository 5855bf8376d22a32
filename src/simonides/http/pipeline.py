"""The way from a request to its response: authentication, reading, a thread, writing.

The one way that every route goes. Must not know any route; `RequestGuard` stands before it.
"""

import asyncio
import functools
from collections.abc import Mapping
from contextlib import AbstractContextManager
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope

from simonides.api.caller import ACCEPTED, count_hidden, only_writes
from simonides.api.once import doing_once
from simonides.api.operations.fields import Nothing
from simonides.codec.request import read_request
from simonides.codec.write import to_json
from simonides.errors import AlreadyDone
from simonides.http.authentication import (
    MAKE_A_KEY,
    caller_of,
    check_allowed,
    is_here,
    neighbourhood,
    nobody,
)
from simonides.http.errors import RequestRefused, problem, refusal
from simonides.http.idempotency import NOT_KEPT, REPLAYED, StoredResponse, digest_of, key_of
from simonides.http.middleware import RequestInfo, log_surprise, request_info
from simonides.http.request_body import SlowBodyGuard, check_media, size_of
from simonides.http.route import Answer, Call, Route, Run, Way
from simonides.http.state import Server
from simonides.model.access import ApiKey, AuditEntry, Permission

Media = "application/json"


async def respond(scope: Scope, receive: Receive, route: Route, server: Server) -> Response:
    """Return the response to one request; every error becomes a problem."""
    seen = request_info(scope)
    seen.route = route.path
    caller: ApiKey | None = None
    request = pace_body(scope, receive, server, is_upload=route.is_upload)
    try:
        if route.permission is None:
            count_anybody(request, server)
            caller = nobody(server.space)
        else:
            caller = admit(request, server)
        seen.prefix = caller.prefix
        check_allowed(caller, route.permission)
        check_allowed(caller, Permission.READ if route.shows else None)
        with body_room(request, server, caller, has_body=route.has_body):
            response, count = await _run(request, route, server, caller)
    except asyncio.CancelledError:  # the server stops and waited long enough: its end is not known
        _note(route, server, caller, status=0, count=0)
        raise
    except Exception as error:  # noqa: BLE001  the door tells every error, also our own
        response, count = refused_response(error, seen), 0
    _note(route, server, caller, status=response.status_code, count=count)
    return response


def pace_body(
    scope: Scope, receive: Receive, server: Server, *, is_upload: bool = False
) -> Request:
    """Return a request whose body comes within limits of size and pace."""
    limits = server.limits
    most = limits.upload_bytes_max if is_upload else limits.body_bytes_max
    return Request(scope, SlowBodyGuard(receive, pause_s=limits.pause_s, bytes_max=most))


def admit(request: Request, server: Server) -> ApiKey:
    """Return the caller, if their key is valid and within its rate.

    Those who show a wrong key are counted by their address, so that guessing ends in 429 as well.

    Raises:
        Refused: It is not.
    """
    address = _address(request)
    try:
        caller = caller_of(
            request.headers,
            memory=server.memory,
            space=server.space,
            needs_key=server.needs_key,
            http_version=request.scope.get("http_version", ""),
        )
    except RequestRefused:
        _count(server, f"wrong@{neighbourhood(address)}")
        raise
    _count(server, who_asks(caller, request))
    if not caller.id and not is_here(address):
        raise RequestRefused(401, f"a key is needed from elsewhere: {MAKE_A_KEY}")
    return caller


def who_asks(caller: ApiKey, request: Request) -> str:
    """Return the identity of a caller for limits: the key, or the address without one."""
    return caller.id or f"here@{neighbourhood(_address(request))}"


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def count_anybody(request: Request, server: Server) -> None:
    """Count a request to a route that needs no key.

    Raises:
        Refused: It is one too many.
    """
    _count(server, f"open@{neighbourhood(_address(request))}")


def _count(server: Server, who: str) -> None:
    wait_s = server.rates.wait_s(who, now_s=server.monotonic_s())
    if wait_s:
        raise RequestRefused(
            429, f"too many requests; the next may come in {wait_s:.1f} s", retry_s=wait_s
        )
    owed_s = server.costs.wait_s(who, now_s=server.monotonic_s())
    if owed_s:
        problem = "these requests take more processor time than one caller may have"
        raise RequestRefused(429, f"{problem}; the next may come in {owed_s:.1f} s", retry_s=owed_s)


def body_room(
    request: Request, server: Server, caller: ApiKey, *, has_body: bool
) -> AbstractContextManager[None]:
    """Return a context manager that holds the room in memory that a request's body takes."""
    size = size_of(request, most=server.limits.body_bytes_max, has_body=has_body)
    return server.held.room(size, caller=who_asks(caller, request))


async def _run(
    request: Request, route: Route, server: Server, caller: ApiKey
) -> tuple[Response, int]:
    sent = b""
    if route.has_body:
        sent = await request.body()
        check_media(request)
    if route.refuses_parameters and request.query_params and not route.has_parameters:
        read_request(Nothing, dict(request.query_params))
    call = Call(
        route=route,
        caller=caller,
        who=who_asks(caller, request),
        memory=server.memory.in_space(caller.space, shared=caller.shared),
        request=request,
        server=server,
        ids=request.path_params,
        sent=sent,
    )
    if route.way is Way.ASYNC:
        response: Response = await route.run(call)
        return response, 0
    run = route.run
    is_writing = route.permission is Permission.WRITE and not route.is_for_writers
    if is_writing and only_writes(caller):
        run = functools.partial(_run_write_only, run)
    work = functools.partial(run_verb, call, run)
    return await server.threads.run(work, caller=call.who)


def _run_write_only(run: Run, call: Call) -> Answer:
    """Run a write for a key without `read`, and hide its result."""
    count = count_hidden(lambda: _count_matched(run, call))
    return Answer(record=ACCEPTED, status=HTTPStatus.ACCEPTED, count=count)


def _count_matched(run: Run, call: Call) -> int:
    """Return the number of items of a write; 0 where `If-Match` names another version."""
    try:
        return _answer(run(call)).count
    except RequestRefused as refused:
        if refused.status != HTTPStatus.PRECONDITION_FAILED:
            raise
        return 0


def run_verb(call: Call, run: Run) -> tuple[Response, int]:
    """Return the response to a call and the number of its items.

    The same write with one Idempotency-Key is done once. Both the operation and the encoding of its
    result run in this thread, so that the loop stays free.
    """
    if call.route.writes and key_of(call):
        return _run_once(call, run)
    answer = _answer(run(call))
    return _response(_encode(answer)), answer.count


def _run_once(call: Call, run: Run) -> tuple[Response, int]:
    """Run an operation, unless the same request was answered before: then repeat that answer."""
    once = call.server.once
    before = once.begin(call)
    if before is not None:
        return _response(before, {REPLAYED: "true"}), 0
    given = None
    try:
        with doing_once(call.memory, digest_of(call)):
            answer = _answer(run(call))
        given = _encode(answer)
    except AlreadyDone:
        raise RequestRefused(409, f"this was done; {NOT_KEPT}") from None
    finally:
        once.end(call, given)
    return _response(given), answer.count


def _answer(returned: Any) -> Answer:
    return returned if isinstance(returned, Answer) else Answer(record=returned)


def _encode(answer: Answer) -> StoredResponse:
    body = b"" if answer.status in _EMPTY else to_json(answer.record)
    return StoredResponse(status=answer.status, body=body, headers=dict(answer.headers))


_EMPTY = (204, 304)
"""Statuses whose responses have no body."""


def _response(given: StoredResponse, more: Mapping[str, str] | None = None) -> Response:
    headers = {**given.headers, **(more or {})}
    media = None if given.status in _EMPTY else Media
    return Response(given.body, given.status, headers, media)


def refused_response(error: Exception, seen: RequestInfo) -> Response:
    """Return the problem for an error; the log has the place of an unexpected one."""
    refused = refusal(error)
    if refused.status == 500 and refused is not error:  # noqa: PLR2004  HTTP's own number
        log_surprise(error, seen)
    return problem(refused, request_id=seen.request_id, path=seen.path)


_REFUSED = (401, 403)


def _note(route: Route, server: Server, caller: ApiKey | None, *, status: int, count: int) -> None:
    is_read = route.permission in (Permission.READ, Permission.METRICS, None)
    note(server, caller, route.verb, is_read=is_read, status=status, count=count)


def note(
    server: Server, caller: ApiKey | None, verb: str, *, is_read: bool, status: int, count: int
) -> None:
    """Record a call or a refusal in the audit log; reads only if so configured.

    Of those who are not let in only so many are noted: nobody may fill the disk from outside.
    """
    if is_read and status not in _REFUSED and not server.limits.audit_reads:
        return
    if caller is None and server.strangers.wait_s("", now_s=server.monotonic_s()):
        return
    entry = AuditEntry(
        at=server.now(), verb=verb, status=status, count=count,
        key_id=caller.id if caller else "", space=caller.space if caller else "",
    )  # fmt: skip
    server.audit.later(entry)
