"""Chat Completions read and written, with what odd endpoints make of them."""

import json
from typing import Any

import pytest

from simonides.errors import ModelError
from simonides.model.chat import ChatMessage, ModelReply, ModelRequest, ToolCall, Usage
from simonides.model.chat_role import ChatRole
from simonides.models.chat.openai import Completion, body, is_strict


def read(*pieces: dict[str, Any]) -> ModelReply:
    completion = Completion(model="asked", call_prefix="call")
    for piece in pieces:
        completion.add(piece)
    return completion.reply()


def said(**message: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


def piece(*calls: Any) -> dict[str, Any]:
    return {"choices": [{"delta": {"tool_calls": list(calls)}}]}


def part(arguments: Any = None, name: str | None = None, **fields: Any) -> dict[str, Any]:
    return fields | {"function": {"name": name, "arguments": arguments}}


def written(*messages: ChatMessage, **fields: Any) -> dict[str, Any]:
    options: dict[str, Any] = {"model": "m", "streams": False, "counts": True}
    request = ModelRequest(messages=messages, **fields)
    return body(request, **options, tokens_name="max_tokens")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        (None, ""),
        ("", ""),
        ([{"type": "text", "text": "in "}, {"type": "text", "text": "parts"}], "in parts"),
        (["bare ", "strings"], "bare strings"),
        ({"type": "text", "text": "one part"}, "one part"),
        ([{"type": "image_url", "image_url": {}}], ""),
        (7, ""),
    ],
)
def test_content_is_read_in_every_form(content: Any, text: str) -> None:
    assert read(said(content=content)).content == text


def test_a_refusal_in_words_is_the_content() -> None:
    reply = read(said(content=None, refusal="I would rather not."))

    assert (reply.content, reply.is_refused) == ("I would rather not.", True)


def test_a_message_that_is_missing_is_an_empty_answer() -> None:
    assert read({"choices": [{"index": 0}]}) == ModelReply(model="asked")
    assert read({"choices": [{"message": "odd"}]}) == ModelReply(model="asked")


def test_further_choices_and_odd_entries_are_left_out() -> None:
    first, second = said(content="first")["choices"][0], said(content="second")["choices"][0]

    assert read({"choices": [first, second | {"index": 1}, None, 3]}).content == "first"


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 4}, Usage(prompt_tokens=3, completion_tokens=4)),
        ({"prompt_tokens": 3}, Usage(prompt_tokens=3)),
        ({"prompt_tokens": None, "completion_tokens": "4"}, None),
        ({"prompt_tokens": -1}, None),
        ({"prompt_tokens": True}, None),
        ({}, None),
        (None, None),
        ("none", None),
    ],
)
def test_usage_is_read_or_none(usage: Any, counted: Usage | None) -> None:
    assert read(said(content="x") | {"usage": usage}).usage == counted


def test_the_last_usage_of_a_stream_counts() -> None:
    counts = ({"prompt_tokens": 3, "completion_tokens": n} for n in (1, 2))
    chunks = [{"choices": [], "usage": count} for count in counts]

    assert read(*chunks, {"choices": [], "usage": None}).usage == Usage(
        prompt_tokens=3, completion_tokens=2
    )


@pytest.mark.parametrize("reason", ["stop", "tool_calls", None, "", "whatever"])
def test_only_length_means_cut(reason: str | None) -> None:
    assert not read({"choices": [{"finish_reason": reason}]}).is_cut
    assert read({"choices": [{"finish_reason": "length"}]}).is_cut


