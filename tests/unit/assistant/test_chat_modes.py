"""The three ways to bring a model to look things up, and none at all."""

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from simonides.assistant.tool_protocol import (
    ANSWERING,
    LOOK_UP_TOKENS,
    SEARCHING,
    answer_so_far,
    first_object,
    only_object,
)
from simonides.errors import InvalidInput
from simonides.model.chat import ChatEventKind, Stop
from simonides.model.chat_role import ChatRole

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.unit.assistant.conftest import Desk

ALPHA = "When is Alpha due?"
LOOK = '{"action": "retrieve_context", "query": "harbor cranes"}'
ANSWER = '{"action": "answer", "text": "In April."}'
SCHEMA = {"mode": "json_schema"}


def weather(city: str) -> str:
    """Tell the weather of a city."""
    return f"{city} is clear"


# ── json_schema ──────────────────────────────────────────────────────────────────────────────────


def test_by_schema_the_model_first_looks_up_and_then_answers(desk: "Desk") -> None:
    reply = desk.chat(ALPHA, LOOK, ANSWER, **SCHEMA)
    first, second = desk.requests

    assert (reply.message, reply.calls, reply.stop) == ("In April.", 2, Stop.ANSWERED)
    assert (first.schema, second.schema) == (SEARCHING, ANSWERING)
    assert (first.tools, second.tools) == ((), ())
    assert desk.event_names == [("tool", "retrieve_context"), ("tool_result", "retrieve_context")]
    assert "d1" in [hit.item.source_id for hit in reply.items]


def test_by_schema_a_query_that_does_not_end_is_cut_and_the_message_looked_up(
    open_desk: "Callable[..., Desk]",
) -> None:
    desk = open_desk()
    endless = '{"action": "retrieve_context", "query": "' + "Alpha and " * 100
    reply = desk.chat(ALPHA, desk.said(endless, is_cut=True), ANSWER, **SCHEMA)

    assert [one.tokens_max for one in desk.requests] == [LOOK_UP_TOKENS, 0]
    assert json.loads(desk.requests[1].messages[-2].content)["query"] == ALPHA
    assert (reply.message, reply.notes) == ("In April.", ())


def test_by_schema_a_query_is_bounded_by_what_is_left_of_the_turn_too(
    open_desk: "Callable[..., Desk]",
) -> None:
    desk = open_desk(chat_tokens_max=LOOK_UP_TOKENS * 2)
    desk.chat(ALPHA, LOOK, ANSWER, **SCHEMA)

    assert 0 < desk.requests[0].tokens_max < LOOK_UP_TOKENS


def test_by_schema_results_are_told_by_the_user_and_nobody_else_speaks(desk: "Desk") -> None:
    desk.chat(ALPHA, LOOK, ANSWER, **SCHEMA)
    *_, action, result = desk.requests[1].messages

    assert (action.role, json.loads(action.content)) == (ChatRole.ASSISTANT, json.loads(LOOK))
    assert result.role is ChatRole.USER
    head, found, _, end = result.content.split("\n")
    assert (head, end) == ("Result of retrieve_context:", "Step 2:")
    assert json.loads(found)["items"][0]["title"] == "Harbor plan"


def test_the_prompt_shows_a_worked_example_and_no_placeholder(desk: "Desk") -> None:
    desk.chat(ALPHA, LOOK, ANSWER, **SCHEMA)
    system = desk.requests[0].messages[0].content

    assert '{"action": "retrieve_context", "query": "lease of the flat end"}' in system
    assert "Tools:" not in system


@pytest.mark.parametrize(
    "written",
    ["I do not know.", "", '{"action": "retrieve_context"}', '{"query": 7}', ANSWER, "{", "[1]"],
)
def test_whatever_comes_first_the_message_is_looked_up(desk: "Desk", written: str) -> None:
    reply = desk.chat(ALPHA, written, ANSWER, **SCHEMA)
    action = json.loads(desk.requests[1].messages[-2].content)

    assert action == {"action": "retrieve_context", "query": ALPHA}
    assert reply.message == "In April."


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (f"```json\n{ANSWER}\n```", "In April."),
        (f"Sure! {ANSWER} Anything else?", "In April."),
        ('{"action": "answer", "text": "It starts in Ap', "It starts in Ap"),
        ("In April, I think.", "In April, I think."),
        ('{"text": "In April."}', "In April."),
        ('{"deadline": "April"}', '{"deadline": "April"}'),
        ('{"action": "answer", "text": "He said \\"now\\"\\nand left \\ud83d\\ude42"}',
         'He said "now"\nand left \U0001f642'),
    ],
)  # fmt: skip
def test_an_answer_is_read_out_of_what_stands_around_it(
    desk: "Desk", written: str, message: str
) -> None:
    reply = desk.chat(ALPHA, LOOK, written, **SCHEMA)

    assert reply.message == message
    assert desk.heard == message


