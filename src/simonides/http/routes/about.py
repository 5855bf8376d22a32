"""The routes of the server itself, and of whole spaces: their names, exports and backups."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

from starlette.responses import Response, StreamingResponse

from simonides.api.operations.remote import spaces as readable_spaces
from simonides.codec.schema import array, record, text
from simonides.errors import NotFound
from simonides.http.errors import RequestRefused
from simonides.http.route import Call, Route, Way, route_of
from simonides.http.streaming import PIECE_BYTES, Pipe, stream
from simonides.http.telemetry import MEDIA
from simonides.model.access import Permission
from simonides.version import __version__

NDJSON = "application/x-ndjson"
SUFFIX = ".simonides.jsonl"
SQLITE = "application/vnd.sqlite3"
BACKUP_SUFFIX = ".backup.sqlite3"


def version(_call: Call) -> Any:
    """Return the version of the engine."""
    return {"version": __version__}


async def live(_call: Call) -> Response:
    """Return the answer of a running process."""
    return Response(b'{"status": "live"}', media_type="application/json")


def ready(call: Call) -> Any:
    """Return the answer of a server that can read spaces and look up keys."""
    if call.server.is_draining:
        raise RequestRefused(503, "the server is stopping", retry_s=1.0)
    call.memory.spaces()
    call.memory.keys.exist()
    return {"status": "ready", "working_memory": call.server.shared.sharing.value}


async def metrics(call: Call) -> Response:
    """Return the metrics of the server."""
    return Response(call.server.metrics.text(), media_type=MEDIA)


def spaces(call: Call) -> Any:
    """Return the spaces that this key may read; with `admin`, the names of all spaces."""
    caller = call.caller
    sees_all = caller.allows(Permission.ADMIN)
    return readable_spaces(call.memory, shared=caller.shared, sees_all=sees_all)


async def export(call: Call) -> Response:
    """Send the export of the space."""
    return await _download(
        call, lambda pipe: call.memory.export(cast("BinaryIO", pipe)), suffix=SUFFIX
    )


async def backup(call: Call) -> Response:
    """Send a copy of the space's file, which is made while others use it."""

    def write(pipe: Pipe) -> None:
        folder = call.server.imports.folder()
        try:
            copied = folder / f"{call.caller.space}{BACKUP_SUFFIX}"
            call.memory.backup(copied)
            _send(copied, pipe)
        finally:
            call.server.imports.remove(folder)

    return await _download(call, write, suffix=BACKUP_SUFFIX)


def _send(file: Path, pipe: Pipe) -> None:
    with file.open("rb") as source:  # a copy that nothing else in this process has open
        while piece := source.read(PIECE_BYTES):
            pipe.write(piece)


async def _download(call: Call, write: Callable[[Pipe], object], *, suffix: str) -> Response:
    """Return the response of a download; an error before its first byte is a problem.

    A HEAD request gets the same headers; nothing is read for it.
    """
    memory, media = call.memory, call.route.media
    headers = {"Content-Disposition": f'attachment; filename="{call.caller.space}{suffix}"'}
    if call.request.method == "HEAD":
        if memory.space not in await call.server.threads.run(memory.spaces, caller=call.who):
            raise NotFound("space", memory.space)
        return StreamingResponse(_nothing(), media_type=media, headers=headers)
    return await stream(
        write, streams=call.server.streams, caller=call.who, media_type=media, headers=headers
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
        method="GET", path="/v1/backup", verb="backup", tag="spaces", run=backup, way=Way.ASYNC,
        summary="Send a copy of the file of the space, to be kept as a backup.",
        permission=Permission.ADMIN, answers={200: text()}, media=SQLITE, problems=(404,),
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
        answers={200: record(status=str, working_memory=str)},
    ),
    Route(
        method="GET", path="/metrics", verb="metrics", tag="server", run=metrics, way=Way.ASYNC,
        summary="Return metrics for Prometheus.", permission=Permission.METRICS,
        answers={200: text()}, media="text/plain",
    ),
)  # fmt: skip
