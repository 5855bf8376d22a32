"""The adapter of Chat Completions against a scripted server: what it sends and what it reads."""

import json
import sys
from typing import Any

import pytest

from simonides.errors import InvalidInput, ModelError
from simonides.model.chat import ModelReply, ToolCall, ToolSchema, Usage
from simonides.models.chat import endpoint
from simonides.models.chat.openai import OpenAIChatModel
from simonides_bench.testing.chat_script import AskedOver, Raw, Refusal
from simonides_bench.testing.chat_server import ChatServer

KEY = "sk-very-secret-0123"
YES = ModelReply(content="Yes, it was.")
COUNTED = ModelReply(content="Yes.", usage=Usage(prompt_tokens=5, completion_tokens=2))


def silent(_: str) -> None:
    """Listen without a word."""


def stream(*chunks: Any, done: bool = True) -> Raw:
    """Return a stream of these chunks, as an odd endpoint may send it."""
    events = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks]
    return Raw(chunks=[*events, *[b"data: [DONE]\n\n"] * done], content_type="text/event-stream")


def whole(body: Any) -> Raw:
    return Raw(chunks=[json.dumps(body).encode()])


def delta(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields}]}


def test_a_request_names_model_messages_key_and_bound(ask: Any) -> None:
    with ChatServer([YES]) as server:
        model = OpenAIChatModel(server.base_url, "tiny", KEY)
        model.complete(ask(tokens_max=7))
        model.close()
        request = server.requests[0]

    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "tiny",
        "messages": [{"role": "user", "content": "Who?"}],
        "max_tokens": 7,
    }


def test_no_key_and_nothing_of_openais_environment_goes_to_other_addresses(
    ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, f"private-{name}")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://192.0.2.1/v1")
    with ChatServer([YES]) as server:
        model = OpenAIChatModel(server.base_url, "tiny")
        model.complete(ask())
        model.close()
        headers = server.requests[0].headers

    assert "authorization" not in headers
    assert [value for value in headers.values() if "private" in value] == []


def test_the_key_of_the_environment_is_sent(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMONIDES_CHAT_API_KEY", KEY)
    with ChatServer([YES]) as server:
        model = OpenAIChatModel(server.base_url, "tiny")
        model.complete(ask())
        model.close()

        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_tools_and_a_schema_are_sent(ask: Any) -> None:
    tool = ToolSchema(name="search", description="Searches.", parameters={"required": ["query"]})
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    with ChatServer([YES]) as server:
        model = OpenAIChatModel(server.base_url, "tiny", "")
        model.complete(ask(tools=(tool,), schema=schema))
        model.close()
        body = server.requests[0].body

    assert body["tools"][0]["function"] == {
        "name": "search",
        "description": "Searches.",
        "parameters": {"type": "object", "properties": {}, "required": ["query"]},
    }
    assert body["response_format"]["json_schema"] == {"name": "answer", "schema": schema}


def test_a_stream_is_asked_for_its_usage(ask: Any) -> None:
    with ChatServer([COUNTED]) as server:
        model = OpenAIChatModel(server.base_url, "tiny", "")
        reply = model.complete(ask(), on_text=silent)
        model.close()
        body = server.requests[0].body

    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}
    assert reply.usage == COUNTED.usage


def test_an_endpoint_that_refuses_stream_options_is_asked_without_from_then_on(ask: Any) -> None:
    def strict(request: AskedOver) -> ModelReply | Refusal:
        if "stream_options" in request.body:
            return Refusal(status=422, message="extra fields are not permitted")
        return COUNTED

    with ChatServer(strict) as server:
        model = OpenAIChatModel(server.base_url, "tiny", "")
        replies = [model.complete(ask(), on_text=silent) for _ in range(2)]
        model.close()
        seen = ["stream_options" in request.body for request in server.requests]

    assert [(reply.content, reply.usage) for reply in replies] == [("Yes.", None)] * 2
    assert seen == [True, False, False]


def test_a_refusal_for_another_reason_does_not_cost_later_streams_their_usage(ask: Any) -> None:
    no = Refusal(status=400, message="the prompt is too long")
    with ChatServer([no, no, COUNTED]) as server:
        model = OpenAIChatModel(server.base_url, "tiny", "")
        with pytest.raises(ModelError, match="the prompt is too long"):
            model.complete(ask(), on_text=silent)
        reply = model.complete(ask(), on_text=silent)
        model.close()

    assert reply.usage == COUNTED.usage


def test_an_endpoint_that_names_the_bound_otherwise_gets_its_name(ask: Any) -> None:
    def newer(request: AskedOver) -> ModelReply | Refusal:
        if "max_tokens" in request.body:
            return Refusal(status=400, message="Unsupported parameter: 'max_tokens'")
        return YES

    with ChatServer(newer) as server:
        model = OpenAIChatModel(server.base_url, "tiny", "")
        for _ in range(2):
            assert model.complete(ask(tokens_max=9)) == ModelReply(
                content=YES.content, model="tiny"
            )
        model.close()
        bounds = [request.body.get("max_completion_tokens") for request in server.requests]

    assert bounds == [None, 9, 9]


def test_a_bound_refused_under_both_names_is_an_error(ask: Any) -> None:
    def no(request: AskedOver) -> Refusal:
        name = next(name for name in request.body if "tokens" in name)
        return Refusal(status=400, message=f"{name} is too large")

    with ChatServer(no) as server:
        model = OpenAIChatModel(server.base_url, "tiny", "")
        with pytest.raises(ModelError, match="is too large"):
            model.complete(ask(tokens_max=10**9))
        model.close()

        assert len(server.requests) == 2


