"""The server over streamable HTTP: an ASGI application behind the rules of the HTTP interface.

Stateless: each request is whole by itself and answered with one JSON object, so that any process
can answer any of them, and nothing waits for a client that has gone. Must not know how a caller
is let in: `guest_of` says who it is.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from simonides.api.caller import Caller
from simonides.mcp.server import make_server

_BEHIND_A_GATE = TransportSecuritySettings(enable_dns_rebinding_protection=False)
"""Hosts and origins are checked by the gate, before anything gets here."""


class HttpMount:
    """An ASGI application that answers MCP inside its `running` block."""

    def __init__(self, caller_of: Callable[[Scope], Caller], *, body_bytes_max: int) -> None:
        def of_request(request: Request) -> Caller:
            return caller_of(request.scope)

        self._manager = StreamableHTTPSessionManager(
            app=make_server(of_request), json_response=True, stateless=True,
            security_settings=_BEHIND_A_GATE, max_request_body_size=body_bytes_max,
        )  # fmt: skip

    def running(self) -> AbstractAsyncContextManager[None]:
        """Run the session manager; at the end, running requests are cancelled."""
        return self._manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; there are neither server streams nor sessions."""
        if scope["method"] != "POST":
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        await self._manager.handle_request(scope, receive, send)
