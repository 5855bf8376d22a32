"""The adapter of Anthropic's Messages: what it sends, what it reads, and answers by a schema."""

import json
import sys
from typing import Any

import pytest

from simonides.errors import InvalidInput, ModelError
from simonides.model.chat import ChatMessage, ModelReply, ModelRequest, ToolCall, ToolSchema, Usage
from simonides.model.chat_role import ChatRole
from simonides.models.chat.anthropic import (
    ANSWER,
    TOKENS_DEFAULT,
    AnswerCollector,
    AnthropicChatModel,
    body,
)
from simonides_bench.testing.chat_server import ChatServer

KEY = "sk-ant-very-secret"
OBJECT = {"type": "object", "properties": {"a": {"type": "integer"}}}


def silent(_: str) -> None:
    """Listen without a word."""


def message(role: ChatRole, content: str = "", **fields: Any) -> ChatMessage:
    return ChatMessage(role=role, content=content, **fields)


def written(*messages: ChatMessage, **fields: Any) -> dict[str, Any]:
    return body(ModelRequest(messages=messages, **fields), model="m", streams=False)


def read(*pieces: dict[str, Any], schema: Any = None) -> tuple[ModelReply, str]:
    collector = AnswerCollector(model="asked", schema=schema)
    reported = "".join(collector.add(piece) for piece in pieces)
    return collector.reply(), reported


def begin(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def went_on(index: int, part: str) -> dict[str, Any]:
    delta = {"type": "input_json_delta", "partial_json": part}
    return {"type": "content_block_delta", "index": index, "delta": delta}


def test_a_request_names_model_key_version_and_a_bound(ask: Any) -> None:
    with ChatServer([ModelReply(content="Yes.")]) as server:
        model = AnthropicChatModel("tiny", KEY, base_url=server.anthropic_url + "/v1/")
        model.complete(ask())
        model.close()
        request = server.requests[0]

    assert request.path == "/v1/messages"
    assert KEY in request.headers.get("authorization", "") + request.headers.get("x-api-key", "")
    assert request.headers["anthropic-version"]
    assert request.body == {
        "model": "tiny",
        "max_tokens": TOKENS_DEFAULT,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Who?"}]}],
    }


def test_no_key_of_the_environment_goes_to_other_addresses(
    ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.setenv(name, "private")
    with ChatServer([ModelReply(content="Yes.")]) as server:
        model = AnthropicChatModel("tiny", base_url=server.anthropic_url)
        model.complete(ask())
        model.close()
        headers = server.requests[0].headers

    assert [value for value in headers.values() if "private" in value] == []
    assert {"authorization", "x-api-key"} & headers.keys() == set()


def test_the_systems_words_stand_apart_and_roles_take_turns() -> None:
    calls = tuple(ToolCall(id=f"c{n}", name="f", arguments=f'{{"n": {n}}}') for n in (1, 2))
    asked = written(
        message(ChatRole.SYSTEM, "Be brief."),
        message(ChatRole.USER, "one"),
        message(ChatRole.USER, "two"),
        message(ChatRole.ASSISTANT, " ", tool_calls=calls),
        message(ChatRole.TOOL, "first", tool_call_id="c1"),
        message(ChatRole.TOOL, "", tool_call_id="c2"),
        message(ChatRole.SYSTEM, "Be kind."),
        message(ChatRole.ASSISTANT),
    )

    assert asked["system"] == "Be brief.\n\nBe kind."
    assert [turn["role"] for turn in asked["messages"]] == ["user", "assistant", "user"]
    assert [block["text"] for block in asked["messages"][0]["content"]] == ["one", "two"]
    assert [block["input"] for block in asked["messages"][1]["content"]] == [{"n": 1}, {"n": 2}]
    assert asked["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "c1", "content": "first"},
        {"type": "tool_result", "tool_use_id": "c2", "content": ""},
    ]


def test_without_the_systems_words_or_tools_none_are_sent() -> None:
    assert written(message(ChatRole.USER, "x")).keys() == {"model", "max_tokens", "messages"}


def test_tools_are_sent_with_their_schema() -> None:
    tool = ToolSchema(name="f", description="Does.")

    assert written(tools=(tool,), tokens_max=5) == {
        "model": "m",
        "max_tokens": 5,
        "messages": [],
        "tools": [
            {
                "name": "f",
                "description": "Does.",
                "input_schema": {"type": "object", "properties": {}},
            }
        ],
    }


@pytest.mark.parametrize("on_text", [None, silent])
def test_an_answer_by_a_schema_comes_through_a_forced_tool(ask: Any, on_text: Any) -> None:
    call = ToolCall(id="c", name=ANSWER, arguments='{"a": 1}')
    with ChatServer([ModelReply(tool_calls=(call,))]) as server:
        model = AnthropicChatModel("tiny", "", base_url=server.anthropic_url)
        reply = model.complete(ask(schema=OBJECT), on_text=on_text)
        model.close()
        sent = server.requests[0].body

    assert sent["tool_choice"] == {"type": "tool", "name": ANSWER}
    assert sent["tools"][-1]["input_schema"] == OBJECT
    assert json.loads(reply.content) == {"a": 1}
    assert reply.tool_calls == ()


def test_an_answer_that_is_no_object_is_wrapped_for_the_way() -> None:
    schema = {"type": "array"}
    asked = written(schema=schema)["tools"][0]["input_schema"]
    (name,) = asked["required"]
    pieces = (
        begin(0, type="tool_use", id="c", name=ANSWER, input={}),
        went_on(0, f'{{"{name}": [1, '),
        went_on(0, '"é"]}'),
        {"type": "content_block_stop", "index": 0},
    )

    answer = '[1, "é"]'

    assert asked["properties"] == {name: schema}
    assert read(*pieces, schema=schema) == (ModelReply(content=answer, model="asked"), answer)


def test_a_wrapped_answer_that_was_cut_is_shown_as_it_is() -> None:
    pieces = (
        begin(0, type="tool_use", id="c", name=ANSWER),
        went_on(0, '{"value": [1'),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}},
    )
    reply, reported = read(*pieces, schema={"type": "array"})

    assert reply.content == reported == '{"value": [1'
    assert reply.is_cut


