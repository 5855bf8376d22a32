"""What the tools make of their arguments, told as the verbs of the library tell it."""

from typing import TYPE_CHECKING, Any

import pytest

from simonides.mcp.tools import SHORT
from simonides.model.item import Kind

if TYPE_CHECKING:
    from tests.unit.mcp.conftest import Desk


# ── arguments ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (["a", "b"], ["a", "b"]), ('["a", "b"]', ["a", "b"]), (' ["a"]', ["a"]), ("a", ["a"]),
        ("a, b", ["a, b"]), ("", []), ([], []), ("[a", ["[a"]),
    ],
)  # fmt: skip
def test_a_list_may_come_as_text(given: Any, wanted: list[str]) -> None:
    if given == "[a":  # begins as a list and is none
        with pytest.raises(Exception, match="sources"):
            SHORT["list_memories"].read({"sources": given})
        return
    assert SHORT["list_memories"].read({"sources": given}).sources == tuple(wanted)


def test_what_is_left_out_has_its_default() -> None:
    asked = SHORT["search_memories"].read({"query": "x"})

    assert (asked.limit, asked.sources, asked.kinds) == (10, (), ())
    assert (asked.time_filter, asked.session_id) == (None, "")


def test_numbers_may_come_as_text_and_kinds_in_their_own_words() -> None:
    asked = SHORT["list_memories"].read({"limit": "5", "kinds": "email"})

    assert (asked.limit, asked.kinds) == (5, (Kind.EMAIL,))


# ── statements ───────────────────────────────────────────────────────────────────────────────────


def test_a_statement_is_kept_with_all_that_was_said_of_it(desk: "Desk") -> None:
    response = desk.answer(
        "add_memory", text="Sarah leads Alpha.", entity="sarah", type="profile",
        tags=["work", "alpha"], happened_at="2026-02-01",
    )  # fmt: skip
    kept = desk.memory.get(response["id"])

    assert kept.kind is Kind.MEMORY
    assert kept.tags == ("work", "alpha")
    assert kept.happened_at is not None
    assert kept.happened_at.isoformat() == "2026-02-01T00:00:00+00:00"
    assert kept.traits is not None
    assert (kept.traits.entity, kept.traits.type) == ("sarah", "profile")


def test_a_statement_that_takes_the_place_of_another_says_of_which(desk: "Desk") -> None:
    first = desk.answer("add_memory", text="Sarah lives in Graz.", entity="sarah", type="profile")
    given = {"entity": "sarah", "type": "profile", "happened_at": "2026-03-06T16:00:00Z"}
    text = desk.text("add_memory", text="Sarah lives in Linz.", **given)

    assert text.startswith("supersede (")
    assert text.endswith(f"; it takes the place of {first['id']}")


def test_where_it_came_from_is_no_word_to_be_found_by(desk: "Desk") -> None:
    desk.answer("add_memory", text="Sarah prefers tea.")

    assert desk.answer("search_memories", query="mcp _via")["entries"] == []


# ── items ────────────────────────────────────────────────────────────────────────────────────────


def test_a_title_alone_can_be_changed_and_the_rest_stays(desk: "Desk") -> None:
    kept = desk.memory.add("Alpha is due.", title="Old", tags=["a"]).id
    response = desk.answer("update_memory", id=kept, title="New")["item"]

    assert (response["title"], response["content"], response["tags"]) == (
        "New",
        "Alpha is due.",
        ["a"],
    )


def test_tags_can_be_taken_away_and_a_title_emptied(desk: "Desk") -> None:
    kept = desk.memory.add("Alpha is due.", title="Old", tags=["a"]).id
    response = desk.answer("update_memory", id=kept, tags=[], title="")["item"]

    assert "tags" not in response
    assert "title" not in response
    assert (desk.memory.get(kept).tags, desk.memory.get(kept).title) == ((), "")


def test_an_item_is_deleted_at_the_version_that_was_read(desk: "Desk") -> None:
    kept = desk.memory.add("Alpha is due.").id
    desk.memory.update(kept, title="New")

    reported = desk.error("delete_memory", id=kept, if_version=1)
    assert reported["code"] == "conflict"
    assert desk.answer("delete_memory", id=kept, if_version=2) == {"forgotten": [kept]}


def test_an_offset_at_the_end_gives_nothing_more(desk: "Desk") -> None:
    kept = desk.memory.add("word " * 10).id
    length = desk.answer("get_memory", id=kept)["content_chars"]
    response = desk.answer("get_memory", id=kept, offset=length)

    assert response["item"].get("content", "") == ""
    assert response["next_offset"] is None
    assert desk.error("get_memory", id=kept, offset=length + 1)["message"].startswith("offset")


def test_a_page_is_of_the_sources_and_kinds_that_are_asked_for(desk: "Desk") -> None:
    for source, kind in (("gmail", "email"), ("jira", "task"), ("note", "memory")):
        desk.memory.add(f"From {source}", source=source, kind=kind)

    def sources(**asked: Any) -> set[str]:
        return {one["source"] for one in desk.answer("list_memories", **asked)["items"]}

    assert sources(sources=["gmail", "jira"]) == {"gmail", "jira"}
    assert sources(kinds=["task", "memory"]) == {"jira", "note"}
    assert sources(sources=["gmail"], kinds=["task"]) == set()


def test_the_text_of_a_page_says_how_to_go_on(desk: "Desk") -> None:
    desk.memory.add([f"note {n}" for n in range(3)])
    cursor = desk.answer("list_memories", limit=2)["cursor"]

    assert desk.text("list_memories", limit=2).endswith(f"ask again with cursor {cursor}")
    assert "ask again" not in desk.text("list_memories", limit=3)


# ── questions ────────────────────────────────────────────────────────────────────────────────────


def test_a_context_says_what_was_left_out_and_why(desk: "Desk") -> None:
    for n in range(5):
        desk.memory.add(f"Alpha {n}: " + f"words number {n} and more of them. " * 20)
    response = desk.answer("retrieve_context", query="Alpha words", budget_tokens=150)

    assert 0 < response["tokens"] <= response["budget"] == 150
    assert sum(response["dropped"].values()) + len(response["items"]) == 5
    assert response["dropped"].get("budget", 0) > 0


def test_a_range_of_time_ends_now_and_now_is_the_callers(desk: "Desk") -> None:
    desk.memory.add("Alpha today", happened_at="2026-03-06T10:00:00Z")
    desk.memory.add("Alpha yesterday", happened_at="2026-03-05T10:00:00Z")

    def found(name: str) -> list[str]:
        entries = desk.answer("search_memories", query="Alpha", time_filter=name)["entries"]
        return sorted(one["passage"] for one in entries)

    assert found("today") == ["Alpha today"]
    assert found("yesterday") == ["Alpha yesterday"]
    assert found("last_week") == ["Alpha today", "Alpha yesterday"]


def test_what_ran_otherwise_than_asked_is_told_in_both_forms(desk: "Desk") -> None:
    desk.memory.add("Alpha")
    response = desk.answer("search_memories", query="Alpha")

    assert any("without vectors" in one for one in response["notes"])
    assert desk.text("search_memories", query="Alpha").endswith(response["notes"][-1])


def test_entities_are_found_by_a_part_of_their_name_and_no_more_than_asked(desk: "Desk") -> None:
    desk.memory.add("x", people=[f"Person {n} <p{n}@example.com>" for n in range(5)])
    response = desk.answer("list_entities", name="person", limit=3)

    assert len(response["entities"]) == 3
    assert response["cut"] is False
    assert desk.answer("list_entities", name="nobody")["entities"] == []
