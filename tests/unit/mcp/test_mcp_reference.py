"""The reference tells every tool, its verb, its permissions, arguments and caps as they are."""

import re
from pathlib import Path

import pytest

from simonides.mcp.arguments import Asking
from simonides.mcp.resources import TEMPLATES
from simonides.mcp.tools import TOOLS

PAGE = (Path(__file__).parents[3] / "docs/reference/mcp.md").read_text("utf-8")
ROWS = {
    row[0]: row[1:]
    for row in re.findall(
        r"^\| `(\w+)` \| `(\w+)` \| ([\w, ]+) \| (.*?) \| ?([\w ]*)\|$", PAGE, re.MULTILINE
    )
}


def test_every_tool_stands_in_the_table_in_its_order() -> None:
    assert list(ROWS) == list(TOOLS)


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_is_told_with_its_verb_permissions_and_hints(name: str) -> None:
    tool = TOOLS[name]
    verb, needs, _, hints = ROWS[name]

    assert verb == tool.verb
    assert needs == ", ".join(tool.permissions)
    assert ("reads" in hints, "destructive" in hints) == (tool.is_reading, tool.destroys)


@pytest.mark.parametrize("name", [one for one in TOOLS if one != "explain_context"])
def test_every_argument_and_cap_is_told(name: str) -> None:
    told = ROWS[name][2]
    for argument, field in TOOLS[name].arguments.model_fields.items():
        if argument in Asking.model_fields and argument != "query":
            assert f"`{argument}`" in PAGE if "query" in told else f"`{argument}`" in told
            continue
        assert f"`{argument}`" in told
        most = next((one.le for one in field.metadata if hasattr(one, "le")), 0)
        if 0 < most < 2**50:
            assert f"`{argument}` ({most:,};" in told
            assert f"{field.default:,} unless told" in told


def test_addresses_and_the_prompt_are_told() -> None:
    assert all(f"`{scheme}://{{id}}`" in PAGE for scheme in TEMPLATES)
    assert "`recall`" in PAGE