def test_what_is_not_text_or_a_call_is_left_out() -> None:
    pieces = (
        {"type": "message_start", "message": {"model": "real"}},
        {"type": "ping"},
        begin(0, type="thinking", thinking="hm"),
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta"}},
        begin(1, type="text", text="Well"),
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "."}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta"}},
        {"type": "a_kind_to_come"},
    )

    assert read(*pieces) == (ModelReply(content="Well.", model="real"), "Well.")


def test_calls_in_pieces_belong_to_their_block() -> None:
    reply, reported = read(
        begin(1, type="tool_use", id="a", name="f", input={}),
        begin(2, type="tool_use", id="", name="g", input={}),
        begin(3, type="tool_use", id="c", name="h", input={"x": 1}),
        went_on(2, '{"q"'),
        went_on(1, "{}"),
        went_on(2, ": 2}"),
        went_on(9, "lost"),
    )

    assert reported == ""
    assert [(call.id, call.arguments) for call in reply.tool_calls] == [
        ("a", "{}"),
        ("call_2", '{"q": 2}'),
        ("c", '{"x": 1}'),
    ]


def test_what_a_cache_held_was_read_as_well() -> None:
    start = {"input_tokens": 3, "cache_read_input_tokens": 10, "output_tokens": 1}
    reply, _ = read(
        {"type": "message_start", "message": {"usage": start}},
        {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 7, "service_tier": "x"}},
    )

    assert reply.usage == Usage(prompt_tokens=13, completion_tokens=7)


@pytest.mark.parametrize("stop", ["end_turn", "tool_use", "stop_sequence", None])
def test_only_a_bound_means_cut(stop: str | None) -> None:
    whole: dict[str, Any] = {"type": "message", "content": [], "stop_reason": stop}

    assert not read(whole)[0].is_cut
    assert read(whole | {"stop_reason": "model_context_window_exceeded"})[0].is_cut


def test_a_body_without_its_parts_is_an_empty_answer() -> None:
    assert read({"type": "message", "content": None})[0] == ModelReply(model="asked")


def test_an_error_in_the_middle_of_a_stream_is_an_error() -> None:
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    with pytest.raises(ModelError, match="Overloaded"):
        read(overloaded)


@pytest.mark.parametrize("model", [{"model": ""}, {"model": "m", "base_url": "host"}])
def test_arguments_out_of_range_are_refused(model: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        AnthropicChatModel(**model)


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anthropic", None)

    with pytest.raises(InvalidInput, match=r"pip install 'simonides\[anthropic\]'"):
        AnthropicChatModel("tiny")


def test_its_form_does_not_show_the_key(ask: Any) -> None:
    model = AnthropicChatModel("tiny", KEY, base_url="http://127.0.0.1:1")
    model.close()

    assert repr(model) == "AnthropicChatModel('tiny', base_url='http://127.0.0.1:1')"
    with pytest.raises(ModelError, match="was closed"):
        model.complete(ask())