def test_calls_streamed_in_pieces_without_ids_are_put_together(ask: Any) -> None:
    def piece(index: int, **function: str) -> dict[str, Any]:
        return delta(tool_calls=[{"index": index, "function": function}])

    chunks = (
        piece(0, name="search", arguments=""),
        piece(1, name="search", arguments='{"q"'),
        piece(0, arguments='{"q": 1'),
        piece(1, arguments=": 2}"),
        piece(0, arguments="}"),
    )
    with ChatServer([stream(*chunks)]) as server:
        model = OpenAIChatModel(server.base_url, "tiny", "")
        calls = model.complete(ask(), on_text=silent).tool_calls
        model.close()

    assert [call.arguments for call in calls] == ['{"q": 1}', '{"q": 2}']
    assert len({call.id for call in calls}) == 2


def test_an_endpoint_that_does_not_stream_is_read_as_a_whole(ask: Any) -> None:
    body = {"choices": [{"message": {"content": "At once."}, "finish_reason": "stop"}]}
    reported: list[str] = []
    with ChatServer([whole(body)]) as server:
        model = OpenAIChatModel(server.base_url, "tiny", "")
        reply = model.complete(ask(), on_text=reported.append)
        model.close()

    assert reported == ["At once."]
    assert reply.content == "At once."


def test_an_endpoint_that_streams_unasked_is_read_too(ask: Any) -> None:
    with ChatServer([stream(delta(content="Un"), delta(content="asked."))]) as server:
        model = OpenAIChatModel(server.base_url, "tiny", "")
        reply = model.complete(ask())
        model.close()

    assert reply.content == "Unasked."


def test_a_stream_that_names_no_reason_to_finish_ends_with_done(ask: Any) -> None:
    with ChatServer([stream(delta(content="Hm."))]) as server:
        model = OpenAIChatModel(server.base_url, "tiny", "")
        reply = model.complete(ask(), on_text=silent)
        model.close()

    assert reply == ModelReply(content="Hm.", model="tiny")


@pytest.mark.parametrize("listens", [None, silent], ids=["whole", "stream"])
def test_an_answer_that_does_not_stop_is_cut_at_its_tokens(ask: Any, listens: Any) -> None:
    endless = stream(*[delta(content="y" * 100)] * 500, done=False)
    with ChatServer([endless]) as server:
        model = OpenAIChatModel(server.base_url, "tiny", "")
        reply = model.complete(ask(tokens_max=50), on_text=listens)
        model.close()

    assert reply.is_cut
    assert 800 < len(reply.content) <= 1_000


def test_arguments_that_do_not_stop_are_cut_and_call_nothing(ask: Any) -> None:
    call = {"index": 0, "id": "c", "function": {"name": "search", "arguments": "y" * 100}}
    with ChatServer([stream(*[delta(tool_calls=[call])] * 500, done=False)]) as server:
        model = OpenAIChatModel(server.base_url, "tiny", "")
        reply = model.complete(ask(tokens_max=50), on_text=silent)
        model.close()

    assert reply.is_cut
    assert reply.tool_calls == ()


@pytest.mark.parametrize("kind", ["text/event-stream", "application/json"])
def test_an_answer_without_a_line_end_is_refused_at_its_bound(
    ask: Any, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "LINE_BYTES_MAX", 1 << 20)
    endless = Raw(chunks=[b"data: ", *[b"y" * 65_536] * 40], content_type=kind)
    with ChatServer([endless]) as server:
        model = OpenAIChatModel(server.base_url, "tiny", "")
        with pytest.raises(ModelError, match="sent more than 1 MB"):
            model.complete(ask(), on_text=silent)
        model.close()


def test_lines_end_as_events_may(ask: Any) -> None:
    first, second = (f"data: {json.dumps(delta(content=text))}".encode() for text in "ab")
    pieces = [first + b"\r", b"\n\r", b"\n" + second, b"\n\ndata: [DO", b"NE]\r\r"]
    with ChatServer([Raw(chunks=pieces, content_type="text/event-stream")]) as server:
        model = OpenAIChatModel(server.base_url, "tiny", "")
        reply = model.complete(ask(), on_text=silent)
        model.close()

    assert reply.content == "ab"


def test_a_tool_unknown_and_arguments_no_json_come_as_they_are(ask: Any) -> None:
    wrong = ToolCall(id="c9", name="no_such_tool", arguments='{"query": ')
    with ChatServer([ModelReply(tool_calls=(wrong,))] * 2) as server:
        model = OpenAIChatModel(server.base_url, "tiny", "")
        replies = [model.complete(ask()), model.complete(ask(), on_text=silent)]
        model.close()

    assert [reply.tool_calls for reply in replies] == [(wrong,), (wrong,)]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"base_url": "ftp://host"}, "base_url"),
        ({"base_url": "http://user:pass@host/v1"}, "base_url"),
        ({"base_url": "http://host/v1?key=1"}, "base_url"),
        ({"api_key": "schlüssel"}, "api_key"),
        ({"model": ""}, "chat_model"),
        ({"retries": -1}, "retries"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        OpenAIChatModel(**{"model": "tiny"} | arguments)

    assert refused.value.field == field


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)

    with pytest.raises(InvalidInput, match=r"pip install 'simonides\[openai\]'"):
        OpenAIChatModel(model="tiny")


def test_neither_its_form_nor_its_parts_show_the_key() -> None:
    model = OpenAIChatModel("http://127.0.0.1:1/v1", "tiny", KEY)

    assert repr(model) == "OpenAIChatModel('http://127.0.0.1:1/v1', model='tiny')"
    assert KEY not in repr(vars(model))


def test_a_closed_model_says_that_it_is_closed(ask: Any) -> None:
    model = OpenAIChatModel("http://127.0.0.1:1/v1", "tiny", "")
    model.close()
    model.close()

    with pytest.raises(ModelError, match="was closed"):
        model.complete(ask())
