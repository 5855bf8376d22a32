"""Another door behind this one: let in, counted, run and noted by the same rules."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from simonides import Memory, Settings
from simonides.errors import StoreBusy
from simonides.http.app import AuthMiddleware, MountedCaller, guest_of, make_app, make_server
from simonides.http.limits import Limits
from simonides.http.state import Server
from simonides.model.access import ApiKey, Permission

SETTINGS = Settings(embedder="none", timezone="UTC", durability="relaxed", compaction_threshold=0)


class Plain:
    """A door that tells who asks; it notes one read and one write."""

    def __init__(self) -> None:
        self.is_running = False

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        self.is_running = True
        yield
        self.is_running = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        guest = guest_of(scope)
        kept = await guest.run(lambda: guest.memory.add("said through another door").id)
        guest.note("search", permission=Permission.READ, status=200, count=1)
        guest.note("add", permission=Permission.WRITE, status=200, count=1)
        allowed = [one for one in Permission if guest.allows(one)]
        reported = {"space": guest.memory.space, "kept": kept, "allowed": allowed}
        await JSONResponse(reported)(scope, receive, send)


@contextmanager
def site(home: Path, **limits: Any) -> Iterator[tuple[TestClient, Server, Plain]]:
    memory, door = Memory(home, settings=SETTINGS), Plain()
    server = make_server(memory, uploads=home / "uploads", limits=Limits(**limits))
    app = make_app(server, mounts=(("/other", AuthMiddleware(door, server=server, path="/other")),))
    with TestClient(app, base_url="http://localhost:8321", client=("127.0.0.1", 5000)) as client:
        yield client, server, door


def test_a_door_runs_as_long_as_the_server_does(tmp_path: Path) -> None:
    with site(tmp_path / "home") as (_, _, door):
        assert door.is_running

    assert not door.is_running


def test_who_is_let_in_finds_the_space_of_the_key(tmp_path: Path) -> None:
    with site(tmp_path / "home") as (client, server, _):
        key = server.memory.keys.create(space="alice", permissions=["read"]).key
        response = client.post("/other", headers={"Authorization": f"Bearer {key}"}).json()

    assert (response["space"], response["allowed"]) == ("alice", ["read"])
    with Memory(tmp_path / "home", settings=SETTINGS) as memory:
        assert memory.in_space("alice").get(response["kept"]).content == "said through another door"
        assert [(one.verb, one.space) for one in memory.keys.audit().entries] == [("add", "alice")]


def test_reads_are_noted_where_that_is_asked_for(tmp_path: Path) -> None:
    with site(tmp_path / "home", audit_reads=True) as (client, _, _):
        client.post("/other")

    with Memory(tmp_path / "home", settings=SETTINGS) as memory:
        assert [one.verb for one in memory.keys.audit().entries] == ["add", "search"]


def test_who_is_not_let_in_is_told_so_and_noted(tmp_path: Path) -> None:
    with site(tmp_path / "home") as (client, server, _):
        server.memory.keys.create(space="alice")
        got = client.post("/other", headers={"Authorization": "Bearer sim_wrong"})

    assert (got.status_code, got.json()["code"]) == (401, "access_denied")
    assert got.headers["content-type"] == "application/problem+json"
    with Memory(tmp_path / "home", settings=SETTINGS) as memory:
        (entry,) = memory.keys.audit().entries
        assert (entry.verb, entry.status, entry.key_id) == ("other", 401, "")


def test_calls_are_counted_with_all_others(tmp_path: Path) -> None:
    with site(tmp_path / "home", rate_per_s=0.01, rate_burst=2) as (client, _, _):
        assert client.get("/v1/items").status_code == 200
        assert client.post("/other").status_code == 200
        got = client.post("/other")

        assert (got.status_code, got.json()["code"]) == (429, "too_many_requests")
        assert "retry-after" in got.headers


def test_hosts_and_origins_are_looked_at_first(tmp_path: Path) -> None:
    with site(tmp_path / "home") as (client, _, _):
        assert client.post("/other", headers={"Host": "evil.example"}).status_code == 421
        assert client.post("/other", headers={"Origin": "https://evil.example"}).status_code == 403


def test_what_finds_no_room_is_told_to_try_again(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "home", settings=SETTINGS)
    server = make_server(memory, uploads=tmp_path, limits=Limits(threads=1, waiting_max=1))
    caller = ApiKey(id="x", prefix="sim_x", space="alice", created_at=server.now())

    async def crowd() -> list[Any]:
        guest = MountedCaller(caller, server, who="")
        go_on = threading.Event()
        calls = [
            asyncio.ensure_future(guest.run(lambda: go_on.wait(20) and guest.memory.space))
            for _ in range(3)
        ]
        await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        go_on.set()
        return await asyncio.gather(*calls, return_exceptions=True)

    *done, last = asyncio.run(crowd())
    server.close()

    assert done == ["alice", "alice"]
    assert isinstance(last, StoreBusy)
    assert "wait already" in str(last)


@pytest.mark.parametrize("key_id", ["x", ""])
def test_without_a_key_nobody_erases_or_administers_by_another_door(
    tmp_path: Path, key_id: str
) -> None:
    memory = Memory(tmp_path / "home", settings=SETTINGS)
    server = make_server(memory, uploads=tmp_path)
    caller = ApiKey(
        id=key_id, prefix="", space="alice", created_at=server.now(), shared=("team",),
        permissions=tuple(Permission),
    )  # fmt: skip
    guest = MountedCaller(caller, server, who="")
    guest.announce("erase")
    server.close()

    assert {one for one in Permission if guest.allows(one)} == (
        set(Permission) if key_id else {Permission.READ, Permission.WRITE}
    )
    assert guest.shared == ("team",)
    with Memory(tmp_path / "home", settings=SETTINGS) as again:
        [noted] = again.keys.audit().entries
    assert (noted.verb, noted.status, noted.key_id, noted.space) == ("erase", 0, key_id, "alice")


# ── bodies and mistakes ──────────────────────────────────────────────────────────────────────────


class Reading(Plain):
    """A door that tells how many bytes it was sent, in how many messages, and what comes after."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        message = await receive()
        reported = {"bytes": len(message["body"]), "more": message["more_body"]}
        await JSONResponse(reported)(scope, receive, send)


