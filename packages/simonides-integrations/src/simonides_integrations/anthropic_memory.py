"""Anthropic's memory tool with the files in a `Memory`: every edit is a version, all is found.

One file is one document of source `memory-tool`, whose id derives from its path; a directory is
there as long as it holds a file. Answers are those of the SDK's own tool for the file system.
"""

from collections.abc import Iterator
from typing import Final

from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError
from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from simonides import Item, Kind, Memory
from simonides.api.paging import each_item
from simonides.errors import NotFound

SOURCE: Final = "memory-tool"
ROOT: Final = "/memories"
DEPTH_MAX: Final = 2
LINES_MAX: Final = 999_999
NUMBER_WIDTH: Final = 6
DIRECTORY_BYTES: Final = 4096
"""The size that a directory is said to have: most file systems say so of a small one."""

NO_SUCH: Final = "The path {} does not exist. Please provide a valid path."


class SimonidesMemoryTool(BetaAbstractMemoryTool):
    """The files of one space under `/memories`."""

    def __init__(self, memory: Memory) -> None:
        super().__init__()
        self.memory = memory

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Return a directory's files, or a file's lines with their numbers."""
        path = _check(command.path)
        file = self._file(path)
        if file is not None:
            return _number(command.path, file.content, command.view_range)
        below = [one for one in self._files() if _is_below(one.source_id, path)]
        if not below and path != ROOT:
            raise ToolError(NO_SUCH.format(command.path))
        return _list(command.path, path, below)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file that is not there."""
        path = _check(command.path)
        if self._is_there(path):
            raise ToolError(f"File {command.path} already exists")
        self._check_above(path)
        self.memory.add(_item(path, command.file_text))
        return f"File created successfully at: {command.path}"

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that stands once in a file."""
        file = self._present(command.path)
        places = _places(file.content, command.old_str)
        if not places:
            raise ToolError(
                f"No replacement was performed, old_str `{command.old_str}` did not appear "
                f"verbatim in {command.path}."
            )
        if len(places) > 1:
            lines = ", ".join(str(_line_of(file.content, at)) for at in places)
            raise ToolError(
                f"No replacement was performed. Multiple occurrences of old_str "
                f"`{command.old_str}` in lines: {lines}. Please ensure it is unique"
            )
        content = file.content.replace(command.old_str, command.new_str)
        self.memory.update(file.id, content=content, if_version=file.version)
        line = _line_of(file.content, places[0])
        snippet = _with_numbers(content.split("\n"), max(1, line - 2), line + 2)
        return (
            "The memory file has been edited. Here is the snippet showing the change "
            f"(with line numbers):\n{snippet}"
        )

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert a text after a line of a file."""
        file = self._present(command.path)
        lines = file.content.removesuffix("\n").split("\n") if file.content else []
        if not 0 <= command.insert_line <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {command.insert_line}. "
                f"It should be within the range [0, {len(lines)}]."
            )
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        content = "\n".join(lines)
        content += "" if content.endswith("\n") else "\n"
        self.memory.update(file.id, content=content, if_version=file.version)
        return f"The file {command.path} has been edited."

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Forget a file, or all of a directory."""
        path = _check(command.path)
        if path == ROOT:
            raise ToolError(f"Cannot delete the {ROOT} directory itself")
        found = self._at(path)
        if not found:
            raise ToolError(f"The path {command.path} does not exist")
        self.memory.forget(*(one.id for one in found))
        return f"Successfully deleted {command.path}"

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Give a file, or all of a directory, another path, in one transaction."""
        old, new = _check(command.old_path), _check(command.new_path)
        if old == ROOT:
            raise ToolError(f"Cannot rename the {ROOT} directory itself")
        if self._is_there(new):
            raise ToolError(f"The destination {command.new_path} already exists")
        found = self._at(old)
        if not found:
            raise ToolError(f"The path {command.old_path} does not exist")
        if _is_below(new, old):
            raise ToolError(f"The path {command.new_path} lies within {command.old_path}")
        self._check_above(new)
        moved = [_item(new + one.source_id.removeprefix(old), one.content) for one in found]
        self.memory.write(add=moved, forget=[one.id for one in found])
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def clear_all_memory(self) -> str:
        """Forget all files."""
        ids = [one.id for one in self._files()]
        if ids:
            self.memory.forget(*ids)
        return "All memory cleared"

    def _file(self, path: str) -> Item | None:
        try:
            return self.memory.get(_item(path, "").id)
        except NotFound:
            return None

    def _present(self, path: str) -> Item:
        file = self._file(_check(path))
        if file is None and self._is_there(_check(path)):
            raise ToolError(f"The path {path} is not a file.")
        if file is None:
            raise ToolError(NO_SUCH.format(path))
        return file

    def _check_above(self, path: str) -> None:
        """Raise `ToolError` where a part of a path is a file."""
        parts = path.split("/")
        for end in range(3, len(parts)):
            if self._file("/".join(parts[:end])):
                raise ToolError(f"The path {'/'.join(parts[:end])} is not a directory.")

    def _is_there(self, path: str) -> bool:
        return path == ROOT or bool(self._at(path))

    def _at(self, path: str) -> list[Item]:
        """Return the file of a path, or the files below it."""
        file = self._file(path)
        return [file] if file else [one for one in self._files() if _is_below(one.source_id, path)]

    def _files(self) -> Iterator[Item]:
        return each_item(self.memory, {"sources": [SOURCE]})


