"""What clients are told of the server, and how this program finds itself."""

import json
import sys
import tomllib
from pathlib import Path

import pytest

from simonides.cli.verbs.mcp import find_program
from simonides.errors import InvalidInput
from simonides.mcp.clients import KEY, KEY_VARIABLE, clients, find_clients, write_configuration

COMMAND = ["/opt/my programs/simonides", "mcp", "--space", 'a "b"']
URL = "http://127.0.0.1:8321/mcp"
ALL = clients(COMMAND, url=URL)


def test_every_common_client_is_told() -> None:
    assert [one.name for one in ALL] == [
        "claude-desktop", "claude-code", "cursor", "vscode", "windsurf", "zed", "codex", "json",
    ]  # fmt: skip


@pytest.mark.parametrize("client", ALL, ids=lambda one: one.name)
def test_what_is_written_reads_back_as_it_was(client: object) -> None:
    one = next(each for each in ALL if each is client)
    loads = json.loads if one.form == "json" else tomllib.loads

    for reported in (one.stdio, one.http):
        assert loads(write_configuration(one.form, reported)) == reported


@pytest.mark.parametrize("client", ALL, ids=lambda one: one.name)
def test_each_starts_the_program_or_asks_the_server_with_a_key(client: object) -> None:
    one = next(each for each in ALL if each is client)
    ((section, servers),) = one.stdio.items()

    assert section in ("mcpServers", "servers", "context_servers", "mcp_servers")
    assert [servers["simonides"]["command"], *servers["simonides"]["args"]] == COMMAND
    if one.http:
        text = write_configuration(one.form, one.http)
        assert URL in text
        assert KEY in text or KEY_VARIABLE in text


def test_one_client_is_picked_by_its_name() -> None:
    assert [one.title for one in find_clients(ALL, "vscode")] == ["VS Code"]
    assert find_clients(ALL, "") == ALL
    with pytest.raises(InvalidInput, match="must be one of claude-desktop"):
        find_clients(ALL, "emacs")


def test_the_program_is_found_by_the_file_that_was_called(tmp_path: Path) -> None:
    called = tmp_path / "simonides"
    called.write_text("#!/bin/sh\n")
    called.chmod(0o755)

    assert find_program(str(called)) == [str(called)]


def test_else_by_the_one_beside_this_python_or_by_python_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = Path(sys.executable).with_name("simonides")
    assert find_program(str(tmp_path / "pytest")) == [str(beside)]

    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_program("pytest")[:2] == [str(tmp_path / "python"), "-c"]
