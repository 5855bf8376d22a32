"""All tools, in the order in which the reference tells them: one file per subject."""

from simonides.mcp.tools import entities, items, questions
from simonides.mcp.tools.tool import Tool

TOOLS: dict[str, Tool] = {
    one.name: one for one in (*questions.TOOLS, *items.TOOLS, *entities.TOOLS)
}
"""One table: the server and the reference are made of it."""
