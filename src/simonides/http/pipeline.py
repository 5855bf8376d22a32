"""From a request to its response: who asks, what they sent, the verb in a thread, its bytes.

The one way that every route goes. Must not know any route; `gate` stands before it.
"""

import functools
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from simonides.http.audit import LOG
from simonides.http.callers import caller_of, check_allowed
from simonides.http.gate import Passing, passing
from simonides.http.once import REPLAYED, Given, key_of
from simonides.http.problems import Refused, problem, refusal
from simonides.http.reading import asked, check_media, parsed, read_body, size_of
from simonides.http.route import Answer, Call, Route, Run, Way
from simonides.http.state import Server
from simonides.model.access import ApiKey, AuditEntry, Permission
from simonides.wire.write import to_line

Media = "application/json"


async def respond(request: Request, route: Route, server: Server) -> Response:
    """Return the response to one request; whatever goes wrong is told as a problem."""
    seen = passing(request.scope)
    seen.route = route.path
    caller: ApiKey | None = None
    try:
        caller = _admitted(request, route, server)
        seen.prefix = caller.prefix if caller else ""
        response, count = await _answered(request, route, server, caller)
    except Exception as error:  # noqa: BLE001  the door tells every error, also our own
        response, count = refused_response(error, seen), 0
    _note(route, server, caller, status=response.status_code, count=count)
    return response


def _admitted(request: Request, route: Route, server: Server) -> ApiKey:
    """Return who asks, once they may: their key is valid and allows this."""
    if route.permission is None:
        return _anybody(server, _address(request))
    caller = admitted(request, server)
    check_allowed(caller, route.permission)
    check_allowed(caller, Permission.READ if route.shows else None)
    return caller


def admitted(request: Request, server: Server) -> ApiKey:
    """Return who asks, if their key is valid and not used too often.

    Those who show a wrong key are counted by their address, so that guessing ends in 429 as well.

    Raises:
        Refused: It is not.
    """
    address = _address(request)
    try:
        caller = caller_of(request.headers, memory=server.memory, space=server.space)
    except Refused:
        _count(server, f"wrong@{address}")
        raise
    _count(server, caller.id or f"here@{address}")
    return caller


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _anybody(server: Server, address: str) -> ApiKey:
    from simonides.http.callers import nobody

    _count(server, f"open@{address}")
    return nobody(server.space)


def _count(server: Server, who: str) -> None:
    wait_s = server.rates.wait_s(who, now_s=server.monotonic_s())
    if wait_s:
        raise Refused(
            429, f"too many requests; the next may come in {wait_s:.1f} s", retry_s=wait_s
        )


async def _answered(
    request: Request, route: Route, server: Server, caller: ApiKey
) -> tuple[Response, int]:
    """Return the response of a request that may be answered, and how many items it concerns."""
    with server.held.room(size_of(request, most=server.limits.body_bytes_max, has_body=route.body)):
        return await _run(request, route, server, caller)


async def _run(
    request: Request, route: Route, server: Server, caller: ApiKey
) -> tuple[Response, int]:
    sent = await _sent(request, route, server)
    call = Call(
        caller=caller,
        memory=server.memory.in_space(caller.space),
        request=request,
        server=server,
        ids=request.path_params,
        sent=sent,
        query=asked(route.query, request.query_params) if route.query else None,
        body=parsed(route.body, sent) if route.body else None,
    )
    if route.way is Way.ASYNC:
        response: Response = await route.run(call)
        return response, 0
    if route.writes and key_of(call):
        return await server.threads.run(functools.partial(done_once, call, route, route.run))
    return await server.threads.run(functools.partial(done, call, route.run))


async def _sent(request: Request, route: Route, server: Server) -> bytes:
    if route.body is None:
        return b""
    sent = await read_body(request, bytes_max=server.limits.body_bytes_max)
    check_media(request)
    return sent


def done(call: Call, run: Run) -> tuple[Response, int]:
    """Run a verb and write its answer; both in a thread, so that the event loop stays free."""
    answer = _answer(run(call))
    return _response(_given(answer)), answer.count


def done_once(call: Call, route: Route, run: Run) -> tuple[Response, int]:
    """Run a verb, unless the same was asked before: then it is answered the same."""
    once = call.server.once
    before = once.begin(call, route, sent=call.sent)
    if before is not None:
        return _response(before, {REPLAYED: "true"}), 0
    given = None
    try:
        answer = _answer(run(call))
        given = _given(answer)
    finally:
        once.end(call, route, given, sent=call.sent)
    return _response(given), answer.count


def _answer(returned: Any) -> Answer:
    return returned if isinstance(returned, Answer) else Answer(record=returned)


def _given(answer: Answer) -> Given:
    body = b"" if answer.status in _EMPTY else to_line(answer.record).encode()
    return Given(status=answer.status, body=body, headers=dict(answer.headers))


_EMPTY = (204, 304)
"""Statuses whose responses have no body."""


def _response(given: Given, more: Mapping[str, str] | None = None) -> Response:
    headers = {**given.headers, **(more or {})}
    media = None if given.status in _EMPTY else Media
    return Response(given.body, given.status, headers, media)


def refused_response(error: Exception, seen: Passing) -> Response:
    """Return the problem that tells an error; of a mistake of ours the log says where it was."""
    if not isinstance(error, Refused):
        refused = refusal(error)
        if refused.status == 500:  # noqa: PLR2004  HTTP's own number
            log_surprise(error, seen)
        return problem(refused, request_id=seen.request_id)
    return problem(error, request_id=seen.request_id)


def log_surprise(error: Exception, seen: Passing) -> None:
    """Say in the log where a mistake of ours happened, without a word of what was asked."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    where = f"{step.tb_frame.f_code.co_filename}:{step.tb_lineno}" if step else "?"
    LOG.error(
        "unexpected %s", type(error).__name__, extra={"where": where, "request_id": seen.request_id}
    )


_REFUSED = (401, 403)


def _note(route: Route, server: Server, caller: ApiKey | None, *, status: int, count: int) -> None:
    is_read = route.permission in (Permission.READ, None)
    note(server, caller, route.verb, is_read=is_read, status=status, count=count)


def note(
    server: Server, caller: ApiKey | None, verb: str, *, is_read: bool, status: int, count: int
) -> None:
    """Note what was done or refused; reads only if the server was told to."""
    if is_read and status not in _REFUSED and not server.limits.audit_reads:
        return
    entry = AuditEntry(
        at=server.now(), verb=verb, status=status, count=count,
        key_id=caller.id if caller else "", space=caller.space if caller else "",
    )  # fmt: skip
    server.audit.later(entry)
