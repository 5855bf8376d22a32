"""Every operation that a model may ask for is a tool, with its own arguments and its own JSON."""

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client

from simonides.api.operations import OPERATIONS
from simonides.codec.write import to_wire
from simonides.mcp.answers import ANSWER_TOKENS_MAX, fit
from simonides.mcp.server import make_server
from simonides.mcp.tool import input_schema
from simonides.mcp.tools import SHORT, TOOLS, reason_against
from simonides.model.access import Permission
from simonides.text.tokens import count

if TYPE_CHECKING:
    from tests.unit.mcp.conftest import Desk

OFFERED = [one for one in OPERATIONS.values() if not reason_against(one)]


def listed(desk: "Desk", *, tools: str = "all") -> dict[str, Any]:
    """Return the tools that a client is shown, by name."""

    async def ask() -> dict[str, Any]:
        async with Client(make_server(lambda _: desk.visitor, tools=tools)) as client:
            return {one.name: one for one in (await client.list_tools()).tools}

    return asyncio.run(ask())


def test_all_operations_are_listed_where_that_is_asked_for(desk: "Desk") -> None:
    assert list(listed(desk)) == list(TOOLS)
    assert list(listed(desk, tools="short")) == list(SHORT)


@pytest.mark.parametrize("operation", OFFERED, ids=lambda one: one.name)
def test_a_tool_is_what_its_operation_says(operation: Any) -> None:
    tool = TOOLS[operation.name.replace(".", "_")]

    assert (tool.verb, tool.summary) == (operation.name, operation.summary)
    assert tool.permissions[0] == operation.permission
    assert (Permission.READ in tool.permissions) >= operation.shows
    assert input_schema(tool.request)["additionalProperties"] is False


def test_no_tool_reads_a_file_sends_a_whole_space_or_reaches_beyond_it(desk: "Desk") -> None:
    beyond = [one.name for one in OPERATIONS.values() if reason_against(one)]

    assert set(beyond) == {"import_", "export", "backup"}
    assert {one.replace(".", "_") for one in beyond} & set(TOOLS) == set()
    reported = desk.error("search", query="x", spaces=["default", "bob"])
    assert reported["message"].startswith("spaces: is no argument of this tool")


def test_a_question_has_all_its_arguments_and_the_whole_answer(desk: "Desk") -> None:
    kept = desk.memory.add("Alpha is due.", kind="task", tags=["a"]).id
    desk.memory.add("Alpha is late.")
    asked: dict[str, Any] = {
        "query": "Alpha",
        "filter": {"kinds": ["task"], "tags": ["a"]},
        "limit": 1,
    }
    found = desk.answer("search", **asked)
    brief = desk.answer("brief", **asked, layout="sourced", why=True, budget_tokens=300)

    whole = to_wire(desk.memory.search(**asked))
    assert (set(found), found["entries"]) == (set(whole), whole["entries"])
    assert [one["entryId"] for one in found["entries"]] == [kept]
    assert brief["receipt"]["config"]["layout"] == "sourced"
    assert (
        "did you mean 'kinds'?" in desk.error("search", query="x", filter={"kind": []})["message"]
    )


def test_an_agenda_is_cut_to_what_fits_and_goes_on_behind(desk: "Desk") -> None:
    for number in range(300):
        desk.memory.add(
            f"Review {number}", kind="event", title=f"Review {number} " + "of the plan " * 20,
            happened_at=f"2026-03-09T10:{number // 60:02}:{number % 60:02}Z",
        )  # fmt: skip
    asked = {"since": "2026-03-09", "until": "2026-03-10", "limit": 300}

    first = desk.answer("agenda", **asked)
    rest = desk.answer("agenda", **asked, cursor=first["cursor"])

    titles = [one["title"].split(" of")[0] for page in (first, rest) for one in page["entries"]]
    assert titles == [f"Review {number}" for number in range(len(titles))]
    assert count(json.dumps(first)) <= ANSWER_TOKENS_MAX * 1.2


def test_a_read_that_keeps_something_needs_to_be_allowed_to_write(desk: "Desk") -> None:
    desk.memory.add("Alpha is due.")
    desk.visitor.allowed = (Permission.READ,)

    assert desk.answer("brief", query="Alpha")["text"]
    assert desk.error("brief", query="Alpha", keep_receipt=True)["code"] == "access_denied"


def test_an_answer_is_the_json_of_the_operation(desk: "Desk") -> None:
    put = desk.answer("background_put", text="Alpha launches in May.", collection="work")

    assert put == to_wire(desk.memory.background.get(collection="work"))
    assert desk.answer("background_get", collection="work") == put
    assert json.loads(desk.text("background_get", collection="work")) == put
    assert desk.answer("stats")["space"] == "default"
    assert desk.answer("preferences_set", key="tone", value="plain")["value"] == "plain"
    assert desk.answer("preferences_forget", key="tone") == {"forgotten": ["tone"]}


def test_errors_are_those_of_every_tool(desk: "Desk") -> None:
    assert desk.error("preferences_get", key="tone")["code"] == "not_found"
    assert "did you mean 'key'?" in desk.error("preferences_get", kex="tone")["message"]
    assert desk.error("background_history", limit=0)["message"].startswith("limit")
    desk.visitor.allowed = (Permission.WRITE,)
    assert desk.error("preferences_set", key="a", value="b")["code"] == "access_denied"
    assert desk.error("stats")["code"] == "access_denied"
    desk.visitor.allowed = (Permission.READ,)
    assert desk.error("preferences_forget", key="a")["code"] == "access_denied"
    assert all(one.annotations.read_only_hint for one in listed(desk).values())


def test_calls_are_noted_by_the_name_of_the_operation(desk: "Desk") -> None:
    desk.memory.background.put("One.")
    desk.answer("background_history")

    assert desk.visitor.noted == [("background.history", Permission.READ, 200, 1)]


def test_of_a_long_page_there_is_what_fits_and_the_cursor_goes_on_behind_it(desk: "Desk") -> None:
    put = [desk.memory.background.put(f"{n} " + "über " * 2_000).id for n in range(8)]
    seen: list[str] = []
    cursor = ""
    for _ in put:
        got = desk.call("background_history", cursor=cursor)
        page = got.structured_content
        seen += [one["id"] for one in page["snapshots"]]
        assert count(json.dumps(page, ensure_ascii=False)) <= ANSWER_TOKENS_MAX
        assert count(got.content[0].text) <= ANSWER_TOKENS_MAX
        cursor = page["cursor"]
        if not cursor:
            break

    assert sorted(seen) == sorted(put)


@pytest.mark.parametrize(
    "wire",
    [
        {"text": "word " * 50_000}, {"list": ["word " * 300] * 200},
        {"deep": {"list": [{"more": ["word " * 30] * 50}] * 50}},
        {f"field {n}": "word " * 400 for n in range(100)},
    ],
    ids=["text", "list", "deep", "wide"],
)  # fmt: skip
def test_whatever_is_too_long_is_cut_and_says_so(wire: dict[str, Any]) -> None:
    reported = fit(wire)

    assert reported["cut"] is True
    assert len(reported) > 1
    assert count(json.dumps(reported, ensure_ascii=False)) <= ANSWER_TOKENS_MAX + 10
    assert fit({"a": [1]}) == {"a": [1]}
