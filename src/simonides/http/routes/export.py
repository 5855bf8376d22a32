"""`/v1/export`: everything that was kept in the key's space, as a stream."""

from typing import Any, BinaryIO, cast

from starlette.responses import Response, StreamingResponse

from simonides.http.route import Call, Route, Way
from simonides.http.schema import text
from simonides.http.streaming import Pipe, streamed

MEDIA = "application/x-ndjson"


async def export(call: Call) -> Response:
    """Send the space as it is exported: what is wrong before the first byte is told as ever."""
    memory = call.memory

    def write(pipe: Pipe) -> Any:
        return memory.export(cast("BinaryIO", pipe))

    pieces, _task = await streamed(write, threads=call.server.streams)
    name = f"{call.caller.space}.simonides.jsonl"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(pieces, media_type=MEDIA, headers=headers)


ROUTES = (
    Route(
        method="GET", path="/v1/export", verb="export", tag="spaces", run=export, way=Way.ASYNC,
        told="Send everything that was kept in the space, every version, as JSON Lines.",
        answers={200: text()}, media=MEDIA, problems=(404,),
    ),
)  # fmt: skip
