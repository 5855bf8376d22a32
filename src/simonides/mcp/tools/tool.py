"""What a tool is: data that the server lists and calls.

Knows shapes. Must not know MCP's own records, nor what a tool does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from simonides.mcp.arguments import Arguments
from simonides.mcp.caller import ToolCaller
from simonides.model.access import Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool answers: text for a model, the same as JSON, and how many items it concerns."""

    text: str
    structured: dict[str, Any]
    count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool.

    `verb` is the method of `Memory` that it stands for. `permissions` are all needed, the first
    says of what sort the call is. `destroys` says that something takes the place of what was, or
    that it is not found any more (both can be undone); `repeats` that doing it twice is doing it
    once.
    """

    name: str
    title: str
    told: str
    verb: str
    run: Callable[[ToolCaller, Any], ToolResult]
    arguments: type[Arguments]
    answer: Any
    permissions: tuple[Permission, ...] = (Permission.READ,)
    destroys: bool = False
    repeats: bool = True

    @property
    def is_reading(self) -> bool:
        """Whether it leaves everything as it is."""
        return self.permissions == (Permission.READ,)
