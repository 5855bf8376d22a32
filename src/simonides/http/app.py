"""The ASGI application: one table of routes behind one guard, over one memory.

Starlette finds the route and holds what is behind the gate together; each route is run by
`pipeline`. Must not know any verb.
"""

import asyncio
import contextlib
import functools
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.convertors import PathConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.routing import Mount as Mounted
from starlette.routing import Route as At
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from simonides.api.caller import key_denial
from simonides.api.memory import Memory
from simonides.errors import StoreBusy
from simonides.http.errors import CODES, RequestRefused, problem, refusal
from simonides.http.limits import Limits
from simonides.http.middleware import RequestGuard, request_info
from simonides.http.openapi import document
from simonides.http.pipeline import (
    admit,
    body_room,
    count_anybody,
    note,
    pace_body,
    refused_response,
    respond,
    who_asks,
)
from simonides.http.route import Route
from simonides.http.routes import ROUTES
from simonides.http.state import Server, utc_now
from simonides.model.access import DEFAULT_PERMISSIONS, ApiKey, Permission

Result = TypeVar("Result")

_GUEST = "simonides.guest"


class MountedCaller:
    """The caller of a mounted application: the memory of their space, and their permissions."""

    def __init__(
        self, caller: ApiKey, server: Server, *, who: str, is_person: bool = False
    ) -> None:
        self._caller = caller
        self._is_person = is_person
        self._who = who
        self._server = server
        self.memory: Memory = server.memory.in_space(caller.space, shared=caller.shared)

    @property
    def shared(self) -> tuple[str, ...]:
        """The other spaces that the key may read."""
        return self._caller.shared

    def allows(self, permission: Permission) -> bool:
        """Return whether the caller has a permission.

        Without a key it is reading and writing alone, unless it is a person who asks: what a model
        reads could tell it to erase.
        """
        is_usual = permission in DEFAULT_PERMISSIONS
        is_trusted = is_usual or bool(self._caller.id) or self._is_person
        return is_trusted and self._caller.allows(permission)

    def denial(self, permission: Permission) -> str:
        """Return the message for a permission that is lacking: a key is to have it."""
        return key_denial(permission)

    def refusal(self, error: Exception) -> tuple[int, str]:
        """Return the status and the message with which an error is answered everywhere."""
        refused = refusal(error)
        return refused.status, refused.detail

    def now(self) -> datetime:
        """Return the time of the server."""
        return self._server.now()

    async def run(self, call: Callable[[], Result]) -> Result:
        """Return the result of a call, run in one of the server's threads.

        Raises:
            StoreBusy: Too many wait already.
        """
        try:
            return await self._server.threads.run(call, caller=self._who)
        except RequestRefused as refused:
            raise StoreBusy(refused.detail) from refused

    def announce(self, verb: str) -> None:
        """Write an audit entry to disk before an operation that cannot be undone."""
        self._server.announce(self._caller, verb)

    def note(self, verb: str, *, permission: Permission, status: int, count: int) -> None:
        """Record a call or a refusal in the audit log, as for every route."""
        is_read = permission is Permission.READ
        note(self._server, self._caller, verb, is_read=is_read, status=status, count=count)


def guest_of(scope: Scope) -> MountedCaller:
    """Return the caller of an authenticated request."""
    guest: MountedCaller = scope[_GUEST]
    return guest


@runtime_checkable
class MountedApp(Protocol):
    """An ASGI application with a start and an end of its own."""

    def running(self) -> AbstractAsyncContextManager[None]:
        """Return a context manager within which the application can be called."""
        ...

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        ...


