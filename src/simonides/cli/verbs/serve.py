"""`simonides serve`: serve HTTP until the process is stopped."""

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from simonides.api.memory import Memory
from simonides.cli.context import Context
from simonides.cli.options import not_empty, not_negative, positive, whole
from simonides.errors import InvalidInput

if TYPE_CHECKING:
    from simonides.http.app import Mount
    from simonides.http.limits import Limits
    from simonides.http.state import Server
    from simonides.http.workers import WorkerStart

HELP = "Serve the memory over HTTP: on this machine only, or to clients with a key."
EXAMPLE = "simonides serve --port 8321"

NEEDED = ("jinja2", "prometheus_client", "starlette", "uvicorn")
"""What the extra brings; those of `mcp` bring the last two as well."""

PORT_MAX = 65_535

MCP_PATH = "/mcp"


def port(text: str) -> int:
    """Return a port; raises `ArgumentTypeError` for what is none."""
    number = whole({}, text)
    if not 0 <= number <= PORT_MAX:
        raise ArgumentTypeError(f"must lie in 0 to {PORT_MAX}, got {number}")
    return number


_LIMITS: tuple[tuple[str, str, Callable[[str], float], str, str], ...] = (
    ("--threads", "threads", positive, "N", "commands that run at once"),
    ("--waiting", "waiting_max", positive, "N", "requests that may wait (64)"),
    ("--rate", "rate_per_s", positive, "N", "requests per second for each key (200)"),
    ("--cost", "cost_per_s", not_negative, "S",
     "processor seconds per second for each key (1)"),
    ("--connections", "connections_max", positive, "N", "open at once (500)"),
    ("--connections-each", "connections_each_max", positive, "N",
     "connections of one address (100); behind a proxy all have its address"),
    ("--body-max", "body_bytes_max", positive, "BYTES", "longest body (8 MiB)"),
    ("--upload-max", "upload_bytes_max", positive, "BYTES", "longest upload (2 GiB)"),
    ("--drain", "drain_s", positive, "S", "seconds for a shutdown (30)"),
)  # fmt: skip
"""Options by the limit that each sets, with what stands for its value, and its help."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the address, the allowed callers and the limits."""
    add = parser.add_argument
    add("--host", default="127.0.0.1", type=not_empty, metavar="NAME",
        help="the address to listen on (127.0.0.1); any other needs keys")  # fmt: skip
    add("--port", default=8321, type=port, metavar="N", help="the port (8321); 0 takes a free one")
    add("--allow-host", action="append", default=[], type=not_empty, metavar="NAME",
        help="another allowed host name; needs keys; may be repeated")  # fmt: skip
    add("--allow-origin", action="append", default=[], type=not_empty, metavar="URL",
        help="origin of a web page that may send requests; may be repeated")  # fmt: skip
    group = parser.add_argument_group("how much it takes on")
    group.add_argument(
        "--workers", type=positive, default=1, metavar="N",
        help="processes that answer on the port (1)",
    )  # fmt: skip
    for flag, name, kind, metavar, help_text in _LIMITS:
        group.add_argument(flag, dest=name, type=kind, metavar=metavar, help=help_text)
    group.add_argument(
        "--audit-reads", action="store_true", help="record reads in the audit log, too"
    )
    group.add_argument(
        "--log", choices=("info", "warning"), default="warning",
        help="what is logged to stderr, as JSON: every request, or only problems",
    )  # fmt: skip


def run(
    context: Context,
    arguments: Namespace,
    *,
    on_address: Callable[[str], object] | None = None,
) -> None:
    """Serve until SIGTERM or Ctrl-C; running requests are finished first.

    `on_address` is called with the address once it answers, of a server of one process.
    """
    if not all(map(find_spec, NEEDED)):
        raise InvalidInput("serve", "needs its extra: pip install 'simonides[server]'")
    from simonides.http.server import log_to

    log_to(sys.stderr, level=arguments.log)
    if arguments.workers > 1:
        _serve_workers(context, arguments)
    else:
        _serve(context, arguments, limits=_limits(arguments), on_address=on_address)


def _serve(
    context: Context,
    arguments: Namespace,
    *,
    limits: "Limits",
    start: "WorkerStart | None" = None,
    on_address: Callable[[str], object] | None = None,
) -> None:
    """Serve in this process; as one of several workers if it was started as one."""
    from simonides.http.app import make_server
    from simonides.http.server import serve

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
        serve(
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
    from simonides.http.workers import WorkerPool, divide, listening

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
    from simonides.http.middleware import LOG

    LOG.warning("stopped in time; what did not end by then was left behind")
    os._exit(0)


def _doors(server: "Server") -> "tuple[Mount, ...]":
    """Return the mounts beside HTTP's own routes: MCP, if its extra is installed."""
    if find_spec("mcp") is None:
        return ()
    from simonides.http.app import AuthMiddleware, guest_of
    from simonides.mcp.over_http import HttpMount

    door = HttpMount(guest_of, body_bytes_max=server.limits.body_bytes_max)
    return ((MCP_PATH, AuthMiddleware(door, server=server, path=MCP_PATH)),)


def _pages(server: "Server") -> "tuple[Mount, ...]":
    """Return the pages for browsers."""
    from simonides.http.app import AuthMiddleware, guest_of
    from simonides.web.door import pages_of

    guarded = partial(AuthMiddleware, server=server, path="/web", by_people=True)
    return pages_of(guarded, guest_of)


def _limits(arguments: Namespace) -> "Limits":
    from simonides.http.limits import Limits

    given = {name: getattr(arguments, name) for _, name, *_ in _LIMITS}
    given["rate_burst"] = arguments.rate_per_s and 2 * arguments.rate_per_s
    return Limits(
        **{name: value for name, value in given.items() if value is not None},
        hosts=tuple(arguments.allow_host),
        origins=tuple(arguments.allow_origin),
        audit_reads=arguments.audit_reads,
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
