"""Routes of the server itself, and of the key's space as a whole: its name and its export."""

from collections.abc import AsyncIterator
from typing import Any, BinaryIO, cast

from starlette.responses import Response, StreamingResponse

from simonides.codec.schema import array, record, text
from simonides.errors import NotFound
from simonides.http.errors import RequestRefused
from simonides.http.route import Call, Route, Way, route_of
from simonides.http.streaming import Pipe, streamed
from simonides.http.telemetry import MEDIA
from simonides.model.access import Permission
from simonides.version import __version__

NDJSON = "application/x-ndjson"
SUFFIX = ".simonides.jsonl"


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


def spaces(call: Call) -> Any:
    """Return the spaces that this key may read; with `admin`, the names of all that there are."""
    caller = call.caller
    own = [caller.space, *caller.shared]
    names = call.memory.spaces() if caller.allows(Permission.ADMIN) else ()
    return {"space": caller.space, "spaces": sorted({*own, *names})}


async def export(call: Call) -> Response:
    """Send the space as it is exported: what is wrong before the first byte is told as ever.

    Whoever asks for the head alone is told the same head; nothing is read for it.
    """
    memory = call.memory
    name = f"{call.caller.space}{SUFFIX}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    if call.request.method == "HEAD":
        if memory.space not in await call.server.threads.run(memory.spaces, caller=call.who):
            raise NotFound("space", memory.space)
        return StreamingResponse(_nothing(), media_type=NDJSON, headers=headers)

    def write(pipe: Pipe) -> Any:
        return memory.export(cast("BinaryIO", pipe))

    return await streamed(
        write, streams=call.server.streams, key=call.who, media_type=NDJSON, headers=headers
    )


async def _nothing() -> AsyncIterator[bytes]:
    yield b""


OF_OPERATIONS = (
    route_of(
        "spaces", run=spaces,
        summary="Return the space of the key, and the other spaces it may read.",
        answers={200: record(space=str, spaces=array(str))},
    ),
)  # fmt: skip

ROUTES = (
    Route(
        method="GET", path="/v1/export", verb="export", tag="spaces", run=export, way=Way.ASYNC,
        summary="Export all data of the space, every version, as JSON Lines.",
        answers={200: text()}, media=NDJSON, problems=(404,),
    ),
    Route(
        method="GET", path="/v1/version", verb="version", tag="server", run=version,
        summary="Return the version of the engine.", permission=None,
        answers={200: record(version=str)},
    ),
    Route(
        method="GET", path="/health/live", verb="live", tag="server", run=live, way=Way.ASYNC,
        summary="Answer while the process is running.", permission=None,
        answers={200: record(status=str)},
    ),
    Route(
        method="GET", path="/health/ready", verb="ready", tag="server", run=ready,
        summary="Answer once spaces can be read.", permission=None,
        answers={200: record(status=str)},
    ),
    Route(
        method="GET", path="/metrics", verb="metrics", tag="server", run=metrics, way=Way.ASYNC,
        summary="Return metrics for Prometheus.", permission=Permission.METRICS,
        answers={200: text()}, media="text/plain",
    ),
)  # fmt: skip
