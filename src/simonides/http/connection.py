"""One connection to the server: it has to ask in time, and there are only so many.

Owns uvicorn's protocol for HTTP/1.1, whose heads are of bounded length. Whoever connects and says
nothing, or dribbles a head letter by letter, is let go, and so is whoever does not read what it
asked for; what is no HTTP is told as a problem, as everything is. Must not know any route.
"""

import asyncio
import logging
import secrets
import sys
from collections.abc import Callable
from typing import Any

import h11
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from simonides.http.gate import HEADERS
from simonides.http.limits import Limits
from simonides.http.pace import ReaderPace
from simonides.http.problems import MEDIA, Refused, told_of
from simonides.http.streaming import ABORT
from simonides.wire.write import to_line

LOG = logging.getLogger("simonides.http")
SLOW = "slow"
"""Why an answer was cut off: its reader fell behind."""

TOO_LONG = 431
"""HTTP's own number for a head that is longer than it may be."""


HEAD_BYTES_MAX = 16 << 10
"""How long a head may be; h11's own default."""


class _Spoken(h11.Connection):
    """Gives out the head of an answer with its body: one write, one packet, one wake at the reader.

    Only where the head tells how long the body is: that of a stream goes out at once.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._head: list[bytes] = []

    def send_with_data_passthrough(self, event: h11.Event) -> list[bytes] | None:
        """Return the bytes of an event; none of a head whose body comes next."""
        told = super().send_with_data_passthrough(event)
        if isinstance(event, h11.Response) and _tells_length(event):
            self._head = told or []
            return []
        if told is not None:
            told, self._head = [*self._head, *told], []
        return told


def _tells_length(event: h11.Response) -> bool:
    return any(name == b"content-length" for name, _ in event.headers)


class Connection(H11Protocol):
    """Lets go of who does not ask within `head_s` seconds, and of the one too many.

    Cuts off who does not read: see `ReaderPace`. That holds whatever is being sent, and also when
    all of it was handed to the system already.
    """

    head_s = 20.0
    pause_s = 30.0
    connections_max = 500
    count_cut_off: Callable[[str], object] = staticmethod(lambda _reason: None)

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        head_bytes_max = self.config.h11_max_incomplete_event_size or HEAD_BYTES_MAX
        self.conn = _Spoken(h11.SERVER, head_bytes_max)
        self._waiting: asyncio.TimerHandle | None = None
        self._behind: asyncio.TimerHandle | None = None
        self._pace = ReaderPace(pause_s=self.pause_s)
        plain = self.app

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            scope[ABORT] = self.transport.abort
            await plain(scope, receive, send)

        self.app = app

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        """Begin to wait for a request; where there are too many connections, end this one."""
        super().connection_made(transport)
        if len(self.connections) > self.connections_max:
            transport.abort()
            return
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop_waiting()
        self._stop_looking()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Begin to wait for who does not read as fast as we send."""
        super().pause_writing()
        unread = self.transport.get_write_buffer_size()
        self._look_in(self._pace.wait(self.loop.time(), unread=unread))

    def resume_writing(self) -> None:
        """Go on: most of what was sent has been read."""
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
        """Cut the connection off, unless something was read meanwhile."""
        unread = self.transport.get_write_buffer_size()
        left_s = self._pace.look(self.loop.time(), unread=unread)
        if left_s > 0:
            self._look_in(left_s)
            return
        self.count_cut_off(SLOW)
        LOG.warning("cut off", extra={"told": {"reason": SLOW, "unread_bytes": unread}})
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take in what came, and look whether a whole head was among it."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Go on to what was sent meanwhile; of a head that is not whole yet, wait for the rest."""
        super().on_response_complete()
        if self.conn.trailing_data[0]:
            self._watch()

    def _watch(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()
        elif self._waiting is None and not self.transport.is_closing():
            self._waiting = self.loop.call_later(self.head_s, self._let_go)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _let_go(self) -> None:
        """End the connection, unless a request that was sent in one piece is being answered."""
        self._waiting = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  its words are not ours
        """Tell what is no HTTP, or a head that is too long, as a problem; then hang up."""
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:  # nothing may stand in the middle of another answer
                self.transport.abort()
                return
        status = getattr(sys.exception(), "error_status_hint", 400)
        if status == TOO_LONG:
            refused = Refused(TOO_LONG, "the head of the request is too long; send fewer headers")
        else:
            refused = Refused(400, "this is no HTTP/1.1 request")
        self.transport.write(_written(refused))
        self.transport.close()


def connection_of(limits: Limits, *, count_cut_off: Callable[[str], object]) -> type[Connection]:
    """Return the sort of connections that keeps to these limits.

    `count_cut_off` is told why an answer was cut off.
    """
    counting = count_cut_off

    class Bounded(Connection):
        head_s = limits.head_s
        pause_s = limits.pause_s
        connections_max = limits.connections_max
        count_cut_off = staticmethod(counting)

    return Bounded


def _written(refused: Refused) -> bytes:
    """Return a problem as bytes of HTTP: what sends answers otherwise has given up by now."""
    request_id = secrets.token_hex(8)
    told = told_of(refused, request_id=request_id)
    body = to_line(told).encode()
    headers = {
        **HEADERS, "X-Request-Id": request_id, "Content-Type": MEDIA,
        "Content-Length": str(len(body)), "Connection": "close",
    }  # fmt: skip
    lines = [f"HTTP/1.1 {refused.status} {told['title']}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join((*lines, "", "")).encode() + body
