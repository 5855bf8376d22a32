"""`simonides mcp install` for every client, and the refusals of `simonides mcp`."""

import io
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simonides import Memory, Settings
from simonides.api.memory import DEFAULT_HOME
from simonides.cli.main import run
from simonides.cli.verbs import mcp
from simonides.mcp.tool import ToolHost
from simonides.ports.models import Clock

Call = Callable[..., tuple[int, str, str]]
NAMES = ["claude-desktop", "claude-code", "cursor", "vscode", "windsurf", "zed", "codex", "json"]
STRANGE = 'a\U0001f600 "b" \\ ü\u2028\u202e\x7f\t'


class Terminal(io.StringIO):
    """Says that it is one."""

    def isatty(self) -> bool:
        return True


def opened(home: Path, *, space: str, settings: Settings, clock: Clock) -> Memory:
    return Memory(home, space=space, settings=settings, clock=clock)


@pytest.fixture
def call(tmp_path: Path) -> Call:
    """Run `simonides mcp …` in this process; return status, stdout, stderr."""

    def called(*argv: str, terminal: bool = False, home: str = "") -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        environment = {"SIMONIDES_HOME": home or str(tmp_path / "home")}
        status = run(
            ["mcp", *argv], stdin=Terminal() if terminal else io.StringIO(), out=out, err=err,
            environment=environment | {"SIMONIDES_EMBEDDER": "none"}, open_memory=opened,
        )  # fmt: skip
        return status, out.getvalue(), err.getvalue()

    return called


def clients_of(call: Call, *argv: str, home: str = "") -> dict[str, Any]:
    status, out, err = call("install", *argv, "--json", home=home)

    assert (status, err, out.count("\n")) == (0, "", 1)
    return {one["name"]: one for one in json.loads(out)["clients"]}


def server_of(settings: dict[str, Any]) -> Any:
    """Return what stands in a configuration under our name."""
    ((_, servers),) = settings.items()
    return servers["simonides"]


def printed(call: Call, *argv: str) -> list[dict[str, Any]]:
    """Return what `install` prints for one client, read as the client would read it."""
    _, out, _ = call("install", *argv)
    head, *lines = out.splitlines()
    read = tomllib.loads if "config.toml" in head else json.loads
    blocks: list[list[str]] = []
    for line in lines:
        if line.startswith("  "):
            blocks[-1].append(line)
        elif line:
            blocks.append([])
    return [read("\n".join(one)) for one in blocks]


def test_every_client_is_told_as_data(call: Call) -> None:
    assert list(clients_of(call)) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_what_is_printed_for_a_client_can_be_pasted_into_its_file(call: Call, name: str) -> None:
    reported = clients_of(call, "--client", name)[name]

    assert printed(call, "--client", name) == [reported["stdio"], *filter(None, [reported["http"]])]


@pytest.mark.parametrize("name", ["codex", "cursor"])
def test_a_strange_name_comes_out_of_the_file_as_it_went_in(
    call: Call, name: str, tmp_path: Path
) -> None:
    home = str(tmp_path / STRANGE)
    reported, *_ = printed(call, "--client", name, "--home", home)

    assert server_of(reported)["args"][-1] == home


def test_a_path_with_a_control_character_is_still_toml() -> None:
    from simonides.mcp.clients import write_configuration

    reported = {"mcp_servers": {"simonides": {"command": "a\x7fb\x01\n", "args": ["\U0001f600"]}}}
    assert tomllib.loads(write_configuration("toml", reported)) == reported


def test_what_was_chosen_for_this_run_is_chosen_for_the_clients(call: Call, tmp_path: Path) -> None:
    chosen = ("--space", "alice", "--embedder", "none", "--timezone", "Europe/Berlin")
    args = server_of(clients_of(call, *chosen)["cursor"]["stdio"])["args"]

    assert args == [
        "mcp", "--space", "alice", "--home", str(tmp_path / "home"), "--embedder", "none",
        "--timezone", "Europe/Berlin",
    ]  # fmt: skip


