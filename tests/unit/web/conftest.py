"""The pages of a server on a thrown-away home, asked in this process."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from simonides import Memory, Settings
from simonides.http.app import AuthMiddleware, guest_of, make_app, make_server
from simonides.http.state import Server
from simonides.web.door import pages_of

START = datetime(2026, 3, 6, 15, 30, tzinfo=UTC)
SETTINGS = Settings(embedder="none", timezone="UTC", durability="relaxed", compaction_threshold=0)


class Browser:
    """A browser without scripts: it follows links, sends forms and keeps cookies."""

    def __init__(self, server: Server, client: TestClient) -> None:
        self.memory = server.memory
        self.client = client
        self._server = server

    def write_audit(self) -> None:
        """Have the notes written that are still gathered; there are none after that."""
        self._server.audit.close()

    def open(self, address: str, **more: Any) -> httpx2.Response:
        """Return the page at an address."""
        return self.client.get(address, **more)

    def read(self, address: str) -> str:
        """Return the HTML of a page, which must be there."""
        got = self.open(address)
        assert got.status_code == 200, got.text
        assert got.headers["content-type"].startswith("text/html")
        return got.text

    def send(self, address: str, fields: dict[str, str], *, at: str = "") -> httpx2.Response:
        """Send a form with the token of the page that it stands on."""
        token = re.search(r'name="token" value="([^"]+)"', self.open(at or address).text)
        assert token is not None
        return self.client.post(address, data={"token": token[1], **fields})


@pytest.fixture
def browser(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Browser]:
    """Return a browser of a server in a time zone, UTC unless a test says otherwise."""
    settings = replace(SETTINGS, timezone=getattr(request, "param", "UTC"))
    memory = Memory(tmp_path / "home", settings=settings, clock=lambda: START)
    server = make_server(memory, uploads=tmp_path / "home" / "uploads")
    server.now = lambda: START
    guarded = partial(AuthMiddleware, server=server, path="/web", by_people=True)
    pages = pages_of(guarded, guest_of)
    app = make_app(server, pages=pages)
    with TestClient(app, base_url="http://localhost:8321", client=("127.0.0.1", 5000)) as client:
        yield Browser(server, client)
