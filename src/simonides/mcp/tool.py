"""Tools: the record of their arguments, their function, and their permissions.

Must not know any tool, nor the records of MCP.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import msgspec

from simonides.codec.request import read_request, request_schema
from simonides.errors import InvalidInput
from simonides.mcp.caller import ToolCaller
from simonides.model.access import Permission
from simonides.model.coercion import nearest

LEFT_OUT = {
    "spaces": "no argument of a tool names a space: it comes from the key or the program's own",
    "stream": "an answer over MCP is one message",
}
"""Fields of requests that no tool takes, with the reason."""

UNKNOWN = "is no argument of this tool (the space comes from the key or the program's own)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The answer of a tool: text for a model, the same as JSON, and the number of its items."""

    text: str
    structured: dict[str, Any]
    count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool.

    `verb` is the operation that it stands for, `request` the record of its arguments, `answer` the
    JSON Schema of its result. `permissions` are all needed, the first says of what sort the call
    is. `destroys` says that something takes the place of what was, or that it is not found any
    more; `repeats` that doing it twice is doing it once.
    """

    name: str
    title: str
    summary: str
    verb: str
    request: Any
    run: Callable[[ToolCaller, Any], ToolResult]
    answer: Mapping[str, Any] = field(hash=False)
    permissions: tuple[Permission, ...] = (Permission.READ,)
    destroys: bool = False
    repeats: bool = True

    @property
    def is_reading(self) -> bool:
        """Whether it changes nothing."""
        return self.permissions == (Permission.READ,)

    def read(self, given: Mapping[str, Any]) -> Any:
        """Return the record of the arguments.

        Raises:
            InvalidInput: One is not known or does not fit; says which, never what was sent.
        """
        known = input_schema(self.request)["properties"]
        for name in given:
            if name not in known:
                raise InvalidInput(str(name)[:80], UNKNOWN + nearest(str(name)[:80], known))
        lists = _lists(self.request)
        values = {name: _list(one) if name in lists else one for name, one in given.items()}
        return read_request(self.request, values, from_text=True)


@cache
def input_schema(request: Any) -> dict[str, Any]:
    """Return the JSON Schema of a record of arguments: unknown ones are rejected."""
    schema = request_schema(request)
    schema["properties"] = {
        name: one for name, one in schema["properties"].items() if name not in LEFT_OUT
    }
    return {name: one for name, one in schema.items() if name != "title"}


def shape(**kinds: Any) -> dict[str, Any]:
    """Return the JSON Schema of an object with all of these properties."""
    properties = {name: msgspec.json.schema(kind) for name, kind in kinds.items()}
    return {"type": "object", "properties": properties, "required": list(properties)}


@cache
def _lists(request: Any) -> frozenset[str]:
    """Return the names of the arguments that are lists."""
    properties = input_schema(request)["properties"]
    return frozenset(
        name
        for name, one in properties.items()
        if any(kind.get("type") == "array" for kind in (one, *one.get("anyOf", ())))
    )


def _list(value: Any) -> Any:
    """Return a list, also from a text: some clients write lists as JSON in a string."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return [value] if value else []
