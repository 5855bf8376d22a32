"""A language model behind Anthropic's Messages (`POST {base_url}/v1/messages`).

Knows the SDK `anthropic` and the JSON of requests and answers. Must not know what the messages
are. The key is sent to the endpoint and shown nowhere.
"""

import json
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from random import random as drawn
from types import ModuleType
from typing import TYPE_CHECKING, Any

from simonides.errors import ModelError
from simonides.model.chat import ChatMessage, ModelReply, ModelRequest, ToolCall, ToolSchema, Usage
from simonides.model.chat_role import ChatRole
from simonides.models.chat.connection import (
    NO_KEY,
    arguments_object,
    count,
    error_in,
    error_text,
    http_client,
    json_object,
    sendable,
)
from simonides.models.chat.endpoint import RETRIES, EndpointChatModel, EndpointRequest, RetryPolicy
from simonides.models.http_client import CHAT_KEY, address
from simonides.ports.models import IsCancelled, OnText

if TYPE_CHECKING:
    from anthropic import Anthropic

TOKENS_DEFAULT = 4096
"""Bound of an answer that has none: the API wants one, and every model since Claude 3 takes it."""

ANSWER = "structured_answer"
"""The tool that a model is made to call where an answer has to obey a schema."""

_WRAPPED = "value"
"""The property that holds an answer whose schema is no object, which a tool can not take."""

_CUT = frozenset({"max_tokens", "model_context_window_exceeded"})


def body(request: ModelRequest, *, model: str, streams: bool) -> dict[str, Any]:
    """Return the request body: system messages apart, tool results as blocks of the user."""
    fields: dict[str, Any] = {
        "model": model,
        "max_tokens": request.tokens_max or TOKENS_DEFAULT,
        "messages": _turns(request.messages),
    }
    text = [each.content for each in request.messages if each.role is ChatRole.SYSTEM]
    if any(text):
        fields["system"] = "\n\n".join(filter(None, text))
    tools = [_tool(tool) for tool in request.tools]
    if request.schema is not None:
        tools.append(_answer_tool(request.schema))
        fields["tool_choice"] = {"type": "tool", "name": ANSWER}
    if tools:
        fields["tools"] = tools
    if streams:
        fields["stream"] = True
    body_json: dict[str, Any] = sendable(fields)
    return body_json


def is_wrapped(schema: Mapping[str, Any] | None) -> bool:
    """Return whether an answer must be wrapped in an object to be the arguments of a tool."""
    return schema is not None and schema.get("type") != "object"


def _turns(messages: tuple[ChatMessage, ...]) -> list[dict[str, Any]]:
    """Return alternating user and assistant turns: adjacent messages of one role are merged."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        blocks = _blocks(message)
        role = "assistant" if message.role is ChatRole.ASSISTANT else "user"
        if not blocks or message.role is ChatRole.SYSTEM:
            continue
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    return turns


def _blocks(message: ChatMessage) -> list[dict[str, Any]]:
    """Return a message's blocks; the API refuses blank texts."""
    if message.role is ChatRole.TOOL:
        result: dict[str, Any] = {"type": "tool_result", "tool_use_id": message.tool_call_id}
        return [result | {"content": message.content}]
    text = [{"type": "text", "text": message.content}] if message.content.strip() else []
    return [*text, *(_use(call) for call in message.tool_calls)]


def _use(call: ToolCall) -> dict[str, Any]:
    arguments = arguments_object(call.arguments)
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments}


def _tool(tool: ToolSchema) -> dict[str, Any]:
    schema = {"type": "object", "properties": {}} | dict(tool.parameters)
    return {"name": tool.name, "description": tool.description, "input_schema": schema}


def _answer_tool(schema: Mapping[str, Any]) -> dict[str, Any]:
    wanted = dict(schema)
    if is_wrapped(schema):
        wanted = {"type": "object", "properties": {_WRAPPED: wanted}, "required": [_WRAPPED]}
    description = "Give the answer; call nothing else."
    return {"name": ANSWER, "description": description, "input_schema": wanted}


