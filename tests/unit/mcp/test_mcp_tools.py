"""The tools do what their verbs do, for those who may, and tell errors as the engine does."""

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from simonides import Memory
from simonides.api.caller import ACCEPTED
from simonides.api.operations.remote import REMOTE
from simonides.errors import StoreBusy
from simonides.mcp.server import make_server
from simonides.mcp.tool import McpTool
from simonides.mcp.tools import SHORT, TOOLS
from simonides.model.access import Permission

if TYPE_CHECKING:
    from tests.unit.mcp.conftest import Desk

NOW, DAY = datetime(2026, 3, 6, 15, 30, tzinfo=UTC), timedelta(days=1)
NAMES = [
    "retrieve_context", "search_memories", "explain_context", "add_memory", "get_memory",
    "list_memories", "update_memory", "delete_memory", "list_entities",
    "agenda",
]  # fmt: skip
READING = {
    "retrieve_context", "search_memories", "explain_context", "get_memory", "list_memories",
    "list_entities", "agenda",
}  # fmt: skip


def tools_of(desk: "Desk") -> dict[str, Any]:
    found = desk.asked(lambda client: client.list_tools()).tools
    return {one.name: one for one in found}


def add_mail(memory: Memory, **more: Any) -> str:
    reported: str = memory.add(
        "The Alpha deadline moved to Friday, said the client.",
        **{"kind": "email", "source": "gmail", "title": "Re: Alpha",
           "people": ["Sarah Johnson <sarah@example.com>"], **more},
    ).id  # fmt: skip
    return reported


# ── what there is ────────────────────────────────────────────────────────────────────────────────


def test_ten_short_tools_are_listed_each_with_its_bounds(desk: "Desk") -> None:
    tools = tools_of(desk)

    assert list(tools) == NAMES == list(SHORT)
    for one in tools.values():
        assert one.title
        assert len(one.description) > 30
        assert one.input_schema["additionalProperties"] is False
        assert one.output_schema["type"] == "object"
        assert "space" not in one.input_schema["properties"]


def test_hints_say_what_changes_something_and_what_can_be_done_twice(desk: "Desk") -> None:
    hints = {name: one.annotations for name, one in tools_of(desk).items()}

    assert {name for name, one in hints.items() if one.read_only_hint} == READING
    assert {name for name, one in hints.items() if one.destructive_hint} == {
        "update_memory", "delete_memory",
    }  # fmt: skip
    assert all(one.idempotent_hint and one.open_world_hint is False for one in hints.values())


def test_each_tool_stands_for_a_verb_of_memory() -> None:
    assert [name for name, one in SHORT.items() if not hasattr(Memory, one.verb)] == []


def test_the_caps_are_told_to_clients(desk: "Desk") -> None:
    tools = tools_of(desk)

    def most(name: str, argument: str) -> int:
        found: int = tools[name].input_schema["properties"][argument]["maximum"]
        return found

    assert most("retrieve_context", "budget_tokens") == 8_000
    assert most("search_memories", "limit") == most("list_memories", "limit") == 50
    assert most("list_entities", "limit") == 200


# ── questions ────────────────────────────────────────────────────────────────────────────────────


def test_a_context_is_the_brief_of_the_question(desk: "Desk") -> None:
    add_mail(desk.memory)
    response = desk.answer("retrieve_context", query="When is Alpha due?", budget_tokens=200)
    brief = desk.memory.brief("When is Alpha due?", budget_tokens=200)

    assert response["text"] == brief.text
    assert (response["tokens"], response["budget"]) == (brief.tokens, 200)
    assert response["receipt"] == brief.receipt.id
    assert [one["id"] for one in response["items"]] == [one.id for one in brief.items]
    assert desk.text("retrieve_context", query="When is Alpha due?") == brief.text


def test_a_search_answers_in_the_shape_of_every_door(desk: "Desk") -> None:
    kept = add_mail(desk.memory)
    response = desk.answer("search_memories", query="Alpha deadline")
    hit = desk.memory.search("Alpha deadline").hits[0]

    (entry,) = response["entries"]
    assert (entry["entryId"], entry["_score"]) == (kept, hit.score)
    assert entry["item"]["title"] == entry["summary"] == "Re: Alpha"
    assert entry["passage"] == "The Alpha deadline moved to Friday, said the client."
    assert (response["latestContext"], response["cut"]) == ("", False)


