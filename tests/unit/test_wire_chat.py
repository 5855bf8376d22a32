"""What a conversation answers, as JSON."""

import json

from simonides.codec.write import to_line, to_wire
from simonides.model.answer import Hit
from simonides.model.chat import ChatEvent, ChatEventKind, ChatReply, Retrieved, Stop
from simonides.model.item import Item

HIT = Hit(item=Item(id="i1", content="Due on Friday."), score=0.5, passage="Due on Friday.")


def test_what_was_retrieved_says_how_much_and_its_items_are_those_of_a_search() -> None:
    wire = to_wire(Retrieved(hits=(HIT,), entities=("Sarah (person)",), notes=("text only",)))

    assert list(wire) == ["found", "items", "entities", "notes"]
    assert (wire["found"], wire["entities"], wire["notes"]) == (
        1,
        ["Sarah (person)"],
        ["text only"],
    )
    assert wire["items"] == [to_wire(HIT)]
    assert wire["items"][0]["entryId"] == "i1"


def test_a_reply_has_all_its_fields_by_their_names() -> None:
    reply = ChatReply(message="Friday.", session_id="s1", items=(HIT,), stop=Stop.CLARIFICATION)
    wire = json.loads(to_line(reply))

    assert list(wire) == [
        "message", "session_id", "items", "entities", "tokens_used", "needs_clarification",
        "clarification_question", "receipt", "message_id", "reply_id", "model", "calls", "stop",
        "notes", "citations",
    ]  # fmt: skip
    assert (wire["stop"], wire["receipt"]) == ("clarification", None)
    assert wire["items"][0]["_score"] == 0.5


def test_an_event_is_its_kind_text_and_name() -> None:
    event = ChatEvent(kind=ChatEventKind.TOOL_RESULT, text="found 2", name="retrieve_context")

    assert to_wire(event) == {"kind": "tool_result", "text": "found 2", "name": "retrieve_context"}
