"""A memory asked by the official client in this process, as whoever may do this or that."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import pytest
from mcp import Client

from simonides import Memory, Settings
from simonides.mcp.server import make_server
from simonides.mcp.tool import ToolHost
from simonides.model.access import Permission

NOW = datetime(2026, 3, 6, 15, 30, tzinfo=UTC)
SETTINGS = Settings(embedder="none", timezone="UTC", durability="relaxed", compaction_threshold=0)

Answer = TypeVar("Answer")


class Visitor(ToolHost):
    """Somebody who may do only so much, and whose calls are noted."""

    def __init__(self, memory: Memory, *allowed: Permission) -> None:
        super().__init__(memory, now=lambda: NOW)
        self.allowed = allowed or tuple(Permission)
        self.noted: list[tuple[str, Permission, int, int]] = []
        self.announced: list[str] = []

    def allows(self, permission: Permission) -> bool:
        return permission in self.allowed

    def announce(self, verb: str) -> None:
        assert not self.noted
        self.announced.append(verb)

    def note(self, verb: str, *, permission: Permission, status: int, count: int) -> None:
        self.noted.append((verb, permission, status, count))


class Desk:
    """Asks one memory's server as a client does."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.visitor = Visitor(memory)
        self.tools = "short"

    def asked(self, work: Callable[[Client], Awaitable[Answer]]) -> Answer:
        """Return what a piece of work with a client returns."""

        async def run() -> Answer:
            async with Client(make_server(lambda _: self.visitor, tools=self.tools)) as client:
                return await work(client)

        return asyncio.run(run())

    def call(self, name: str, /, **arguments: Any) -> Any:
        """Return what a tool answers, whole."""
        return self.asked(lambda client: client.call_tool(name, arguments))

    def answer(self, name: str, /, **arguments: Any) -> Any:
        """Return the structured content of a success."""
        got = self.call(name, **arguments)

        assert not got.is_error, got.content[0].text
        return got.structured_content

    def text(self, name: str, /, **arguments: Any) -> str:
        """Return the text of a success."""
        got = self.call(name, **arguments)

        assert not got.is_error, got.content[0].text
        text: str = got.content[0].text
        return text

    def error(self, name: str, /, **arguments: Any) -> Any:
        """Return the error that a tool tells; text and structure say the same, and no trace."""
        got = self.call(name, **arguments)
        text = got.content[0].text

        assert got.is_error
        reported = got.structured_content["error"]
        assert text == f"{reported['code']}: {reported['message']}"
        assert "Traceback" not in text
        assert ".py" not in text
        return reported


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """An empty memory, and a client of its server."""
    with Memory(tmp_path / "home", settings=SETTINGS, clock=lambda: NOW) as memory:
        yield Desk(memory)