def test_sources_kinds_and_times_exclude(desk: "Desk") -> None:
    add_mail(desk.memory, happened_at="2026-03-05T10:00:00Z")
    desk.memory.add("Alpha: old note", happened_at="2025-01-01T10:00:00Z")

    def found(**how: Any) -> list[str]:
        response = desk.answer("search_memories", query="Alpha", **how)
        return [one["item"]["source"] for one in response["entries"]]

    assert sorted(found()) == ["gmail", "note"]
    assert found(sources=["gmail"]) == found(kinds=["email"]) == ["gmail"]
    assert found(time_filter="last_week") == ["gmail"]
    assert found(sources='["note"]') == found(sources="note") == ["note"]


def test_an_explanation_says_why_each_is_in_or_out(desk: "Desk") -> None:
    add_mail(desk.memory)
    desk.memory.add("Alpha is the name of the project. " * 60, kind="document", source="file")
    response = desk.answer("explain_context", query="Alpha deadline", budget_tokens=60)
    text = desk.text("explain_context", query="Alpha deadline", budget_tokens=60)

    parts = response["entries"][0]["explanation"]
    assert sum(one["value"] for one in parts) == pytest.approx(response["entries"][0]["_score"])
    ids = {one["id"] for one in (*response["items"], *response["dropped"])}
    assert ids == {one["entryId"] for one in response["entries"]}
    assert f"of {response['budget']} tokens" in text
    assert "words " in text


def test_nothing_found_is_said(desk: "Desk") -> None:
    assert desk.text("search_memories", query="Alpha").startswith("Nothing was found.")
    assert desk.text("list_entities") == "Nothing was found."


# ── what is kept ─────────────────────────────────────────────────────────────────────────────────


def test_a_statement_is_remembered_once_and_superseded(desk: "Desk") -> None:
    first = desk.answer("add_memory", text="Sarah lives in Graz.", entity="sarah", type="profile")
    again = desk.answer("add_memory", text="Sarah lives in Graz.", entity="sarah", type="profile")
    later = desk.answer(
        "add_memory", text="Sarah lives in Linz.", entity="sarah", type="profile",
        happened_at="2026-03-06T16:00:00Z",
    )  # fmt: skip

    assert (first["op"], again["op"], later["op"]) == ("add", "noop", "supersede")
    assert again["id"] == first["id"] == later["superseded"]
    assert desk.memory.get(first["id"]).metadata["_via"] == "mcp"


def test_an_item_is_read_a_stretch_at_a_time(desk: "Desk") -> None:
    content = " ".join(f"word{n}" for n in range(2_000))
    kept = desk.memory.add(content, kind="document", source="file", title="Long").id
    read, offset = "", 0
    while offset is not None:
        response = desk.answer("get_memory", id=kept, offset=offset, tokens_max=1_000)
        read, offset = read + response["item"]["content"], response["next_offset"]

    assert read == content
    assert response["content_chars"] == len(content)
    assert "offset" in desk.text("get_memory", id=kept, tokens_max=100)


def test_opening_an_item_counts_as_usage_and_reading_on_does_not(desk: "Desk") -> None:
    kept = desk.memory.add("Alpha is due on Friday.").id
    desk.answer("search_memories", query="Alpha")
    assert desk.memory.engagement(kept) is None

    desk.answer("get_memory", id=kept)
    desk.answer("get_memory", id=kept, offset=5)
    usage = desk.memory.engagement(kept)
    assert usage is not None
    assert usage.count == 1


def test_the_largest_stretch_of_an_item_stands_whole_in_the_text(desk: "Desk") -> None:
    kept = desk.memory.add("über allen Gipfeln\n" * 4_000, kind="document", source="file").id
    got = desk.call("get_memory", id=kept, tokens_max=6_000)
    offset = got.structured_content["next_offset"]

    assert got.content[0].text.endswith(f"ask again with offset {offset}.")
    assert desk.error("get_memory", id=kept, offset=10**6)["code"] == "invalid_input"


