"""`list_entities`: the people, projects, issues and topics that are mentioned."""

from simonides.codec.write import to_wire
from simonides.mcp import results
from simonides.mcp.arguments import Naming
from simonides.mcp.bounds import ANSWER_TOKENS_MAX, cut, fitting
from simonides.mcp.caller import ToolCaller
from simonides.mcp.prose import CUT, entity, listed
from simonides.mcp.tools.tool import Tool, ToolResult

NAMES_MAX, NAME_CHARS_MAX = 5, 120
"""Names of one entity that are told, and characters of each."""


def list_entities(guest: ToolCaller, asked: Naming) -> ToolResult:
    """Return the entities mentioned, most often first."""
    found = guest.memory.entities(name=asked.name, limit=asked.limit)
    wires = [
        {**to_wire(one), "names": [cut(name, NAME_CHARS_MAX) for name in one.names[:NAMES_MAX]]}
        for one in found
    ]
    fits = fitting(wires, ANSWER_TOKENS_MAX)
    entities, is_cut = wires[:fits], fits < len(wires)
    lines = "\n".join(
        entity(one["kind"], one["id"], one["names"], one["mentions"]) for one in entities
    )
    return ToolResult(
        text=listed([("", lines)] if lines else [], more=(CUT if is_cut else "",)),
        structured={"entities": entities, "cut": is_cut},
        count=len(entities),
    )


TOOLS = (
    Tool(
        name="list_entities", title="List entities", verb="entities", run=list_entities,
        told="List the people, projects, issues and topics that are mentioned, most often first.",
        arguments=Naming, answer=results.Entities,
    ),
)  # fmt: skip
