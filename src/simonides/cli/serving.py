"""A server over HTTP in this process.

Knows what stands beside HTTP's own routes. Must not know a route.
"""

import os
import socket
from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.util import find_spec

from simonides.api.memory import Memory
from simonides.api.workers_state import state_of_workers
from simonides.cli.context import Context
from simonides.http import server as http_server
from simonides.http.app import AuthMiddleware, Mount, guest_of, make_server
from simonides.http.limits import Limits
from simonides.http.middleware import LOG
from simonides.http.state import Server
from simonides.http.workers import WorkerStart
from simonides.web.door import pages_of

MCP_PATH = "/mcp"


def serve(
    context: Context,
    arguments: Namespace,
    limits: Limits,
    *,
    on_ready: Callable[[int], None],
    listener: socket.socket | None = None,
) -> None:
    """Serve in this process until SIGTERM or Ctrl-C; `on_ready` is called with the port."""
    with context.memory() as memory:
        uploads = context.home / "uploads"
        server = make_server(memory, uploads=uploads, limits=limits, now=context.clock)
        http_server.serve(
            server, host=arguments.host, port=arguments.port, mounts=_doors(server),
            pages=_pages(server), on_ready=on_ready, on_overdue=_end_now, listener=listener,
        )  # fmt: skip
        if not server.has_ended:  # what is left behind would be waited for at the end
            _end_now()


def serve_as_worker(
    context: Context, arguments: Namespace, limits: Limits, start: WorkerStart
) -> None:
    """Serve in this process as one of several workers."""
    open_memory = context.open_memory
    if start.state is not None:
        open_memory = partial(Memory, working=state_of_workers(start.state))
    settings = replace(context.settings, share_indexes=True)
    context = replace(context, open_memory=open_memory, settings=settings)
    serve(
        context, arguments, limits,
        on_ready=lambda _port: start.on_ready(), listener=start.listener,
    )  # fmt: skip


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
    """Return the pages for browsers."""
    guarded = partial(AuthMiddleware, server=server, path="/web", by_people=True)
    return pages_of(guarded, guest_of)
