"""The door over HTTP as an ASGI application: one answer to each request, and nothing between."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.unit.mcp.conftest import SETTINGS, Desk

from simonides import Memory
from simonides.api.caller import Caller
from simonides.mcp.over_http import HttpMount
from simonides.mcp.tool import McpTool, ToolHost
from simonides.mcp.tools import REFERENCE, SHORT, TOOLS
from simonides.model.access import Permission

ACCEPT = {"Accept": "application/json, text/event-stream"}
HELLO: dict[str, Any] = {
    "jsonrpc": "2.0", "id": 0, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {},
               "clientInfo": {"name": "a test", "version": "1"}},
}  # fmt: skip
VERSION = {"MCP-Protocol-Version": "2025-06-18"}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def asked(desk: Desk, *requests: dict[str, Any], bytes_max: int = 10_000) -> list[httpx2.Response]:
    """Return what is answered to requests one after the other; `As` says whose space is asked."""

    def guest_of(scope: Any) -> Caller:
        space = dict(scope["headers"]).get(b"as", b"default").decode()
        return ToolHost(
            desk.memory.in_space(space), now=lambda: datetime.now(UTC),
            permissions=(Permission.ADMIN,),
        )  # fmt: skip

    async def run() -> list[httpx2.Response]:
        door = HttpMount(guest_of, body_bytes_max=bytes_max)
        transport = httpx2.ASGITransport(app=door)
        async with (
            door.running(),
            httpx2.AsyncClient(transport=transport, base_url="http://test") as client,
        ):
            return [await client.request(**{"url": "/", **one}) for one in requests]

    return asyncio.run(run())


def post(body: Any, **headers: str) -> dict[str, Any]:
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    reported = {"Content-Type": "application/json", **ACCEPT, **VERSION, **headers}
    return {"method": "POST", "content": sent, "headers": reported}


def test_each_request_is_whole_by_itself_and_needs_no_greeting(desk: Desk) -> None:
    kept, found = asked(
        desk, post(call("add_memory", text="Sarah prefers tea.")),
        post(call("search_memories", query="tea")),
    )  # fmt: skip

    assert kept.headers["content-type"] == "application/json"
    assert "mcp-session-id" not in kept.headers
    entries = found.json()["result"]["structuredContent"]["entries"]
    assert [one["passage"] for one in entries] == ["Sarah prefers tea."]


def test_who_asks_is_read_from_each_request_alone(desk: Desk) -> None:
    alice, bob = asked(
        desk, post(call("add_memory", text="Only for Alice."), As="alice"),
        post(call("list_memories"), As="bob"),
    )  # fmt: skip

    assert alice.json()["result"]["structuredContent"]["op"] == "add"
    assert bob.json()["result"]["structuredContent"]["items"] == []


def test_a_greeting_is_answered_and_starts_no_session(desk: Desk) -> None:
    (got,) = asked(desk, post(HELLO))

    assert got.json()["result"]["serverInfo"]["name"] == "simonides"
    assert "mcp-session-id" not in got.headers


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"])
def test_nothing_is_listened_to_and_nothing_ended(desk: Desk, method: str) -> None:
    (got,) = asked(desk, {"method": method, "headers": {"Accept": "text/event-stream"}})

    assert (got.status_code, got.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 5_000, b'{"jsonrpc": "2.0"}', b'"x"']
)
def test_what_is_no_message_is_an_error_and_never_one_of_ours(desk: Desk, body: bytes) -> None:
    got, after = asked(desk, post(body), post(call("list_memories")))

    assert got.status_code == 400
    assert got.json()["error"]["code"] < 0
    assert not after.json()["result"].get("isError")


def test_a_body_longer_than_it_may_be_is_not_read(desk: Desk) -> None:
    long, fits = asked(
        desk, post(call("search_memories", query="x" * 3_000)), post(call("list_memories")),
        bytes_max=2_000,
    )  # fmt: skip

    assert long.status_code == 413
    assert fits.status_code == 200


def test_a_method_that_there_is_not_is_told_so(desk: Desk) -> None:
    (got,) = asked(desk, post({"jsonrpc": "2.0", "id": 5, "method": "no/such"}))

    assert got.json()["id"] == 5
    assert got.json()["error"]["code"] == -32601


# ── the host of one space ────────────────────────────────────────────────────────────────────────


def test_the_host_runs_few_calls_at_once_and_all_of_them_in_the_end(tmp_path: Path) -> None:
    import threading

    now = datetime(2026, 3, 6, tzinfo=UTC)
    running, most, lock = 0, 0, threading.Lock()
    full = threading.Barrier(4)

    def work() -> str:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        full.wait(20)  # passes only where four are at work together
        with lock:
            running -= 1
        return threading.current_thread().name

    async def crowd(host: ToolHost) -> list[str]:
        return await asyncio.gather(*(host.run(work) for _ in range(12)))

    with Memory(tmp_path / "home", settings=SETTINGS) as memory:
        host = ToolHost(memory, now=lambda: now)
        names = asyncio.run(crowd(host))

        assert host.now() == now
    assert (len(names), most) == (12, 4)
    assert threading.current_thread().name not in names


@pytest.mark.parametrize(
    ("url", "tools"),
    [
        ("/", SHORT),
        ("/?tools=all", TOOLS),
        ("/?tools=reference", REFERENCE),
        ("/?tools=unknown", SHORT),
    ],
)
def test_the_address_says_which_tools_are_listed(
    desk: Desk, url: str, tools: dict[str, McpTool]
) -> None:
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    (reported,) = asked(desk, {**post(listing), "url": url})

    assert [one["name"] for one in reported.json()["result"]["tools"]] == list(tools)
