"""What the endpoint answers, sent back as it comes: byte by byte, whatever it is.

A stream that breaks off says so in its own form, so that nobody takes a piece for the whole.
Must not know what was asked.
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import TYPE_CHECKING

from starlette.responses import Response

from simonides.errors import ModelError
from simonides.http.proxy.upstream import sent_back
from simonides.http.streaming import StreamedResponse
from simonides.http.streams import Streams
from simonides.models.chat import sse
from simonides.models.chat.openai import Completion
from simonides.models.http_client import Address

if TYPE_CHECKING:
    from httpx2 import Response as Answer

GATHERED_MAX = 4 << 20
"""Bytes of an answer that are looked at; a longer one goes through, and is not kept."""

WHOLE_BYTES_MAX = 32 << 20
"""Bytes of an answer that is no stream: an endless one would fill the memory."""

EVENTS = "text/event-stream"
_LINE_END = re.compile(r"\r\n|\n|\r")
"""What ends a line of a stream of events, and nothing else does."""


class Gathered:
    """The bytes of an answer, to be read once they are all there."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def add(self, piece: bytes) -> None:
        """Take a piece."""
        self._size += len(piece)
        if self._size <= GATHERED_MAX:
            self._pieces.append(piece)

    def said(self, *, streams: bool) -> str:
        """Return what the model says; empty unless it came to its end and calls no tool."""
        if self._size > GATHERED_MAX:
            return ""
        text = b"".join(self._pieces).decode("utf-8", "replace")
        gathering = Completion(model="", call_prefix="call")
        try:
            for data in sse.data_of(iter(_LINE_END.split(text))) if streams else (text,):
                if data.strip() == sse.DONE:
                    gathering.done()
                    break
                gathering.add(sse.json_object(data))
        except ModelError:
            return ""
        reply = gathering.reply()
        return reply.content if gathering.is_ended and not reply.tool_calls else ""


async def whole(answer: "Answer", where: Address, headers: Mapping[str, str]) -> Response:
    """Return an answer that is no stream, with its own status.

    Raises:
        ModelError: It broke off, or does not end.
    """
    from httpx2 import RequestError, StreamError

    try:
        body = await _read(answer, where)
    except (RequestError, StreamError) as error:
        told = where.redacted(str(error) or type(error).__name__)
        raise ModelError(f"{where.host} broke off in the middle of its answer: {told}") from error
    finally:
        await answer.aclose()
    return Response(body, answer.status_code, {**sent_back(answer.headers), **headers})


async def _read(answer: "Answer", where: Address) -> bytes:
    pieces, size = [], 0
    async for piece in answer.aiter_bytes():
        size += len(piece)
        if size > WHOLE_BYTES_MAX:
            told = f"answered with more than {WHOLE_BYTES_MAX >> 20} MiB"
            raise ModelError(f"{where.host} {told}; ask for less, or as a stream")
        pieces.append(piece)
    return b"".join(pieces)


class Relay(StreamedResponse):
    """An answer that is a stream; `on_end` is told what was said once it has ended, or broken."""

    def __init__(
        self, answer: "Answer", where: Address, headers: Mapping[str, str],
        *, streams: Streams, on_end: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._answer = answer
        self._where = where
        self._gathered = Gathered()
        super().__init__(
            self._pieces(), streams=streams, status_code=answer.status_code,
            on_end=lambda: on_end(self._gathered.said(streams=True)),
            headers={**sent_back(answer.headers), **headers, "X-Accel-Buffering": "no"},
        )  # fmt: skip

    async def release(self) -> None:
        """End the answer upstream as well."""
        await self._answer.aclose()

    async def _pieces(self) -> AsyncGenerator[bytes, None]:
        from httpx2 import RequestError, StreamError

        try:
            async for piece in self._answer.aiter_bytes():
                self._gathered.add(piece)
                yield piece
                await asyncio.sleep(0)  # many may have come at once: others have their turn
        except (RequestError, StreamError) as error:
            told = self._where.redacted(str(error) or type(error).__name__)
            yield _broken(f"{self._where.host} broke off in the middle of its answer: {told}")


def _broken(message: str) -> bytes:
    """Return an event that OpenAI's clients raise as an error."""
    error = {"message": message, "type": "upstream_error", "param": None, "code": ModelError.code}
    return f"\n\ndata: {json.dumps({'error': error})}\n\n".encode()
