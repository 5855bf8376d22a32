"""The door for OpenAI's Responses: what differs from Chat Completions."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.unit.http.test_http_openai import ALPHA, Door, door_to, said

from simonides.http.proxy_conversation import HEAD, TAIL
from simonides.http.proxy_dialects import Reply, read_response
from simonides.model.chat import ModelReply, ToolCall

DOOR = "/openai/v1/responses"


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    """A door whose endpoint says how long the last message was."""
    with door_to(tmp_path / "home", said) as made:
        yield made


def ask(door: Door, given: Any, **more: Any) -> httpx2.Response:
    headers = more.pop("headers", {})
    body = {"model": "simonides", "input": given, **more}
    return door.client.post(DOOR, json=body, headers=headers)


def test_a_text_gets_its_context_and_both_are_kept(door: Door) -> None:
    door.memory.add(ALPHA, kind="email")
    answer = ask(door, "When is Alpha due?", instructions="Be brief.", store=False)

    assert door.upstream.requests[-1].path.endswith("/v1/responses")
    assert (door.sent["model"], door.sent["instructions"]) == ("tiny", "Be brief.")
    context, _, asked = door.sent["input"].partition(TAIL)
    assert context.startswith(HEAD)
    assert ALPHA in context
    assert asked == "When is Alpha due?"
    assert answer.json()["output"][0]["content"][0]["text"].startswith("said")
    assert len(door.kept(answer.headers["X-Simonides-Session"])) == 2


def test_in_a_list_it_stands_before_the_last_message_of_the_user(door: Door) -> None:
    door.memory.add(ALPHA)
    given = [
        {"role": "developer", "content": "Be brief."},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Alpha?"}]},
        {"type": "reasoning", "summary": []},
    ]
    ask(door, given)
    first, message, last = door.sent["input"]

    assert [first, last] == [given[0], given[2]]
    assert [one["type"] for one in message["content"]] == ["input_text", "input_text"]
    assert ALPHA in message["content"][0]["text"]
    assert message["content"][1] == {"type": "input_text", "text": "Alpha?"}


@pytest.mark.parametrize("streams", [False, True])
def test_a_response_is_gone_on_with_in_its_session(streams: bool, door: Door) -> None:
    first = ask(door, ALPHA, stream=streams)
    session = first.headers["X-Simonides-Session"]
    door.kept(session)
    answered = _last_event(first) if streams else first.json()
    second = ask(door, "Yes", previous_response_id=answered["id"], stream=streams)
    door.kept(session)
    again = _last_event(second) if streams else second.json()
    ask(door, "Yes", previous_response_id=again["id"])
    context = door.sent["input"]

    users = [text for who, text in door.kept(session) if who == "user"]
    assert second.headers["X-Simonides-Session"] == session
    assert users == [ALPHA, "Yes", "Yes"]
    assert ALPHA not in context  # the endpoint has it


def _last_event(answer: httpx2.Response) -> Any:
    lines = [one for one in answer.text.splitlines() if one.startswith("data: ")]
    return json.loads(lines[-1].removeprefix("data: "))["response"]


def test_a_request_that_is_sent_again_is_kept_once(door: Door) -> None:
    ask(door, "Hello")
    session = ask(door, "Hello").headers["X-Simonides-Session"]
    assert len(door.kept(session)) == 2


def test_the_output_of_a_tool_belongs_to_the_turn_that_called_it(tmp_path: Path) -> None:
    call = ToolCall(id="c1", name="look", arguments="{}")
    script = [ModelReply(content="Looking.", tool_calls=(call,)), ModelReply(content="Friday.")]
    with door_to(tmp_path / "home", script) as door:
        first = ask(door, "Alpha?")
        session = first.headers["X-Simonides-Session"]
        door.kept(session)
        output = {"type": "function_call_output", "call_id": "c1", "output": "nothing"}
        ask(door, [output], previous_response_id=first.json()["id"])

        assert door.sent["input"] == [output]
        assert door.kept(session) == [("user", "Alpha?"), ("assistant", "Friday.")]


def test_what_the_endpoint_keeps_of_a_conversation_is_one_session(door: Door) -> None:
    one = ask(door, "Yes", conversation="conv_1")
    other = ask(door, "Yes", conversation={"id": "conv_1"})
    another = ask(door, "Yes", conversation="conv_2")
    session = one.headers["X-Simonides-Session"]

    assert session == other.headers["X-Simonides-Session"]
    assert session != another.headers["X-Simonides-Session"]
    assert [text for who, text in door.kept(session) if who == "user"] == ["Yes", "Yes"]


def test_an_unknown_response_begins_a_session(door: Door) -> None:
    answer = ask(door, "Hello", previous_response_id="resp_of_last_year")
    assert answer.status_code == 200
    assert len(door.kept(answer.headers["X-Simonides-Session"])) == 2
    output = {"type": "function_call_output", "call_id": "c1", "output": "x"}
    assert ask(door, [output], previous_response_id="resp_x").status_code == 200


@pytest.mark.parametrize("given", [None, [], "", "  "])
def test_without_words_the_request_goes_on_as_it_is(given: Any, door: Door) -> None:
    assert ask(door, given, prompt={"id": "pmpt_1"}).status_code == 200
    assert door.sent == {"model": "tiny", "input": given, "prompt": {"id": "pmpt_1"}}


@pytest.mark.parametrize("given", [5, {"role": "user"}, ["Hello"]])
def test_what_is_no_input_is_refused(given: Any, door: Door) -> None:
    assert ask(door, given).status_code == 422
    assert door.upstream.requests == []


MESSAGE = {"type": "message", "content": [{"type": "output_text", "text": "Friday."}]}


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ({"id": "r", "status": "completed", "output": [MESSAGE]}, Reply(text="Friday.", id="r")),
        ({"id": "r", "status": "incomplete", "output": [MESSAGE]}, Reply(id="r")),
        ({"id": "r", "status": "queued", "output": None}, Reply(id="r")),
        (
            {"id": 5, "status": "completed", "output": [{"type": "web_search_call"}, MESSAGE, 3]},
            Reply(text="Friday."),
        ),
        (
            {"id": "r", "status": "completed", "output": [MESSAGE, {"type": "custom_tool_call"}]},
            Reply(id="r"),
        ),
        ({"status": "completed", "output": [{"type": "message", "content": "x"}]}, Reply()),
        ({"error": {"message": "no"}}, Reply()),
    ],
)
def test_only_a_complete_answer_without_open_calls_is_taken_as_said(
    response: dict[str, Any], expected: Reply
) -> None:
    assert read_response([json.dumps(response)]) == expected
    events = [json.dumps({"type": "response.completed", "response": response}), "[DONE]"]
    assert read_response(events) == (Reply() if "error" in response else expected)