def test_pages_follow_one_another(desk: "Desk") -> None:
    kept = [desk.memory.add(f"note {n}").id for n in range(5)]
    first = desk.answer("list_memories", limit=3)
    second = desk.answer("list_memories", limit=3, cursor=first["cursor"])

    assert sorted(one["id"] for one in first["items"] + second["items"]) == sorted(kept)
    assert len(first["items"]) == 3
    assert second["cursor"] == ""
    assert desk.answer("list_memories", kinds=["task"])["items"] == []


def test_an_update_is_of_the_version_that_was_read(desk: "Desk") -> None:
    kept = add_mail(desk.memory)
    response = desk.answer("update_memory", id=kept, text="It is due on Monday.", if_version=1)

    assert response["item"]["content"] == "It is due on Monday."
    assert response["item"]["version"] == 2
    assert desk.error("update_memory", id=kept, text="no", if_version=1)["code"] == "conflict"
    assert desk.error("delete_memory", id=kept, if_version=1)["code"] == "conflict"
    assert desk.error("update_memory", id=kept)["code"] == "invalid_input"


def test_what_is_deleted_is_found_no_more_and_can_be_brought_back(desk: "Desk") -> None:
    kept = add_mail(desk.memory)

    assert desk.answer("delete_memory", id=kept) == {"forgotten": [kept]}
    assert desk.answer("search_memories", query="Alpha")["entries"] == []
    assert desk.error("delete_memory", id=kept)["code"] == "not_found"
    assert desk.memory.restore(kept).title == "Re: Alpha"


def test_entities_are_listed_by_name(desk: "Desk") -> None:
    add_mail(desk.memory)
    response = desk.answer("list_entities", name="sarah")

    assert [one["kind"] for one in response["entities"]] == ["person"]
    assert desk.text("list_entities", name="sarah") == (
        "person: Sarah Johnson at sarah@example.com (1 times)"
    )


def test_what_takes_place_and_is_due_is_listed_by_time(desk: "Desk") -> None:
    desk.memory.add("Bring the plans.", kind="event", title="Kick-off", happened_at=NOW + DAY)
    due = (NOW + DAY / 2).isoformat()
    desk.memory.add("Alpha", kind="task", title="Send the bill", metadata={"due": due})
    desk.memory.add("Too late.", kind="event", title="Review", happened_at=NOW + 30 * DAY)

    assert [one["title"] for one in desk.answer("agenda")["entries"]] == [
        "Send the bill", "Kick-off",
    ]  # fmt: skip
    until = (NOW + DAY * 3 / 4).isoformat()
    assert len(desk.answer("agenda", until=until, people=None)["entries"]) == 1


# ── who may, and what is refused ─────────────────────────────────────────────────────────────────


def test_who_may_only_read_is_shown_and_given_nothing_that_writes(desk: "Desk") -> None:
    desk.visitor.allowed = (Permission.READ,)

    assert set(tools_of(desk)) == READING
    reported = desk.error("add_memory", text="x")
    assert reported["code"] == "access_denied"
    assert "does not allow to write" in reported["message"]
    assert desk.visitor.noted == [("remember", Permission.WRITE, 403, 0)]


def test_who_may_only_write_reads_nothing_by_writing(desk: "Desk") -> None:
    kept = add_mail(desk.memory)
    desk.visitor.allowed = (Permission.WRITE,)

    assert set(tools_of(desk)) == set()
    for name, more in (("update_memory", {"title": "x"}), ("delete_memory", {})):
        reported = [desk.error(name, id=item_id, **more) for item_id in (kept, "never-there")]
        assert [one["code"] for one in reported] == ["access_denied"] * 2
        assert reported[0] == reported[1]


WRITES = [
    one for one in TOOLS.values()
    if Permission.WRITE in one.permissions and Permission.READ not in one.permissions
]  # fmt: skip


