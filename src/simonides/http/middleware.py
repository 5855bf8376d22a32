"""The guard before all routes: host, origin, request id, headers, log and metrics.

Plain ASGI, so that it stands before other doors in this process (MCP) as well. Knows no route and
no key. Nothing that is asked or kept gets into its log.
"""

import logging
import re
import secrets
import time
from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from simonides.http.errors import RequestRefused, problem, refusal
from simonides.http.limits import LOOPBACK, Limits
from simonides.http.telemetry import Metrics, describe, span

LOG = logging.getLogger("simonides.http")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
_REQUEST_ID_HEADER = b"x-request-id"
_KEY = "simonides.passing"
_EXPOSED = "Content-Disposition, ETag, Idempotency-Replayed, Retry-After, X-Request-Id"
"""Headers that a browser shows to a page of another origin, besides the few that it always does."""

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
"""What every response says unless it says otherwise: nothing of it may be kept, framed or run."""

_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


@dataclass(slots=True, kw_only=True)
class RequestInfo:
    """The facts on a request for the log, the metrics and the span."""

    request_id: str
    path: str = ""
    route: str = "(none)"
    prefix: str = ""
    status: int = 0


def request_info(scope: Scope) -> RequestInfo:
    """Return the facts on the request of an ASGI scope."""
    seen: RequestInfo = scope[_KEY]
    return seen


class RequestGuard:
    """The middleware before an ASGI application, for every request."""

    def __init__(self, app: ASGIApp, *, limits: Limits, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics
        self._hosts = frozenset(one.lower() for one in (*LOOPBACK, *limits.hosts))
        self._origins = frozenset(one.lower().rstrip("/") for one in limits.origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":  # nothing else is spoken here
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        seen = scope[_KEY] = RequestInfo(request_id=request_id, path=scope["path"])
        started = time.perf_counter()
        self._metrics.began()
        with span(scope["method"]) as made:
            try:
                await self._pass(scope, headers, receive, self._sending(scope, headers, send))
            finally:
                took_s = time.perf_counter() - started
                method = scope["method"] if scope["method"] in _METHODS else "OTHER"
                self._metrics.count_request(method, seen.route, seen.status, took_s=took_s)
                describe(made, method=method, route=seen.route, status=seen.status)
                _log(method, seen, took_s=took_s)

    async def _pass(self, scope: Scope, headers: Headers, receive: Receive, send: Send) -> None:
        seen = request_info(scope)
        try:
            self._check(headers)
        except RequestRefused as refused:
            response = problem(refused, request_id=seen.request_id, path=seen.path)
            await response(scope, receive, send)
            return
        if self._is_preflight(scope, headers):
            await _preflight(send, asked=headers.get("access-control-request-headers", ""))
            return
        try:
            await self._app(scope, receive, send)
        except Exception as error:
            if seen.status:  # an answer was begun: all that can be done is to break it off
                raise
            log_surprise(error, seen)
            response = problem(refusal(error), request_id=seen.request_id, path=seen.path)
            await response(scope, receive, send)

    def _check(self, headers: Headers) -> None:
        """Refuse unknown host names (DNS rebinding) and pages of other sites."""
        hosts = headers.getlist("host")
        host = hosts[0].lower() if len(hosts) == 1 else ""
        if not is_known_host(host, self._hosts):
            raise RequestRefused(421, "no such host here; allow its name with --allow-host")
        origin = ",".join(headers.getlist("origin")).lower()
        allowed = (*self._origins, f"http://{host}", f"https://{host}")
        if (origin or _is_of_another_page(headers)) and origin not in allowed:
            raise RequestRefused(
                403, "pages of other sites may not ask; see --allow-origin", code="origin"
            )

    def _is_preflight(self, scope: Scope, headers: Headers) -> bool:
        return (
            scope["method"] == "OPTIONS"
            and "access-control-request-method" in headers
            and headers.get("origin", "").lower() in self._origins
        )

    def _sending(self, scope: Scope, asked: Headers, send: Send) -> Send:
        seen = request_info(scope)
        origin = asked.get("origin", "")

        async def forward(message: Message) -> None:
            if message["type"] == "http.response.start":
                seen.status = message["status"]
                _add_headers(message, request_id=seen.request_id)
                if origin.lower() in self._origins:
                    headers = MutableHeaders(scope=message)
                    headers["Access-Control-Allow-Origin"] = origin
                    headers["Access-Control-Expose-Headers"] = _EXPOSED
                    headers.add_vary_header("Origin")
            await send(message)

        return forward


def _add_headers(message: MutableMapping[str, Any], *, request_id: str) -> None:
    """Add the headers of every response to the head of one."""
    headers = [one for one in message.get("headers", ()) if one[0] != _REQUEST_ID_HEADER]
    names = {name for name, _ in headers}
    headers.append((_REQUEST_ID_HEADER, request_id.encode()))
    headers += [one for one in _HEADERS if one[0] not in names]
    message["headers"] = headers


def _is_of_another_page(headers: Headers) -> bool:
    """Return whether a browser marks the request as made by a page of another site.

    It names no origin where an image or a script is asked for; a link that is followed is no page
    that asks.
    """
    site, mode = headers.get("sec-fetch-site", ""), headers.get("sec-fetch-mode", "")
    return site in ("cross-site", "same-site") and mode == "no-cors"


_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::[0-9]{1,5})?")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def is_known_host(host: str, known: Iterable[str]) -> bool:
    """Return whether a Host header is one of the known names, or an address.

    An address needs no check: a name that was bent to another machine is what rebinding is about.
    """
    found = _HOST.fullmatch(host)
    name = (found[1] or found[2]) if found else ""
    if name in known:
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


_HEADER_NAMES = re.compile(r"[a-z0-9-]+(, ?[a-z0-9-]+)*", re.IGNORECASE)


async def _preflight(send: Send, *, asked: str) -> None:
    """Answer a CORS preflight: an allowed page may send the headers that it asks for."""
    allowed = asked if _HEADER_NAMES.fullmatch(asked) else "authorization, content-type"
    headers = [
        (b"access-control-allow-methods", b"GET, POST, PUT, PATCH, DELETE"),
        (b"access-control-allow-headers", allowed.encode()),
        (b"access-control-max-age", b"600"),
    ]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def _log(method: str, seen: RequestInfo, *, took_s: float) -> None:
    if LOG.isEnabledFor(logging.INFO):
        event = {
            "method": method, "route": seen.route, "status": seen.status,
            "ms": round(took_s * 1000, 3), "key": seen.prefix, "request_id": seen.request_id,
        }  # fmt: skip
        LOG.info("request", extra={"event": event})


def log_surprise(error: Exception, seen: RequestInfo) -> None:
    """Log the place of an unexpected error, without any content of the request."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    where = f"{step.tb_frame.f_code.co_filename}:{step.tb_lineno}" if step else "?"
    LOG.error(
        "unexpected %s", type(error).__name__, extra={"where": where, "request_id": seen.request_id}
    )