class AnswerCollector:
    """A collector of one answer: a whole body is one piece, a stream many.

    Args:
        model: The name of a reply that names none.
        schema: What the answer has to obey; it comes as the arguments of a tool.
    """

    def __init__(self, *, model: str, schema: Mapping[str, Any] | None = None) -> None:
        self._model = model
        self._is_wrapped = is_wrapped(schema)
        self._texts: list[str] = []
        self._chars = 0
        self._uses: list[_ToolUse] = []
        self._usage: dict[str, int] = {}
        self._stop = ""
        self._is_done = False

    @property
    def is_ended(self) -> bool:
        """Whether a stop reason or the end of the stream was received."""
        return self._is_done or bool(self._stop)

    @property
    def chars(self) -> int:
        """The number of characters collected, those of calls included."""
        return self._chars + sum(len(use.arguments) for use in self._uses)

    def finish(self) -> None:
        """Mark the end of the input; only a whole body ends the answer by it."""

    def add(self, piece: dict[str, Any]) -> str:
        """Add a body or event and return the new text in it.

        Raises:
            ModelError: It is an error, or holds no answer.
        """
        match piece.get("type"):
            case "message":
                return self._whole(piece)
            case "message_start":
                self._start_message(_dict(piece.get("message")))
            case "message_delta":
                self._end_message(_dict(piece.get("delta")), piece)
            case "message_stop":
                self._is_done = True
            case "content_block_start":
                return self._start_block(piece)
            case "content_block_delta":
                return self._add_delta(piece)
            case "content_block_stop":
                return self._end_block(piece.get("index"))
            case "error":
                raise error_in(piece)
            case None:
                raise ModelError(f"sent no answer: {error_text(piece)}")
        return ""

    def reply(self) -> ModelReply:
        """Return the collected reply; the forced tool's arguments are the content."""
        calls = (use.call() for use in self._uses if not use.is_answer and use.name)
        return ModelReply(
            content="".join(self._texts),
            tool_calls=tuple(calls),
            usage=_usage(self._usage),
            model=self._model,
            is_cut=self._stop in _CUT,
            is_refused=self._stop == "refusal",
        )

    def _whole(self, message: dict[str, Any]) -> str:
        self._start_message(message)
        self._end_message(message, message)
        self._is_done = True
        blocks = message.get("content")
        texts = []
        for index, block in enumerate(blocks if isinstance(blocks, list) else ()):
            texts.append(self._start_block({"index": index, "content_block": block}))
            texts.append(self._end_block(index))
        return "".join(texts)

    def _start_message(self, message: dict[str, Any]) -> None:
        found = message.get("model")
        self._model = found if isinstance(found, str) and found else self._model
        self._add_usage(message)

    def _end_message(self, delta: dict[str, Any], piece: dict[str, Any]) -> None:
        self._stop = str(delta.get("stop_reason") or self._stop)
        self._add_usage(piece)

    def _add_usage(self, piece: dict[str, Any]) -> None:
        for name, value in _dict(piece.get("usage")).items():
            tokens = count(value)
            if tokens is not None:
                self._usage[name] = tokens

    def _start_block(self, piece: dict[str, Any]) -> str:
        block = _dict(piece.get("content_block"))
        if block.get("type") == "text":
            return self._add_text(block.get("text"))
        if block.get("type") != "tool_use":
            return ""
        use = _ToolUse(piece.get("index"), str(block.get("id") or ""), str(block.get("name") or ""))
        self._uses.append(use)
        return self._add_arguments(use, json.dumps(block["input"]) if block.get("input") else "")

    def _add_delta(self, piece: dict[str, Any]) -> str:
        delta = _dict(piece.get("delta"))
        if delta.get("type") == "text_delta":
            return self._add_text(delta.get("text"))
        use = self._use(piece.get("index"))
        part = delta.get("partial_json")
        return self._add_arguments(use, part) if use and isinstance(part, str) else ""

    def _add_arguments(self, use: "_ToolUse", part: str) -> str:
        """Add a part of a call's arguments; those of the forced tool are the answer's text."""
        use.arguments += part
        return self._add_text(part) if use.is_answer and not self._is_wrapped else ""

    def _end_block(self, index: Any) -> str:
        use = self._use(index)
        if not (use and use.is_answer and self._is_wrapped):
            return ""
        try:
            value = json_object(use.arguments).get(_WRAPPED)
        except ModelError:  # cut at its bound of tokens: shown as it is
            return self._add_text(use.arguments)
        return self._add_text(json.dumps(value, ensure_ascii=False))

    def _use(self, index: Any) -> "_ToolUse | None":
        return next((use for use in self._uses if use.index == index), None)

    def _add_text(self, found: Any) -> str:
        text = found if isinstance(found, str) else ""
        self._texts.append(text)
        self._chars += len(text)
        return text


