"""The tool loop: calls alone and beside each other, bad ones, broken ones, and where it ends."""

import threading
from collections.abc import Callable, Iterator
from itertools import count, repeat
from typing import TYPE_CHECKING, Any, Literal

import pytest

from simonides.errors import InvalidInput, ModelError, NotFound
from simonides.model.chat import ModelReply, ModelRequest, Stop
from simonides.model.chat_role import ChatRole

if TYPE_CHECKING:
    from tests.unit.assistant.conftest import Desk

ALPHA = "When is the Alpha deadline?"


def weather(city: str, days: int = 1) -> dict[str, Any]:
    """Tell the weather of a city."""
    return {"city": city, "days": days, "sky": "clear"}


def boom() -> str:
    """Break."""
    raise RuntimeError("the secret is 1234")


def missing() -> str:
    """Look for what is not there."""
    raise NotFound("drawer", "left")


def test_an_answer_at_once_is_the_message(desk: "Desk") -> None:
    reply = desk.chat(ALPHA, "On Friday.")

    assert (reply.message, reply.stop, reply.calls) == ("On Friday.", Stop.ANSWERED, 1)
    assert (reply.model, reply.tokens_used, reply.notes) == ("scripted", 10, ())
    assert not reply.needs_clarification
    assert reply.items[0].item.source_id == "m1"


def test_a_call_is_answered_by_its_tool_and_the_model_is_asked_again(desk: "Desk") -> None:
    asked = desk.call("retrieve_context", query="harbor cranes")
    reply = desk.chat(ALPHA, desk.said("", asked), "In April.")
    first, second = desk.requests

    assert (reply.message, reply.calls, reply.tokens_used) == ("In April.", 2, 20)
    assert second.messages[:-2] == first.messages
    assert second.messages[-2].tool_calls == (asked,)
    assert (second.messages[-1].role, second.messages[-1].tool_call_id) == (ChatRole.TOOL, "c1")
    assert desk.result()["found"] >= 1
    assert desk.result()["items"][0]["title"] == "Harbor plan"
    assert "d1" in [hit.item.source_id for hit in reply.items]


def test_calls_beside_each_other_run_at_once_and_are_told_in_their_order(desk: "Desk") -> None:
    both = threading.Barrier(2, timeout=20)

    def meet(name: str) -> str:
        """Wait for the other one."""
        both.wait()
        return name

    calls = [desk.call("meet", id_=f"c{n}", name=f"n{n}") for n in range(2)]
    desk.chat("Go.", desk.said("", *calls), "Done.", tools=[meet])

    assert [one.content for one in desk.requests[1].messages[-2:]] == ['"n0"', '"n1"']
    assert [one.tool_call_id for one in desk.requests[1].messages[-2:]] == ["c0", "c1"]
    tools, results = [("tool", "meet")] * 2, [("tool_result", "meet")] * 2
    assert desk.event_names == [*tools, *results]


def test_calls_without_an_id_or_with_one_that_is_taken_get_their_own(desk: "Desk") -> None:
    calls = [desk.call("weather", id_=id_, city="Graz") for id_ in ("", "c1", "c1")]
    desk.chat("Go.", desk.said("", *calls), "Done.", tools=[weather])
    asked = desk.requests[1].messages[-4]

    ids = [one.id for one in asked.tool_calls]
    assert ids == ["call_0_0", "c1", "call_0_2"]
    assert [one.tool_call_id for one in desk.requests[1].messages[-3:]] == ids


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("{city: Graz}", "are no JSON"),
        ('["Graz"]', "must be a JSON object, got list"),
        ("{}", "city: is missing"),
        ('{"city": 3}', "city: must be text, got a whole number"),
        ('{"city": "Graz", "days": "two"}', "days: must be a whole number, got text"),
        ('{"city": "Graz", "day": 2}', "day: is not known; there are city, days"),
        ('{"city": null}', "city: must be text, got null"),
        ('{"city": "Graz", "days": NaN}', "NaN is no number of JSON"),
        ('{"a": ' * 5000 + "1" + "}" * 5000, "nested"),
        ('{"city": "' + "x" * 100_001 + '"}', "longer than 100,000 characters"),
    ],
)
def test_bad_arguments_go_back_to_the_model_naming_the_field(
    desk: "Desk", written: str, named: str
) -> None:
    reply = desk.chat(
        "Go.", desk.said("", desk.call("weather", written)), "Sorry.", tools=[weather]
    )

    assert reply.message == "Sorry."
    assert desk.result()["code"] == "invalid_input"
    assert named in desk.result()["error"]


def test_every_argument_that_does_not_fit_is_named_at_once(desk: "Desk") -> None:
    desk.chat(
        "Go.", desk.said("", desk.call("weather", '{"days": "x", "y": 1}')), "…", tools=[weather]
    )

    error = desk.result()["error"]
    assert all(name in error for name in ("city: is missing", "days: must", "y: is not known"))


