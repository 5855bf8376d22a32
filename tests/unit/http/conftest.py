"""A server on a thrown-away home, asked in this process: no socket, and a clock of its own."""

import asyncio
import functools
import json
import queue
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol
from unittest import mock

import httpx2
import pytest
from starlette.testclient import TestClient

from simonides import Memory, Settings
from simonides.http import server as server_module
from simonides.http.app import make_app, make_server
from simonides.http.limits import Limits
from simonides.http.server import serve
from simonides.http.state import Server

URL = "http://localhost:8321"
START = datetime(2026, 3, 6, 15, 30, tzinfo=UTC)
SETTINGS = Settings(embedder="none", timezone="UTC", durability="relaxed", compaction_threshold=0)


class Site:
    """One server and ways to ask it."""

    def __init__(self, server: Server, client: TestClient, at: list[datetime]) -> None:
        self.server = server
        self.memory = server.memory
        self.client = client
        self._at = at

    def pass_time(self, step: timedelta) -> None:
        """Have the clock of the memory and of the server go on."""
        self._at[0] += step

    def add(self, *texts: str, space: str = "default") -> list[str]:
        """Keep texts in a space without asking the server, and return their ids."""
        return [one.id for one in self.memory.in_space(space).add(texts)]

    def key(self, space: str, *permissions: str, **more: Any) -> str:
        """Make a key and return it whole."""
        allowed = permissions or ("read", "write")
        return self.memory.keys.create(space=space, permissions=allowed, **more).key

    def ask(
        self, method: str, path: str, body: Any = None, *, key: str = "", **more: Any
    ) -> httpx2.Response:
        """Send one request, its body as JSON."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        headers |= more.pop("headers", {})
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
            more["content"] = body if isinstance(body, bytes) else json.dumps(body)
        return self.client.request(method, path, headers=headers, **more)

    def answer(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        """Return what is answered; it must be a success."""
        got = self.ask(method, path, body, **more)

        assert got.status_code < 300, got.text
        return got.json()

    def problem(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        """Return the problem that is answered, checked for its form."""
        got = self.ask(method, path, body, **more)

        response = got.json()
        if path.startswith("/openai/"):
            error = response["error"]
            return {
                "status": got.status_code, "code": error["code"], "detail": error["message"]
            }  # fmt: skip
        assert got.headers["content-type"] == "application/problem+json"
        assert response["status"] == got.status_code >= 400
        assert response["type"] == f"urn:simonides:problem:{response['code']}"
        assert response["request_id"] == got.headers["x-request-id"]
        return response


@contextmanager
def site_at(home: Path, **limits: Any) -> Iterator[Site]:
    """Give a server on a home, started and stopped."""
    at = [START]
    memory = Memory(home, settings=SETTINGS, clock=lambda: at[0])
    server = make_server(memory, uploads=home / "uploads", limits=Limits(**limits))
    server.now = lambda: at[0]
    with TestClient(
        make_app(server), base_url=URL, client=("127.0.0.1", 5000)
    ) as client:  # fmt: skip
        yield Site(server, client, at)


class OpenSite(Protocol):
    """Gives a server with limits of a test's own."""

    def __call__(self, **limits: Any) -> AbstractContextManager[Site]:
        """Return the server, to be entered."""
        ...


@pytest.fixture
def open_site(tmp_path: Path) -> OpenSite:
    """Starts servers, one after the other, on one home."""
    return functools.partial(site_at, tmp_path / "home")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A server without keys: who asks works on the space `default`."""
    with site_at(tmp_path / "home") as made:
        yield made


WAIT_S = 30.0


class Live:
    """A server on a real socket, in a thread of this process."""

    def __init__(self, home: Path, **limits: Any) -> None:
        made: queue.Queue[Any] = queue.Queue()
        ports: queue.Queue[int] = queue.Queue()
        plain = server_module._Uvicorn

        class Seen(plain):  # type: ignore[valid-type,misc]  # the class is a variable here
            def __init__(self, *given: Any, **named: Any) -> None:
                super().__init__(*given, **named)
                made.put(self)

            async def main_loop(self) -> None:
                while not await self.on_tick(0):  # noqa: ASYNC110  a flag tells it
                    await asyncio.sleep(0.01)  # it is told to stop at once, not within 0.1 s

        settings = Settings(embedder="none", timezone="UTC", durability="relaxed")
        memory = Memory(home, settings=settings)
        self.server = make_server(memory, uploads=home / "uploads", limits=Limits(**limits))
        self.thread = threading.Thread(
            target=serve, args=(self.server,),
            kwargs={"host": "127.0.0.1", "port": 0, "on_ready": ports.put},
        )  # fmt: skip
        with mock.patch.object(server_module, "_Uvicorn", Seen):
            self.thread.start()
            self._running = made.get(timeout=WAIT_S)
        self.port = ports.get(timeout=WAIT_S)

    def stop(self) -> None:
        """Have it stop, as SIGTERM does; does not wait."""
        self._running.should_exit = True

    def end(self) -> None:
        """Stop it and wait until it has."""
        self.stop()
        self.thread.join(WAIT_S)

        assert not self.thread.is_alive()

    def connect(self, sent: bytes = b"") -> socket.socket:
        """Open a connection, send bytes and return it."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_S)
        connection.sendall(sent)
        return connection

    def send(self, path: str, body: Any) -> socket.socket:
        """Send a request and return the open connection."""
        sent = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(sent)}\r\n\r\n"
        )
        return self.connect(head.encode() + sent)

    def answer(self, sent: bytes) -> bytes:
        """Return the first answer to what is sent."""
        with self.connect(sent) as connection:
            return one_answer(connection)

    def exchange(self, connection: socket.socket, sent: bytes) -> bytes:
        """Send on an open connection and return the answer."""
        connection.sendall(sent)
        return one_answer(connection)

    def said(self, sent: bytes) -> bytes:
        """Return all that is answered until the server hangs up."""
        with self.connect(sent) as connection:
            return until_closed(connection)


def one_answer(connection: socket.socket) -> bytes:
    """Return one whole answer, however many pieces it comes in."""
    got = b""
    while b"\r\n\r\n" not in got:
        got += _more(connection)
    head, _, body = got.partition(b"\r\n\r\n")
    size = int(re.search(rb"(?i)content-length: (\d+)", head)[1])  # type: ignore[index]  # it is there
    while len(body) < size:
        body += _more(connection)
    return head + b"\r\n\r\n" + body


def _more(connection: socket.socket) -> bytes:
    part = connection.recv(1 << 16)

    assert part, "the server hung up in the middle of an answer"
    return part


def until_closed(connection: socket.socket) -> bytes:
    """Return what comes until the other side hangs up."""
    parts = []
    try:
        while part := connection.recv(1 << 16):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


class OpenLive(Protocol):
    """Starts a server on a real socket, with limits of a test's own."""

    def __call__(self, **limits: Any) -> Live:
        """Return the server; it is stopped after the test."""
        ...


@pytest.fixture
def open_live(tmp_path: Path) -> Iterator[OpenLive]:
    """Starts one server on a real socket and stops it."""
    made: list[Live] = []

    def start(**limits: Any) -> Live:
        made.append(Live(tmp_path / "home", **limits))
        return made[-1]

    yield start
    for one in made:
        one.end()


@pytest.fixture
def live(open_live: OpenLive) -> Live:
    """A server on a real socket."""
    return open_live()


@pytest.fixture(scope="module")
def long_live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server on a real socket for all tests of a module that leave nothing behind in it."""
    made = Live(tmp_path_factory.mktemp("live") / "home")
    yield made
    made.end()