class _ToolUse:
    """A tool call, as far as it was received."""

    def __init__(self, index: Any, call_id: str, name: str) -> None:
        self.index = index
        self.id = call_id
        self.name = name
        self.arguments = ""

    @property
    def is_answer(self) -> bool:
        return self.name == ANSWER

    def call(self) -> ToolCall:
        own_id = self.id or f"call_{self.index}"
        return ToolCall(id=own_id, name=self.name, arguments=self.arguments or "{}")


def _dict(found: Any) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}


def _usage(counts: dict[str, int]) -> Usage | None:
    """Return the token counts; cached input counts as prompt."""
    if "input_tokens" not in counts and "output_tokens" not in counts:
        return None
    read = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    prompt = sum(counts.get(name, 0) for name in read)
    return Usage(prompt_tokens=prompt, completion_tokens=counts.get("output_tokens", 0))


BASE_URL = "https://api.anthropic.com"


class AnthropicChatModel(EndpointChatModel):
    """A client of Anthropic's Messages over HTTP. An adapter of `ChatModel`.

    What is asked again, and what is an error at once, is as for `OpenAIChatModel`. A request's
    `schema` becomes a tool that the model has to call: its arguments are the answer's content.

    Args:
        model: As the endpoint calls it.
        api_key: By default `SIMONIDES_CHAT_API_KEY` of the environment, or else, for Anthropic's
            own address only, `ANTHROPIC_API_KEY`. An empty key sends none.
        base_url: Up to and without `/v1/messages`.
        retries: Further attempts after the first.
        sleep, random, clock: The waiting, the draw of its length in [0, 1), and seconds.

    Raises:
        InvalidInput: An argument is out of its range, or the extra `anthropic` is not installed.
    """

    def __init__(
        self,
        model: str,
        api_key: str | None = None,
        *,
        base_url: str = BASE_URL,
        retries: int = RETRIES,
        sleep: Callable[[float], None] = time.sleep,
        random: Callable[[], float] = drawn,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        url = base_url.rstrip("/").removesuffix("/v1")
        super().__init__(
            "anthropic",
            address=address(url, api_key, own=BASE_URL, keys=(CHAT_KEY, "ANTHROPIC_API_KEY")),
            model=model,
            policy=RetryPolicy(retries=retries, sleep=sleep, random=random, clock=clock),
            connect=self._connect_client,
        )

    def __repr__(self) -> str:
        return f"AnthropicChatModel({self._model!r}, base_url={self._address.base_url!r})"

    def complete(
        self,
        request: ModelRequest,
        *,
        on_text: OnText | None = None,
        is_cancelled: IsCancelled | None = None,
    ) -> ModelReply:
        """Return the answer to one request; with `on_text`, stream it there as well.

        Raises:
            ModelError: The endpoint refused, broke off, or sent what can not be read.
            ModelTimeout: It did not answer within the request's seconds, all attempts together.
        """
        create: Any = self._sdk_client.open().messages.with_streaming_response.create
        fields = body(request, model=self._model, streams=on_text is not None)

        def send(timeout_s: float) -> AbstractContextManager[Any]:
            sending: AbstractContextManager[Any] = create(**fields, timeout=timeout_s)
            return sending

        question = EndpointRequest(
            send=send,
            collector=lambda: AnswerCollector(model=self._model, schema=request.schema),
            timeout_s=request.timeout_s,
            tokens_max=request.tokens_max,
            on_text=on_text,
            is_cancelled=is_cancelled,
        )
        return self._endpoint.ask(question)

    def _connect_client(self, sdk: ModuleType) -> "Anthropic":
        """Return the SDK's client; an explicit key keeps it from looking for others."""
        client: Anthropic = sdk.Anthropic(
            base_url=self._address.base_url,
            api_key=self._address.key or NO_KEY,
            max_retries=0,
            http_client=http_client(self._address),
        )
        return client
