"""`simonides mcp`: the server on standard input and output, for one client and one space.

The SDK's own reader waits for a line in a thread that nothing can end, so that Ctrl-C would be
heard only with the next line, and drops what it was asked when the input ends. This one does
neither. Must not know what is asked.
"""

import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from simonides.errors import InvalidInput
from simonides.mcp.caller import ToolCaller
from simonides.mcp.server import make_server
from simonides.mcp.stdin_lines import LINE_BYTES_MAX, lines

LOG = logging.getLogger("simonides.mcp")

LAST_ANSWERS_S = 30.0
"""How long the end of the input waits for the answers to what was asked before it."""

_NO_MESSAGE = types.JSONRPCError(
    jsonrpc="2.0", id=None,
    error=types.ErrorData(
        code=types.PARSE_ERROR,
        message=f"a line holds one message of JSON-RPC, of at most {LINE_BYTES_MAX >> 20} MiB",
    ),
)  # fmt: skip

Came = SessionMessage | Exception
"""A message, or why a line was none."""


def serve(guest: ToolCaller) -> None:
    """Answer until the client closes standard input; nothing else may be written to the output.

    What was asked before the end is still answered. A client that reads no more ends it as well.

    Raises:
        InvalidInput: There is no standard input or output.
    """
    if sys.stdin is None or sys.stdout is None:
        problem = "is closed: a client starts this program and speaks to it there"
        raise InvalidInput("standard input or output", problem)
    try:
        anyio.run(_serve, guest)
    except* BrokenPipeError:
        LOG.info("the client has gone")


async def _serve(guest: ToolCaller) -> None:
    def always(_: Any) -> ToolCaller:
        return guest

    server = make_server(always)
    given: Any = lines(sys.stdin.fileno())  # an `AsyncFile`, of which nothing else is used
    async with (
        stdio_server(stdin=given) as (incoming, outgoing),
        until_answered(incoming, outgoing) as (asked, told),
    ):
        await server.run(asked, told, server.create_initialization_options())


@asynccontextmanager
async def until_answered(
    incoming: Any, outgoing: Any
) -> AsyncIterator[tuple[MemoryObjectReceiveStream[Came], MemoryObjectSendStream[SessionMessage]]]:
    """Give two streams to be served, whose input ends only when what it asked is answered.

    What is no message at all is answered as JSON-RPC wants it, by an error without an id.
    """
    asking, asked = anyio.create_memory_object_stream[Came]()
    told, telling = anyio.create_memory_object_stream[SessionMessage]()
    waiting = _Waiting()

    async def ask() -> None:
        async with asking:
            async for came in incoming:
                if isinstance(came, Exception):
                    await outgoing.send(SessionMessage(_NO_MESSAGE))
                    continue
                waiting.asked(came.message)
                await asking.send(came)
            with anyio.move_on_after(LAST_ANSWERS_S):
                await waiting.none()

    async def tell() -> None:
        async with telling, outgoing:
            async for message in telling:
                await outgoing.send(message)
                waiting.told(message.message)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        tasks.start_soon(tell)
        yield asked, told


class _Waiting:
    """The requests that wait for their answers."""

    def __init__(self) -> None:
        self._ids: set[Any] = set()
        self._changed = anyio.Event()

    def asked(self, message: Any) -> None:
        """Take note of a request; one that is cancelled is never answered."""
        if isinstance(message, types.JSONRPCRequest):
            self._ids.add(message.id)
        elif getattr(message, "method", "") == "notifications/cancelled":
            self._gone((message.params or {}).get("requestId"))

    def told(self, message: Any) -> None:
        """Take note of an answer."""
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._gone(message.id)

    async def none(self) -> None:
        """Wait until there are none."""
        while self._ids:
            await self._changed.wait()

    def _gone(self, request_id: Any) -> None:
        if isinstance(request_id, str | int):
            self._ids.discard(request_id)
        self._changed.set()
        self._changed = anyio.Event()
