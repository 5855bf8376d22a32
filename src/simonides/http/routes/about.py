"""`/v1/version`, `/health/…`, `/metrics`: how the server itself is."""

from typing import Any

from starlette.responses import Response

from simonides.http.callers import caller_of, check_allowed, is_here
from simonides.http.limits import LOOPBACK
from simonides.http.metrics import MEDIA
from simonides.http.problems import Refused
from simonides.http.route import Call, Route, Way
from simonides.http.schema import record, text
from simonides.model.access import Permission
from simonides.version import __version__

FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
"""Headers that a proxy adds to what it hands on."""


def version(_call: Call) -> Any:
    """Return the version of the engine."""
    return {"version": __version__}


async def live(_call: Call) -> Response:
    """Answer: the process is there."""
    return Response(b'{"status": "live"}', media_type="application/json")


def ready(call: Call) -> Any:
    """Answer once spaces can be read and keys looked up."""
    if call.server.is_stopping:
        raise Refused(503, "the server is stopping", retry_s=1.0)
    call.memory.spaces()
    call.memory.keys.exist()
    return {"status": "ready"}


async def metrics(call: Call) -> Response:
    """Return the counts of the server, to who is on this machine or may administer."""
    if not _is_local(call):
        caller = caller_of(call.request.headers, memory=call.memory, space=call.server.space)
        check_allowed(caller, Permission.ADMIN)
    return Response(call.server.metrics.text(), media_type=MEDIA)


def _is_local(call: Call) -> bool:
    """Return whether a program on this machine asks, and asks for this machine.

    The name that it asks for, and what proxies add, keep out what one on this machine hands on.
    """
    client = call.request.client.host if call.request.client else ""
    if any(call.header(name) for name in FORWARDED):
        return False
    return bool(client) and is_here(client) and (call.request.url.hostname or "") in LOOPBACK


ROUTES = (
    Route(
        method="GET", path="/v1/version", verb="version", tag="server", run=version,
        told="Return the version of the engine.", permission=None,
        answers={200: record(version=str)},
    ),
    Route(
        method="GET", path="/health/live", verb="live", tag="server", run=live, way=Way.ASYNC,
        told="Answer as long as the process is there.", permission=None,
        answers={200: record(status=str)},
    ),
    Route(
        method="GET", path="/health/ready", verb="ready", tag="server", run=ready,
        told="Answer once spaces can be read.", permission=None,
        answers={200: record(status=str)},
    ),
    Route(
        method="GET", path="/metrics", verb="metrics", tag="server", run=metrics, way=Way.ASYNC,
        told="Return counts for Prometheus: on this machine, or with `admin`.", permission=None,
        answers={200: text()}, media="text/plain", problems=(401, 403),
    ),
)  # fmt: skip
