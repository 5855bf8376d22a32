"""A language model behind any endpoint of Chat Completions (`POST {base_url}/chat/completions`).

Knows the SDK `openai`, OpenAI's JSON, how others bend it, and what endpoints refuse. Must not know
what the messages are. The key is sent to the endpoint and shown nowhere.
"""

import json
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from random import random as drawn
from types import ModuleType
from typing import TYPE_CHECKING, Any

from simonides.errors import ModelError
from simonides.model.chat import ChatMessage, ModelReply, ModelRequest, ToolCall, ToolSchema, Usage
from simonides.models.chat.connection import (
    NO_KEY,
    EndpointRefusal,
    arguments_object,
    count,
    error_in,
    error_text,
    http_client,
    sendable,
)
from simonides.models.chat.endpoint import RETRIES, EndpointChatModel, EndpointRequest, RetryPolicy
from simonides.models.http_client import CHAT_KEY, address
from simonides.ports.models import IsCancelled, OnText

if TYPE_CHECKING:
    from httpx2 import Client
    from openai import OpenAI


def body(
    request: ModelRequest, *, model: str, streams: bool, counts: bool, tokens_name: str
) -> dict[str, Any]:
    """Return the JSON of the request.

    Args:
        request: What is asked.
        model: As the endpoint calls it.
        streams: Whether the answer is to come in pieces.
        counts: Whether a stream is to end with its usage (`stream_options`).
        tokens_name: What the endpoint calls the bound of the answer.
    """
    fields: dict[str, Any] = {
        "model": model,
        "messages": [_message(each) for each in request.messages],
    }
    if request.tools:
        fields["tools"] = [_tool(tool) for tool in request.tools]
    if request.schema is not None:
        fields["response_format"] = _format(request.schema)
    if request.tokens_max:
        fields[tokens_name] = request.tokens_max
    if streams:
        fields["stream"] = True
        if counts:
            fields["stream_options"] = {"include_usage": True}
    body_json: dict[str, Any] = sendable(fields)
    return body_json


def _message(message: ChatMessage) -> dict[str, Any]:
    body_json: dict[str, Any] = {"role": message.role.value, "content": message.content}
    if message.tool_calls:
        body_json["content"] = message.content or None
        body_json["tool_calls"] = [_call(call) for call in message.tool_calls]
    if message.tool_call_id:
        body_json["tool_call_id"] = message.tool_call_id
    return body_json


def _call(call: ToolCall) -> dict[str, Any]:
    """Return an earlier call; its arguments always as JSON, which templates read."""
    arguments = json.dumps(arguments_object(call.arguments), ensure_ascii=False)
    function = {"name": call.name, "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


def _tool(tool: ToolSchema) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {}} | dict(tool.parameters)
    function = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}


def _format(schema: Mapping[str, Any]) -> dict[str, Any]:
    named: dict[str, Any] = {"name": "answer", "schema": dict(schema)}
    if is_strict(schema):
        named["strict"] = True
    return {"type": "json_schema", "json_schema": named}


def is_strict(schema: Any) -> bool:
    """Return whether OpenAI would enforce a schema: each object closed, each property required."""
    if isinstance(schema, list | tuple):
        return all(is_strict(each) for each in schema)
    if not isinstance(schema, Mapping):
        return True
    if schema.get("type") == "object":
        names = set(schema.get("properties", ()))
        if schema.get("additionalProperties") is not False:
            return False
        if names != set(schema.get("required", ())):
            return False
    return all(is_strict(each) for each in schema.values())


