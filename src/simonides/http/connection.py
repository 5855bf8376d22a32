"""One connection to the server, with limits on the time to send a request and on their number.

Owns uvicorn's protocol for HTTP/1.1, whose heads are of bounded length and say once how long a body
is. Whoever connects and says nothing, or dribbles a head letter by letter, is let go, and so is
whoever does not read what it asked for; what is no HTTP is answered with a problem, as everything
is. Must not know any route.
"""

import asyncio
import logging
import re
import secrets
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import h11
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from simonides.codec.write import to_json
from simonides.http.authentication import neighbourhood
from simonides.http.errors import MEDIA, RequestRefused, problem_fields
from simonides.http.limits import Limits
from simonides.http.middleware import HEADERS
from simonides.http.request_body import BYTES_PER_S_MIN
from simonides.http.streaming import ABORT

LOG = logging.getLogger("simonides.http")
SLOW = "slow"
"""Why an answer was cut off: its reader fell behind."""

TOO_LONG = 431
"""HTTP's own number for a head that is longer than it may be."""


class _StrictConnection(h11.Connection):
    """An h11 connection that refuses malformed heads, and sends a head together with its body.

    So that is one write, one packet, one wake at the reader; only where the head tells how long the
    body is: that of a stream goes out at once.
    """

    def __init__(self, head_bytes_max: int) -> None:
        super().__init__(h11.SERVER, head_bytes_max)
        self._head_bytes_max = head_bytes_max
        self._head: list[bytes] = []

    def next_event(self) -> Any:
        """Return the next event of a request.

        Raises:
            RemoteProtocolError: It is no HTTP, or its head is too long (h11 itself counts only the
                heads that did not come in one piece), or it says twice how long its body is: a
                proxy before us might believe the other one.
        """
        before = len(self.trailing_data[0]) if self.their_state is h11.IDLE else 0
        event = super().next_event()
        if isinstance(event, h11.Request):
            if before - len(self.trailing_data[0]) > self._head_bytes_max:
                raise h11.RemoteProtocolError("the head is too long", error_status_hint=TOO_LONG)
            names = {name for name, _ in event.headers}
            if {b"content-length", b"transfer-encoding"} <= names:
                raise h11.RemoteProtocolError("the length of the body is given twice")
            return _with_path_alone(event)
        return event

    def send_with_data_passthrough(self, event: h11.Event) -> list[bytes] | None:
        """Return the bytes of an event; the head of an answer waits for its body."""
        data = super().send_with_data_passthrough(event)
        if isinstance(event, h11.Response) and b"content-length" in dict(event.headers):
            self._head = data or []
            return []
        if data is not None:
            data, self._head = [*self._head, *data], []
        return data


_ADDRESS = re.compile(rb"https?://([^/?#]*)/?(.*)", re.IGNORECASE | re.DOTALL)


def _with_path_alone(request: h11.Request) -> h11.Request:
    """Return a request whose target is a path; the host of a whole address is its `Host`.

    That is how RFC 9112 (3.2.2) has servers read what a client sends as if to a proxy.
    """
    whole = _ADDRESS.fullmatch(request.target)
    if whole is None:
        return request
    headers = [(name, value) for name, value in request.headers if name != b"host"]
    return h11.Request(
        method=request.method, target=b"/" + whole[2], http_version=request.http_version,
        headers=[*headers, (b"host", whole[1])],
    )  # fmt: skip


