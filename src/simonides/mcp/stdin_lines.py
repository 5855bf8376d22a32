"""The lines of a file descriptor, read by a thread that nobody has to wait for.

Knows bytes. Must not know what stands in a line.
"""

import os
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from threading import Thread

import anyio
import anyio.from_thread
import anyio.lowlevel

LINE_BYTES_MAX = 8 << 20
"""Bytes of a line: as many as the body of a request over HTTP may have."""

TOO_LONG = b"?"
"""Stands for a longer one."""

PIECE_BYTES = 1 << 16

_LEFT = (anyio.BrokenResourceError, anyio.ClosedResourceError, CancelledError, RuntimeError)
"""What tells the thread that nobody asks any more."""


async def lines(descriptor: int) -> AsyncIterator[str]:
    """Yield the lines of a descriptor as text, without their ends; none is read far ahead.

    What is no UTF-8 is replaced, and blank lines are left out. In the place of a line that is too
    long comes `TOO_LONG`. Whoever stops asking leaves the thread where it is: it ends with the
    program.
    """
    sending, receiving = anyio.create_memory_object_stream[bytes]()
    token = anyio.lowlevel.current_token()

    def read() -> None:
        with suppress(*_LEFT):
            for line in lines_of(descriptor):
                anyio.from_thread.run(sending.send, line, token=token)
            anyio.from_thread.run(sending.aclose, token=token)

    Thread(target=read, name="simonides-mcp-lines", daemon=True).start()
    with sending, receiving:
        async for line in receiving:
            if line.strip():
                yield line.decode("utf-8", "replace")


def lines_of(descriptor: int, *, bytes_max: int = LINE_BYTES_MAX) -> Iterator[bytes]:
    """Yield the lines of a descriptor, the last one with or without its end."""
    begun, size = list[bytes](), 0
    while piece := _read(descriptor):
        *ended, rest = piece.split(b"\n")
        for last in ended:
            yield b"".join((*begun, last)) if size + len(last) <= bytes_max else TOO_LONG
            begun, size = [], 0
        size += len(rest)
        begun = [*begun, rest] if size <= bytes_max else []
    if size:
        yield b"".join(begun) if size <= bytes_max else TOO_LONG


def _read(descriptor: int) -> bytes:
    """Return what comes next; a terminal or pipe that breaks has ended."""
    try:
        return os.read(descriptor, PIECE_BYTES)
    except OSError:
        return b""
