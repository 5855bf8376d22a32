"""The step that has a server in this process take an upload in and import it.

Calls the application as a server would (ASGI), without sockets. Knows the routes of imports. Must
not know how a server keeps an upload. The import itself runs in this process, not in one of its
own: its changes are to be seen, and another process would not know the embedder.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from simonides.bench.crash.whole.facts import HOME, OUT, Facts, opened
from simonides.bench.crash.whole.steps import Plain
from simonides.engine.memory import Memory
from simonides.engine.opening import Opening
from simonides.errors import SimonidesError, StoreError

if TYPE_CHECKING:
    from simonides.http.import_process import Order, Told

_DEADLINE_S = 60.0
_BOUNDARY = "simonides-bench-boundary"
_ENDED = ("done", "failed", "cancelled")
_MEDIA = f"multipart/form-data; boundary={_BOUNDARY}"

App = Any
"""An ASGI application."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload(Plain):
    """Uploads an export that lies outside the home, and waits until it is imported.

    `items` are those that it adds.
    """

    name: str
    items: Mapping[str, str]

    def do(self, root: Path) -> str:
        """Start, upload, wait, and shut down.

        Raises:
            StoreError: The upload was refused, or the import failed.
        """
        told = asyncio.run(asyncio.wait_for(_uploaded(root, root / OUT / self.name), _DEADLINE_S))
        if told.get("state") == "done":
            return ""
        if "unexpected" in (told.get("code"), told.get("title")):
            raise RuntimeError(f"the server told a surprise: {told}")
        raise StoreError(f"the upload or its import was refused: {told}")

    def after(self, facts: Facts, told: str) -> Facts:  # noqa: ARG002  others need it
        """The items are there."""
        return facts.with_items(self.items)


async def _uploaded(root: Path, file: Path) -> dict[str, Any]:
    """Return what is told of an import once it has ended, or of an upload that was refused."""
    from simonides.http.app import make_app, make_server
    from simonides.http.imports import Imports

    memory = opened(root)
    server = make_server(memory, uploads=root / HOME / "uploads")
    server.imports = Imports(
        cast("Memory", _Here(memory)), uploads=server.uploads, start=partial(_Import, memory),
        running_max=1, waiting_max=1, yield_s=_DEADLINE_S, clock=time.monotonic,
    )  # fmt: skip
    app = make_app(server)
    async with _running(app):
        told = await _asked(app, "POST", "/v1/imports", _form(file))
        while "id" in told and told["state"] not in _ENDED:
            await asyncio.sleep(0.01)
            told = await _asked(app, "GET", f"/v1/imports/{told['id']}")
    return told


@dataclass(frozen=True, slots=True)
class _Here:
    """A memory that is opened again by nobody."""

    memory: Memory

    def in_space(self, space: str) -> "_Here":
        """Return the same for a space."""
        return _Here(self.memory.in_space(space))

    @property
    def opening(self) -> Opening:
        """Whose space it is: nobody opens it by this."""
        return Opening(home="", space=self.memory.space, settings=self.memory.settings)


@dataclass(frozen=True, slots=True)
class _Import:
    """An import in this process."""

    memory: Memory
    order: "Order"

    def listen(self, hear: "Callable[[Told], None]") -> None:
        """Import, and tell the report or what failed."""
        from simonides.http.import_process import Failure

        try:
            report = self.memory.in_space(self.order.opening.space).import_(
                self.order.path, source=self.order.source, trust=self.order.trust, on_progress=hear
            )
        except SimonidesError as error:
            hear(Failure(code=error.code, detail=str(error)))
        else:
            hear(report)

    def kill(self) -> None:
        """Let it end: it is short."""


@asynccontextmanager
async def _running(app: App) -> AsyncIterator[None]:
    """Start an application and shut it down, as its server does."""
    events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    said: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    task = asyncio.ensure_future(app({"type": "lifespan"}, events.get, said.put))
    await events.put({"type": "lifespan.startup"})
    await said.get()
    try:
        yield
    finally:
        await events.put({"type": "lifespan.shutdown"})
        await task


def _form(file: Path) -> bytes:
    head = (
        f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{file.name}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    return head.encode() + file.read_bytes() + f"\r\n--{_BOUNDARY}--\r\n".encode()


async def _asked(app: App, method: str, path: str, body: bytes = b"") -> dict[str, Any]:
    """Return the JSON of one answer."""
    pieces: list[bytes] = []
    requests = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        return requests.pop() if requests else await asyncio.Future()

    async def send(event: Mapping[str, Any]) -> None:
        pieces.append(event.get("body", b""))

    await app(_scope(method, path, len(body)), receive, send)
    answer: dict[str, Any] = json.loads(b"".join(pieces))
    return answer


def _scope(method: str, path: str, size: int) -> dict[str, Any]:
    headers = [(b"host", b"localhost")]
    if size:
        headers += [(b"content-type", _MEDIA.encode()), (b"content-length", str(size).encode())]
    return {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
        "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": b"",
        "root_path": "", "headers": headers, "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
    }  # fmt: skip
