"""The reference tells every tool, its verb, its permissions, arguments and caps as they are."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from simonides.mcp.questions import Question
from simonides.mcp.server import TEMPLATES
from simonides.mcp.tool import input_schema
from simonides.mcp.tools import REFERENCE, SHORT

PAGE = (Path(__file__).parents[3] / "docs/reference/mcp.md").read_text("utf-8")
ROWS = {
    row[0]: row[1:]
    for row in re.findall(
        r"^\| `(\w+)` \| `(\w+)` \| ([\w, ]+) \| (.*?) \| ?([\w ]*)\|$", PAGE, re.MULTILINE
    )
}


def test_every_tool_stands_in_the_table_in_its_order() -> None:
    assert list(ROWS) == list(SHORT)


@pytest.mark.parametrize("name", SHORT)
def test_a_tool_is_reported_with_its_verb_permissions_and_hints(name: str) -> None:
    tool = SHORT[name]
    verb, needs, _, hints = ROWS[name]

    assert verb == tool.verb
    assert needs == ", ".join(tool.permissions)
    assert ("reads" in hints, "destructive" in hints) == (tool.is_reading, tool.destroys)


@pytest.mark.parametrize("name", [one for one in SHORT if one != "explain_context"])
def test_every_argument_and_cap_is_reported(name: str) -> None:
    reported = ROWS[name][2]
    shared = {one.name for one in fields(Question)} - {"query"}
    for argument, field in input_schema(SHORT[name].request)["properties"].items():
        if argument in shared:
            assert f"`{argument}`" in PAGE if "query" in reported else f"`{argument}`" in reported
            continue
        assert f"`{argument}`" in reported
        most = field.get("maximum", 0)
        if 0 < most < 2**50:
            assert f"`{argument}` ({most:,};" in reported
            assert f"default {field['default']:,}" in reported


def test_addresses_and_the_prompt_are_told() -> None:
    assert all(f"`{scheme}://{{id}}`" in PAGE for scheme in TEMPLATES)
    assert "`recall`" in PAGE


@pytest.mark.parametrize("name", REFERENCE)
def test_a_tool_of_the_reference_server_is_told_with_its_arguments(name: str) -> None:
    tool = REFERENCE[name]
    head = f"| `{name}` | `{tool.verb}` | {', '.join(tool.permissions)} | "
    (row,) = [line for line in PAGE.splitlines() if line.startswith(head)]

    for argument in input_schema(tool.request)["properties"]:
        assert f"`{argument}`" in row.removeprefix(head).partition("|")[0]