def _check(path: str) -> str:
    """Return a path without empty parts, `.` and `..`.

    Raises:
        ToolError: It does not lie below the root.
    """
    if not path.startswith(ROOT):
        raise ToolError(f"Path must start with {ROOT}, got: {path}")
    parts: list[str] = []
    for part in path.removeprefix(ROOT).split("/"):
        if part == ".." and not parts:
            raise ToolError(f"Path {path} would escape {ROOT} directory")
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join((ROOT, *parts))


def _item(path: str, content: str) -> Item:
    return Item(kind=Kind.DOCUMENT, source=SOURCE, source_id=path, title=path, content=content)


def _is_below(path: str, directory: str) -> bool:
    return path.startswith(directory + "/")


def _places(content: str, text: str) -> list[int]:
    """Return where a text begins, places that overlap counted once, as `str.count` does."""
    if content.count(text) <= 1:
        return [content.find(text)] if text in content else []
    found, at = [], content.find(text)
    while at >= 0:
        found.append(at)
        at = content.find(text, at + 1)
    return found


def _line_of(content: str, at: int) -> int:
    return content.count("\n", 0, at) + 1


def _number(path: str, content: str, view_range: list[int] | None) -> str:
    lines = content.split("\n")
    if len(lines) > LINES_MAX:
        raise ToolError(f"File {path} exceeds maximum line limit of {LINES_MAX:,} lines.")
    first, last = view_range if view_range and len(view_range) == 2 else (1, -1)  # noqa: PLR2004  a range
    shown = _with_numbers(lines, max(1, first), len(lines) if last == -1 else last)
    return f"Here's the content of {path} with line numbers:\n{shown}"


def _with_numbers(lines: list[str], first: int, last: int) -> str:
    numbered = enumerate(lines[first - 1 : last], start=first)
    return "\n".join(f"{number:>{NUMBER_WIDTH}}\t{line}" for number, line in numbered)


def _list(shown: str, path: str, files: list[Item]) -> str:
    sizes = {one.source_id: len(one.content.encode()) for one in files}
    for file in list(sizes):
        parts = file.removeprefix(path).strip("/").split("/")
        for depth in range(1, len(parts)):
            sizes["/".join((path, *parts[:depth])) + "/"] = DIRECTORY_BYTES
    lines = [f"{_size(DIRECTORY_BYTES)}\t{shown}"]
    for name in sorted(sizes, key=lambda name: name.split("/")):
        parts = name.removeprefix(path).strip("/").split("/")
        if len(parts) <= DEPTH_MAX and not any(part.startswith(".") for part in parts):
            lines.append(f"{_size(sizes[name])}\t{shown}{name.removeprefix(path)}")
    head = (
        f"Here're the files and directories up to 2 levels deep in {shown}, excluding hidden items:"
    )
    return "\n".join((head, *lines))


def _size(size: float) -> str:
    """Return a number of bytes as `du -h` writes it."""
    unit = "B"
    for larger in "KMG":
        if size < 1024:  # noqa: PLR2004  a kilobyte
            break
        size, unit = size / 1024, larger
    return f"{size:.1f}".removesuffix(".0") + unit
