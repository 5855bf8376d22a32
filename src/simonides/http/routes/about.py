"""`/v1/version`, `/health/…`, `/metrics`: how the server itself is."""

from typing import Any

from starlette.responses import Response

from simonides.http.errors import RequestRefused
from simonides.http.metrics import MEDIA
from simonides.http.route import Call, Route, Way
from simonides.http.schema import record, text
from simonides.model.access import Permission
from simonides.version import __version__


def version(_call: Call) -> Any:
    """Return the version of the engine."""
    return {"version": __version__}


async def live(_call: Call) -> Response:
    """Answer: the process is there."""
    return Response(b'{"status": "live"}', media_type="application/json")


def ready(call: Call) -> Any:
    """Answer once spaces can be read and keys looked up."""
    if call.server.is_stopping:
        raise RequestRefused(503, "the server is stopping", retry_s=1.0)
    call.memory.spaces()
    call.memory.keys.exist()
    return {"status": "ready"}


async def metrics(call: Call) -> Response:
    """Return the counts of the server."""
    return Response(call.server.metrics.text(), media_type=MEDIA)


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
        told="Return counts for Prometheus.", permission=Permission.METRICS,
        answers={200: text()}, media="text/plain",
    ),
)  # fmt: skip
