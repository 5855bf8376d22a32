"""The configuration of the common clients: what to write into which of their files.

Pure: it names files and writes none. Must not know how the program was found.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simonides.errors import InvalidInput

NAME = "simonides"
KEY = "sim_YOUR_KEY"
"""Stands for a key; `simonides keys create` makes one."""

KEY_VARIABLE = "SIM_KEY"
"""The variable that Codex reads a key from: it takes none in its file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A client's configuration.

    `file` is where it stands, `form` how (`json` or `toml`); `stdio` starts this program, `http`
    asks a server that runs (empty where the client's file knows no such thing). `told` says what
    else is to be known.
    """

    name: str
    title: str
    file: str
    form: str
    stdio: Mapping[str, Any]
    http: Mapping[str, Any]
    note: str = ""


def clients(command: Sequence[str], *, url: str) -> tuple[Client, ...]:
    """Return the configuration of every client: `command` for stdio, `url` for HTTP."""
    run: dict[str, Any] = {"command": command[0], "args": list(command[1:])}
    headers = {"Authorization": f"Bearer {KEY}"}
    endpoint: dict[str, Any] = {"url": url, "headers": headers}
    typed = {"type": "http", **endpoint}
    return (
        Client(
            name="claude-desktop", title="Claude Desktop", form="json",
            file="claude_desktop_config.json (Settings, Developer, Edit Config)",
            stdio=_under("mcpServers", run), http={},
            note="servers over HTTP are added in its settings, under Connectors",
        ),
        Client(
            name="claude-code", title="Claude Code", file=".mcp.json of a project", form="json",
            stdio=_under("mcpServers", {"type": "stdio", **run}), http=_under("mcpServers", typed),
        ),
        Client(
            name="cursor", title="Cursor", file="~/.cursor/mcp.json", form="json",
            stdio=_under("mcpServers", run), http=_under("mcpServers", endpoint),
        ),
        Client(
            name="vscode", title="VS Code", file=".vscode/mcp.json", form="json",
            stdio=_under("servers", {"type": "stdio", **run}), http=_under("servers", typed),
        ),
        Client(
            name="windsurf", title="Windsurf", file="~/.codeium/windsurf/mcp_config.json",
            form="json", stdio=_under("mcpServers", run),
            http=_under("mcpServers", {"serverUrl": url, "headers": headers}),
        ),
        Client(
            name="zed", title="Zed", file="~/.config/zed/settings.json", form="json",
            stdio=_under("context_servers", run), http=_under("context_servers", endpoint),
        ),
        Client(
            name="codex", title="Codex", file="~/.codex/config.toml", form="toml",
            stdio=_under("mcp_servers", run),
            http=_under("mcp_servers", {"url": url, "bearer_token_env_var": KEY_VARIABLE}),
            note=f"it reads the key from the environment: {KEY_VARIABLE}={KEY}",
        ),
        Client(
            name="json", title="Any other", file="as its manual says", form="json",
            stdio=_under("mcpServers", run), http=_under("mcpServers", typed),
        ),
    )  # fmt: skip


def named(all_of_them: Sequence[Client], name: str) -> tuple[Client, ...]:
    """Return the client of a name, or all of them without a name.

    Raises:
        InvalidInput: None has that name.
    """
    found = tuple(one for one in all_of_them if name in ("", one.name))
    if not found:
        known = ", ".join(one.name for one in all_of_them)
        raise InvalidInput("--client", f"must be one of {known}; got {name!r}")
    return found


def written(form: str, configuration: Mapping[str, Any]) -> str:
    """Return a configuration as the content of a file, safe to copy by hand."""
    if form == "json":
        return _visible(json.dumps(configuration, indent=2, ensure_ascii=False), _in_json)
    lines = []
    for section, servers in configuration.items():
        for name, fields in servers.items():
            lines.append(f"[{section}.{name}]")
            lines += [f"{field} = {_toml(value)}" for field, value in fields.items()]
    return "\n".join(lines)


def _toml(value: Any) -> str:
    """Return a text or a list of texts as TOML: as JSON, except for the escapes."""
    return _visible(json.dumps(value, ensure_ascii=False), _in_toml)


def _visible(text: str, escape: Callable[[str], str]) -> str:
    """Return a text with every invisible character escaped, except line ends."""
    return "".join(one if one.isprintable() or one == "\n" else escape(one) for one in text)


def _in_json(character: str) -> str:
    return json.dumps(character)[1:-1]


def _in_toml(character: str) -> str:
    return f"\\U{ord(character):08X}"


def _under(section: str, server: Mapping[str, Any]) -> dict[str, Any]:
    return {section: {NAME: dict(server)}}