class Completion:
    """A collector of one answer: a whole body is one piece, a stream many.

    Args:
        model: The name of a reply that names none.
        call_prefix: Begins the ids of calls that come without one.
    """

    def __init__(self, *, model: str, call_prefix: str) -> None:
        self._model = model
        self._call_prefix = call_prefix
        self._texts: list[str] = []
        self._chars = 0
        self._calls: list[_Call] = []
        self._usage: Usage | None = None
        self._finish = ""
        self._is_refused = False
        self._is_done = False

    @property
    def is_ended(self) -> bool:
        """Whether a finish reason or the end of the stream was received."""
        return self._is_done or bool(self._finish)

    @property
    def chars(self) -> int:
        """The number of characters collected, those of calls included."""
        return self._chars + sum(len(call.arguments) for call in self._calls)

    def finish(self) -> None:
        """Mark the end of the stream."""
        self._is_done = True

    def add(self, piece: dict[str, Any]) -> str:
        """Add a body or chunk and return its text.

        Raises:
            ModelError: It is an error, or holds no answer.
        """
        choices = piece.get("choices")
        if piece.get("error") or not isinstance(choices, list | None):
            raise error_in(piece)
        if choices is None and "usage" not in piece and piece.get("object") is None:
            raise ModelError(f"sent no answer: {error_text(piece)}")
        self._usage = _usage(piece.get("usage")) or self._usage
        self._model = _text(piece.get("model")) or self._model
        return "".join(self._add_choice(choice) for choice in choices or () if _is_first(choice))

    def reply(self) -> ModelReply:
        """Return the collected reply."""
        calls = (call.call(f"{self._call_prefix}_{n}") for n, call in enumerate(self._calls))
        return ModelReply(
            content="".join(self._texts),
            tool_calls=tuple(call for call in calls if call.name),
            usage=self._usage,
            model=self._model,
            is_cut=self._finish == "length",
            is_refused=self._is_refused or self._finish == "content_filter",
        )

    def _add_choice(self, choice: dict[str, Any]) -> str:
        self._finish = _text(choice.get("finish_reason")) or self._finish
        message = choice.get("delta") or choice.get("message") or {}
        if not isinstance(message, dict):
            return ""
        calls = message.get("tool_calls")
        for entry in calls if isinstance(calls, list) else ():
            if isinstance(entry, dict):
                self._add_call(entry)
        refusal = _text(message.get("refusal"))
        self._is_refused = self._is_refused or bool(refusal)
        text = _text(message.get("content")) or refusal
        self._texts.append(text)
        self._chars += len(text)
        return text

    def _add_call(self, entry: dict[str, Any]) -> None:
        """Add a call or a piece of one; missing fields are taken from earlier pieces."""
        found = entry.get("function")
        function = found if isinstance(found, dict) else {}
        index, call_id, name = (
            entry.get("index"),
            _text(entry.get("id")),
            _text(function.get("name")),
        )
        call = self._find_call(index if type(index) is int else None, call_id, name)
        call.id = call.id or call_id
        call.name = call.name or name
        arguments = function.get("arguments")
        call.arguments += json.dumps(arguments) if isinstance(arguments, dict) else _text(arguments)

    def _find_call(self, index: int | None, call_id: str, name: str) -> "_Call":
        """Return the call that a piece belongs to.

        By its index where there is one; but an id and a name that come anew begin another call,
        because some endpoints number all of them 0. Without an index: by its id; a piece that
        brings a name or a new id begins a call, any other goes on with the last.
        """
        for call in reversed(self._calls):
            if index is not None and call.index == index:
                if not (call_id and name and call.id and call_id != call.id):
                    return call
                break
            if index is None and call_id and call.id == call_id:
                return call
        if index is None and self._calls and not call_id and not name:
            return self._calls[-1]
        self._calls.append(_Call(index))
        return self._calls[-1]


class _Call:
    """A tool call, as far as it was received."""

    def __init__(self, index: int | None) -> None:
        self.index = index
        self.id = ""
        self.name = ""
        self.arguments = ""

    def call(self, own_id: str) -> ToolCall:
        return ToolCall(id=self.id or own_id, name=self.name, arguments=self.arguments or "{}")


def _is_first(choice: Any) -> bool:
    return isinstance(choice, dict) and not choice.get("index")