@pytest.mark.parametrize(
    "written",
    ['{"action": "dance"}', '{"action": "answer", "text": ["a"]}', '{"action": "ask_user"}'],
)
def test_a_malformed_action_answers_nothing(desk: "Desk", written: str) -> None:
    reply = desk.chat(ALPHA, LOOK, written, session_id="s1", **SCHEMA)

    assert reply.message.startswith("The model answered nothing; this is what was found:\n[1] ")
    assert desk.heard == reply.message
    assert "action" not in desk.kept("s1")[-1][1]


def test_by_schema_the_text_of_the_answer_streams_and_not_its_json(desk: "Desk") -> None:
    long = '{"action": "answer", "text": "It starts in April, with two cranes."}'
    desk.chat(ALPHA, LOOK, long, **SCHEMA)
    pieces = [one.text for one in desk.events if one.kind is ChatEventKind.TEXT]

    assert len(pieces) > 3
    assert "".join(pieces) == "It starts in April, with two cranes."


def test_by_schema_the_model_can_ask_back(desk: "Desk") -> None:
    reply = desk.chat(ALPHA, LOOK, '{"action": "ask_user", "text": "Which?"}', **SCHEMA)

    assert (reply.stop, reply.clarification_question) == (Stop.CLARIFICATION, "Which?")


def test_by_schema_the_last_call_can_only_speak(open_desk: "Callable[..., Desk]") -> None:
    desk = open_desk(chat_calls_max=1)
    reply = desk.chat(ALPHA, ANSWER, **SCHEMA)

    assert reply.message == "In April."
    assert desk.requests[0].schema == ANSWERING


def test_tools_of_the_host_make_the_second_step_free(desk: "Desk") -> None:
    use = '{"action": "weather", "arguments": {"city": "Graz"}}'
    reply = desk.chat(ALPHA, LOOK, use, ANSWER, tools=[weather], **SCHEMA)
    choices: Any = desk.requests[1].schema

    assert reply.message == "In April."
    assert choices["anyOf"][:2] == [ANSWERING, SEARCHING]
    assert choices["anyOf"][2]["properties"]["action"]["enum"] == ["weather"]
    assert "- weather: Tell the weather of a city." in desk.requests[0].messages[0].content
    assert '"Graz is clear"' in desk.requests[2].messages[-1].content
    assert json.loads(desk.requests[2].messages[-2].content) == json.loads(use)


def test_by_schema_bad_arguments_go_back_to_the_model(desk: "Desk") -> None:
    for bad in ('{"action": "weather", "arguments": ["Graz"]}', '{"action": "weather"}'):
        desk.chat(ALPHA, LOOK, bad, ANSWER, tools=[weather], **SCHEMA)

        assert "invalid_input" in desk.requests[2].messages[-1].content


def test_by_schema_the_model_may_look_up_twice_where_it_is_free(desk: "Desk") -> None:
    reply = desk.chat(ALPHA, LOOK, LOOK, ANSWER, tools=[weather], **SCHEMA)

    assert reply.calls == 3


# ── prefetch ─────────────────────────────────────────────────────────────────────────────────────


def test_prefetch_asks_once_and_gives_no_tools(desk: "Desk") -> None:
    reply = desk.chat(ALPHA, desk.said("Friday.", desk.call("remember", text="x")), mode="prefetch")
    [request] = desk.requests

    assert (reply.message, reply.calls) == ("Friday.", 1)
    assert (request.tools, request.schema) == ((), None)
    assert "You can not look anything up" in request.messages[0].content
    assert "The Alpha deadline moved to Friday" in request.messages[-1].content


# ── native ───────────────────────────────────────────────────────────────────────────────────────

BARE = '{"name": "retrieve_context", "arguments": {"query": "Alpha"}}'


@pytest.mark.parametrize(
    "written", [BARE, f"```json\n{BARE}\n```", BARE.replace("arguments", "parameters")]
)
def test_a_call_written_as_bare_json_is_a_call_where_endpoints_are_small(
    open_desk: "Callable[..., Desk]", written: str
) -> None:
    desk = open_desk(chat_base_url="http://localhost:1/v1")
    reply = desk.chat(ALPHA, written, "Friday.")

    assert (reply.message, reply.calls) == ("Friday.", 2)
    assert desk.requests[1].messages[-2].tool_calls[0].name == "retrieve_context"
    assert desk.heard == "Friday."