def test_an_unknown_tool_is_reported_with_the_known_ones(desk: "Desk") -> None:
    desk.chat("Go.", desk.said("", desk.call("fly")), "No.", tools=[weather])

    assert desk.result()["code"] == "not_found"
    for name in ("'fly'", "retrieve_context", "remember", "ask_user", "weather"):
        assert name in desk.result()["error"]


def test_a_deliberate_error_of_a_tool_is_reported_the_model(desk: "Desk") -> None:
    reply = desk.chat("Go.", desk.said("", desk.call("missing")), "No.", tools=[missing])

    assert desk.result() == {"error": "no drawer 'left'", "code": "not_found"}
    assert reply.notes == ()


def test_what_a_broken_tool_says_is_reported_nobody_but_that_it_broke_is(desk: "Desk") -> None:
    reply = desk.chat("Go.", desk.said("", desk.call("boom")), "No.", tools=[boom])

    assert desk.result()["code"] == "unexpected"
    assert reply.notes == ("tool 'boom' failed with RuntimeError",)
    reported = [one.content for request in desk.requests for one in request.messages]
    assert not any(
        "1234" in text for text in (*reported, *reply.notes, *(e.text for e in desk.events))
    )


def test_one_bad_call_stops_no_other(desk: "Desk") -> None:
    calls = (
        desk.call("boom"),
        desk.call("weather", id_="c2", city="Graz"),
        desk.call("x", id_="c3"),
    )
    desk.chat("Go.", desk.said("", *calls), "Yes.", tools=[boom, weather])

    assert [desk.result(place=n).get("code") for n in (-3, -2, -1)] == [
        "unexpected", None, "not_found",
    ]  # fmt: skip


def test_what_json_has_no_form_for_is_a_broken_tool(desk: "Desk") -> None:
    def odd() -> object:
        """Return what is no JSON."""
        return object()

    reply = desk.chat("Go.", desk.said("", desk.call("odd")), "No.", tools=[odd])

    assert desk.result()["code"] == "unexpected"
    assert reply.notes == ("tool 'odd' failed with TypeError",)


def test_only_so_many_calls_of_one_reply_are_run(desk: "Desk") -> None:
    ran = count()

    def tick() -> int:
        """Count."""
        return next(ran)

    calls = [desk.call("tick", id_=f"c{n}") for n in range(40)]
    desk.chat("Go.", desk.said("", *calls), "Enough.", tools=[tick])
    results = desk.requests[1].messages[-40:]

    assert next(ran) == 32
    assert sum("at most 32 at once" in one.content for one in results) == 8


def test_a_model_that_never_stops_asking_is_stopped_at_its_last_call(desk: "Desk") -> None:
    asked = desk.said("", desk.call("retrieve_context", query="Alpha"))
    reply = desk.chat(ALPHA, ever=repeat(asked))

    assert (reply.stop, reply.calls, len(desk.requests)) == (Stop.CALLS, 10, 10)
    first, *lines = reply.message.split("\n")
    assert first == "The model still asked for tools at its last call; this is what was found:"
    assert lines[0].startswith(
        "[1] GMAIL · 2026-03-06 · Sarah Johnson at sarah@example.com · unknown"
    )
    assert reply.notes == ("asked for at the last call, and not done: retrieve_context",)
    assert len(desk.event_names) == 18
    assert desk.heard == reply.message


def test_tools_of_the_last_call_are_not_run(desk: "Desk") -> None:
    ran = count()

    def send() -> int:
        """Send."""
        return next(ran)

    desk.memory = desk.memory.in_space("other")
    reply = desk.chat("Send.", ever=repeat(desk.said("", desk.call("send"))), tools=[send])

    assert next(ran) == 9
    assert reply.message.endswith("and nothing in memory answers this.")


def test_a_question_back_ends_the_turn_and_is_the_answer(desk: "Desk") -> None:
    asked = desk.call("ask_user", question="Which Alpha?")
    reply = desk.chat(ALPHA, desk.said("Let me see.", asked))

    assert (reply.stop, reply.needs_clarification) == (Stop.CLARIFICATION, True)
    assert reply.message == reply.clarification_question == desk.heard == "Which Alpha?"
    assert desk.kept(reply.session_id) == [("user", ALPHA), ("assistant", "Which Alpha?")]
    assert desk.event_names[0] == ("retract", "")


def test_what_was_asked_for_beside_a_question_back_is_done(desk: "Desk") -> None:
    keep = desk.call("remember", id_="c2", text="Alpha is a boat.")
    reply = desk.chat(ALPHA, desk.said("", desk.call("ask_user", question="Which?"), keep))

    assert reply.stop is Stop.CLARIFICATION
    assert desk.memory.search("boat").hits[0].item.content == "Alpha is a boat."


