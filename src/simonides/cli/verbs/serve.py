"""`simonides serve`: serve HTTP until the process is stopped."""

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from importlib.util import find_spec

from simonides.cli.context import Context
from simonides.cli.options import not_empty, not_negative, positive, whole
from simonides.errors import InvalidInput
from simonides.http.limits import Limits
from simonides.http.log import log_to
from simonides.http.workers import WorkerPool, divide, listening, worker_start

HELP = "Serve the memory over HTTP: on this machine only, or to clients with a key."
EXAMPLE = "simonides serve --port 8321"

NEEDED = ("jinja2", "prometheus_client", "starlette", "uvicorn")
"""What the extra brings; those of `mcp` bring the last two as well."""

PORT_MAX = 65_535


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
    log_to(sys.stderr, level=arguments.log)
    limits, start = _limits(arguments), worker_start()
    if arguments.workers > 1 and start is None:
        _serve_workers(context, arguments, limits)
        return
    from simonides.cli import serving  # what it needs is there only with the extra, and takes long

    if start is not None:
        serving.serve_as_worker(context, arguments, divide(limits, arguments.workers), start)
        return

    def on_ready(port: int) -> None:
        url = _report_address(context, arguments.host, port)
        if on_address:
            on_address(url)

    serving.serve(context, arguments, limits, on_ready=on_ready)


def _serve_workers(context: Context, arguments: Namespace, limits: Limits) -> None:
    """Serve in several worker processes, which this one watches."""
    if os.name != "posix":
        raise InvalidInput("--workers", "needs a POSIX system; start one server")
    listener = listening(arguments.host, arguments.port)
    port = listener.getsockname()[1]
    pool = WorkerPool(
        count=arguments.workers, listener=listener, stop_s=limits.drain_s,
        on_ready=lambda: _report_address(context, arguments.host, port),
        shares_state=not context.settings.redis,
    )  # fmt: skip
    if code := pool.run():
        raise SystemExit(code)


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
