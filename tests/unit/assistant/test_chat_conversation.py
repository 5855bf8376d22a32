"""A conversation through `memory.chat`: what a turn reads of the one before, and citations."""

from typing import TYPE_CHECKING

import pytest

from simonides.assistant.citations import citations_of
from simonides.model.chat import Citation, Stop
from simonides.model.item import Item

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.unit.assistant.conftest import Desk

ALPHA = "What did Sarah say about the Alpha deadline?"


def request(desk: "Desk") -> str:
    return desk.requests[0].messages[-1].content


def test_a_follow_up_without_a_model_finds_what_was_asked_before(desk: "Desk") -> None:
    memory = desk.memory
    memory.chat(ALPHA, session_id="s")
    reply = memory.chat("And when?", session_id="s")

    assert reply.items[0].item.source_id == "m1"
    assert f"understood as: And when? ({ALPHA})" in reply.notes
    assert "Friday" in reply.message
    assert memory.chat("And when?", session_id="other").notes[:1] != reply.notes[:1]


def test_a_model_gets_what_a_follow_up_means(desk: "Desk") -> None:
    desk.chat(ALPHA, "On Friday.", session_id="s")
    desk.chat("And when?", "Friday.", session_id="s")

    assert "The Alpha deadline moved to Friday" in request(desk)
    assert "And when?" in request(desk)


def test_a_pronoun_is_the_person_of_the_turn_before(desk: "Desk") -> None:
    desk.memory.chat(ALPHA, session_id="s")
    reply = desk.memory.chat("What did she answer?", session_id="s")

    assert any("What did Sarah Johnson answer?" in note for note in reply.notes)
    assert reply.items[0].item.source_id == "m1"


def test_a_pronoun_is_the_person_that_the_stored_question_names(
    open_desk: "Callable[..., Desk]",
) -> None:
    open_desk().memory.chat("when is sarah's Alpha due?", session_id="s")
    reply = open_desk().memory.chat("What did she answer?", session_id="s")

    assert any("What did Sarah Johnson answer?" in note for note in reply.notes)


def test_a_line_of_the_answer_before_is_named_by_its_number(desk: "Desk") -> None:
    desk.memory.add("The Alpha crane is yellow.", id="crane")
    first = desk.memory.chat("Tell me of Alpha.", session_id="s")
    second = first.items[1].id
    reply = desk.memory.chat("the second one, please", session_id="s")

    assert [hit.id for hit in reply.items] == [second]


def test_the_stored_messages_tell_the_turn_before_where_working_memory_is_gone(
    open_desk: "Callable[..., Desk]",
) -> None:
    desk = open_desk()
    first = desk.memory.chat(ALPHA, session_id="s")
    again = open_desk().memory
    reply = again.chat("[1]", session_id="s")

    assert [hit.id for hit in reply.items] == [first.items[0].id]
    assert any("Re: Alpha" in note for note in again.chat("And when?", session_id="s").notes)


def test_the_answer_to_a_question_back_is_about_what_was_asked(desk: "Desk") -> None:
    asks = desk.said("", desk.call("ask_user", question="Which plan do you mean?"))
    reply = desk.chat("When does the pilot start?", asks, session_id="s")
    assert reply.stop is Stop.CLARIFICATION

    desk.chat("the harbor", "In April.", session_id="s")
    assert "Harbor pilot starts in April" in request(desk)
    last = desk.chat("the harbor", "In April.", session_id="s")
    assert not any("When does the pilot start? (" in note for note in last.notes)


def test_items_are_numbered_and_citations_checked_and_counted(desk: "Desk") -> None:
    reply = desk.chat("When is the Alpha deadline?", "On Friday [1], not in May [9].")
    [mail] = [hit for hit in reply.items if hit.item.source_id == "m1"]

    assert "[1] [GMAIL] Re: Alpha" in request(desk)
    whole = (0, len(mail.item.content))
    assert reply.citations == (Citation(number=1, id=mail.id, spans=(whole,)),)
    assert citations_of(desk.memory.get(reply.reply_id)) == reply.citations
    assert "the answer cites [9], which was not in its context" in reply.notes
    assert desk.memory.get(reply.reply_id).metadata["_cited"] == [mail.id]
    usage = desk.memory.engagement(mail.id)
    assert usage is not None
    assert usage.count == 1


@pytest.mark.parametrize("kept", [3, [[1]], [["a", "b", []]], [[1, "b", [[1]]]], [[1, "b", 2]]])
def test_citations_of_another_form_are_none(kept: object) -> None:
    assert citations_of(Item(content="x", metadata={"_citations": kept})) == ()


def test_what_tools_find_has_the_next_numbers(desk: "Desk") -> None:
    look = desk.said("", desk.call("retrieve_context", query="Harbor pilot cranes"))
    reply = desk.chat("Alpha?", look, lambda _: desk.said(f"In April [{number(desk)}]."))

    [cited] = reply.citations
    assert desk.memory.get(cited.id).source_id == "d1"


def number(desk: "Desk") -> int:
    reported = desk.result()["items"]
    return next(int(one["n"]) for one in reported if "Harbor" in one["title"])


def test_cited_lines_without_a_model_count_as_usage_and_being_found_does_not(
    desk: "Desk",
) -> None:
    memory = desk.memory
    found = memory.search("Alpha deadline").hits[0].id
    assert memory.engagement(found) is None

    reply = memory.chat("When is the Alpha deadline?")
    assert [one.id for one in reply.citations] == [hit.id for hit in reply.items]
    assert memory.engagement(found) is not None


def test_an_answer_ranks_below_what_it_cites(desk: "Desk") -> None:
    reply = desk.chat("When is the Alpha deadline?", "The Alpha deadline moved to Friday [1].")
    found = [hit.id for hit in desk.memory.search("Alpha deadline moved to Friday")]

    assert found.index(reply.citations[0].id) < found.index(reply.reply_id)


@pytest.mark.parametrize("message", ["And when?", "the second one", "what did he say?"])
def test_the_first_message_of_a_session_means_what_it_says(desk: "Desk", message: str) -> None:
    reply = desk.memory.chat(message)

    assert not any(note.startswith("understood") for note in reply.notes)