def test_a_model_notes_how_the_user_wants_things(desk: "Desk") -> None:
    note = desk.call("note_preference", key="Tone", value="short")
    reply = desk.chat("Please keep it short.", desk.said("", note), "Yes.")
    [one] = desk.memory.preferences.list()

    assert (one.key, one.value, one.origin, one.confidence) == ("tone", "short", "inferred", 0.5)
    assert desk.result() == {
        "key": "tone", "value": "short", "origin": "inferred", "confidence": 0.5,
    }  # fmt: skip
    assert "preference noted: tone: short" in reply.notes
    desk.chat("And now?", "Yes.")
    assert "- tone: short (inferred)" in desk.requests[0].messages[0].content


def test_a_model_neither_overrides_nor_brings_back_a_preference(desk: "Desk") -> None:
    desk.memory.preferences.set("tone", "warm")
    desk.memory.preferences.set("units", "metric")
    desk.memory.preferences.forget("units")
    notes = [
        desk.call("note_preference", key="tone", value="short"),
        desk.call("note_preference", key="units", value="miles"),
    ]
    desk.chat("Go.", desk.said("", *notes), "Yes.")

    assert [(one.key, one.value) for one in desk.memory.preferences.list()] == [("tone", "warm")]


@pytest.mark.parametrize("wrong", [{"key": " ", "value": "x"}, {"key": "x" * 65, "value": "y"}])
def test_a_preference_that_cannot_be_kept_is_reported_the_model(
    desk: "Desk", wrong: dict[str, str]
) -> None:
    desk.chat("Go.", desk.said("", desk.call("note_preference", **wrong)), "No.")

    assert desk.result()["code"] == "invalid_input"


def test_at_the_last_call_a_question_back_still_counts(open_desk: "Callable[..., Desk]") -> None:
    desk = open_desk(chat_calls_max=1)
    reply = desk.chat(ALPHA, desk.said("", desk.call("ask_user", question="Which?")))

    assert (reply.stop, reply.message) == (Stop.CLARIFICATION, "Which?")


def test_an_empty_question_is_an_error_that_the_model_can_mend(desk: "Desk") -> None:
    reply = desk.chat(ALPHA, desk.said("", desk.call("ask_user", question=" ")), "Friday.")

    assert "question: is empty" in desk.result()["error"]
    assert reply.stop is Stop.ANSWERED


def test_words_before_a_call_are_taken_back(desk: "Desk") -> None:
    reply = desk.chat(
        ALPHA, desk.said("Let me look.", desk.call("retrieve_context", query="Alpha")), "Friday."
    )

    assert desk.event_names == [("retract", ""), ("tool", "retrieve_context"),
                         ("tool_result", "retrieve_context")]  # fmt: skip
    assert desk.heard == reply.message == "Friday."
    assert desk.requests[1].messages[-2].content == "Let me look."


def test_a_model_that_fails_keeps_the_message_and_no_answer(desk: "Desk") -> None:
    with pytest.raises(ModelError, match="down"):
        desk.chat(ALPHA, ModelError("the endpoint is down"), session_id="s1")

    assert desk.kept("s1") == [("user", ALPHA)]


def test_a_model_that_fails_after_a_call_keeps_what_the_call_did(desk: "Desk") -> None:
    keep = desk.said("", desk.call("remember", text="Alpha is a boat."))
    with pytest.raises(ModelError):
        desk.chat(ALPHA, keep, ModelError("down"), session_id="s1")

    assert desk.memory.search("boat").hits[0].item.content == "Alpha is a boat."
    assert desk.kept("s1") == [("user", ALPHA)]


def test_a_cut_answer_says_so(desk: "Desk") -> None:
    reply = desk.chat(ALPHA, desk.said("It is due on", is_cut=True))

    assert (reply.message, reply.stop) == ("It is due on", Stop.ANSWERED)
    assert reply.notes == ("the answer was cut at a bound of tokens",)


THOUGHT = "\n<think>\nThe <b>Alpha</b> one?\n</think>\n\n"


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (f"{THOUGHT}On Friday.", "On Friday."),
        ("<think></think>On Friday.", "On Friday."),
        ("  <thin air", "  <thin air"),
        ("On Friday. <think>Or not?</think>", "On Friday. <think>Or not?</think>"),
        ("<think> is what opens a block.", "<think> is what opens a block."),
    ],
)
def test_reasoning_before_an_answer_is_left_out(desk: "Desk", said: str, message: str) -> None:
    reply = desk.chat(ALPHA, said, session_id="s1")

    assert reply.message == desk.heard == message
    assert desk.kept("s1")[-1] == ("assistant", message.strip())
    assert ("retract", "") not in desk.event_names


