"""A database that goes away under a server, and comes back: what clients are told meanwhile."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from simonides import Memory, Settings
from simonides.http.app import make_app, make_server
from simonides.http.limits import Limits
from simonides_bench.testing.servers.postgres import PostgresServer

ALPHA = "The Alpha deadline moved to Friday."
ASKED = (
    ("POST", "/v1/search", {"query": "Alpha"}),
    ("POST", "/v1/brief", {"query": "When is Alpha due?"}),
    ("POST", "/v1/items", {"content": "Tom sails."}),
    ("GET", "/v1/items", None),
)


@pytest.fixture
def database() -> Iterator[PostgresServer]:
    """A server of this test's own, which may be stopped."""
    with PostgresServer() as server:
        yield server


@pytest.mark.parametrize("goes", ["stop", "kill"])
def test_an_outage_is_reported_as_that_and_all_goes_on_by_itself(
    goes: str,
    database: PostgresServer,
    make_served: Callable[[PostgresServer], str],
    tmp_path: Path,
) -> None:
    settings = Settings(store=make_served(database), embedder="none", timezone="UTC", timeout_s=0.5)
    memory = Memory(tmp_path / "home", settings=settings)
    memory.add(ALPHA)
    app = make_app(make_server(memory, uploads=tmp_path / "uploads", limits=Limits()))
    with TestClient(app, base_url="http://localhost:8321") as client:

        def ask(method: str, path: str, body: Any) -> Any:
            return client.request(method, path, json=body)

        assert client.get("/health/ready").status_code == 200
        getattr(database, goes)()
        refused = [ask(*one) for one in ASKED]
        ready, live = client.get("/health/ready"), client.get("/health/live")
        database.start()
        again = [ask(*one) for one in ASKED]

        assert {one.status_code for one in (*refused, ready)} == {503}
        assert all(one.json()["retryable"] for one in refused)
        assert all(int(one.headers["Retry-After"]) >= 1 for one in refused)
        assert live.status_code == 200
        assert [one.status_code for one in again] == [200, 200, 201, 200]
        assert client.get("/health/ready").status_code == 200
        assert again[0].json()["entries"][0]["item"]["content"] == ALPHA