class Connection(H11Protocol):
    """A connection that is closed by the limits, or without a whole head for `head_s` seconds.

    That is how long uvicorn keeps an idle one. Cuts off who does not read: see `ReaderPace`. That
    holds whatever is being sent, and also when all of it was handed to the system already.
    """

    limits: Limits
    count_cut_off: Callable[[str], object] = staticmethod(lambda _reason: None)

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.conn = _StrictConnection(self.limits.head_bytes_max)
        self.neighbourhood = ""
        self._behind: asyncio.TimerHandle | None = None
        self._pace = ReaderPace(pause_s=self.limits.pause_s)
        plain = self.app

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            scope[ABORT] = self.transport.abort
            await plain(scope, receive, send)

        self.app = app

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        """Wait for a request, as after an answer; at the limit of connections, close one."""
        super().connection_made(transport)
        self.neighbourhood = neighbourhood(self.client[0] if self.client else "")
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )
        one_too_many = self._one_too_many()
        if one_too_many is not None:
            one_too_many.transport.abort()

    @property
    def idle_until_s(self) -> float | None:
        """The time at which an idle connection is closed; None while a request is answered."""
        waiting = self.timeout_keep_alive_task
        return None if waiting is None else waiting.when()

    def _one_too_many(self) -> "Connection | None":
        """Return the connection to close: the longest idle one of the address with the most.

        None where there is room; this one where no other of that address is idle.
        """
        ours = (one for one in self.connections if isinstance(one, Connection))
        present = [one for one in ours if not one.transport.is_closing()]
        by_address = Counter(one.neighbourhood for one in present)
        if by_address[self.neighbourhood] > self.limits.connections_each_max:
            crowd = self.neighbourhood
        elif len(present) > self.limits.connections_max:
            crowd = max(by_address, key=lambda address: by_address[address])
        else:
            return None
        others = (one for one in present if one.neighbourhood == crowd and one is not self)
        idle = ((one.idle_until_s, one) for one in others if one.idle_until_s is not None)
        return min(idle, key=lambda one: one[0], default=(0.0, self))[1]

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer of a closed connection."""
        self._stop_looking()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Start the timer of a reader that is slower than the server."""
        super().pause_writing()
        unread = self.transport.get_write_buffer_size()
        self._look_in(self._pace.wait(self.loop.time(), unread=unread))

    def resume_writing(self) -> None:
        """Stop the timer: most of the sent data has been read."""
        self._stop_looking()
        self._pace.look(self.loop.time(), unread=self.transport.get_write_buffer_size())
        super().resume_writing()

    def _look_in(self, left_s: float) -> None:
        self._stop_looking()
        self._behind = self.loop.call_later(left_s, self._look)

    def _stop_looking(self) -> None:
        if self._behind is not None:
            self._behind.cancel()
            self._behind = None

    def _look(self) -> None:
        """Close the connection unless something was read since the last look."""
        unread = self.transport.get_write_buffer_size()
        left_s = self._pace.look(self.loop.time(), unread=unread)
        if left_s > 0:
            self._look_in(left_s)
            return
        self.count_cut_off(SLOW)
        LOG.warning("cut off", extra={"event": {"reason": SLOW, "unread_bytes": unread}})
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Receive data; only a whole head ends the wait for it, which uvicorn's would end here."""
        self.conn.receive_data(data)
        self.handle_events()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  its words are not ours
        """Answer malformed HTTP or a head that is too long with a problem, then close."""
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:  # nothing may stand in the middle of another answer
                self.transport.abort()
                return
        status = getattr(sys.exception(), "error_status_hint", 400)
        if status == TOO_LONG:
            refused = RequestRefused(
                TOO_LONG, "the head of the request is too long; send fewer headers"
            )
        else:
            refused = RequestRefused(400, "this is no HTTP/1.1 request")
        self.transport.write(_as_bytes(refused))
        self.transport.close()


def connection_of(limits: Limits, *, count_cut_off: Callable[[str], object]) -> type[Connection]:
    """Return the class of connections with these limits.

    `count_cut_off` is called with the reason why an answer was cut off.
    """
    bounds = {"limits": limits, "count_cut_off": staticmethod(count_cut_off)}
    return type("Bounded", (Connection,), bounds)


def _as_bytes(refused: RequestRefused) -> bytes:
    """Return a problem as bytes of HTTP, for when the usual sender has given up."""
    request_id = secrets.token_hex(8)
    problem = problem_fields(refused, request_id=request_id)
    body = to_json(problem)
    headers = {
        **HEADERS, "X-Request-Id": request_id, "Content-Type": MEDIA,
        "Content-Length": str(len(body)), "Connection": "close",
    }  # fmt: skip
    lines = [f"HTTP/1.1 {refused.status} {problem['title']}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join((*lines, "", "")).encode() + body


class ReaderPace:
    """The time left to a slow reader, in seconds for which it keeps the server waiting.

    It begins with `pause_s`, shrinks while the server waits to be read, and grows with every byte
    read, by as long as that may take at `BYTES_PER_S_MIN`; never past `pause_s`. So a stall may
    last `pause_s`, and whoever reads more slowly than the minimum is cut off in the end, however
    fast it read before.
    """

    def __init__(self, *, pause_s: float) -> None:
        self._most_s = pause_s
        self._left_s = pause_s
        self._since_s = 0.0
        self._unread = 0

    def wait(self, now_s: float, *, unread: int) -> float:
        """Start to wait with a number of unread bytes; return the seconds left."""
        self._since_s, self._unread = now_s, unread
        return self._left_s

    def look(self, now_s: float, *, unread: int) -> float:
        """Return the seconds left after the last read; at 0 or less, close the connection."""
        read = max(0, self._unread - unread)
        left_s = self._left_s - (now_s - self._since_s) + read / BYTES_PER_S_MIN
        self._left_s = min(self._most_s, left_s)
        return self.wait(now_s, unread=unread)
