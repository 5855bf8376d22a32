"""A language model behind any endpoint of Chat Completions (`POST {base_url}/chat/completions`).

Knows the SDK `openai` and what endpoints refuse. Must not know what the messages are. The key is
sent to the endpoint and shown nowhere.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from random import random as drawn
from types import ModuleType
from typing import TYPE_CHECKING, Any

from simonides.model.chat import ModelReply, ModelRequest
from simonides.models.chat.connection import NO_KEY, EndpointRefusal, http_client
from simonides.models.chat.endpoint import RETRIES, EndpointChatModel, Question, RetryPolicy
from simonides.models.chat.openai_wire import Completion, body
from simonides.models.http_client import CHAT_KEY, address
from simonides.ports.chat import IsCancelled, OnText

if TYPE_CHECKING:
    from httpx2 import Client
    from openai import OpenAI

BASE_URL = "https://api.openai.com/v1"

_TOKENS_NAMES = ("max_tokens", "max_completion_tokens")
"""What the bound of an answer is called: everywhere, and at OpenAI since its models reason."""

_NOT_UNDERSTOOD = frozenset({400, 422})


class OpenAIChatModel(EndpointChatModel):
    """Answers over HTTP by OpenAI's Chat Completions. An adapter of `ChatModel`.

    Broken connections, 408, 409, 425, 429 and 5xx are tried again, after growing random waits and
    never before the `Retry-After` of the reply, as long as the request's seconds allow; other
    refusals are errors at once. A stream that breaks is an error: what was told can not be untold.
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
            connect=self._connected_client,
        )
        self._habits = _Habits(tokens_name=_TOKENS_NAMES[self._address.base_url == BASE_URL])

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
        client = self._sdk_client.opened()
        asking = _Asking(client, request, self._habits, model=self._model, streams=bool(on_text))
        reply = self._endpoint.ask(
            Question(
                send=asking.send,
                collector=asking.collector,
                timeout_s=request.timeout_s,
                on_text=on_text,
                is_cancelled=is_cancelled,
                adapts=asking.adapts,
            )
        )
        self._habits = asking.habits  # they worked
        return reply

    def _connected_client(self, sdk: ModuleType) -> "OpenAI":
        """Return the SDK's client; a key given keeps it from looking for others."""
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
        withheld = () if own else ("openai-organization", "openai-project")
        return http_client(self._address, withheld=withheld)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Habits:
    """The options an endpoint accepts: `counts` is whether a stream may be asked for usage."""

    tokens_name: str
    counts: bool = True


class _Asking:
    """One request under way: its body leaves out options that the endpoint refused."""

    def __init__(
        self, client: "OpenAI", request: ModelRequest, habits: _Habits, *, model: str, streams: bool
    ) -> None:
        self._client = client
        self._request = request
        self._first = habits
        self.habits = habits
        self._model = model
        self._streams = streams

    def send(self, timeout_s: float) -> AbstractContextManager[Any]:
        """Send the request; the SDK's own time-outs are for each step of it."""
        asked = body(
            self._request,
            model=self._model,
            streams=self._streams,
            counts=self.habits.counts,
            tokens_name=self.habits.tokens_name,
        )
        completions = self._client.chat.completions
        create: Any = completions.with_streaming_response.create
        sending: AbstractContextManager[Any] = create(**asked, timeout=timeout_s)
        return sending

    def collector(self) -> Completion:
        """Return the collector of the reply."""
        return Completion(model=self._model, call_prefix=f"call_{len(self._request.messages)}")

    def adapts(self, refused: EndpointRefusal) -> bool:
        """Leave out a refused option; return whether there was one."""
        if refused.status not in _NOT_UNDERSTOOD:
            return False
        habits, first = self.habits, self._first
        if self._request.tokens_max and habits.tokens_name in str(refused):
            other = _TOKENS_NAMES[habits.tokens_name == _TOKENS_NAMES[0]]
            self.habits = _Habits(tokens_name=other, counts=habits.counts)
            return habits.tokens_name == first.tokens_name
        if self._streams and habits.counts:
            self.habits = _Habits(tokens_name=habits.tokens_name, counts=False)
            return True
        return False