def test_reasoning_is_held_back_and_the_answer_after_it_streams(desk: "Desk") -> None:
    desk.chat(ALPHA, THOUGHT + "On Friday, as the client said.")
    pieces = [one.text for one in desk.events if one.kind == "text"]

    assert pieces[0] == "On "
    assert len(pieces) > 3


def test_reasoning_that_was_cut_is_no_answer(desk: "Desk") -> None:
    reply = desk.chat(ALPHA, desk.said(THOUGHT.partition("</think>")[0], is_cut=True))

    assert reply.message.startswith("The model answered nothing; ")
    assert reply.notes == ("the answer was cut at a bound of tokens",)


@pytest.mark.parametrize(
    ("text", "begin"), [("Mix the", "Mix the"), ("", "The model answered nothing; ")]
)
def test_an_answer_that_was_refused_or_filtered_says_so(
    desk: "Desk", text: str, begin: str
) -> None:
    reply = desk.chat(ALPHA, desk.said(text, is_refused=True))

    assert reply.message.startswith(begin)
    assert reply.notes == ("the model's provider refused to answer, or filtered the answer",)


@pytest.mark.parametrize("blank", ["", " \n\t"])
def test_a_model_that_says_nothing_is_told_so_with_what_was_found(desk: "Desk", blank: str) -> None:
    reply = desk.chat(ALPHA, blank)

    assert reply.message.startswith("The model answered nothing; this is what was found:\n[1] ")
    assert desk.heard == reply.message


def test_tokens_are_estimated_where_the_endpoint_counts_none(desk: "Desk") -> None:
    reply = desk.chat(ALPHA, ModelReply(content="On Friday."))
    prompt = sum(len(one.content.split()) for one in desk.requests[0].messages)

    assert reply.notes == ("the endpoint counts no tokens: they were estimated",)
    assert prompt < reply.tokens_used < 3 * prompt


def test_the_model_that_answered_is_named_as_the_endpoint_names_it(desk: "Desk") -> None:
    assert desk.chat(ALPHA, ModelReply(content="Yes.", model="big-7b")).model == "big-7b"


def test_a_reply_made_of_the_request_sees_the_results(desk: "Desk") -> None:
    def repeated(request: ModelRequest) -> ModelReply:
        return desk.said(request.messages[-1].content)

    reply = desk.chat("Go.", desk.said("", desk.call("weather", city="Graz")), repeated,
                      tools=[weather])  # fmt: skip

    assert reply.message == '{"city": "Graz", "days": 1, "sky": "clear"}'


def test_a_tool_of_the_host_is_told_with_its_schema(desk: "Desk") -> None:
    desk.chat("Go.", "Done.", tools=[weather])
    reported = {one.name: one for one in desk.requests[0].tools}

    assert list(reported) == [
        "retrieve_context",
        "remember",
        "note_preference",
        "ask_user",
        "weather",
    ]
    assert reported["weather"].description == "Tell the weather of a city."
    assert reported["weather"].parameters["required"] == ["city"]


def test_a_tool_by_a_name_that_is_taken_is_refused_before_anything_is_kept(desk: "Desk") -> None:
    def remember(text: str) -> str:
        """Remember otherwise."""
        return text

    with pytest.raises(InvalidInput, match="assistant's own"):
        desk.chat("Go.", tools=[remember], session_id="s1")
    with pytest.raises(InvalidInput, match="two of them"):
        desk.chat("Go.", tools=[weather, weather], session_id="s1")
    assert desk.kept("s1") == []


def test_an_untyped_function_is_refused_before_anything_is_kept(desk: "Desk") -> None:
    def odd(x) -> str:  # type: ignore[no-untyped-def]  # noqa: ANN001  this is what is refused
        """Odd."""
        return str(x)

    with pytest.raises(InvalidInput, match=r"odd\.x: is annotated with nothing"):
        desk.chat("Go.", tools=[odd], session_id="s1")
    assert desk.kept("s1") == []


def test_a_generator_of_replies_is_asked_no_further_than_needed(desk: "Desk") -> None:
    made = []

    def replies() -> Iterator[ModelReply]:
        for n in count():
            made.append(n)
            yield desk.said("Yes.")

    desk.chat("Go.", ever=replies())

    assert made == [0]


def test_a_choice_reaches_the_tool_as_it_is_annotated(desk: "Desk") -> None:
    seen: list[object] = []

    def pick(size: Literal["s", "m"], shares: list[float]) -> str:
        """Pick."""
        seen.extend((size, *shares))
        return "ok"

    desk.chat("Go.", desk.said("", desk.call("pick", '{"size": "m", "shares": [1, 0.5]}')), "Ok.",
              tools=[pick])  # fmt: skip

    assert seen == ["m", 1.0, 0.5]
    assert all(type(one) is float for one in seen[1:])
