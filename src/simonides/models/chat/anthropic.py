"""A language model behind Anthropic's Messages (`POST {base_url}/v1/messages`).

Knows the SDK `anthropic`. Must not know what the messages are. The key is sent to the endpoint
and shown nowhere.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from random import random as drawn
from types import ModuleType
from typing import TYPE_CHECKING, Any

from simonides.model.chat import ModelReply, ModelRequest
from simonides.models.chat.anthropic_wire import Message, body
from simonides.models.chat.connection import NO_KEY, http_client
from simonides.models.chat.endpoint import RETRIES, EndpointChatModel, Question, RetryPolicy
from simonides.models.http_client import CHAT_KEY, address
from simonides.ports.chat import IsCancelled, OnText

if TYPE_CHECKING:
    from anthropic import Anthropic

BASE_URL = "https://api.anthropic.com"


class AnthropicChatModel(EndpointChatModel):
    """Answers over HTTP by Anthropic's Messages. An adapter of `ChatModel`.

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
            connect=self._connected_client,
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
        create: Any = self._sdk_client.opened().messages.with_streaming_response.create
        asked = body(request, model=self._model, streams=on_text is not None)

        def send(timeout_s: float) -> AbstractContextManager[Any]:
            sending: AbstractContextManager[Any] = create(**asked, timeout=timeout_s)
            return sending

        question = Question(
            send=send,
            collector=lambda: Message(model=self._model, schema=request.schema),
            timeout_s=request.timeout_s,
            on_text=on_text,
            is_cancelled=is_cancelled,
        )
        return self._endpoint.ask(question)

    def _connected_client(self, sdk: ModuleType) -> "Anthropic":
        """Return the SDK's client; a key given keeps it from looking for others."""
        client: Anthropic = sdk.Anthropic(
            base_url=self._address.base_url,
            api_key=self._address.key or NO_KEY,
            max_retries=0,
            http_client=http_client(self._address),
        )
        return client
