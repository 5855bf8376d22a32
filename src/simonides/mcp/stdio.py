"""`simonides mcp`: the server on standard input and output, for one client and one space."""

from typing import Any

import anyio
from mcp.server.stdio import stdio_server

from simonides.mcp.guest import Guest
from simonides.mcp.server import make_server


def serve(guest: Guest) -> None:
    """Answer until the client closes standard input; nothing else may be written to the output."""
    anyio.run(_serve, guest)


async def _serve(guest: Guest) -> None:
    def always(_: Any) -> Guest:
        return guest

    server = make_server(always)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