@pytest.mark.parametrize("tool", WRITES, ids=lambda one: one.name)
def test_who_may_only_write_learns_nothing_of_what_there_was(desk: "Desk", tool: McpTool) -> None:
    """Over every tool, so that a new one cannot forget it."""
    operation = REMOTE[tool.verb]
    kept = desk.memory.add("The Alpha deadline moved to Friday.", source="gmail", tags=["alpha"])
    desk.memory.sessions.add("s", "user", "hello")
    desk.memory.preferences.set("tone", "short")
    snapshot = desk.memory.background.put("Alpha is on track.")
    there = {"sessions": "s", "preferences": "tone", "background": snapshot.id}
    field = operation.spread or operation.id_field
    desk.visitor.allowed = (Permission.WRITE,)

    for name in ["none", there.get(operation.subject, kept.id)] * 2:
        named = {field: [name] if operation.spread else name} if field else {}
        got = desk.call(tool.name, **{**operation.example, **named})

        assert (got.is_error, got.structured_content) == (False, ACCEPTED), got
        assert json.loads(got.content[0].text) == ACCEPTED


def test_what_does_not_fit_in_itself_is_told_to_who_may_only_write(desk: "Desk") -> None:
    desk.visitor.allowed = (Permission.WRITE,)

    assert desk.error("add", content=1)["code"] == "invalid_input"


def test_calls_are_noted_by_their_verb(desk: "Desk") -> None:
    add_mail(desk.memory)
    desk.answer("search_memories", query="Alpha")
    desk.error("get_memory", id="nope")

    assert desk.visitor.noted == [
        ("search", Permission.READ, 200, 1), ("get", Permission.READ, 404, 0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "given", "reported"),
    [
        ("search_memories", {"query": "x", "limit": 51}, "limit"),
        ("search_memories", {"query": ""}, "query"),
        ("search_memories", {"query": "x", "space": "bob"}, "space: is no argument"),
        ("search_memories", {"query": "x", "user_id": "bob"}, "user_id: is no argument"),
        ("retrieve_context", {"query": "x", "budget_tokens": 8001}, "budget_tokens"),
        ("retrieve_context", {}, "query"),
        ("add_memory", {"text": "x" * 20_001}, "text"),
        ("add_memory", {"text": "x", "happened_at": "soon"}, "happened_at"),
        ("list_memories", {"cursor": "nonsense"}, "cursor"),
        ("get_memory", {"id": "x" * 257}, "id"),
        ("get_memory", {"id": "x", "tokens_max": 6_001}, "tokens_max"),
    ],
)
def test_what_does_not_fit_is_named(
    desk: "Desk", name: str, given: dict[str, Any], reported: str
) -> None:
    desk.memory.add("Alpha")
    error = desk.error(name, **given)

    assert (error["code"], error["retryable"]) == ("invalid_input", False)
    assert reported in error["message"]


def test_an_error_never_repeats_what_was_sent(desk: "Desk") -> None:
    reported = desk.error("search_memories", query="my secret" * 2_000, limit="my secret")

    assert "secret" not in reported["message"]


def test_no_span_of_the_sdk_tells_what_was_asked(desk: "Desk") -> None:
    assert make_server(lambda _: desk.visitor).middleware == []


def test_an_unknown_tool_is_an_error(desk: "Desk") -> None:
    assert desk.error("delete_all_memories")["code"] == "not_found"


def test_an_error_of_the_engine_keeps_its_code_and_that_it_may_be_tried_again(
    desk: "Desk", monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: Any, **__: Any) -> None:
        raise StoreBusy("another writer held the space; try again")

    monkeypatch.setattr(Memory, "list", busy)
    reported = desk.error("list_memories")

    assert (reported["code"], reported["retryable"]) == ("store_busy", True)


def test_a_mistake_of_ours_is_reported_as_one_and_logged_without_words(
    desk: "Desk", monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def wrong(*_: Any, **__: Any) -> None:
        raise RuntimeError("my secret")

    monkeypatch.setattr(Memory, "search", wrong)
    reported = desk.error("search_memories", query="x")

    assert reported["code"] == "unexpected"
    assert "secret" not in reported["message"] + caplog.text
    assert "unexpected RuntimeError" in caplog.text
