"""Streamed answers: a thread writes bytes, the event loop sends them as fast as they are read.

A stream gives back what it holds (a thread, a read transaction, a file) the moment it ends, for
whatever reason: sent whole, client gone, cut off, server stopping, error. Must not know what the
bytes are.
"""

import asyncio
import io
import logging
import threading
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress
from typing import Any

import anyio
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from simonides.http.streams import Streams

LOG = logging.getLogger("simonides.http")

PIECES_MAX = 8
"""Pieces that wait to be sent; the thread waits where there are more."""

PIECE_BYTES = 1 << 16

ABORT = "simonides.abort"
"""Names in an ASGI scope what ends its connection at once, whether its peer reads or not."""

NOBODY_READS = "nobody reads any more"


class Pipe(io.RawIOBase):
    """A byte stream from a thread to the event loop.

    Writing to it after the reader has gone raises `BrokenPipeError`, which ends the thread's work;
    a writer that waits for room is woken by it at once.
    """

    def __init__(self) -> None:
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self._came = asyncio.Event()
        self._changed = threading.Condition()
        self._pieces: deque[bytes] = deque()
        self._is_left = False
        self._is_finished = False
        self._error: Exception | None = None
        self._gathered = bytearray()

    def writable(self) -> bool:
        """Return True: the stream can be written to."""
        return True

    def write(self, data: Any) -> int:
        """Pass bytes to the reader in larger pieces; wait if it is behind.

        Raises:
            BrokenPipeError: The reader has gone.
        """
        self._gathered += data
        if len(self._gathered) >= PIECE_BYTES:
            self._push()
        return len(data)

    def finish(self, error: Exception | None = None) -> None:
        """Pass on the remaining bytes and the end of the stream; or, at once, an error."""
        if error is None:
            with suppress(BrokenPipeError):
                self._push()
        with self._changed:
            self._is_finished, self._error = True, error
        self._wake_reader()

    def leave(self) -> None:
        """End the stream for the writer, because the reader has gone, and wake it."""
        with self._changed:
            self._is_left = True
            self._pieces.clear()
            self._changed.notify_all()

    async def read_piece(self) -> bytes | None:
        """Return the next piece; None at the end.

        Raises:
            Exception: What ended the writer's work, after the last piece that was handed on.
        """
        while True:
            self._came.clear()
            with self._changed:
                if self._pieces:
                    self._changed.notify_all()
                    return self._pieces.popleft()
                if self._is_finished or self._is_left:
                    break
            await self._came.wait()
        if self._error is not None:
            raise self._error
        return None

    def _push(self) -> None:
        piece, self._gathered = bytes(self._gathered), bytearray()
        if not piece:
            return
        with self._changed:
            while len(self._pieces) >= PIECES_MAX and not self._is_left:
                self._changed.wait()
            if self._is_left:
                raise BrokenPipeError(NOBODY_READS)
            self._pieces.append(piece)
        self._wake_reader()

    def _wake_reader(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._came.set)
        except RuntimeError:  # the loop is closed: nobody is left to read
            self.leave()


class StreamedResponse(StreamingResponse):
    """A streamed response; `on_end` is called once at its end, for whatever reason.

    It ends by itself, or because its client has gone, or after the limit of time of `streams`, or
    when these are cut off. A broken-off answer has no proper end in HTTP, so nobody takes it for
    whole.
    """

    def __init__(
        self,
        pieces: AsyncGenerator[bytes, None],
        *,
        streams: Streams,
        on_end: Callable[[], object],
        status_code: int = 200,
        headers: Mapping[str, str] | None = None,
        media_type: str | None = None,
    ) -> None:
        super().__init__(pieces, status_code, headers, media_type)
        self._made = pieces
        self._streams = streams
        self._on_end = on_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response."""
        try:
            async with self._streams.limited():
                await super().__call__(scope, receive, send)
        except TimeoutError:
            await self._break_off(scope, self._streams.reason)
        except Exception as error:  # noqa: BLE001  whatever broke it, an answer has begun
            await self._break_off(scope, "failed", error)
        finally:
            self._on_end()
            with anyio.CancelScope(shield=True):
                await self._made.aclose()
                await self.release()

    async def release(self) -> None:
        """Release further resources; none, unless a subclass has some."""

    async def _break_off(self, scope: Scope, reason: str, error: Exception | None = None) -> None:
        self._streams.count_cut_off(reason)
        kind = type(error).__name__ if error else ""
        LOG.warning("cut off", extra={"event": {"reason": reason, "error": kind}})
        if ABORT not in scope:
            raise error or ConnectionAbortedError(f"the answer was cut off: {reason}")
        scope[ABORT]()
        await asyncio.sleep(0)  # the connection notices before the caller asks what became of it


async def streamed(
    write: Callable[[Pipe], object],
    *,
    streams: Streams,
    key: str,
    media_type: str,
    headers: Mapping[str, str] | None = None,
) -> StreamedResponse:
    """Return a response with the output of a thread, once its first bytes are there.

    The thread is one of those that `key` may have. What is raised before the first bytes is raised
    here.

    Raises:
        Refused: Too many streams run or wait already.
    """
    pipe = Pipe()

    def work() -> None:
        try:
            write(pipe)
        except Exception as error:
            pipe.finish(error)
            raise
        pipe.finish()

    writing = asyncio.ensure_future(streams.run(work, key=key))
    writing.add_done_callback(seen)
    reading = asyncio.ensure_future(pipe.read_piece())
    try:
        await asyncio.wait({writing, reading}, return_when=asyncio.FIRST_COMPLETED)
        if not reading.done() and writing.done():
            writing.result()  # it was not even begun, or it wrote nothing: the reader knows soon
        first = await reading
    except BaseException:
        pipe.leave()
        reading.cancel()
        writing.cancel()
        raise
    return StreamedResponse(
        _pieces(pipe, first), streams=streams, on_end=pipe.leave, headers=headers,
        media_type=media_type,
    )  # fmt: skip


async def _pieces(pipe: Pipe, first: bytes | None) -> AsyncGenerator[bytes, None]:
    piece = first
    while piece is not None:
        yield piece
        piece = await pipe.read_piece()


def seen(task: "asyncio.Future[Any]") -> None:
    """Retrieve the exception of a task, which nobody else does after its stream is cut off.

    Else asyncio would write its error to the log, and with it what was asked.
    """
    if not task.cancelled():
        task.exception()
