"""Streamed answers: a thread writes bytes, the event loop sends them as fast as they are read.

A stream gives back what it holds (a thread, a read transaction, a file) the moment it ends, for
whatever reason: sent whole, client gone, cut off, server stopping, error. Must not know what the
bytes are.
"""

import asyncio
import io
import logging
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from simonides.http.threads import Threads

LOG = logging.getLogger("simonides.http")

PIECES_MAX = 8
"""Pieces that wait to be sent; the thread waits where there are more."""

PIECE_BYTES = 1 << 16

BEAT_S = 15.0
"""After so long without a word a comment is sent: it keeps proxies from hanging up."""

ABORT = "simonides.abort"
"""Names in an ASGI scope what ends its connection at once, whether its peer reads or not."""

TOO_MANY = "too many chats, exports and uploads run already; try again when some have ended"

LATE, STOPPING = "time", "stopping"
"""Why a stream was cut off: it took longer than it may, or the server stops."""


def half(size: int) -> int:
    """Return half of a limit as the share of one caller, to leave room for others."""
    return max(1, size // 2)


class Pipe(io.RawIOBase):
    """A byte stream from a thread to the event loop.

    Writing to it after the reader has gone raises `BrokenPipeError`, which ends the thread's work;
    a writer that waits for room is woken by it at once.
    """

    def __init__(self) -> None:
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self._pieces: asyncio.Queue[bytes | BaseException | None] = asyncio.Queue()
        self._room = threading.Semaphore(PIECES_MAX)
        self.is_left = False
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
            self.push()
        return len(data)

    def push(self) -> None:
        """Pass on the bytes that were gathered, and wait if the reader is behind.

        Raises:
            BrokenPipeError: The reader has gone.
        """
        piece, self._gathered = bytes(self._gathered), bytearray()
        if not piece:
            return
        if not self.is_left:
            self._room.acquire()
        if not self.is_left:
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._pieces.put_nowait, piece)
                return
        raise BrokenPipeError("nobody reads any more")

    def leave(self) -> None:
        """End the stream for the writer, because the reader has gone, and wake it."""
        self.is_left = True
        self._room.release()

    def end(self, writing: "asyncio.Future[Any]") -> None:
        """Tell the reader, on the loop, how the writer's work has ended."""
        self._pieces.put_nowait(None if writing.cancelled() else writing.exception())

    async def read_piece(self) -> bytes | None:
        """Return the next piece; None at the end.

        Raises:
            Exception: What ended the writer's work, after the last piece that was handed on.
        """
        piece = await self._pieces.get()
        self._room.release()
        if isinstance(piece, BaseException):
            raise piece
        return piece


class Streams(Threads):
    """The threads of streams, half of them of one caller at most, with a limit on their time.

    As many calls of one caller may wait as may run, for `wait_s` seconds. A stream that is sent for
    longer than `stream_s` is cut off; `count_cut_off` is called with the reason of each that is.
    """

    def __init__(
        self,
        size: int,
        *,
        wait_s: float,
        stream_s: float,
        count_cut_off: Callable[[str], object],
    ) -> None:
        super().__init__(
            size, each_max=half(size), waiting_each_max=half(size), wait_s=wait_s,
            refusal=TOO_MANY, name="stream",
        )  # fmt: skip
        self._stream_s = stream_s
        self._limits: set[asyncio.Timeout] = set()
        self.count_cut_off = count_cut_off

    @property
    def reason(self) -> str:
        """The reason for which a stream is cut off now."""
        return STOPPING if self._is_stopping else LATE

    @asynccontextmanager
    async def limit(self) -> AsyncIterator[None]:
        """Limit the time of a stream during a `with` block.

        Raises:
            TimeoutError: It took longer, or all streams are cut off; `reason` says which.
        """
        async with asyncio.timeout(0 if self._is_stopping else self._stream_s) as limit:
            self._limits.add(limit)
            try:
                yield
            finally:
                self._limits.discard(limit)

    def stop(self) -> None:
        """End every running stream, and refuse every other."""
        super().stop()
        for limit in self._limits:
            limit.reschedule(0)


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
            async with self._streams.limit():
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


async def stream(
    write: Callable[[Pipe], object],
    *,
    streams: Streams,
    caller: str,
    media_type: str,
    headers: Mapping[str, str] | None = None,
    beat: bytes = b"",
) -> StreamedResponse:
    """Return a response with the output of a thread, once its first bytes are there.

    The thread is one of those that `caller` may have. What is raised before the first bytes is
    raised here. `beat`, if there is one, is sent after `BEAT_S` without a word.

    Raises:
        Refused: Too many streams run or wait already.
    """
    pipe = Pipe()

    def work() -> None:
        write(pipe)
        pipe.push()

    writing = asyncio.ensure_future(streams.run(work, caller=caller))
    writing.add_done_callback(pipe.end)
    try:
        first = await pipe.read_piece()
    except BaseException:
        pipe.leave()
        writing.cancel()
        raise
    return StreamedResponse(
        _pieces(pipe, first, beat), streams=streams, on_end=pipe.leave, headers=headers,
        media_type=media_type,
    )  # fmt: skip


async def _pieces(pipe: Pipe, first: bytes | None, beat: bytes) -> AsyncGenerator[bytes, None]:
    piece = first
    while piece is not None:
        yield piece
        try:
            piece = await asyncio.wait_for(pipe.read_piece(), BEAT_S if beat else None)
        except TimeoutError:
            piece = beat


async def wait_for_disconnect(request: Request) -> None:
    """Wait until the caller disconnects: nothing else can follow the body."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
