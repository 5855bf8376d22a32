"""MCP through the official client and the real binary, over both transports."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import pytest

from simonides import Memory, Settings

pytest.importorskip("mcp", reason="needs the extra mcp")
pytest.importorskip("prometheus_client", reason="needs the extra server")

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

BINARY = Path(sys.executable).with_name("simonides")
NO_MODEL = Settings(embedder="none", timezone="UTC")
ALPHA = "The Alpha deadline moved to Friday."
TOOLS = 10

Answer = TypeVar("Answer")
Work = Callable[[Client], Awaitable[Answer]]


def environment(home: Path) -> dict[str, str]:
    own = {"SIMONIDES_HOME": str(home), "SIMONIDES_EMBEDDER": "none", "SIMONIDES_TIMEZONE": "UTC"}
    return {**os.environ, **own}


# ── standard input and output ────────────────────────────────────────────────────────────────────


def over_stdio(home: Path, work: Work[Answer], *options: str) -> Answer:
    """Return what a piece of work returns with a client that started the program itself."""
    program = StdioServerParameters(
        command=str(BINARY), args=["mcp", *options], env=environment(home)
    )

    async def run() -> Answer:
        async with Client(stdio_client(program)) as client:
            return await work(client)

    return asyncio.run(run())


def test_a_client_that_starts_the_program_keeps_and_finds(tmp_path: Path) -> None:
    home = tmp_path / "home"

    async def work(client: Client) -> Any:
        tools = (await client.list_tools()).tools
        kept = await client.call_tool("add_memory", {"text": ALPHA})
        found = await client.call_tool("retrieve_context", {"query": "When is Alpha due?"})
        wrong = await client.call_tool("get_memory", {"id": "nope"})
        return tools, kept.structured_content, found.content, wrong

    tools, kept, (text,), wrong = over_stdio(home, work, "--space", "alice")

    assert len(tools) == TOOLS
    assert kept["op"] == "add"
    assert ALPHA in text.text
    assert wrong.is_error
    with Memory(home, space="alice", settings=NO_MODEL) as memory:
        assert memory.get(kept["id"]).content == ALPHA
        assert memory.spaces() == ("alice",)


def test_a_model_erases_only_where_whoever_starts_the_program_allows_it(tmp_path: Path) -> None:
    home = tmp_path / "home"

    async def work(client: Client) -> Any:
        kept = await client.call_tool("add_memory", {"text": ALPHA})
        given = {"ids": [kept.structured_content["id"]], "prove": True}
        erased = await client.call_tool("erase", given)
        return erased, (await client.list_tools()).tools

    refused, usual = over_stdio(home, work, "--tools", "all")
    report, listed = over_stdio(home, work, "--tools", "all", "--allow", "erase")

    assert refused.structured_content["error"]["code"] == "access_denied"
    assert {one.name for one in listed} - {one.name for one in usual} == {"erase"}
    assert report.structured_content["complete"]
    assert report.structured_content["proof"]["left"] == 0


def test_the_program_ends_well_when_its_input_does(tmp_path: Path) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    done = subprocess.run(
        [BINARY, "mcp"], input=json.dumps(asked) + "\nnonsense\n", env=environment(tmp_path),
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in done.stdout.splitlines())


def test_install_prints_a_command_that_works_from_anywhere(tmp_path: Path) -> None:
    def printed(*options: str) -> str:
        return subprocess.run(
            [BINARY, "mcp", "install", *options], env=environment(tmp_path / "home"), cwd=tmp_path,
            capture_output=True, text=True, timeout=60, check=True,
        ).stdout  # fmt: skip

    reported = json.loads(printed("--client", "json", "--space", "alice", "--json"))
    server = reported["clients"][0]["stdio"]["mcpServers"]["simonides"]

    assert server["command"] == str(BINARY)
    assert server["args"] == ["mcp", "--space", "alice", "--home", str(tmp_path / "home")]
    assert '"command": ' in printed("--client", "cursor")
    assert list(tmp_path.iterdir()) == []


# ── HTTP ─────────────────────────────────────────────────────────────────────────────────────────


class Server:
    """A server in a process of its own, and the keys of two people."""

    def __init__(self, url: str, memory: Memory) -> None:
        self.url = f"{url}/mcp"
        self.memory = memory
        self.alice = memory.keys.create(space="alice").key
        self.bob = memory.keys.create(space="bob").key

    def asked(self, key: str, work: Work[Answer], *, mode: str = "auto") -> Answer:
        """Return what a piece of work returns with a client that shows a key."""

        async def run() -> Answer:
            headers = {"Authorization": f"Bearer {key}"}
            async with httpx2.AsyncClient(headers=headers) as http:
                transport = streamable_http_client(self.url, http_client=http)
                async with Client(transport, mode=mode) as client:
                    return await work(client)

        return asyncio.run(run())

    def call(self, key: str, name: str, /, **arguments: Any) -> Any:
        """Return what a tool answers."""
        return self.asked(key, lambda client: client.call_tool(name, arguments))

    def post(self, body: Any, **headers: str) -> httpx2.Response:
        """Send a request as it is."""
        accept = {"Accept": "application/json, text/event-stream"}
        return httpx2.post(self.url, json=body, headers=accept | headers, trust_env=False)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("mcp") / "home"
    with subprocess.Popen(
        [BINARY, "serve", "--port", "0", "--json"], env=environment(home),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            url = json.loads(process.stdout.readline())["url"]
            with Memory(home, settings=NO_MODEL) as memory:
                yield Server(url, memory)
            process.terminate()
            _, said = process.communicate(timeout=30)

            assert (process.returncode, said) == (0, "")
        finally:
            process.kill()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_with_a_key_keeps_and_finds_in_its_space(server: Server, mode: str) -> None:
    async def work(client: Client) -> Any:
        tools = (await client.list_tools()).tools
        await client.call_tool("add_memory", {"text": ALPHA})
        found = await client.call_tool("search_memories", {"query": "Alpha"})
        entry = found.structured_content["entries"][0]
        resource = await client.read_resource(f"item://{entry['entryId']}")
        prompt = await client.get_prompt("recall", {"question": "When is Alpha due?"})
        return len(tools), entry["passage"], resource.contents, prompt.messages

    tools, passage, (resource,), (message,) = server.asked(server.alice, work, mode=mode)

    assert (tools, passage) == (TOOLS, ALPHA)
    assert json.loads(resource.text)["item"]["content"] == ALPHA
    assert ALPHA in message.content.text


def test_no_key_opens_another_space(server: Server) -> None:
    kept = server.call(server.bob, "add_memory", text="Bob's secret is Rosebud.").structured_content
    for name, given in (
        ("get_memory", {"id": kept["id"]}), ("delete_memory", {"id": kept["id"]}),
        ("update_memory", {"id": kept["id"], "text": "mine now"}),
        ("search_memories", {"query": "Rosebud", "space": "bob"}),
    ):  # fmt: skip
        got = server.call(server.alice, name, **given)

        assert got.is_error
        assert "secret" not in str(got.structured_content)
    for name, given in (
        ("search_memories", {"query": "Rosebud"}), ("retrieve_context", {"query": "Rosebud"}),
        ("list_memories", {}), ("list_entities", {}), ("explain_context", {"query": "Bob"}),
    ):  # fmt: skip
        response = server.call(server.alice, name, **given).structured_content
        assert "secret" not in json.dumps(response)
    assert (
        server.call(server.bob, "get_memory", id=kept["id"]).structured_content["item"]["version"]
        == 1
    )


def test_who_shows_no_key_or_a_wrong_one_is_let_into_nothing(server: Server) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for headers in ({}, {"Authorization": "Bearer sim_wrong"}, {"Authorization": "Basic x"}):
        got = server.post(ping, **headers)

        assert got.status_code == 401
        assert got.headers["www-authenticate"].startswith("Bearer")
        assert got.json()["code"] == "access_denied"


def test_a_revoked_key_is_let_in_no_more(server: Server) -> None:
    key = server.memory.keys.create(space="carol").key
    assert not server.call(key, "list_memories").is_error
    server.memory.keys.revoke(key)

    assert server.post({}, Authorization=f"Bearer {key}").status_code == 401


def test_a_key_that_may_only_read_is_given_only_what_reads(server: Server) -> None:
    key = server.memory.keys.create(space="alice", permissions=["read"]).key
    tools = server.asked(key, lambda client: client.list_tools()).tools
    got = server.call(key, "add_memory", text="x")

    assert all(one.annotations and one.annotations.read_only_hint for one in tools)
    assert got.structured_content["error"]["code"] == "access_denied"


def test_an_admin_looks_after_the_keys_of_its_own_space_alone(server: Server) -> None:
    admin = server.memory.keys.create(space="alice", permissions=["admin"]).key
    made = server.call(admin, "keys_create", name="tablet").structured_content
    listed = server.call(admin, "keys_list").structured_content["keys"]
    of_bob = server.memory.keys.check(server.bob).id

    assert {one["space"] for one in listed} == {"alice"}
    assert not server.call(made["key"], "list_memories").is_error
    assert server.call(admin, "keys_create", space="bob").is_error
    assert server.call(admin, "keys_revoke", key_id=of_bob).is_error
    assert not server.call(admin, "keys_revoke", key_id=made["id"]).is_error
    assert server.post({}, Authorization=f"Bearer {made['key']}").status_code == 401
    assert not server.call(server.bob, "list_memories").is_error
    assert server.call(server.alice, "keys_list").structured_content["error"]["code"] == (
        "access_denied"
    )


def test_other_names_other_sites_and_other_methods_are_refused(server: Server) -> None:
    key = {"Authorization": f"Bearer {server.alice}"}

    assert server.post({}, Host="evil.example", **key).status_code == 421
    assert server.post({}, Origin="https://evil.example", **key).status_code == 403
    for method in ("GET", "DELETE"):
        got = httpx2.request(method, server.url, headers=key, trust_env=False)
        assert (got.status_code, got.headers["allow"]) == (405, "POST")


def test_what_is_no_request_is_refused_and_hurts_nobody(server: Server) -> None:
    key = {"Authorization": f"Bearer {server.alice}"}
    strange: tuple[Any, ...] = ([], "x", {}, {"jsonrpc": "2.0", "id": 1, "method": "no/such"})
    for body in strange:
        got = server.post(body, **key)

        assert got.status_code in (200, 400, 404)
        assert "error" in got.json()
    too_long = server.post({"x": "y" * (9 << 20)}, **key)
    assert too_long.status_code == 413
    assert not server.call(server.alice, "list_memories").is_error
