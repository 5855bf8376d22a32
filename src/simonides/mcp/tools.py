"""All tools: the short ones for models first, and one for each operation.

A tool of an operation has its name (`background.put` is `background_put`), its arguments and its
JSON. `reason_against` says which operations are no tools.
"""

from dataclasses import replace
from functools import partial
from typing import Any

from simonides.api.operations import OPERATIONS, Operation
from simonides.codec.schema import components
from simonides.codec.write import to_wire
from simonides.mcp import items, questions
from simonides.mcp.answers import ANSWER_TOKENS_MAX, as_json, bounded, fit, fitting
from simonides.mcp.tool import Tool, ToolCaller, ToolResult, check_allowed
from simonides.model.access import Permission

SHORT = {one.name: one for one in (*questions.TOOLS, *items.TOOLS)}
"""The tools of a usual conversation, by name: few, with few arguments and short answers."""


def reason_against(operation: Operation) -> str:
    """Return why an operation has no tool; empty for those that have one."""
    if operation.permission not in (Permission.READ, Permission.WRITE):
        return f"it needs `{operation.permission}`: a model may neither erase nor administer"
    if operation.is_of_home:
        return "a client sees the one space of its key or program"
    if operation.is_local:
        return "it names files of the machine that the home is on"
    return ""


_CURSOR_TOKENS = 1_500
"""What is left of a page's tokens for its cursor, which holds an id."""


def run(operation: Operation, caller: ToolCaller, request: Any) -> ToolResult:
    """Return the result of an operation, as JSON within bounds.

    Of a page there are as many entries as fit, and its cursor goes on behind them.
    """
    check_allowed(caller, *operation.permissions(request))
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
    return ToolResult(text=bounded(as_json(structured)), structured=structured, count=len(entries))


def _wire(operation: Operation, request: Any, result: Any) -> dict[str, Any]:
    wire = to_wire(operation.answer(request, result))
    return wire if isinstance(wire, dict) else {"result": wire}


def tool_of(operation: Operation) -> Tool:
    """Return the tool of an operation."""
    needs = operation.permission
    reads_too = operation.shows and needs is not Permission.READ
    return Tool(
        name=operation.name.replace(".", "_"),
        title=operation.name.replace(".", " ").capitalize(),
        summary=operation.summary,
        verb=operation.name,
        request=operation.request,
        run=partial(run, operation),
        answer=_answer(operation),
        permissions=(needs, Permission.READ) if reads_too else (needs,),
        destroys=needs is not Permission.READ and operation.method not in ("GET", "POST"),
        repeats=not operation.writes,
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


TOOLS = {
    **SHORT,
    **{
        made.name: made
        for made in (tool_of(one) for one in OPERATIONS.values() if not reason_against(one))
    },
}
"""By name: the server and the reference are made of it."""
