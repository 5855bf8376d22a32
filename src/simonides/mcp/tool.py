"""What a tool is, what it takes and does, and who calls it.

A caller has the memory of a space and permissions there. Must not know any tool, the records of
MCP, nor how anybody is let in: over HTTP the server's own rules decide, on stdio whoever started
the program is asked nothing.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import msgspec

from simonides.api.caller import Caller
from simonides.api.memory import Memory
from simonides.codec.request import read_request, request_schema
from simonides.errors import AccessDenied, InvalidInput
from simonides.model.access import DEFAULT_PERMISSIONS, Permission
from simonides.model.coercion import nearest

Result = TypeVar("Result")

THREADS = 4
"""Calls at once on stdio: one client, whose calls seldom overlap."""


class ToolHost:
    """The person who started the program, in the one space it was given.

    They have all permissions, but hand a model only those that they name: by default it reads and
    writes.
    """

    shared: tuple[str, ...] = ()

    def __init__(
        self,
        memory: Memory,
        *,
        now: Callable[[], datetime],
        permissions: Sequence[Permission] = DEFAULT_PERMISSIONS,
    ) -> None:
        self.memory = memory.in_space(memory.space, shared=())
        self._permissions = permissions
        self._now = now
        self._threads = anyio.CapacityLimiter(THREADS)

    def allows(self, permission: Permission) -> bool:
        """Return whether the model has a permission; `admin` includes the others."""
        return permission in self._permissions or Permission.ADMIN in self._permissions

    def denial(self, permission: Permission) -> str:
        """Return the message for a permission that the model was not handed."""
        remedy = f"start it with `simonides mcp --allow {permission}`"
        return f"this server does not allow to {permission}: {remedy}"

    def now(self) -> datetime:
        """Return the time."""
        return self._now()

    async def run(self, call: Callable[[], Result]) -> Result:
        """Return the result of a call, run in one of a few threads."""
        return await anyio.to_thread.run_sync(call, limiter=self._threads)

    def announce(self, verb: str) -> None:
        """Do nothing: without a key there is no audit log."""

    def note(self, verb: str, *, permission: Permission, status: int, count: int) -> None:
        """Do nothing: without a key there is no audit log."""


def check_allowed(caller: Caller, *permissions: Permission) -> None:
    """Raise `AccessDenied` unless the caller has all these permissions."""
    for one in permissions:
        if not caller.allows(one):
            raise AccessDenied(caller.denial(one))


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
class McpTool:
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
    run: Callable[[Caller, Any], ToolResult]
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
        values = {
            name: _list(one) if name in lists else one
            for name, one in given.items()
            if one is not None or _takes_null(known[name])  # many clients send null for nothing
        }
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


def _takes_null(schema: Mapping[str, Any]) -> bool:
    return any(kind.get("type") == "null" for kind in (schema, *schema.get("anyOf", ())))


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