class Wrong(Plain):
    """A door that makes a mistake, before it answers or in the middle."""

    def __init__(self, *, begins: bool) -> None:
        super().__init__()
        self.begins = begins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        if self.begins:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"half", "more_body": True})
        raise RuntimeError("my secret")


@contextmanager
def behind(home: Path, door: Plain, **limits: Any) -> Iterator[tuple[TestClient, Server]]:
    server = make_server(
        Memory(home, settings=SETTINGS), uploads=home / "uploads", limits=Limits(**limits)
    )
    app = make_app(server, mounts=(("/other", AuthMiddleware(door, server=server, path="/other")),))
    with TestClient(app, base_url="http://localhost:8321", client=("127.0.0.1", 5000)) as client:
        yield client, server


def test_a_body_reaches_the_door_whole_whatever_pieces_it_came_in(tmp_path: Path) -> None:
    with behind(tmp_path / "home", Reading()) as (client, _):
        response = client.post("/other", content=iter([b"x" * 10, b"", b"y" * 90])).json()

    assert response == {"bytes": 100, "more": False}


@pytest.mark.parametrize("streams", [False, True])
def test_a_body_that_is_too_long_is_told_so_as_everywhere(tmp_path: Path, *, streams: bool) -> None:
    with behind(tmp_path / "home", Reading(), body_bytes_max=100) as (client, _):
        body = iter([b"x" * 60, b"x" * 60]) if streams else b"x" * 101
        got = client.post("/other", content=body)
        fits = client.post("/other", content=b"x" * 100)

    assert (got.status_code, got.json()["code"]) == (413, "too_large")
    assert got.headers["content-type"] == "application/problem+json"
    assert fits.json()["bytes"] == 100


def test_bodies_here_take_of_the_room_that_all_bodies_have(tmp_path: Path) -> None:
    with behind(tmp_path / "home", Reading(), body_bytes_max=100) as (client, server):
        with server.held.room(16 * 100 - 50):
            got = client.post("/other", content=b"x" * 51)
            fits = client.post("/other", content=b"x" * 50)
            reads = client.get("/other")
        after = client.post("/other", content=b"x" * 51)

    assert (got.status_code, got.json()["code"]) == (503, "overloaded")
    assert "retry-after" in got.headers
    assert [one.status_code for one in (fits, reads, after)] == [200, 200, 200]


def test_a_mistake_of_the_door_is_a_problem_without_a_word_of_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with behind(tmp_path / "home", Wrong(begins=False)) as (client, _):
        got = client.post("/other")

    assert (got.status_code, got.json()["code"]) == (500, "unexpected")
    assert "secret" not in got.text + caplog.text
    assert "unexpected RuntimeError" in caplog.text


def test_a_mistake_in_the_middle_of_an_answer_breaks_it_off(tmp_path: Path) -> None:
    with (
        behind(tmp_path / "home", Wrong(begins=True)) as (client, _),
        pytest.raises(RuntimeError, match="my secret"),  # the server of sockets cuts it there
    ):
        client.post("/other")


def test_where_the_keys_cannot_be_read_the_door_stays_shut_and_says_to_try_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: Any, **__: Any) -> None:
        raise StoreBusy("another writer held the file; try again")

    monkeypatch.setattr("simonides.http.app.admit", busy)
    with behind(tmp_path / "home", Reading()) as (client, _):
        got = client.post("/other", content=b"x")

    assert (got.status_code, got.json()["code"]) == (503, "store_busy")
    assert got.json()["retryable"] is True


def test_what_was_refused_after_the_key_was_seen_is_noted_with_it(tmp_path: Path) -> None:
    with behind(tmp_path / "home", Reading(), body_bytes_max=10, audit_reads=True) as (client, at):
        key = at.memory.keys.create(space="alice")
        client.post("/other", content=b"x" * 11, headers={"Authorization": f"Bearer {key.key}"})

    with Memory(tmp_path / "home", settings=SETTINGS) as memory:
        (entry,) = memory.keys.audit().entries
    assert (entry.key_id, entry.space, entry.status) == (key.id, "alice", 413)