def _text(content: Any) -> str:
    """Return the text of a content that is a text, a list of parts, or missing."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return _text(content.get("text"))
    return "".join(_text(part) for part in content) if isinstance(content, list) else ""


def _usage(found: Any) -> Usage | None:
    if not isinstance(found, dict):
        return None
    prompt, completion = count(found.get("prompt_tokens")), count(found.get("completion_tokens"))
    if prompt is None and completion is None:
        return None
    return Usage(prompt_tokens=prompt or 0, completion_tokens=completion or 0)


BASE_URL = "https://api.openai.com/v1"

_TOKENS_NAMES = ("max_tokens", "max_completion_tokens")
"""What the bound of an answer is called: everywhere, and at OpenAI since its models reason."""

_NOT_UNDERSTOOD = frozenset({400, 422})


class OpenAIChatModel(EndpointChatModel):
    """A client of OpenAI's Chat Completions over HTTP. An adapter of `ChatModel`.

    Broken connections, 408, 409, 425, 429 and 5xx are tried again, after growing random waits and
    never before the `Retry-After` of the reply, as long as the request's seconds allow; other
    refusals are errors at once. A stream that breaks is an error, because text that was delivered
    cannot be taken back.
    What an endpoint does not take (`stream_options`, the name of the bound) is left out for it.

    Args:
        base_url: Up to and without `/chat/completions`.
        model: As the endpoint calls it.
        api_key: By default `SIMONIDES_CHAT_API_KEY` of the environment, or else, for OpenAI's own
            address only, `OPENAI_API_KEY`. An empty key sends none, as local servers like it.
        retries: Further attempts after the first.
        sleep, random, clock: The waiting, the draw of its length in [0, 1), and seconds.

    Raises:
        InvalidInput: An argument is out of its range, or the extra `openai` is not installed.
    """

    def __init__(
        self,
        base_url: str = BASE_URL,
        model: str = "",
        api_key: str | None = None,
        *,
        retries: int = RETRIES,
        sleep: Callable[[float], None] = time.sleep,
        random: Callable[[], float] = drawn,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(
            "openai",
            address=address(base_url, api_key, own=BASE_URL, keys=(CHAT_KEY, "OPENAI_API_KEY")),
            model=model,
            policy=RetryPolicy(retries=retries, sleep=sleep, random=random, clock=clock),
            connect=self._connect_client,
        )
        self._accepted = _AcceptedOptions(
            tokens_name=_TOKENS_NAMES[self._address.base_url == BASE_URL]
        )

    def __repr__(self) -> str:
        return f"OpenAIChatModel({self._address.base_url!r}, model={self._model!r})"

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
        client = self._sdk_client.open()
        sent = _Request(client, request, self._accepted, model=self._model, streams=bool(on_text))
        reply = self._endpoint.ask(
            EndpointRequest(
                send=sent.send,
                collector=sent.collector,
                timeout_s=request.timeout_s,
                tokens_max=request.tokens_max,
                on_text=on_text,
                is_cancelled=is_cancelled,
                leave_out_refused=sent.leave_out_refused,
            )
        )
        self._accepted = sent.accepted  # they worked
        return reply

    def _connect_client(self, sdk: ModuleType) -> "OpenAI":
        """Return the SDK's client; an explicit key keeps it from looking for others."""
        client: OpenAI = sdk.OpenAI(
            base_url=self._address.base_url,
            api_key=self._address.key or NO_KEY,
            max_retries=0,
            http_client=self._http(),
        )
        return client

    def _http(self) -> "Client":
        """Return the HTTP client; OpenAI's settings in the environment apply to OpenAI only."""
        own = self._address.base_url == BASE_URL
        without_headers = () if own else ("openai-organization", "openai-project")
        return http_client(self._address, without_headers=without_headers)


@dataclass(frozen=True, slots=True, kw_only=True)
class _AcceptedOptions:
    """The options that an endpoint accepts; `counts`: it reports usage in a stream."""

    tokens_name: str
    counts: bool = True


class _Request:
    """One running request: its body leaves out options that the endpoint rejected."""

    def __init__(
        self,
        client: "OpenAI",
        request: ModelRequest,
        accepted: _AcceptedOptions,
        *,
        model: str,
        streams: bool,
    ) -> None:
        self._client = client
        self._request = request
        self._first = accepted
        self.accepted = accepted
        self._model = model
        self._streams = streams

    def send(self, timeout_s: float) -> AbstractContextManager[Any]:
        """Send the request; the SDK's own timeouts apply to each step of it."""
        fields = body(
            self._request,
            model=self._model,
            streams=self._streams,
            counts=self.accepted.counts,
            tokens_name=self.accepted.tokens_name,
        )
        completions = self._client.chat.completions
        create: Any = completions.with_streaming_response.create
        sending: AbstractContextManager[Any] = create(**fields, timeout=timeout_s)
        return sending

    def collector(self) -> Completion:
        """Return the collector of the reply."""
        return Completion(model=self._model, call_prefix=f"call_{len(self._request.messages)}")

    def leave_out_refused(self, refused: EndpointRefusal) -> bool:
        """Leave out a rejected option; return whether there was one."""
        if refused.status not in _NOT_UNDERSTOOD:
            return False
        accepted, first = self.accepted, self._first
        if self._request.tokens_max and accepted.tokens_name in str(refused):
            other = _TOKENS_NAMES[accepted.tokens_name == _TOKENS_NAMES[0]]
            self.accepted = _AcceptedOptions(tokens_name=other, counts=accepted.counts)
            return accepted.tokens_name == first.tokens_name
        if self._streams and accepted.counts:
            self.accepted = _AcceptedOptions(tokens_name=accepted.tokens_name, counts=False)
            return True
        return False
