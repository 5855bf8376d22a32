"""One turn as a whole: what is kept, found, answered, told, and can be built again."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from simonides import Memory
from simonides.api.memory import AsyncMemory
from simonides.assistant.citations import number_items
from simonides.assistant.working_state import WorkingState
from simonides.errors import InvalidInput, ModelError
from simonides.model.chat import ChatEvent, ChatEventKind, Stop
from simonides.model.item import Kind, Trust
from simonides_bench.testing.scripted import ScriptedChatModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.unit.assistant.conftest import Desk

ALPHA = "When is Alpha due?"
NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)


# ── what is kept ─────────────────────────────────────────────────────────────────────────────────


def test_both_messages_are_kept_once_in_a_session_made_for_them(desk: "Desk") -> None:
    reply = desk.chat(ALPHA, "On Friday.")
    asked, answered = desk.memory.sessions.last(reply.session_id, 10)

    assert len(reply.session_id) == 32
    assert (asked.id, answered.id) == (reply.message_id, reply.reply_id)
    assert [(one.kind, one.source) for one in (asked, answered)] == [(Kind.MESSAGE, "chat")] * 2
    assert desk.kept(reply.session_id) == [("user", ALPHA), ("assistant", "On Friday.")]


def test_a_session_goes_on_by_its_id(desk: "Desk") -> None:
    for n in range(3):
        desk.chat(f"Question {n}?", f"Answer {n}.", session_id="s1")

    said = [content for _, content in desk.kept("s1")]
    assert said == [text for n in range(3) for text in (f"Question {n}?", f"Answer {n}.")]


def test_the_message_is_kept_before_the_model_is_asked(desk: "Desk") -> None:
    def look(_: Any) -> Any:
        return desk.said(f"{len(desk.kept('s1'))} kept")

    assert desk.chat(ALPHA, look, session_id="s1").message == "1 kept"


def test_what_any_model_raises_is_a_model_error_and_the_message_is_kept(desk: "Desk") -> None:
    refused = ConnectionError("refused\nby the host")

    def fail(_: Any) -> Any:
        raise refused

    with pytest.raises(ModelError, match=r"failed: ConnectionError: refused$") as caught:
        desk.chat(ALPHA, fail, session_id="s1")

    assert caught.value.__cause__ is refused
    assert desk.kept("s1") == [("user", ALPHA)]


def test_what_is_no_reply_is_a_model_error(desk: "Desk") -> None:
    class Strange(ScriptedChatModel):
        def complete(self, *_: Any, **__: Any) -> Any:
            return 7

    with pytest.raises(ModelError, match="gave int, not a ModelReply"):
        desk.memory.chat(ALPHA, model=Strange([]))


def test_what_a_listener_raises_is_none_of_the_model(desk: "Desk") -> None:
    def leave(_: ChatEvent) -> None:
        raise BrokenPipeError

    model = ScriptedChatModel([desk.said("On Friday.")])
    with pytest.raises(BrokenPipeError):
        desk.memory.chat(ALPHA, model=model, on_event=leave)


def test_the_answer_is_kept_with_the_ids_of_its_context(desk: "Desk") -> None:
    asked = desk.said("", desk.call("retrieve_context", query="harbor cranes"))
    reply = desk.chat(ALPHA, asked, "Friday.")
    kept = desk.memory.get(reply.reply_id)

    assert kept.metadata["_context"] == [hit.id for hit in reply.items]
    assert "_quotes" not in kept.metadata


def test_an_answer_that_holds_what_no_store_keeps_is_cleaned(desk: "Desk") -> None:
    reply = desk.chat(ALPHA, "On\x00 Fri\ud800day\r\nat noon.")

    assert reply.message == "On Fri\ufffdday\nat noon."
    assert desk.kept(reply.session_id)[-1][1] == reply.message == desk.heard


@pytest.mark.parametrize("message", ["", " \n", None, 7, "x" * 100_001])
def test_a_message_that_is_none_is_refused_and_nothing_is_kept(desk: "Desk", message: Any) -> None:
    before = desk.memory.stats().revision
    with pytest.raises(InvalidInput, match="message"):
        desk.chat(message)

    assert desk.memory.stats().revision == before


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("time_filter", "next_year"), ("mode", "psychic"), ("timezone", "Mars/Base"),
        ("now", "soon"), ("now", 3),
        ("session_id", "a\nb"), ("sources", [3]), ("tools", [7]),
    ],
)  # fmt: skip
def test_an_argument_out_of_range_is_refused_and_nothing_is_kept(
    desk: "Desk", field: str, value: Any
) -> None:
    before = desk.memory.stats().revision
    with pytest.raises(InvalidInput):
        desk.chat(ALPHA, "Friday.", **{field: value})

    assert desk.memory.stats().revision == before


def test_time_is_reported_by_the_caller_if_they_want(desk: "Desk") -> None:
    then = NOW - timedelta(days=2)
    reply = desk.chat(ALPHA, "Friday.", now=then, timezone="Europe/Vienna", session_id="s1")
    asked, answered = desk.memory.sessions.last("s1", 10)

    assert asked.happened_at == answered.happened_at == then
    assert "Today is Tue 2026-03-10." in desk.requests[0].messages[0].content
    assert reply.receipt is not None
    assert (reply.receipt.now, reply.receipt.timezone) == (then, "Europe/Vienna")


# ── what is found ────────────────────────────────────────────────────────────────────────────────


def test_the_context_has_the_tokens_and_items_of_the_settings(
    open_desk: "Callable[..., Desk]",
) -> None:
    desk = open_desk(chat_context_tokens=300, chat_context_items=4)
    desk.memory.add([f"Alpha note {n}: crane {n * 7} stands at pier {n}." for n in range(20)])
    reply = desk.chat("Tell me of Alpha.", "Fine.")

    assert reply.receipt is not None
    assert reply.receipt.budget == 300
    assert 1 <= len(reply.items) <= 4
    assert len(reply.receipt.items) == len(reply.items)


def test_four_thousand_tokens_and_ten_items_unless_told_otherwise(desk: "Desk") -> None:
    desk.memory.add([f"Alpha note {n}: crane {n * 7} stands at pier {n}." for n in range(30)])
    reply = desk.chat("Tell me of Alpha.", "Fine.")

    assert reply.receipt is not None
    assert (reply.receipt.budget, len(reply.items)) == (4000, 10)
    assert reply.receipt.config.layout == "sourced"


def test_items_are_reported_each_once_in_the_order_of_the_numbers_they_are_cited_by(
    desk: "Desk",
) -> None:
    better = "Yearly harbor plan: the new cranes arrive in April."
    desk.memory.add(better, title="Harbor plan", source="gdrive", happened_at="2026-03-11")
    look = desk.said("", *(desk.call("retrieve_context", id_=q, query=q) for q in (ALPHA, better)))
    reply = desk.chat("Alpha?", look, "Both [1], [2] and [3].", sources=["gmail", "gdrive"])
    ids = [hit.id for hit in reply.items]

    assert reply.items[0].score < max(hit.score for hit in reply.items)
    assert len(ids) == len(set(ids))
    assert [(one.number, one.id) for one in reply.citations] == list(enumerate(ids[:3], start=1))


def test_sources_and_time_of_the_turn_hold_for_the_models_questions_too(desk: "Desk") -> None:
    look = desk.said("", desk.call("retrieve_context", query="harbor", sources=["gdrive"],
                                   time_filter="last_6_months"))  # fmt: skip
    reply = desk.chat("Alpha or harbor?", look, "Both.", sources=["gmail"], time_filter="last_week")

    assert {hit.item.source for hit in reply.items} == {"gmail"}
    assert desk.chat("Alpha?", "No.", sources=["gdrive"], time_filter="last_week").items == ()


def test_what_the_caller_excludes_stays_excluded_where_nothing_else_is_found(desk: "Desk") -> None:
    look = desk.call("retrieve_context", query="harbor cranes")
    reply = desk.chat("Harbor?", desk.said("", look), "No idea.", sources=["jira"])

    assert (reply.items, desk.result()) == ((), {"found": 0, "items": [], "entities": []})


def test_sources_that_the_model_chose_give_way_where_they_have_nothing(desk: "Desk") -> None:
    look = desk.call("retrieve_context", query="harbor cranes", sources=["jira"])
    reply = desk.chat("Hm?", desk.said("", look), "In April.")

    assert "Harbor plan" in [one.get("title") for one in desk.result()["items"]]
    assert reply.notes == ("nothing was found in jira; looked in all sources, by words alone",)


def test_the_model_may_narrow_by_source_time_and_entity(desk: "Desk") -> None:
    for given, found in (
        ({"sources": ["gdrive"]}, ["Harbor plan"]),
        ({"time_filter": "last_week"}, ["Re: Alpha"]),
        ({"entity_filter": ["sarah@example.com"]}, ["Re: Alpha"]),
    ):
        look = desk.call("retrieve_context", query="Alpha harbor", **given)
        desk.chat("Hm?", desk.said("", look), "Ah.", time_filter="", session_id="s1")

        titles = [one.get("title") for one in desk.result()["items"] if one["kind"] != "message"]
        assert titles == found


def test_conversations_crowd_out_no_item(desk: "Desk") -> None:
    for n in range(30):
        desk.memory.sessions.add(f"old{n}", "user", f"Alpha, Alpha: when Alpha is due, {n}.")
    desk.memory.add([f"Alpha note {n}: crane {n * 7} stands at pier {n}." for n in range(9)])
    reply = desk.chat(ALPHA, "Friday.")
    kinds = [hit.item.kind for hit in reply.items]

    assert kinds.count(Kind.MESSAGE) == 5
    assert len(kinds) == 10


def test_a_model_that_says_what_we_say_without_one_is_kept_as_an_answer(desk: "Desk") -> None:
    reply = desk.chat(ALPHA, "The model answered nothing, I said.")
    kept = desk.memory.get(reply.reply_id)

    assert "_quotes" not in kept.metadata


def test_known_entities_are_reported(desk: "Desk") -> None:
    reply = desk.chat("What did Sarah Johnson say?", "Friday.")

    assert reply.entities == (
        "Sarah Johnson (person): sarah@example.com (self-named; unknown sender)",
    )


def test_a_lane_that_could_not_run_is_reported(desk: "Desk", tmp_path: Path) -> None:
    settings = replace(desk.memory.settings, embedder="none")
    with Memory(tmp_path / "plain", settings=settings) as memory:
        memory.add("Alpha is due on Friday.")
        reply = memory.chat(ALPHA)

    assert reply.notes == ("answered without vectors: the space holds no vectors",)


# ── the receipt ──────────────────────────────────────────────────────────────────────────────────


def test_the_brief_of_a_turn_can_be_built_again_byte_for_byte(desk: "Desk") -> None:
    reply = desk.chat("What did Sarah Johnson say?", "Friday.", session_id="s1")
    request = desk.requests[0].messages[-1].content
    desk.memory.add("Alpha moved again.")
    assert reply.receipt is not None
    again = desk.memory.replay(reply.receipt)

    assert again.exact
    assert number_items(again.text, count=len(reply.receipt.items)) == request
    assert "\n[1] [" in request


# ── what is remembered ───────────────────────────────────────────────────────────────────────────


def test_what_a_model_remembers_names_the_model_and_the_session(desk: "Desk") -> None:
    keep = desk.call("remember", text="Tom lives in Graz.", entity="Tom.home", type="profile")
    reply = desk.chat("Tom lives in Graz.", desk.said("", keep), "Noted.", session_id="s1")
    kept = desk.memory.get(desk.result()["id"])

    assert kept.traits is not None
    assert (kept.content, kept.traits.entity) == ("Tom lives in Graz.", "Tom.home")
    assert (kept.traits.source_run_id, kept.traits.type) == ("s1", "profile")
    assert kept.metadata["_said_by"] == "scripted"
    assert reply.notes == (f"remembered {kept.id} (add)",)


def test_nothing_that_a_model_says_is_the_users_own_word(desk: "Desk") -> None:
    desk.chat("Hm.", desk.said("", desk.call("remember", text="Tom loves jazz.")), "Noted.")
    [found] = [h for h in desk.memory.search("jazz") if h.item.kind is Kind.MEMORY][:1]

    assert found.trust is Trust.KNOWN


def test_what_is_replaced_is_reported_and_stays_in_the_history(desk: "Desk") -> None:
    old = desk.memory.remember("Tom drinks tea.", entity="Tom.drink")
    keep = desk.call("remember", text="Tom drinks cocoa.", entity="Tom.drink")
    reply = desk.chat("Tom drinks cocoa now.", desk.said("", keep), "Noted.")

    assert desk.result()["superseded"] == old.id
    assert reply.notes == (f"remembered {desk.result()['id']} in place of {old.id}, which is kept",)
    assert desk.memory.get(old.id).content == "Tom drinks tea."


def test_what_is_remembered_already_changes_nothing(desk: "Desk") -> None:
    keep = desk.call("remember", text="tom prefers tea")
    reply = desk.chat("Tom prefers tea.", desk.said("", keep), "I know.")

    assert desk.result()["op"] == "noop"
    assert reply.notes == ()


def test_an_empty_statement_is_an_error_for_the_model(desk: "Desk") -> None:
    desk.chat("Hm.", desk.said("", desk.call("remember", text=" ")), "Sorry.")

    assert "text: is empty" in desk.result()["error"]


# ── what is told ─────────────────────────────────────────────────────────────────────────────────


def test_the_answer_is_told_piece_by_piece(desk: "Desk") -> None:
    reply = desk.chat(ALPHA, "It is due on Friday.")
    pieces = [one.text for one in desk.events if one.kind is ChatEventKind.TEXT]

    assert len(pieces) > 2
    assert "".join(pieces) == reply.message


def test_without_a_listener_the_answer_is_the_same(desk: "Desk") -> None:
    model = ScriptedChatModel([desk.said("It is due on Friday.")])

    assert desk.memory.chat(ALPHA, model=model).message == "It is due on Friday."


def test_what_a_session_waits_for_is_noted_until_it_is_answered(desk: "Desk") -> None:
    working = WorkingState(working=desk.memory._runtime.working, space="default")
    asking = desk.said("", desk.call("ask_user", question="Which?"))
    reply = desk.chat(ALPHA, asking, session_id="s1")

    assert working.pending("s1") == ({"kind": "clarification", "question": "Which?"},)
    assert working.recent("s1") == tuple(hit.id for hit in reply.items)
    desk.chat("The boat.", "Friday.", session_id="s1")
    assert working.pending("s1") == ()


# ── ways in ──────────────────────────────────────────────────────────────────────────────────────


def test_the_model_of_the_memory_answers_unless_another_is_handed_in(desk: "Desk") -> None:
    own = ScriptedChatModel([desk.said("Mine.")], name="own")
    with Memory(desk.memory._runtime.path, settings=desk.memory.settings, chat_model=own,
                embedder=desk.memory._runtime.embedder) as memory:  # fmt: skip
        assert memory.chat(ALPHA).message == "Mine."
        other = ScriptedChatModel([desk.said("Other.")])
        assert memory.chat(ALPHA, model=other).message == "Other."


def test_a_turn_can_be_awaited(desk: "Desk") -> None:
    events: list[ChatEvent] = []
    model = ScriptedChatModel([desk.said("Friday.")])

    async def work() -> str:
        reply = await AsyncMemory(desk.memory).chat(ALPHA, model=model, on_event=events.append)
        assert isinstance(reply.message, str)
        return str(reply.message)

    assert asyncio.run(work()) == "Friday."
    assert events


def test_two_spaces_see_nothing_of_each_other(desk: "Desk") -> None:
    desk.chat("My locker is number 212.", "Noted.", session_id="s1")
    other = desk.memory.in_space("other")
    reply = other.chat("What number is my locker?", session_id="s1")

    assert (reply.stop, reply.items) == (Stop.NO_MODEL, ())
    assert len(other.sessions.last("s1", 10)) == 2
