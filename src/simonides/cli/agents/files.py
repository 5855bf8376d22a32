"""The files by which a coding agent hands its turns to Simonides: what is written, and undone.

Nothing of what others wrote into a file is lost: an entry of ours is added to a list of hooks, or
taken out again, and a file that can not be read is left as it is.
"""

import json
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from simonides.disk.durable import make_private_folder, new_private_file, rename_durably
from simonides.errors import InvalidInput
from simonides.model.result import Result

EVENTS: Mapping[str, str] = {"UserPromptSubmit": "prompt", "Stop": "stop"}
"""The events of Claude Code and Codex, and the task of `simonides hook` for each."""

TIMEOUT_S = 20
"""How long an agent waits for a hook; one takes about a second."""

NAME = "simonides"

Command = Sequence[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What is written for an agent: a file, its content by that before, and a note for the user."""

    path: Path
    edit: Callable[[str], str]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange(Result):
    """What became of one file: `written`, `removed` or `unchanged`; and its new content."""

    file: str
    change: str
    content: str


def setups(agent: str, command: Command, *, home: Path, project: Path | None) -> list[Setup]:
    """Return the files of an agent: in the user's folder, or in that of a project.

    `command` starts this program with the space and the home that are asked for; None takes out
    what was written.
    """
    return _AGENTS[agent](command, home, project)


def apply(setup: Setup, *, dry_run: bool) -> FileChange:
    """Write a setup and return what became of its file.

    Raises:
        InvalidInput: The file can not be read or written, or is not what the agent writes.
    """
    path = setup.path
    try:
        before = path.read_text("utf-8") if path.exists() else ""
        after = setup.edit(before)
        change = "unchanged" if after == before else "written" if after else "removed"
        if not dry_run and after != before:
            _write(path, after) if after else path.unlink()
    except (OSError, UnicodeError) as error:
        raise InvalidInput(str(path), f"can not be changed: {error}") from error
    return FileChange(file=str(path), change=change, content=after)


def _write(path: Path, content: str) -> None:
    """Put a file in the place of another at once, with the permissions it had."""
    written = content.encode()
    target = path.resolve()  # a link into a folder of settings stays one
    make_private_folder(target.parent)
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    with new_private_file(temporary) as file:
        file.write(written)
    if target.exists():
        temporary.chmod(target.stat().st_mode & 0o777)
    rename_durably(temporary, target)


# ── hooks in JSON ─────────────────────────────────────────────────────────────────────────────


def _hooks(path: Path, command: Command, note: str = "") -> Setup:
    def edit(before: str) -> str:
        settings = _object(before, path)
        hooks = settings.get("hooks", {})
        if not (isinstance(hooks, dict) and all(isinstance(one, list) for one in hooks.values())):
            raise InvalidInput(str(path), "its `hooks` are no object of lists")
        for event, task in EVENTS.items():
            others = [one for group in hooks.get(event, []) for one in _without_own(group)]
            own = [_group([*command, "hook", task])] if command else []
            hooks = {**hooks, event: [*others, *own]}
        hooks = {event: groups for event, groups in hooks.items() if groups}
        return _change(before, settings, "hooks", hooks, path)

    return Setup(path=path, edit=edit, note=note)


def _group(command: Sequence[str]) -> dict[str, Any]:
    hook = {"type": "command", "command": shlex.join(command), "timeout": TIMEOUT_S}
    return {"hooks": [hook]}


def _without_own(group: Any) -> list[Any]:
    """Return a group of hooks without ours; nothing where it held no other."""
    held = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(held, list) or not any(map(_is_own, held)):
        return [group]
    others = [one for one in held if not _is_own(one)]
    return [{**group, "hooks": others}] if others else []


def _is_own(hook: Any) -> bool:
    """Return whether a hook is one of ours, of any version and place."""
    said = str(hook.get("command", "")) if isinstance(hook, dict) else ""
    return NAME in said and any(said.endswith(f" hook {task}") for task in EVENTS.values())


def _servers(path: Path, command: Command, note: str = "") -> Setup:
    def edit(before: str) -> str:
        settings = _object(before, path)
        servers = settings.get("mcpServers", {})
        if not isinstance(servers, dict):
            raise InvalidInput(str(path), "its `mcpServers` are no object")
        servers = {name: one for name, one in servers.items() if name != NAME}
        if command:
            servers[NAME] = {"command": command[0], "args": [*command[1:], "mcp"]}
        return _change(before, settings, "mcpServers", servers, path)

    return Setup(path=path, edit=edit, note=note)


def _object(text: str, path: Path) -> dict[str, Any]:
    try:
        found = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise InvalidInput(str(path), f"is no JSON, and was left as it is: {error}") from error
    if not isinstance(found, dict):
        raise InvalidInput(str(path), "is no JSON object, and was left as it is")
    return found


def _change(
    before: str, settings: Mapping[str, Any], name: str, value: Mapping[str, Any], path: Path
) -> str:
    """Return the text of settings with one of them replaced; as it was where that is no change."""
    if settings.get(name, {}) == value:
        return before
    others = {key: one for key, one in settings.items() if key != name}
    after = {**others, name: value} if value else others
    try:
        text = json.dumps(after, indent=2, ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        problem = "holds a number that can not be written again, and was left as it is"
        raise InvalidInput(str(path), problem) from error
    return text + "\n" if after else ""


# ── files of our own ──────────────────────────────────────────────────────────────────────────


def _own_file(path: Path, template: str, command: Command) -> Setup:
    content = files("simonides.cli.agents").joinpath(template).read_text("utf-8")
    content = content.replace('["SIMONIDES"]', json.dumps(command)) if command else ""
    return Setup(path=path, edit=lambda _: content)


def _claude_code(command: Command, home: Path, project: Path | None) -> list[Setup]:
    return [_hooks((project or home) / ".claude" / "settings.json", command)]


def _codex(command: Command, home: Path, project: Path | None) -> list[Setup]:
    note = (
        "Codex runs hooks where config.toml says `hooks = true` under [features] (or codex_hooks)"
    )
    return [_hooks((project or home) / ".codex" / "hooks.json", command, note)]


def _cursor(command: Command, home: Path, project: Path | None) -> list[Setup]:
    note = "Cursor's hooks add nothing to a prompt, so its model asks by the MCP server's tools"
    return [_servers((project or home) / ".cursor" / "mcp.json", command, note)]


def _opencode(command: Command, home: Path, project: Path | None) -> list[Setup]:
    folder = project / ".opencode" if project else home / ".config" / "opencode"
    return [_own_file(folder / "plugins" / "simonides.js", "opencode.js", command)]


def _hermes(command: Command, home: Path, project: Path | None) -> list[Setup]:
    folder = (project or Path(os.environ.get("HERMES_HOME") or home / ".hermes")) / "plugins" / NAME
    return [
        _own_file(folder / "__init__.py", "hermes.py.txt", command),
        _own_file(folder / "plugin.yaml", "hermes.yaml", command),
    ]


_AGENTS: Mapping[str, Callable[[Command, Path, Path | None], list[Setup]]] = {
    "claude-code": _claude_code, "codex": _codex, "cursor": _cursor, "hermes": _hermes,
    "opencode": _opencode,
}  # fmt: skip

AGENTS = tuple(_AGENTS)
"""The names of the agents."""
