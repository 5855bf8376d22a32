"""`simonides serve`: the application in uvicorn, in this process, until it is stopped.

Once it is asked to, it has ended `drain_s` later, whatever clients and threads do: requests have
`DRAIN_SHARE` of that time to end by themselves, then streams are cut off and the rest goes to
closing; what does not end even then is left behind. Owns `uvicorn`. Must not know any route.
"""

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

import uvicorn

from simonides.errors import InvalidInput
from simonides.http.app import Mount, make_app
from simonides.http.authentication import MAKE_A_KEY
from simonides.http.connection import connection_of
from simonides.http.limits import BACKLOG, LOOPBACK
from simonides.http.state import Server

DRAIN_SHARE = 0.8
"""How much of the time until the end is for requests to end by themselves."""


def check_host(host: str, *, has_keys: bool, allowed: Sequence[str] = ()) -> None:
    """Raise `InvalidInput` if other machines could connect without a key.

    Who names another host (`allowed`) has the server called from elsewhere, as by a proxy.
    """
    if has_keys:
        return
    if host not in LOOPBACK:
        problem = f"{host} can be reached from elsewhere and there is no key yet"
        raise InvalidInput("--host", f"{problem}; make one: {MAKE_A_KEY}")
    if allowed:
        problem = f"{allowed[0]} can be called from elsewhere and there is no key yet"
        raise InvalidInput("--allow-host", f"{problem}; make one: {MAKE_A_KEY}")


def serve(
    server: Server,
    *,
    host: str,
    port: int,
    on_ready: Callable[[int], None],
    mounts: tuple[Mount, ...] = (),
    pages: tuple[Mount, ...] = (),
    on_overdue: Callable[[], object] | None = None,
    listener: socket.socket | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT, then finish running requests, close everything and return.

    `port` 0 takes a free one; `on_ready` is called with it, once requests are answered.
    `on_overdue` is called, in a thread of its own, where the time of `drain_s` has passed and the
    process is still
    there: who owns the process ends it then. `listener` is a socket that listens already, which
    other workers may share.

    Raises:
        InvalidInput: Others could reach it and there is no key, or the port cannot be had.
    """
    allowed = server.limits.hosts
    check_host(host, has_keys=server.memory.keys.exist(), allowed=allowed)
    server.needs_key = bool(allowed) or host not in LOOPBACK
    config = uvicorn.Config(
        make_app(server, mounts=mounts, pages=pages),
        host=host, port=port, log_config=None, access_log=False,
        server_header=False, date_header=True, proxy_headers=False, lifespan="on",
        http=connection_of(server.limits, count_cut_off=server.metrics.cut_off), ws="none",
        timeout_keep_alive=server.limits.head_s,  # type: ignore[arg-type]  # any number does
        backlog=1 if listener else BACKLOG,
        timeout_graceful_shutdown=DRAIN_SHARE * server.limits.drain_s,  # type: ignore[arg-type]  # any number does
    )  # fmt: skip
    try:
        with _ignore_signals():
            _Uvicorn(config, server=server, on_ready=on_ready, on_overdue=on_overdue).run(
                sockets=[listener] if listener else None
            )
    except SystemExit as error:
        problem = f"{host}:{port} cannot be had; is another server running there?"
        raise InvalidInput("--port", problem) from error


class _Uvicorn(uvicorn.Server):
    """A uvicorn server that reports its start, and ends in time."""

    def __init__(
        self,
        config: uvicorn.Config,
        *,
        server: Server,
        on_ready: Callable[[int], None],
        on_overdue: Callable[[], object] | None,
    ) -> None:
        super().__init__(config)
        self._server = server
        self._on_ready = on_ready
        self._on_overdue = on_overdue

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Start to stop; the time for that runs from now on, whatever the event loop does."""
        self._watch_end()
        super().handle_exit(sig, frame)

    def _watch_end(self) -> None:
        """Report to the owner of the process when the time to end is over."""
        if self._on_overdue is not None:
            overdue = threading.Timer(self._server.limits.drain_s, self._on_overdue)
            overdue.daemon = True
            overdue.start()
            self._on_overdue = None

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._watch_end()
        await asyncio.to_thread(self._server.begin_stop)
        loop = asyncio.get_running_loop()
        cutting = loop.call_later(DRAIN_SHARE * self._server.left_s, self._server.cut_off)
        try:
            await super().shutdown(sockets=sockets)
        finally:
            cutting.cancel()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        for one in sockets or ():
            one.listen(BACKLOG)  # asyncio takes as many at once as may wait: one, to share them
        if self.started:
            self._on_ready(self.servers[0].sockets[0].getsockname()[1])


@contextmanager
def _ignore_signals() -> Iterator[None]:
    """Ignore the signals that uvicorn raises again after it has stopped."""

    def swallow(_number: int, _frame: FrameType | None) -> None: ...

    numbers = (signal.SIGTERM, signal.SIGINT)
    try:
        before = {number: signal.signal(number, swallow) for number in numbers}
    except ValueError:  # not the main thread: no signal comes here
        yield
        return
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
