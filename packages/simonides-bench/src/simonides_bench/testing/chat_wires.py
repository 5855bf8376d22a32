"""Replies as OpenAI's Chat Completions and Responses and Anthropic's Messages write them; pure.

Knows the two formats, whole and as streams of server-sent events. Must not know a socket.
"""

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Protocol

from simonides.model.chat import ModelReply, ToolCall
from simonides_bench.testing.chat_script import AskedOver

_WORD = re.compile(r"\s*\S+\s*|\s+")

DONE = "data: [DONE]\n\n"


class Wire(Protocol):
    """One vendor's format."""

    def whole(self, reply: ModelReply, asked: AskedOver) -> dict[str, Any]:
        """Return the body of an answer that is sent as a whole."""
        ...

    def events(self, reply: ModelReply, asked: AskedOver) -> Iterator[str]:
        """Yield the events of a streamed answer, words and arguments in pieces."""
        ...

    def error(self, message: str) -> dict[str, Any]:
        """Return the body of a refusal."""
        ...


def words(content: str) -> list[str]:
    """Return a text's words with the white space around them; joined, they are the text."""
    return _WORD.findall(content)


def halves(text: str) -> tuple[str, str]:
    """Return a text in two pieces."""
    return text[: len(text) // 2], text[len(text) // 2 :]


class Completions:
    """OpenAI's Chat Completions."""

    def whole(self, reply: ModelReply, asked: AskedOver) -> dict[str, Any]:
        """Return a `chat.completion`; without usage where the reply has none."""
        message: dict[str, Any] = {"role": "assistant", "content": reply.content or None}
        if reply.tool_calls:
            message["tool_calls"] = [_whole_call(call) for call in reply.tool_calls]
        choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
        return _head(reply, asked, "chat.completion") | {"choices": [choice]} | _usage(reply)

    def events(self, reply: ModelReply, asked: AskedOver) -> Iterator[str]:
        """Yield chunks and `[DONE]`; the usage only if the request asks for it."""
        head = _head(reply, asked, "chat.completion.chunk")
        for delta in (*_write_words(reply), *_write_calls(reply)):
            yield _event(head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        end = {"index": 0, "delta": {}, "finish_reason": _finish(reply)}
        yield _event(head | {"choices": [end]})
        if (asked.body.get("stream_options") or {}).get("include_usage") and reply.usage:
            yield _event(head | {"choices": []} | _usage(reply))
        yield DONE

    def error(self, message: str) -> dict[str, Any]:
        """Return `{"error": {"message": …}}`."""
        return {"error": {"message": message, "type": "scripted", "param": None, "code": None}}


class Responses:
    """OpenAI's Responses; each request gets an id of its own for the same body."""

    def whole(self, reply: ModelReply, asked: AskedOver) -> dict[str, Any]:
        """Return a `response`."""
        output: list[dict[str, Any]] = []
        if reply.content:
            part = {"type": "output_text", "text": reply.content, "annotations": []}
            said = {"id": "msg", "role": "assistant", "status": "completed", "content": [part]}
            output.append({"type": "message"} | said)
        output += [
            {"type": "function_call", "id": call.id, "call_id": call.id, "name": call.name,
             "arguments": call.arguments, "status": "completed"}
            for call in reply.tool_calls
        ]  # fmt: skip
        return _response(reply, asked) | {
            "status": "incomplete" if reply.is_cut else "completed", "output": output,
        }  # fmt: skip

    def events(self, reply: ModelReply, asked: AskedOver) -> Iterator[str]:
        """Yield the events of a stream from `response.created` to `response.completed`."""
        begun = _response(reply, asked) | {"status": "in_progress", "output": []}
        yield _write_event("response.created", response=begun)
        place = {"output_index": 0, "sequence_number": 1}
        if reply.content:
            item = {"type": "message", "id": "msg", "role": "assistant", "content": list[str]()}
            part = {"type": "output_text", "text": "", "annotations": []}
            inner = place | {"item_id": "msg", "content_index": 0}
            yield _write_event(
                "response.output_item.added", **place, item=item | {"status": "in_progress"}
            )
            yield _write_event("response.content_part.added", **inner, part=part)
            for word in words(reply.content):
                yield _write_event("response.output_text.delta", **inner, delta=word, logprobs=[])
        whole = self.whole(reply, asked)
        yield _write_event(f"response.{whole['status']}", response=whole, sequence_number=2)

    def error(self, message: str) -> dict[str, Any]:
        """Return `{"error": {"message": …}}`."""
        return Completions().error(message)


class Messages:
    """Anthropic's Messages."""

    def whole(self, reply: ModelReply, asked: AskedOver) -> dict[str, Any]:
        """Return a `message`; without usage where the reply has none."""
        blocks: list[dict[str, Any]] = []
        if reply.content:
            blocks.append({"type": "text", "text": reply.content})
        blocks += [_use(call) | {"input": json.loads(call.arguments)} for call in reply.tool_calls]
        return _message(reply, asked) | {"content": blocks, "stop_reason": _stop(reply)}

    def events(self, reply: ModelReply, asked: AskedOver) -> Iterator[str]:
        """Yield the events of a stream from `message_start` to `message_stop`."""
        message = _message(reply, asked) | {"content": [], "stop_reason": None}
        yield _write_event("message_start", message=message)
        if reply.content:
            deltas = [{"type": "text_delta", "text": word} for word in words(reply.content)]
            yield from _block(0, {"type": "text", "text": ""}, deltas)
        for index, call in enumerate(reply.tool_calls, start=1 if reply.content else 0):
            parts = halves(call.arguments)
            deltas = [{"type": "input_json_delta", "partial_json": part} for part in parts]
            yield from _block(index, _use(call) | {"input": {}}, deltas)
        usage = {"output_tokens": reply.usage.completion_tokens} if reply.usage else None
        yield _write_event("message_delta", delta={"stop_reason": _stop(reply)}, usage=usage)
        yield _write_event("message_stop")

    def error(self, message: str) -> dict[str, Any]:
        """Return `{"type": "error", "error": {…}}`."""
        return {"type": "error", "error": {"type": "scripted_error", "message": message}}


def _head(reply: ModelReply, asked: AskedOver, kind: str) -> dict[str, Any]:
    model = reply.model or asked.body.get("model", "")
    return {"id": "scripted", "object": kind, "created": 0, "model": model}


def _response(reply: ModelReply, asked: AskedOver) -> dict[str, Any]:
    named = sha256(json.dumps(asked.body, sort_keys=True).encode()).hexdigest()[:16]
    model = reply.model or asked.body.get("model", "")
    return {"id": f"resp_{named}", "object": "response", "created_at": 0, "model": model,
            "tools": [], "tool_choice": "auto", "parallel_tool_calls": True}  # fmt: skip


def _finish(reply: ModelReply) -> str:
    if reply.is_cut:
        return "length"
    if reply.is_refused:
        return "content_filter"
    return "tool_calls" if reply.tool_calls else "stop"


def _usage(reply: ModelReply) -> dict[str, Any]:
    if reply.usage is None:
        return {}
    return {
        "usage": {
            "prompt_tokens": reply.usage.prompt_tokens,
            "completion_tokens": reply.usage.completion_tokens,
            "total_tokens": reply.usage.total_tokens,
        }
    }


def _whole_call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _write_words(reply: ModelReply) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    for word in words(reply.content):
        yield {"content": word}


def _write_calls(reply: ModelReply) -> Iterator[dict[str, Any]]:
    for index, call in enumerate(reply.tool_calls):
        begin = {"id": call.id, "type": "function", "function": {"name": call.name}}
        yield {"tool_calls": [{"index": index} | begin]}
        for part in halves(call.arguments):
            yield {"tool_calls": [{"index": index, "function": {"arguments": part}}]}


def _event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data)}\n\n"


def _message(reply: ModelReply, asked: AskedOver) -> dict[str, Any]:
    model = reply.model or asked.body.get("model", "")
    message: dict[str, Any] = {"id": "scripted", "type": "message", "role": "assistant"}
    message["model"] = model
    if reply.usage:
        prompt, completion = reply.usage.prompt_tokens, reply.usage.completion_tokens
        message["usage"] = {"input_tokens": prompt, "output_tokens": completion}
    return message


def _stop(reply: ModelReply) -> str:
    if reply.is_cut:
        return "max_tokens"
    if reply.is_refused:
        return "refusal"
    return "tool_use" if reply.tool_calls else "end_turn"


def _use(call: ToolCall) -> dict[str, Any]:
    return {"type": "tool_use", "id": call.id, "name": call.name}


def _write_event(event: str, **data: Any) -> str:
    return f"event: {event}\ndata: {json.dumps({'type': event} | data)}\n\n"


def _block(index: int, begin: dict[str, Any], deltas: list[dict[str, Any]]) -> Iterator[str]:
    yield _write_event("content_block_start", index=index, content_block=begin)
    for delta in deltas:
        yield _write_event("content_block_delta", index=index, delta=delta)
    yield _write_event("content_block_stop", index=index)
