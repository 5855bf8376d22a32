"""`simonides mcp`: the server on standard input and output, for one client and one space.

The SDK's own reader waits for a line in a thread that nothing can end, so that Ctrl-C would be
heard only with the next line, and drops what it was asked when the input ends. This one does
neither. Must not know what is asked.
"""

import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import CancelledError
from contextlib import asynccontextmanager, contextmanager, suppress
from threading import Thread, current_thread, main_thread
from typing import Any

import anyio
import anyio.from_thread
import anyio.lowlevel
import mcp_types as types
from anyio.abc import TaskStatus
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from simonides.api.caller import Caller
from simonides.errors import InvalidInput
from simonides.mcp.server import make_server
from simonides.mcp.unreadable import LINE_BYTES_MAX, TOO_LONG, refuse_line

LOG = logging.getLogger("simonides.mcp")

PIECE_BYTES = 1 << 16

_LEFT = (anyio.BrokenResourceError, anyio.ClosedResourceError, CancelledError, RuntimeError)
"""What tells the thread that nobody asks any more."""

LAST_ANSWERS_S = 30.0
"""How long the end of the input waits for the answers to what was asked before it."""

Came = SessionMessage | Exception
"""A message, or why a line was none."""


def serve(guest: Caller, *, tools: str = "short") -> None:
    """Serve until the client closes standard input; nothing else may be written to the output.

    What was asked before the end is still answered. A client that reads no more ends it as well.
    `tools` is the name of the set of tools that is listed.

    Raises:
        InvalidInput: There is no standard input or output.
        KeyboardInterrupt: Ctrl-C ended it.
    """
    if sys.stdin is None or sys.stdout is None:
        problem = "is closed: a client starts this program and speaks to it there"
        raise InvalidInput("standard input or output", problem)
    was_interrupted = False
    try:
        was_interrupted = anyio.run(_serve_until_interrupted, guest, tools)
    except* BrokenPipeError:
        LOG.info("the client has gone")
    if was_interrupted:
        raise KeyboardInterrupt


async def _serve_until_interrupted(guest: Caller, tools: str) -> bool:
    """Serve to the end of the input, or to Ctrl-C; return whether it was Ctrl-C.

    The handler of `asyncio.run` does not wake a loop that begins to wait just then, and nothing
    else may ever come in; one that the loop itself installs does.
    """
    was_interrupted = False

    async def listen(*, task_status: TaskStatus[None]) -> None:
        nonlocal was_interrupted
        with anyio.open_signal_receiver(signal.SIGINT) as signals:
            task_status.started()
            async for _ in signals:
                was_interrupted = True
                tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        if _hears_ctrl_c():
            await tasks.start(listen)
        await _serve(guest, tools=tools)
        tasks.cancel_scope.cancel()
    return was_interrupted


def _hears_ctrl_c() -> bool:
    """Return whether Ctrl-C should be handled: not if the parent process ignores it."""
    if os.name != "posix" or current_thread() is not main_thread():
        return False
    return signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


async def _serve(guest: Caller, *, tools: str) -> None:
    def always(_: Any) -> Caller:
        return guest

    server = make_server(always, tools=tools)
    given: Any = lines(sys.stdin.fileno())  # an `AsyncFile`, of which nothing else is used
    with _own_output() as output:
        written: Any = output  # another
        async with (
            stdio_server(stdin=given, stdout=written) as (incoming, outgoing),
            until_answered(incoming, outgoing) as (asked, answers),
        ):
            await server.run(asked, answers, server.create_initialization_options())


@contextmanager
def _own_output() -> Iterator["_EscapedOutput"]:
    """Yield the standard output; what anything else prints goes to the standard error meanwhile."""
    descriptor = os.dup(1)
    with suppress(OSError):  # there is none
        os.dup2(2, 1)
    try:
        with open(descriptor, "w", encoding="utf-8", newline="\n", closefd=False) as file:
            yield _EscapedOutput(anyio.wrap_file(file))
    finally:
        os.dup2(descriptor, 1)
        os.close(descriptor)


class _EscapedOutput:
    """An output without the marks at which some clients split lines: U+2028 and U+2029."""

    def __init__(self, file: "anyio.AsyncFile[str]") -> None:
        self._file = file

    async def write(self, text: str) -> int:
        """Write a message, which is JSON: the marks stand in its texts alone."""
        escaped = text.replace("\u2028", r"\u2028").replace("\u2029", r"\u2029")
        return await self._file.write(escaped)

    async def flush(self) -> None:
        """Hand what was written to the client."""
        await self._file.flush()


@asynccontextmanager
async def until_answered(
    incoming: Any, outgoing: Any
) -> AsyncIterator[tuple[MemoryObjectReceiveStream[Came], MemoryObjectSendStream[SessionMessage]]]:
    """Yield two streams to serve; the input ends only once all requests are answered.

    What is no message at all is answered at once, by an error that says why.
    """
    asking, asked = anyio.create_memory_object_stream[Came]()
    answers, answering = anyio.create_memory_object_stream[SessionMessage]()
    waiting = _WaitingCall()

    async def ask() -> None:
        async with asking:
            async for came in incoming:
                if isinstance(came, Exception):
                    await outgoing.send(SessionMessage(refuse_line(came)))
                    continue
                waiting.register_request(came.message)
                await asking.send(came)
            with anyio.move_on_after(LAST_ANSWERS_S):
                await waiting.none()

    async def tell() -> None:
        async with answering, outgoing:
            async for message in answering:
                await outgoing.send(message)
                waiting.register_answer(message.message)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        tasks.start_soon(tell)
        yield asked, answers


class _WaitingCall:
    """The requests without an answer so far."""

    def __init__(self) -> None:
        self._ids: set[Any] = set()
        self._changed = anyio.Event()

    def register_request(self, message: Any) -> None:
        """Register a request; a cancelled one is never answered."""
        if isinstance(message, types.JSONRPCRequest):
            self._ids.add(message.id)
        elif getattr(message, "method", "") == "notifications/cancelled":
            self._forget((message.params or {}).get("requestId"))

    def register_answer(self, message: Any) -> None:
        """Register an answer."""
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._forget(message.id)

    async def none(self) -> None:
        """Wait until all requests are answered."""
        while self._ids:
            await self._changed.wait()

    def _forget(self, request_id: Any) -> None:
        if isinstance(request_id, str | int):
            self._ids.discard(request_id)
        self._changed.set()
        self._changed = anyio.Event()


async def lines(descriptor: int) -> AsyncIterator[str]:
    """Yield the lines of a descriptor as text, without their ends, with no read-ahead.

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
    """Return the next bytes; a broken terminal or pipe counts as the end."""
    try:
        return os.read(descriptor, PIECE_BYTES)
    except OSError:
        return b""
