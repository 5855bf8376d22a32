"""An ASGI application asked in this process: one request after the other, without a socket.

Knows ASGI. Must not know what the application does.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from simonides_bench.request_values import Sent

Message = MutableMapping[str, Any]
Application = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]],
    Awaitable[None],
]

ESCAPED = 599
"""Stands for an error that left the application, which a server would turn into a 500."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back."""

    status: int
    body: bytes

    def json(self) -> Any:
        """Return the body as JSON, or None where it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class Running:
    """An application that was started."""

    _app: Application

    async def ask(self, sent: Sent) -> Answer:
        """Return the answer to a request; an error that leaves the application is one, too."""
        status, parts = [ESCAPED], list[bytes]()
        has_ended = asyncio.Event()
        waiting = [{"type": "http.request", "body": sent.body, "more_body": False}]

        async def receive() -> Message:
            if waiting:
                return waiting.pop()
            await has_ended.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
            elif message["type"] == "http.response.body":
                parts.append(message.get("body", b""))

        try:
            await self._app(_scope(sent), receive, send)
        except Exception as error:  # noqa: BLE001  whatever escapes is what is looked for
            return Answer(status=ESCAPED, body=repr(error).encode(errors="replace"))
        finally:
            has_ended.set()
        return Answer(status=status[0], body=b"".join(parts))


def _scope(sent: Sent) -> Message:
    from urllib.parse import unquote

    headers = [(b"host", b"localhost"), *sent.headers]
    if sent.body and not any(name == b"content-type" for name, _ in sent.headers):
        headers.append((b"content-type", b"application/json"))
    return {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http",
        "method": sent.method, "path": unquote(sent.path), "raw_path": sent.path.encode(),
        "root_path": "", "query_string": sent.query, "headers": headers,
        "client": ("127.0.0.1", 1), "server": ("localhost", 80), "state": {},
    }  # fmt: skip


@asynccontextmanager
async def running(app: Application) -> AsyncIterator[Running]:
    """Start an application, and stop it at the end."""
    asked: asyncio.Queue[Message] = asyncio.Queue()
    answered: asyncio.Queue[Message] = asyncio.Queue()
    scope: Message = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}

    async def live() -> None:
        await app(scope, asked.get, answered.put)

    life = asyncio.create_task(live())
    await asked.put({"type": "lifespan.startup"})
    await answered.get()
    try:
        yield Running(app)
    finally:
        await asked.put({"type": "lifespan.shutdown"})
        await life
