"""Bytes that a thread makes and the event loop sends, piece by piece, as fast as they are read.

Must not know what the bytes are.
"""

import asyncio
import io
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

from simonides.http.threads import Threads

PIECES_MAX = 8
"""Pieces that wait to be sent; the thread waits where there are more."""

PIECE_BYTES = 1 << 16


class Pipe(io.RawIOBase):
    """A stream whose writer is a thread and whose reader is the event loop.

    Writing to it after the reader has gone raises `BrokenPipeError`, which ends the thread's work.
    """

    def __init__(self) -> None:
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self._pieces: asyncio.Queue[bytes | None] = asyncio.Queue(PIECES_MAX)
        self._is_left = False
        self._gathered = bytearray()
        self._ending: asyncio.Future[None] | None = None

    def writable(self) -> bool:
        """Return that it can be written to."""
        return True

    def write(self, data: Any) -> int:
        """Hand bytes to the reader, in pieces of some size; wait where it is behind."""
        self._gathered += data
        if len(self._gathered) >= PIECE_BYTES:
            self.push()
        return len(data)

    def push(self) -> None:
        """Hand on what is gathered."""
        piece, self._gathered = bytes(self._gathered), bytearray()
        if piece:
            self._put(piece)

    def finish(self) -> None:
        """Hand on what is gathered, and that nothing comes after it."""
        with suppress(BrokenPipeError, RuntimeError):
            self.push()
        with suppress(RuntimeError):  # the loop is closed; the end of work waits for nobody
            self._loop.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        self._ending = asyncio.ensure_future(self._pieces.put(None))

    def _put(self, piece: bytes | None) -> None:
        if self._is_left or self._loop.is_closed():
            raise BrokenPipeError("nobody reads any more")
        asyncio.run_coroutine_threadsafe(self._pieces.put(piece), self._loop).result()
        if self._is_left:
            raise BrokenPipeError("nobody reads any more")

    async def first(self) -> bytes | None:
        """Return the first piece, once there is one; None where nothing is written at all."""
        return await self._pieces.get()

    async def rest(self, first: bytes | None) -> AsyncIterator[bytes]:
        """Yield the pieces, `first` first."""
        piece = first
        try:
            while piece is not None:
                yield piece
                piece = await self._pieces.get()
        finally:
            self.leave()

    def leave(self) -> None:
        """Tell the writer that nobody reads any more, and let go of it where it waits."""
        self._is_left = True
        while not self._pieces.empty():
            self._pieces.get_nowait()


async def streamed(
    write: Callable[[Pipe], object], *, threads: Threads
) -> tuple[AsyncIterator[bytes], "asyncio.Task[object]"]:
    """Return what a thread writes, from the moment that its first bytes are there.

    What it raises before that is raised here. The task is to be kept until the stream has ended.
    """
    pipe = Pipe()

    def work() -> object:
        try:
            return write(pipe)
        finally:
            pipe.finish()

    task = asyncio.ensure_future(threads.run(work))
    first = asyncio.ensure_future(pipe.first())
    await asyncio.wait({task, first}, return_when=asyncio.FIRST_COMPLETED)
    if not first.done():  # it was not even begun
        first.cancel()
        await task
    piece = await first
    if piece is None:  # nothing was written: if something went wrong, it is raised here
        await task
    task.add_done_callback(seen)
    return pipe.rest(piece), task


def seen(task: "asyncio.Future[Any]") -> None:
    """Look at how a task ended: nobody else does once its stream is broken off.

    Else asyncio would write its error to the log, and with it what was asked.
    """
    if not task.cancelled():
        task.exception()
