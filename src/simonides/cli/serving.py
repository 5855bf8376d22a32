"""A server over HTTP: in this process, or in several workers that it watches.

Knows how options become limits, and what stands beside HTTP's own routes. Must not know a route.
"""

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, replace
from functools import partial
from importlib.util import find_spec

from simonides.api.memory import Memory
from simonides.cli.context import Context
from simonides.errors import InvalidInput
from simonides.http import server as http_server
from simonides.http.app import AuthMiddleware, Mount, guest_of, make_server
from simonides.http.limits import Limits
from simonides.http.middleware import LOG
from simonides.http.state import Server
from simonides.http.workers import WorkerPool, WorkerStart, divide, listening

MCP_PATH = "/mcp"


def serve(
    context: Context, arguments: Namespace, *, on_address: Callable[[str], object] | None
) -> None:
    """Serve until SIGTERM or Ctrl-C; `on_address` is called as `verbs.serve.run` says."""
    http_server.log_to(sys.stderr, level=arguments.log)
    if arguments.workers > 1:
        _serve_workers(context, arguments)
    else:
        _serve(context, arguments, limits=_limits(arguments), on_address=on_address)


def _serve(
    context: Context,
    arguments: Namespace,
    *,
    limits: Limits,
    start: WorkerStart | None = None,
    on_address: Callable[[str], object] | None = None,
) -> None:
    """Serve in this process; as one of several workers if it was started as one."""

    def on_ready(port: int) -> None:
        if start is not None:
            start.on_ready()
            return
        url = _report_address(context, arguments.host, port)
        if on_address:
            on_address(url)

    if start is not None:
        shared = partial(Memory, working=start.shared) if start.shared else context.open_memory
        settings = replace(context.settings, share_indexes=True)
        context = replace(context, open_memory=shared, settings=settings)
    with context.memory() as memory:
        uploads = context.home / "uploads"
        server = make_server(memory, uploads=uploads, limits=limits, now=context.clock)
        http_server.serve(
            server, host=arguments.host, port=arguments.port, mounts=_doors(server),
            pages=_pages(server),
            on_ready=on_ready, on_overdue=_end_now, listener=start.listener if start else None,
        )  # fmt: skip
        if not server.has_ended:  # what is left behind would be waited for at the end
            _end_now()


def _serve_workers(context: Context, arguments: Namespace) -> None:
    """Serve in several worker processes, which this one watches."""
    if not hasattr(os, "fork"):
        raise InvalidInput("--workers", "needs fork, which this system has not; start one server")
    limits = _limits(arguments)
    listener = listening(arguments.host, arguments.port)
    port = listener.getsockname()[1]

    def report() -> None:
        _report_address(context, arguments.host, port)

    pool = WorkerPool(
        count=arguments.workers, listener=listener, stop_s=limits.drain_s,
        work=lambda start: _serve(
            context, arguments, limits=divide(limits, arguments.workers), start=start
        ),
        on_ready=report,
        shares_state=not context.settings.redis,
    )  # fmt: skip
    if code := pool.run():
        raise SystemExit(code)


def _end_now() -> None:
    """End this process at once: all acknowledged writes are on disk."""
    LOG.warning("stopped in time; what did not end by then was left behind")
    os._exit(0)


def _doors(server: Server) -> tuple[Mount, ...]:
    """Return the mounts beside HTTP's own routes: MCP, if its extra is installed."""
    if find_spec("mcp") is None:
        return ()
    from simonides.mcp.over_http import HttpMount

    door = HttpMount(guest_of, body_bytes_max=server.limits.body_bytes_max)
    return ((MCP_PATH, AuthMiddleware(door, server=server, path=MCP_PATH)),)


def _pages(server: Server) -> tuple[Mount, ...]:
    """Return the pages for browsers; each worker loads them for itself."""
    from simonides.web.door import pages_of

    guarded = partial(AuthMiddleware, server=server, path="/web", by_people=True)
    return pages_of(guarded, guest_of)


def _limits(arguments: Namespace) -> Limits:
    """Return the limits that the options set; those of the others are the defaults."""
    given = {one.name: getattr(arguments, one.name, None) for one in fields(Limits)}
    given["rate_burst"] = arguments.rate_per_s and 2 * arguments.rate_per_s
    return Limits(
        **{name: value for name, value in given.items() if value is not None}
        | {"hosts": tuple(arguments.allow_host), "origins": tuple(arguments.allow_origin)}
    )


def _report_address(context: Context, host: str, port: int) -> str:
    """Write the address and return it; flushed, because the parent process may wait for it."""
    name = f"[{host}]" if ":" in host else host
    url = f"http://{name}:{port}"
    with suppress(BrokenPipeError):  # who started it may not read; it serves all the same
        context.output.answer(
            {"url": url, "host": host, "port": port},
            draw=lambda: context.output.line(f"serving on {url}"),
        )
        context.output.out.flush()
    return url