@pytest.mark.parametrize(
    ("pieces", "arguments"),
    [
        ([part("{1", "f", index=0, id="a"), part("}", index=0)], ["{1}"]),
        ([part("{1", "f", index=0, id="a"), part("}", "f", index=0, id="a")], ["{1}"]),
        ([part("{1", "f", index=0, id="a"), part("}", index=0, id="b")], ["{1}"]),
        ([part("{1}", "f", index=0, id="a"), part("{2}", "f", index=0, id="b")], ["{1}", "{2}"]),
        ([part("{1", "f", id="a"), part("}"), part("{2}", "f", id="b")], ["{1}", "{2}"]),
        ([part("{1", "f", id="a"), part("{2", "f", id="b"), part("}", id="a")], ["{1}", "{2"]),
        ([part("{1}", "f"), part("{2}", "f")], ["{1}", "{2}"]),
        ([part("{1", "f"), part("}")], ["{1}"]),
        ([part("{1", "f", index=1), part("{2", "f", index=0), part("}", index=1)], ["{1}", "{2"]),
        ([part({"q": 1}, "f")], ['{"q": 1}']),
        ([part(None, "f")], ["{}"]),
        ([part("{1}", "")], []),
        ([{"function": None}, {"id": "x"}], []),
    ],
)
def test_calls_are_put_together_however_they_are_numbered(
    pieces: list[Any], arguments: list[str]
) -> None:
    apart = read(*(piece(each) for each in pieces)).tool_calls
    at_once = read(piece(*pieces)).tool_calls

    assert [call.arguments for call in apart] == arguments
    assert at_once == apart
    assert len({call.id for call in apart}) == len(apart)


@pytest.mark.parametrize("calls", [None, [], "odd", [None, 3]])
def test_calls_that_are_none_are_none(calls: Any) -> None:
    assert read(said(content="x", tool_calls=calls)).tool_calls == ()


@pytest.mark.parametrize(
    "odd",
    [
        {"error": {"message": "overloaded"}},
        {"error": "overloaded"},
        {"message": "overloaded"},
        {"choices": "overloaded"},
    ],
)
def test_an_error_in_the_place_of_an_answer_is_an_error(odd: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match="overloaded"):
        read(odd)


def test_it_has_ended_at_a_reason_or_when_told() -> None:
    completion = Completion(model="m", call_prefix="call")
    completion.add(piece())
    assert not completion.is_ended
    completion.finish()

    assert completion.is_ended


def test_calls_of_the_past_are_json_even_if_the_model_wrote_none() -> None:
    calls = (
        ToolCall(id="a", name="f", arguments='{"é": 1}'),
        ToolCall(id="b", name="f", arguments='{"cut'),
        ToolCall(id="c", name="f", arguments=""),
    )
    message = written(ChatMessage(role=ChatRole.ASSISTANT, tool_calls=calls))["messages"][0]
    arguments = [call["function"]["arguments"] for call in message["tool_calls"]]

    assert message["content"] is None
    assert arguments == ['{"é": 1}', '{"unreadable": "{\\"cut"}', "{}"]


def test_a_result_names_its_call() -> None:
    result = ChatMessage(role=ChatRole.TOOL, content="found", tool_call_id="a")

    assert written(result)["messages"] == [
        {"role": "tool", "content": "found", "tool_call_id": "a"}
    ]


def test_a_body_can_always_be_sent() -> None:
    odd = written(ChatMessage(role=ChatRole.USER, content="\ud800"), schema={"\udfff": ("\ud800",)})

    assert json.dumps(odd, ensure_ascii=False).encode()
    assert odd["messages"][0]["content"] == "?"


CLOSED = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (CLOSED, True),
        (CLOSED | {"additionalProperties": True}, False),
        (CLOSED | {"required": []}, False),
        ({"anyOf": [CLOSED, {"type": "object"}]}, False),
        ({"anyOf": (CLOSED, CLOSED)}, True),
        (CLOSED | {"properties": {"a": CLOSED}}, True),
        (CLOSED | {"properties": {"a": {"type": "object", "properties": {}}}}, False),
    ],
)
def test_a_schema_is_strict_if_all_its_objects_are_closed(schema: Any, strict: bool) -> None:
    assert is_strict(schema) is strict
    asked = written(schema=schema)["response_format"]["json_schema"]
    assert asked.get("strict", False) is strict
