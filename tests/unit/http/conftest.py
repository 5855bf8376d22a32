"""A server on a thrown-away home, asked in this process: no socket, and a clock of its own."""

import functools
import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

import httpx2
import pytest
from starlette.testclient import TestClient

from simonides import Memory, Settings
from simonides.http.app import make_app, make_server
from simonides.http.limits import Limits
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

        assert got.headers["content-type"] == "application/problem+json"
        told = got.json()
        assert told["status"] == got.status_code >= 400
        assert told["type"] == f"urn:simonides:problem:{told['code']}"
        assert told["request_id"] == got.headers["x-request-id"]
        return told


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
