"""All tools: the short ones for models first, one for each operation, and a dialect.

A tool of an operation has its name (`background.put` is `background_put`), its arguments and its
JSON. `reason_against` says which operations are no tools.
"""

from dataclasses import replace
from functools import partial
from typing import Any

from simonides.api.caller import Caller
from simonides.api.operations import Operation
from simonides.api.operations.remote import REMOTE, check_erasure, spaces
from simonides.codec.schema import components
from simonides.codec.write import to_wire
from simonides.mcp import items, questions, reference
from simonides.mcp.answers import ANSWER_TOKENS_MAX, as_json, bound_text, fit, fitting
from simonides.mcp.tool import McpTool, ToolResult, check_allowed
from simonides.model.access import Permission


def reason_against(operation: Operation) -> str:
    """Return why an operation has no tool; empty for those that have one."""
    return _IS_A_FILE.get(operation.name, "")


_IS_A_FILE = {
    "import_": "a path would let a model read any file of the machine; upload it over HTTP",
    "export": "a whole space does not fit into an answer; download it over HTTP",
    "backup": "a whole space does not fit into an answer; download it over HTTP",
}
"""The operations on whole files, with the reason why none is a tool."""


_CURSOR_TOKENS = 1_500
"""What is left of a page's tokens for its cursor, which holds an id."""


def run(operation: Operation, caller: Caller, request: Any) -> ToolResult:
    """Return the result of an operation, as JSON within bounds.

    Of a page there are as many entries as fit, and its cursor goes on behind them.
    """
    check_allowed(caller, *operation.permissions(request))
    if operation.permission is Permission.ERASE:
        check_erasure(caller.memory, request, now=caller.now())
        caller.announce(operation.name)
    result = operation.run(caller.memory, request, now=caller.now())
    wire = _wire(operation, request, result)
    entries = next((one for one in wire.values() if isinstance(one, list)), [wire])
    if wire.get("cursor") is not None and hasattr(request, "limit"):
        fits = max(1, fitting(entries, ANSWER_TOKENS_MAX - _CURSOR_TOKENS))
        if fits < len(entries):
            shorter = replace(request, limit=fits)
            result = operation.run(caller.memory, shorter, now=caller.now())
            wire = _wire(operation, shorter, result)
    structured = fit(wire)
    return ToolResult(
        text=bound_text(as_json(structured)), structured=structured, count=len(entries)
    )


def list_spaces(caller: Caller, _: Any) -> ToolResult:
    """Return the space of the caller and those that they may read."""
    sees_all = caller.allows(Permission.ADMIN)
    found = spaces(caller.memory, shared=caller.shared, sees_all=sees_all)
    return ToolResult(text=as_json(found), structured=found, count=len(found["spaces"]))


_OWN_WAY = {"spaces": list_spaces}
"""Tools of operations that depend on who asks."""


def _wire(operation: Operation, request: Any, result: Any) -> dict[str, Any]:
    wire = to_wire(operation.answer(request, result))
    return wire if isinstance(wire, dict) else {"result": wire}


def tool_of(operation: Operation) -> McpTool:
    """Return the tool of an operation."""
    needs = operation.permission
    reads_too = operation.shows and needs is not Permission.READ
    return McpTool(
        name=operation.name.replace(".", "_"),
        title=operation.name.replace(".", " ").capitalize(),
        summary=operation.summary,
        verb=operation.name,
        request=operation.request,
        run=_OWN_WAY.get(operation.name) or partial(run, operation),
        answer=_answer(operation),
        permissions=(needs, Permission.READ) if reads_too else (needs,),
        destroys=operation.destroys or operation.method not in ("GET", "POST"),
        repeats=not (operation.writes or operation.is_new is True),
    )


def _answer(operation: Operation) -> dict[str, Any]:
    """Return the JSON Schema of a result, one level deep: the reference describes the rest.

    Nothing is required of it, because what does not fit is left out.
    """
    made = operation.result_schema()
    made = made.get("anyOf", (made,))[0]
    if "$ref" in made:
        made = components([made])[made["$ref"].rpartition("/")[2]]
    properties = {name: _shallow(one) for name, one in made.get("properties", {}).items()}
    return {"type": "object", "properties": {**properties, "cut": {"type": "boolean"}}}


def _shallow(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without the contents of its records and lists."""
    if "$ref" in schema:
        return {"type": "object"}
    if "anyOf" in schema:
        return {"anyOf": [_shallow(one) for one in schema["anyOf"]]}
    return {"type": "array"} if schema.get("type") == "array" else schema


_OPERATIONS = {
    made.name: made for made in (tool_of(one) for one in REMOTE.values() if not reason_against(one))
}

SHORT = {
    **{one.name: one for one in (*questions.TOOLS, *items.TOOLS)},
    "agenda": _OPERATIONS["agenda"],  # short as it is: no other tool expands what repeats
}
"""The tools of a usual conversation, by name: few, with few arguments and short answers."""

TOOLS = {**SHORT, **_OPERATIONS}
"""By name: the short ones, then those of operations."""

REFERENCE = {one.name: one for one in reference.TOOLS}
"""The tools of the reference MCP memory server."""

TOOLSETS = {"short": SHORT, "all": TOOLS, "reference": REFERENCE}
"""What is listed to a client, by the name that asks for it; the first unless another is."""

CALLABLE = {**TOOLS, **REFERENCE}
"""By name: what can be called, listed or not."""
