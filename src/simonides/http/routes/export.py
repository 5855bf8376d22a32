"""`/v1/export`: everything that was kept in the key's space, as a stream."""

from collections.abc import AsyncIterator
from typing import Any, BinaryIO, cast

from starlette.responses import Response, StreamingResponse

from simonides.errors import NotFound
from simonides.http.route import Call, Route, Way
from simonides.http.schema import text
from simonides.http.streaming import Pipe, streamed

MEDIA = "application/x-ndjson"
SUFFIX = ".simonides.jsonl"


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
        return StreamingResponse(_nothing(), media_type=MEDIA, headers=headers)

    def write(pipe: Pipe) -> Any:
        return memory.export(cast("BinaryIO", pipe))

    return await streamed(
        write, streams=call.server.streams, key=call.who, media_type=MEDIA, headers=headers
    )


async def _nothing() -> AsyncIterator[bytes]:
    yield b""


ROUTES = (
    Route(
        method="GET", path="/v1/export", verb="export", tag="spaces", run=export, way=Way.ASYNC,
        told="Send everything that was kept in the space, every version, as JSON Lines.",
        answers={200: text()}, media=MEDIA, problems=(404,),
    ),
)  # fmt: skip