def test_the_usual_home_and_settings_are_not_written_out(call: Call) -> None:
    reported = clients_of(call, home=DEFAULT_HOME)["zed"]

    assert server_of(reported["stdio"])["args"] == ["mcp", "--space", "default"]


def test_the_address_of_the_server_stands_where_the_client_looks_for_it(call: Call) -> None:
    url = "https://memory.example.com:8443/some/mcp?a=b"
    reported = clients_of(call, "--url", url)
    places = {name: "serverUrl" if name == "windsurf" else "url" for name in NAMES}

    assert reported["claude-desktop"]["http"] == {}
    for name in NAMES[1:]:
        assert server_of(reported[name]["http"])[places[name]] == url


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8321", "127.0.0.1:8321/mcp", "http://", "http:///mcp", "ftp://host/mcp",
     "http://host", "http://ho st/mcp", "http://host/mcp\n", "http://[::1/mcp", "http://h/\udcff"],
)  # fmt: skip
def test_an_address_that_no_client_could_ask_is_refused(call: Call, url: str) -> None:
    status, out, err = call("install", "--url", url)

    assert (status, out) == (2, "")
    assert "must be a whole URL such as http://127.0.0.1:8321/mcp" in err


@pytest.mark.parametrize(("name", "status"), [("emacs", 4), ("Cursor", 4), ("", 2), ("\udcff", 4)])
def test_a_client_that_is_not_known_is_refused(call: Call, name: str, status: int) -> None:
    got, out, err = call("install", "--client", name)

    assert (got, out) == (status, "")
    assert "--client" in err
    assert call("install", "--client", name, "--json")[0] == status


@pytest.mark.parametrize("argv", [("--client", "cursor"), ("stdio", "--url", mcp.URL)])
def test_options_of_install_do_not_start_a_server(call: Call, argv: tuple[str, ...]) -> None:
    status, out, err = call(*argv)

    assert (status, out) == (4, "")
    assert "simonides mcp install" in err


def test_what_else_is_to_be_known_is_reported_beside_what_is_pasted(call: Call) -> None:
    _, out, err = call("install", "--client", "codex")

    assert "SIM_KEY=sim_YOUR_KEY" in err
    assert "sim_YOUR_KEY" not in out


def test_nothing_is_kept_and_no_home_is_made_by_installing(call: Call, tmp_path: Path) -> None:
    call("install")

    assert not (tmp_path / "home").exists()


def test_without_the_extra_the_program_says_how_to_get_it(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp, "find_spec", lambda _: None)
    status, out, err = call()

    assert (status, out) == (4, "")
    assert "pip install 'simonides[mcp]'" in err


@pytest.mark.parametrize("terminal", [True, False])
def test_who_starts_it_by_hand_is_told_what_it_waits_for(
    call: Call, monkeypatch: pytest.MonkeyPatch, *, terminal: bool
) -> None:
    served: list[tuple[str, bool]] = []

    def serve(guest: ToolHost, *, tools: str) -> None:
        assert tools == "short"
        served.append((guest.memory.space, guest.now().tzinfo is not None))

    monkeypatch.setattr("simonides.mcp.stdio.serve", serve)
    status, out, err = call("--space", "alice", terminal=terminal)

    assert (status, out, served) == (0, "", [("alice", True)])
    assert ("serving the space 'alice'" in err) is terminal
    assert ("Ctrl-C ends it" in err) is terminal


@pytest.mark.parametrize(("option", "name"), [("--tools", "all"), ("--dialect", "reference")])
def test_the_tools_that_are_asked_for_are_listed(
    call: Call, monkeypatch: pytest.MonkeyPatch, option: str, name: str
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("simonides.mcp.stdio.serve", lambda _, *, tools: asked.append(tools))
    call(option, name)
    _, out, _ = call("install", "--client", "json", option, name, "--json")
    reported = json.loads(out)["clients"][0]

    assert asked == [name]
    assert reported["stdio"]["mcpServers"]["simonides"]["args"][-2:] == ["--tools", name]
    assert reported["http"]["mcpServers"]["simonides"]["url"].endswith(f"/mcp?tools={name}")