@pytest.mark.parametrize(
    "written", ['{"name": "fly", "arguments": {}}', f"Use {BARE}", '{"name": ["x"]}', "{}",
                '{"name": "remember", "arguments": "x"}'],
)  # fmt: skip
def test_other_json_is_an_answer(open_desk: "Callable[..., Desk]", written: str) -> None:
    desk = open_desk(chat_base_url="http://localhost:1/v1")

    assert desk.chat(ALPHA, written).message == written


def test_large_providers_mean_what_they_write(desk: "Desk") -> None:
    assert desk.chat(ALPHA, BARE).message == BARE


def test_the_mode_of_the_settings_holds_unless_told_otherwise(
    open_desk: "Callable[..., Desk]",
) -> None:
    desk = open_desk(chat_mode="prefetch")
    desk.chat(ALPHA, "Friday.")
    assert desk.requests[0].tools == ()

    desk.chat(ALPHA, "Friday.", mode="native")
    assert len(desk.requests[0].tools) == 4


def test_another_mode_is_refused_before_anything_is_kept(desk: "Desk") -> None:
    with pytest.raises(InvalidInput, match="mode"):
        desk.chat(ALPHA, mode="psychic", session_id="s1")
    assert desk.kept("s1") == []


# ── no model ─────────────────────────────────────────────────────────────────────────────────────


def test_without_a_model_the_answer_is_cited_lines_and_says_so(desk: "Desk") -> None:
    reply = desk.memory.chat("What did Sarah send about Alpha?", on_event=desk.events.append)

    assert (reply.stop, reply.model, reply.calls, reply.tokens_used) == (Stop.NO_MODEL, "", 0, 0)
    first, line, *_ = reply.message.split("\n")
    assert first == "No language model is configured; this is what was found:"
    assert line == (
        "[1] GMAIL · 2026-03-06 · Sarah Johnson at sarah@example.com · unknown sender · Re: Alpha:"
        " The Alpha deadline moved to Friday, said the client."
    )
    assert desk.heard == reply.message


def test_line_n_is_of_the_nth_item(desk: "Desk") -> None:
    reply = desk.memory.chat("Alpha harbor tea")
    lines = reply.message.split("\n")[1:]

    assert len(lines) == len(reply.items) == 3
    for number, (line, hit) in enumerate(zip(lines, reply.items, strict=True), start=1):
        assert line.startswith(f"[{number}] ")
        assert hit.item.content[:20] in line


def test_without_a_model_and_anything_found_that_is_said(desk: "Desk") -> None:
    reply = desk.memory.in_space("empty").chat("What did Sarah send?")

    assert reply.message == ("No language model is configured, and nothing in memory answers this.")
    assert reply.items == ()


def test_without_a_model_the_same_question_has_the_same_answer_again(desk: "Desk") -> None:
    first = desk.memory.chat("What did Sarah send about Alpha?")
    again = desk.memory.chat("what did Sarah send about Alpha")

    assert again.message == first.message
    assert [hit.id for hit in again.items] == [hit.id for hit in first.items]


def test_an_answer_that_only_quotes_is_no_source_of_another(desk: "Desk") -> None:
    quoting = desk.memory.chat(ALPHA)
    other = desk.memory.chat("Who moved the Alpha deadline?")
    kept = desk.memory.get(quoting.reply_id)

    assert kept.metadata["_quotes"] is True
    assert quoting.reply_id not in {hit.id for hit in other.items}


# ── reading JSON ─────────────────────────────────────────────────────────────────────────────────


def test_the_first_whole_object_is_found() -> None:
    assert first_object('x {bad} {"a": {"b": 1}} {"c": 2}') == {"a": {"b": 1}}
    assert first_object('{"a": "line\nbreak"}') == {"a": "line\nbreak"}
    assert first_object("none") is None
    assert first_object("{" * 50) is None
    assert first_object("{" * 100 + '{"a": 1}') is None


def test_an_object_alone_is_reported_from_one_in_prose() -> None:
    assert only_object('  {"a": 1}\n') == {"a": 1}
    assert only_object('```\n{"a": 1}\n```') == {"a": 1}
    assert only_object('see {"a": 1}') is None
    assert only_object('{"a": 1} {"b": 2}') is None
    assert only_object("[1]") is None
    assert only_object('{"a":' * 100_000 + "1" + "}" * 100_000) is None


def test_what_is_said_so_far_only_ever_grows() -> None:
    whole = '{"action": "answer", "text": "a \\"b\\" \\u00e4 \\ud83d\\ude42 \\\\ c\\n"}'
    reported = [answer_so_far(whole[:n]) for n in range(len(whole) + 1)]

    assert all(after.startswith(before) for before, after in pairwise(reported))
    assert reported[-1] == 'a "b" ä \U0001f642 \\ c\n'
    assert answer_so_far('{"action": "retrieve_context", "text": "x"}') == ""
