"""Another door of this process, such as MCP, behind the rules of this one.

Who asks, how often, what is noted: the same as for every route. Must not know what that door
speaks; it is told who asks by `guest_of`.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from simonides.errors import StoreBusy
from simonides.http.errors import RequestRefused
from simonides.http.middleware import request_info
from simonides.http.pipeline import admitted, note, refused_response, who_asks
from simonides.http.request_body import SlowBodyGuard, read_body, size_of
from simonides.http.state import Server
from simonides.model.access import ApiKey, Permission

if TYPE_CHECKING:
    from simonides.api.memory import Memory

Result = TypeVar("Result")

_GUEST = "simonides.guest"


class Caller:
    """Who asks through another door: the memory of their space, and what their key allows."""

    def __init__(self, caller: ApiKey, server: Server, *, who: str) -> None:
        self._caller = caller
        self._who = who
        self._server = server
        self.memory: Memory = server.memory.in_space(caller.space)

    def allows(self, permission: Permission) -> bool:
        """Return whether the key allows that."""
        return self._caller.allows(permission)

    def now(self) -> datetime:
        """Return the server's time."""
        return self._server.now()

    async def run(self, call: Callable[[], Result]) -> Result:
        """Return what a call returns, run in one of the server's threads.

        Raises:
            StoreBusy: Too many wait already.
        """
        try:
            return await self._server.threads.run(call, caller=self._who)
        except RequestRefused as refused:
            raise StoreBusy(refused.detail) from refused

    def note(self, verb: str, *, permission: Permission, status: int, count: int) -> None:
        """Note what was done or refused, as for every route."""
        is_read = permission is Permission.READ
        note(self._server, self._caller, verb, is_read=is_read, status=status, count=count)


def guest_of(scope: Scope) -> Caller:
    """Return who asks, of a request that was let in."""
    guest: Caller = scope[_GUEST]
    return guest


@runtime_checkable
class MountedApp(Protocol):
    """An ASGI application that has to run while it is asked."""

    def running(self) -> AbstractAsyncContextManager[None]:
        """Return a block in which it can be asked."""
        ...

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        ...


class AuthMiddleware:
    """A door behind this one: it is asked only by those who are let in, and finds who they are."""

    def __init__(self, door: MountedApp, *, server: Server, path: str) -> None:
        self._door = door
        self._server = server
        self._path = path

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the door."""
        async with self._door.running():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; who is not let in is told so as everywhere, by a problem.

        The body is read here, within the same bounds of length, pace and room as every other.
        """
        seen, server = request_info(scope), self._server
        seen.route = self._path
        most = server.limits.body_bytes_max
        paced = SlowBodyGuard(receive, pause_s=server.limits.pause_s, bytes_max=most)
        request, caller = Request(scope, paced), None
        try:
            caller = admitted(request, server)
            seen.prefix = caller.prefix
            who = who_asks(caller, request)
            size = size_of(request, most=most, has_body=scope["method"] == "POST")
            with server.held.room(size, caller=who):
                sent = await read_body(request, bytes_max=most)
                scope[_GUEST] = Caller(caller, server, who=who)
                await self._door(scope, _again(sent, receive), send)
        except Exception as error:
            if seen.status:  # an answer was begun: all that can be done is to break it off
                raise
            response = refused_response(error, seen)
            verb = self._path.strip("/")
            note(server, caller, verb, is_read=True, status=response.status_code, count=0)
            await response(scope, receive, send)


def _again(sent: bytes, receive: Receive) -> Receive:
    """Return what gives a body that was read, and then whatever comes after it."""
    first = iter([{"type": "http.request", "body": sent, "more_body": False}])

    async def give() -> Message:
        return next(first, None) or await receive()

    return give
