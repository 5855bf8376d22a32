"""Anthropic's memory tool, held against the SDK's own tool for the file system."""

import os
import random
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("anthropic.lib.tools")

from anthropic.lib.tools._beta_builtin_memory_tool import (
    BetaLocalFilesystemMemoryTool,
)

from simonides import Memory, Settings
from simonides_integrations.anthropic_memory import SimonidesMemoryTool

PATHS = (
    "/memories/a.txt /memories/b.md /memories/d/c.txt /memories/d/e/f.txt /memories/d "
    "/memories/.hidden /memories /memories/d/e/g/h.txt /memories/../x /elsewhere /memories/d/"
).split()
TEXTS = ("", "one\ntwo\nthree", "one\ntwo\n", "aXbXc", "é\r\nz\r\n", "\n\n", "x" * 3000)


@pytest.fixture
def tool(tmp_path: Path) -> SimonidesMemoryTool:
    settings = Settings(timezone="UTC", durability="relaxed", embedder="none")
    return SimonidesMemoryTool(Memory(tmp_path / "home", settings=settings))


def answer(tool: Any, command: dict[str, Any]) -> str:
    try:
        return str(tool.call(command))
    except Exception as error:  # noqa: BLE001  the reference raises errors of the system, too
        return f"{type(error).__name__}: {error}"


def command(chance: random.Random) -> dict[str, Any]:
    """Return some command that may fail."""
    path, kind = (
        chance.choice(PATHS),
        chance.choice("create create view view str_replace insert delete rename".split()),
    )
    more: dict[str, dict[str, Any]] = {
        "create": {"file_text": chance.choice(TEXTS)},
        "view": {"view_range": chance.choice([None, [1, 2], [2, -1], [0, 1], [3, 9]])},
        "str_replace": {
            "old_str": chance.choice(["one", "X", "zz", "\n"]),
            "new_str": chance.choice(["uno", "", "a\nb"]),
        },
        "insert": {
            "insert_line": chance.choice([0, 1, 2, 9, -1]),
            "insert_text": chance.choice(["new", "new\n", "a\nb"]),
        },
        "rename": {"old_path": path, "new_path": chance.choice(PATHS)},
    }
    return {"command": kind, **({} if kind == "rename" else {"path": path}), **more.get(kind, {})}


def as_on_disk(said: str, root: Path) -> str:
    """Return a listing with the size that a folder has on a usual disk, wherever it lies."""

    def sized(line: re.Match[str]) -> str:
        is_folder = (root / line[1].removeprefix("/memories").strip("/")).is_dir()
        return f"4K\t{line[1]}" if is_folder else line[0]

    return re.sub(r"(?m)^\S+\t(/memories.*)$", sized, said)


@pytest.mark.parametrize("seed", range(12))
def test_it_answers_as_the_tool_for_files_does(
    tool: SimonidesMemoryTool, tmp_path: Path, seed: int
) -> None:
    """But for two things: folders without files are not there, and no error is the system's."""
    chance, files = random.Random(seed), BetaLocalFilesystemMemoryTool(str(tmp_path / "files"))
    for _ in range(40):
        asked = command(chance)
        theirs, own = as_on_disk(answer(files, asked), files.memory_root), answer(tool, asked)
        for folder, _folders, _files in os.walk(files.memory_root, topdown=False):
            if folder != str(files.memory_root) and not [*Path(folder).iterdir()]:
                Path(folder).rmdir()
        if "Error: [Errno" in theirs:
            assert own.startswith("ToolError: "), asked
        else:
            assert own == theirs, asked


def test_every_edit_is_a_version_and_all_is_found(tool: SimonidesMemoryTool) -> None:
    path = "/memories/quay.md"
    tool.call({"command": "create", "path": path, "file_text": "The quay is open."})
    tool.call({"command": "str_replace", "path": path, "old_str": "open", "new_str": "closed"})

    [hit] = tool.memory.search("quay").hits
    assert [one.item.content for one in tool.memory.history(hit.id)] == [
        "The quay is open.", "The quay is closed.",
    ]  # fmt: skip
    assert tool.clear_all_memory() == "All memory cleared"
    assert tool.memory.list().items == ()
