"""`simonides serve`: the application in uvicorn, in this process, until it is told to stop.

Owns `uvicorn`. Must not know any route.
"""

import logging
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TextIO

import uvicorn

from simonides.errors import InvalidInput
from simonides.http.app import Mount, make_app
from simonides.http.callers import MAKE_A_KEY
from simonides.http.connection import connection_of
from simonides.http.gate import JsonLines
from simonides.http.limits import LOOPBACK
from simonides.http.state import Server

OTHERS = ("uvicorn.error", "asyncio")
"""Loggers of others that may tell of trouble: of theirs the first line is written, no more."""


def check_host(host: str, *, has_keys: bool, allowed: Sequence[str] = ()) -> None:
    """Raise `InvalidInput` where others could come in and nobody would be asked for a key.

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
) -> None:
    """Answer until SIGTERM or SIGINT, then end what runs, and return with everything closed.

    `port` 0 takes a free one; `on_ready` is told which, once requests are answered.

    Raises:
        InvalidInput: Others could reach it and there is no key, or the port cannot be had.
    """
    allowed = server.limits.hosts
    check_host(host, has_keys=server.memory.keys.exist(), allowed=allowed)
    server.needs_key = bool(allowed) or host not in LOOPBACK
    config = uvicorn.Config(
        make_app(server, mounts=mounts), host=host, port=port, log_config=None, access_log=False,
        server_header=False, date_header=True, proxy_headers=False, lifespan="on",
        http=connection_of(server.limits), ws="none",
        timeout_graceful_shutdown=max(1, round(server.limits.drain_s)), timeout_keep_alive=30,
    )  # fmt: skip
    try:
        with _deaf():
            _Uvicorn(config, on_ready=on_ready).run()
    except SystemExit as error:
        problem = f"{host}:{port} cannot be had; is another server running there?"
        raise InvalidInput("--port", problem) from error


class _Uvicorn(uvicorn.Server):
    """Says once when it is ready."""

    def __init__(self, config: uvicorn.Config, *, on_ready: Callable[[int], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]  # its own type is narrower
        await super().startup(sockets=sockets)  # type: ignore[arg-type]  # handed on as it came
        if self.started:
            self._on_ready(self.servers[0].sockets[0].getsockname()[1])


@contextmanager
def _deaf() -> Iterator[None]:
    """Swallow the signals that uvicorn sends on once it has stopped: we end well ourselves."""

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


def log_to(stream: TextIO, *, level: str) -> None:
    """Write the server's log to a stream, one JSON object on each line."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    for name in ("simonides.http", "simonides.mcp", *OTHERS):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(logging.WARNING if name in OTHERS else level.upper())
