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
    asks a server that runs (empty where the client's file knows no such thing). `note` says what
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
    started = {"type": "stdio", **run}

    def client(
        name: str, title: str, file: str, *, section: str = "mcpServers", form: str = "json",
        stdio: Mapping[str, Any] = run, http: Mapping[str, Any] = endpoint, note: str = "",
    ) -> Client:  # fmt: skip
        ways = [{section: {NAME: dict(one)}} if one else {} for one in (stdio, http)]
        return Client(
            name=name, title=title, file=file, form=form, stdio=ways[0], http=ways[1], note=note
        )

    return (
        client(
            "claude-desktop", "Claude Desktop", http={},
            file="claude_desktop_config.json (Settings, Developer, Edit Config)",
            note="servers over HTTP are added in its settings, under Connectors",
        ),
        client("claude-code", "Claude Code", ".mcp.json of a project", stdio=started, http=typed),
        client("cursor", "Cursor", "~/.cursor/mcp.json"),
        client(
            "vscode", "VS Code", ".vscode/mcp.json", section="servers", stdio=started, http=typed
        ),
        client(
            "windsurf", "Windsurf", "~/.codeium/windsurf/mcp_config.json",
            http={"serverUrl": url, "headers": headers},
        ),
        client("zed", "Zed", "~/.config/zed/settings.json", section="context_servers"),
        client(
            "codex", "Codex", "~/.codex/config.toml", section="mcp_servers", form="toml",
            http={"url": url, "bearer_token_env_var": KEY_VARIABLE},
            note=f"it reads the key from the environment: {KEY_VARIABLE}={KEY}",
        ),
        client("json", "Any other", "as its manual says", http=typed),
    )  # fmt: skip


def find_clients(all_of_them: Sequence[Client], name: str) -> tuple[Client, ...]:
    """Return the client of a name, or all of them without a name.

    Raises:
        InvalidInput: None has that name.
    """
    found = tuple(one for one in all_of_them if name in ("", one.name))
    if not found:
        known = ", ".join(one.name for one in all_of_them)
        raise InvalidInput("--client", f"must be one of {known}; got {name!r}")
    return found


def write_configuration(form: str, configuration: Mapping[str, Any]) -> str:
    """Return a configuration as the content of a file, safe to copy by hand."""
    if form == "json":
        text = json.dumps(configuration, indent=2, ensure_ascii=False)
        return _visible(text, lambda one: json.dumps(one)[1:-1])
    lines = []
    for section, servers in configuration.items():
        for name, fields in servers.items():
            lines.append(f"[{section}.{name}]")
            lines += [f"{field} = {_toml(value)}" for field, value in fields.items()]
    return "\n".join(lines)


def _toml(value: Any) -> str:
    """Return a text or a list of texts as TOML: as JSON, except for the escapes."""
    return _visible(json.dumps(value, ensure_ascii=False), lambda one: f"\\U{ord(one):08X}")


def _visible(text: str, escape: Callable[[str], str]) -> str:
    """Return a text with every invisible character escaped, except line ends."""
    return "".join(one if one.isprintable() or one == "\n" else escape(one) for one in text)