class AuthMiddleware:
    """Authenticates requests to a mounted application, and passes the caller on.

    `by_people` says that its forms are sent by people, not by models.
    """

    def __init__(
        self, door: MountedApp, *, server: Server, path: str, by_people: bool = False
    ) -> None:
        self._door = door
        self._by_people = by_people
        self._server = server
        self._path = path

    def running(self) -> AbstractAsyncContextManager[None]:
        """Return the context manager of the mounted application."""
        return self._door.running()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; a caller without access gets a problem, as everywhere.

        The body is read here, within the same bounds of length, pace and room as every other.
        """
        seen, server = request_info(scope), self._server
        seen.route = self._path
        request, caller = pace_body(scope, receive, server), None
        try:
            caller = admit(request, server)
            seen.prefix = caller.prefix
            with body_room(request, server, caller, has_body=scope["method"] == "POST"):
                sent, who = await request.body(), who_asks(caller, request)
                scope[_GUEST] = MountedCaller(caller, server, who=who, is_person=self._by_people)
                await self._door(scope, _again(sent, receive), send)
        except Exception as error:
            if seen.status:  # an answer was begun: all that can be done is to break it off
                raise
            response = refused_response(error, seen)
            verb = self._path.strip("/")
            note(server, caller, verb, is_read=True, status=response.status_code, count=0)
            await response(scope, receive, send)


def _again(sent: bytes, receive: Receive) -> Receive:
    """Return a receiver that gives a body which was read already, and then whatever follows."""
    first = iter([{"type": "http.request", "body": sent, "more_body": False}])

    async def give() -> Message:
        return next(first, None) or await receive()

    return give


DOCUMENT_PATH = "/openapi.json"

Mount = tuple[str, ASGIApp]
"""Another door of this process: the path that it stands under, and what answers there."""


def make_server(
    memory: Memory,
    *,
    uploads: Path,
    limits: Limits | None = None,
    now: Callable[[], datetime] = utc_now,
) -> Server:
    """Return the shared parts of one server, which closes the memory when it is closed."""
    return Server(
        memory=memory, limits=limits or Limits(), space=memory.space, uploads=uploads, now=now
    )


def make_app(
    server: Server, *, mounts: tuple[Mount, ...] = (), pages: tuple[Mount, ...] = ()
) -> Starlette:
    """Return the ASGI application of a server.

    `mounts` stand behind the same gate: hosts, origins, request ids and counts hold for them too.
    So do `pages`, which answer at their very address and at nothing below it.
    """
    by_path: dict[str, dict[str, Route]] = {}
    for route in ROUTES:
        by_path.setdefault(route.path, {})[route.method] = route
    endpoints = {path: _Endpoint(methods, server) for path, methods in by_path.items()}
    # An id may hold slashes, so a path with a part after it comes before the id alone.
    longest_first = sorted(endpoints.items(), key=lambda one: "{id}/" not in one[0])
    straight = {
        (method, path): endpoint
        for path, endpoint in endpoints.items() if "{" not in path
        for method, route in by_path[path].items() if not route.is_upload  # forms have limits there
    }  # fmt: skip
    return Starlette(
        routes=[
            *(
                _At(path.replace("{id}", "{id:any}"), endpoint, methods=sorted(by_path[path]))
                for path, endpoint in longest_first
            ),
            At(DOCUMENT_PATH, _giving(_document_text(), server), methods=["GET"]),
            *(one for path, other in mounts for one in _mount(path, other)),
            *(At(path, endpoint=other) for path, other in pages),
        ],
        middleware=[
            Middleware(RequestGuard, limits=server.limits, metrics=server.metrics),
            Middleware(_Straight, endpoints=straight),
        ],
        exception_handlers={HTTPException: _answer_to(dict(pages).get("/404"))},  # type: ignore[dict-item]
        lifespan=functools.partial(_lifespan, server, mounts),
    )


def _mount(path: str, other: ASGIApp) -> tuple[BaseRoute, ...]:
    """Return the routes of a mount; the first keeps `/mcp` from being redirected to `/mcp/`."""
    return At(path, endpoint=other), Mounted(path, other)


class _Straight:
    """Finds a route with a constant path by one look-up; other requests go through Starlette.

    That way is made for endpoints that let errors rise; `respond` tells every error itself.
    """

    def __init__(self, app: ASGIApp, *, endpoints: Mapping[tuple[str, str], ASGIApp]) -> None:
        self._app = app
        self._endpoints = endpoints

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found: ASGIApp | None = None
        if scope["type"] == "http" and b"%" not in (scope.get("raw_path") or b"%"):
            found = self._endpoints.get((scope["method"], scope["path"]))
        await (found or self._app)(scope, receive, send)


class _AnyText(PathConvertor):
    """The id in a path: any text, with slashes and line breaks."""

    regex = r"[\s\S]*"


register_url_convertor("any", _AnyText())


class _At(At):
    """A route that matches the raw path: an encoded slash belongs to an id."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether the route matches a request, and the id in its path."""
        raw = scope.get("raw_path") or b""
        if scope["type"] != "http" or b"%2" not in raw:
            return super().matches(scope)
        kept = raw.replace(b"%25", b"%2525").replace(b"%2F", b"%252F").replace(b"%2f", b"%252F")
        match, found = super().matches({**scope, "path": unquote(kept.decode("latin-1"))})
        ids = {name: unquote(one) for name, one in found.get("path_params", {}).items()}
        return match, {**found, "path_params": ids} if found else found


@functools.cache
def _document_text() -> bytes:
    """Return the OpenAPI document as bytes, the same for every server of a process."""
    return json.dumps(document(ROUTES)).encode()


def _giving(text: bytes, server: Server) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint for the OpenAPI document, limited in rate."""

    async def give(request: Request) -> Response:
        seen = request_info(request.scope)
        seen.route = DOCUMENT_PATH
        try:
            count_anybody(request, server)
        except RequestRefused as refused:
            return problem(refused, request_id=seen.request_id)
        return Response(text, media_type="application/json")

    return give


class _Endpoint:
    """The endpoint of one path: a route for each method. Plain ASGI; `respond` handles errors."""

    def __init__(self, methods: dict[str, Route], server: Server) -> None:
        self._methods = methods
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        response = await respond(scope, receive, self._methods[method], self._server)
        await response(scope, receive, send)


@contextlib.asynccontextmanager
async def _lifespan(
    server: Server, mounts: tuple[Mount, ...], _app: Starlette
) -> AsyncIterator[None]:
    """Close the server after the last request, outside the event loop, which is still in use."""
    server.imports.sweep()
    try:
        async with contextlib.AsyncExitStack() as doors:
            for _, other in mounts:
                if isinstance(other, MountedApp):
                    await doors.enter_async_context(other.running())
            yield
    finally:
        await server.upstream.close()
        await asyncio.to_thread(server.close)


def _answer_to(
    page: ASGIApp | None,
) -> Callable[[Request, HTTPException], Awaitable[Response | ASGIApp]]:
    """Return a handler of the framework's errors: a browser at no address gets the page."""

    async def answer(request: Request, error: HTTPException) -> Response | ASGIApp:
        is_page = request.method == "GET" and "text/html" in request.headers.get("accept", "")
        if page is not None and is_page and error.status_code == HTTPStatus.NOT_FOUND:
            return page
        return await _http_problem(request, error)

    return answer


async def _http_problem(request: Request, error: HTTPException) -> Response:
    """Return an error of the framework (no such route or method) as a problem."""
    code = CODES.get(error.status_code, "malformed")
    refused = RequestRefused(error.status_code, str(error.detail), code=code, headers=error.headers)
    seen = request_info(request.scope)
    return problem(refused, request_id=seen.request_id, path=seen.path)
