"""The step that has a server in this process take an upload in and import it.

Calls the application as a server would (ASGI), without sockets. The import runs in a thread of this
process instead of a process of its own: only here is each change of a file recorded. Knows the
routes of imports. Must not know how a server keeps an upload.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from simonides.api.memory import Opening
from simonides.config import Settings
from simonides.errors import SimonidesError, StoreError
from simonides_bench.crash.whole.facts import HOME, OUT, Facts, open_memory
from simonides_bench.crash.whole.steps import Plain

if TYPE_CHECKING:
    from simonides.api.memory import Memory
    from simonides.http.import_process import End, Hear, Order
    from simonides.http.state import Server

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
        answer = asyncio.run(asyncio.wait_for(_upload(root, root / OUT / self.name), _DEADLINE_S))
        if answer.get("state") == "done":
            return ""
        if "unexpected" in (answer.get("code"), answer.get("title")):
            raise RuntimeError(f"the server answered unexpectedly: {answer}")
        raise StoreError(f"the upload or its import was refused: {answer}")

    def after(self, facts: Facts, result: str) -> Facts:  # noqa: ARG002  others need it
        """The items are there."""
        return facts.with_items(self.items)


async def _upload(root: Path, file: Path) -> dict[str, Any]:
    """Return the status of an import that has ended, or the problem of a refused upload."""
    from simonides.http.app import make_app

    app = make_app(_server(root))
    async with _running(app):
        answer = await _ask(app, "POST", "/v1/imports", _form(file))
        while "id" in answer and answer["state"] not in _ENDED:
            await asyncio.sleep(0.01)
            answer = await _ask(app, "GET", f"/v1/imports/{answer['id']}")
    return answer


def _server(root: Path) -> "Server":
    """Return a server over the home whose imports run in this process."""
    from simonides.http.app import make_server
    from simonides.http.imports import Imports

    uploads = root / HOME / "uploads"
    server = make_server(open_memory(root), uploads=uploads)
    server.imports = Imports(
        cast("Memory", _Named(root)), uploads=uploads, limits=server.limits, shared=server.shared,
        start=lambda order: _ImportHere(root, order),
    )  # fmt: skip
    return server


class _Named:
    """Stands for the memory of the trial where a process has to open it."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def in_space(self, space: str, *, shared: object = None) -> "_Named":  # noqa: ARG002  one
        return self

    @property
    def opening(self) -> Opening:
        return Opening(home=str(self._root / HOME), space="", settings=Settings())

    def erasure_mark(self) -> str:
        """Return none: no trial asks for an import of before an erasure."""
        return ""


class _ImportHere:
    """One import, in the thread that listens to it."""

    def __init__(self, root: Path, order: "Order") -> None:
        self._root = root
        self._order = order

    def listen(self, hear: "Hear") -> "End":  # noqa: ARG002  its end is enough
        """Run the import, and return its report or its failure."""
        from simonides.http.import_process import Failure

        path, asked = self._order.path, self._order.asked
        try:
            with open_memory(self._root) as memory:
                return memory.import_(path, source=asked.source, trust=asked.trust)
        except SimonidesError as error:
            return Failure(code=error.code, detail=str(error))
        except Exception as error:  # noqa: BLE001  whatever escapes is what is looked for
            return Failure(code="unexpected", detail=repr(error))

    def kill(self) -> None:
        """Do nothing: a thread cannot be killed, and the trial waits for its end."""


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


async def _ask(app: App, method: str, path: str, body: bytes = b"") -> dict[str, Any]:
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
