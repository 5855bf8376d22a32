"""Calls of an endpoint over HTTP, with deadlines, retries and explained errors.

Knows deadlines, attempts and what the vendors' SDKs raise. Must not know a vendor's wire format,
nor what the messages are.
"""

import re
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.util import find_spec
from random import random as drawn
from types import ModuleType
from typing import Any, Protocol

from simonides.errors import InvalidInput, ModelError, ModelTimeout
from simonides.model.chat import ModelReply
from simonides.models.chat import connection
from simonides.models.chat.cancellable_call import CallTimeout, CancellableCalls
from simonides.models.chat.connection import (
    LONGEST_S,
    EndpointRefusal,
    LazyClient,
    refusal,
)
from simonides.models.http_client import Address, RetryableFailure, backoff_s
from simonides.ports.models import IsCancelled, OnText

RETRIES = 4
"""Further attempts after the first, as many as the embedder makes."""

NAP_S = 0.25
"""Longest sleep at once while waiting: cancellation is heard that soon."""


CHARS_A_TOKEN_MAX = 16
"""Characters of one token that are believed: of no language a text has as many on average."""

CHARS_MAX = 4_000_000
"""Characters of an answer whose request has no bound of its own."""

LINE_BYTES_MAX = 16 << 20
"""Longest line of a stream, and the longest answer in one piece."""


class StreamCollector(Protocol):
    """A collector that makes one reply of the pieces of a stream."""

    @property
    def chars(self) -> int:
        """The number of characters collected, those of calls included."""
        ...

    @property
    def is_ended(self) -> bool:
        """Whether the endpoint has ended the answer."""
        ...

    def add(self, piece: dict[str, Any]) -> str:
        """Add the next piece and return its text."""
        ...

    def finish(self) -> None:
        """Mark the end of the stream."""
        ...

    def reply(self) -> ModelReply:
        """Return the collected reply."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """The number and delay of retries; the functions are replaced in tests."""

    retries: int = RETRIES
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = drawn
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        if self.retries < 0:
            raise InvalidInput("retries", f"must not be negative, got {self.retries}")


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointRequest:
    """One request: how to send it within a time limit, and how to collect its pieces.

    An answer of far more than `tokens_max` tokens is cut, as some endpoints never stop (0: at
    `CHARS_MAX`). `leave_out_refused` takes a refusal and returns whether the next request differs.
    """

    send: Callable[[float], AbstractContextManager[Any]]
    collector: Callable[[], StreamCollector]
    timeout_s: float
    tokens_max: int = 0
    on_text: OnText | None = None
    is_cancelled: IsCancelled | None = None
    leave_out_refused: Callable[[EndpointRefusal], bool] = field(default=lambda _: False)

    @property
    def chars_max(self) -> int:
        """The number of characters after which the answer is cut."""
        return min(CHARS_MAX, CHARS_A_TOKEN_MAX * self.tokens_max or CHARS_MAX)


class _Cancellation:
    """Whether a request was cancelled; once cancelled, it stays so."""

    def __init__(self, is_cancelled: IsCancelled | None) -> None:
        self._is_cancelled = is_cancelled
        self.happened = False

    def __call__(self) -> bool:
        if not self.happened and self._is_cancelled is not None:
            self.happened = self._is_cancelled()
        return self.happened


class Endpoint:
    """One address, called through one vendor's SDK. Safe to use from several threads.

    Args:
        address: Where it answers.
        sdk: Gives the SDK's module, whose exceptions are translated.
        patience: When to ask again.
    """

    def __init__(
        self, address: Address, *, sdk: Callable[[], ModuleType], policy: RetryPolicy
    ) -> None:
        self._address = address
        self._sdk = sdk
        self._policy = policy
        self._calls = CancellableCalls(policy.clock)

    def ask(self, question: EndpointRequest) -> ModelReply:
        """Return the answer; a cancelled one holds the text received so far and no tool calls.

        Raises:
            ModelError: It refused, broke off, or sent what can not be read.
            ModelTimeout: The question's seconds passed first.
        """
        deadline_s = self._policy.clock() + question.timeout_s
        cancelled = _Cancellation(question.is_cancelled)
        attempt = 0
        while not cancelled():
            try:
                return self._attempt(question, deadline_s, cancelled)
            except EndpointRefusal as error:
                if not question.leave_out_refused(error):
                    raise
            except RetryableFailure as failure:
                wait_s = self._wait_s(failure, attempt, deadline_s)
                self._wait(wait_s, cancelled)
                attempt += 1
            except CallTimeout:
                raise ModelTimeout(self._timeout_message(question.timeout_s)) from None
        return question.collector().reply()

    def close(self) -> None:
        """Wait a moment for abandoned calls to end."""
        self._calls.close()

    def _timeout_message(self, timeout_s: float) -> str:
        host = self._address.host
        return f"{host} did not answer within {timeout_s:g} s; ask again, or allow more time"

    def _wait_s(self, failure: RetryableFailure, attempt: int, deadline_s: float) -> float:
        """Return the delay before the next attempt; raise the error if a retry is no use."""
        policy = self._policy
        wait_s = max(failure.wait_s, backoff_s(attempt, draw=policy.random(), longest_s=LONGEST_S))
        if attempt >= policy.retries or policy.clock() + wait_s >= deadline_s:
            raise failure.error from None
        return wait_s

    def _wait(self, wait_s: float, cancelled: IsCancelled) -> None:
        while wait_s > 0 and not cancelled():
            nap_s = min(wait_s, NAP_S)
            self._policy.sleep(nap_s)
            wait_s -= nap_s

    def _attempt(
        self, question: EndpointRequest, deadline_s: float, cancelled: _Cancellation
    ) -> ModelReply:
        collector = question.collector()
        left_s = deadline_s - self._policy.clock()
        if left_s <= 0:
            raise CallTimeout
        pieces = self._calls.pieces(
            lambda: self._receive(question, left_s),
            deadline_s=deadline_s,
            is_cancelled=cancelled,
        )
        with closing(pieces):  # also when the listener fails and its error is kept
            for piece in pieces:
                self._take(piece, collector, question.on_text)
                if collector.chars > question.chars_max:
                    return replace(_partial(collector.reply()), is_cut=True)
        if not collector.is_ended and not cancelled.happened:
            raise ModelError(self._say_broken("its stream ended early"))
        reply = collector.reply()
        return _partial(reply) if cancelled.happened else reply

    def _take(
        self, piece: dict[str, Any] | None, collector: StreamCollector, on_text: OnText | None
    ) -> None:
        if piece is None:
            collector.finish()
            return
        try:
            text = collector.add(piece)
        except ModelError as failure:
            error = self._name_host(failure)
            is_delivered = on_text is not None and collector.chars
            again = failure.retryable and not is_delivered
            raise (RetryableFailure(error) if again else error) from None
        if text and on_text is not None:
            on_text(text)

    def _receive(
        self, question: EndpointRequest, left_s: float
    ) -> Generator[dict[str, Any] | None, None, None]:
        """Yield the pieces of the answer, None for the end of the stream; runs in its own thread.

        No error is chained: the SDKs' own repeat the endpoint's words, in which a key may stand.
        """
        from httpx2 import RequestError, StreamError, TimeoutException  # of an optional extra

        sdk = self._sdk()
        try:
            with question.send(left_s) as answer:
                yield from _pieces(answer, streams=question.on_text is not None)
        except (sdk.APITimeoutError, TimeoutException):
            raise CallTimeout from None
        except sdk.APIStatusError as failure:
            raise self._refusal(failure) from None
        except sdk.APIConnectionError as failure:
            raise RetryableFailure(ModelError(self._unreachable_message(failure))) from None
        except (RequestError, StreamError) as failure:
            raise ModelError(self._say_broken(self._address.redact(str(failure)))) from None
        except ModelError as failure:
            raise self._name_host(failure) from None
        except (sdk.APIError, TypeError, ValueError, RuntimeError) as failure:
            message = self._address.redact(str(failure))
            raise ModelError(f"{self._address.host} can not be asked so: {message}") from None

    def _name_host(self, failure: ModelError) -> ModelError:
        return ModelError(f"{self._address.host} {self._address.redact(str(failure))}")

    def _refusal(self, failure: Any) -> RetryableFailure | EndpointRefusal:
        message = self._address.redact(connection.error_text(failure.body))
        headers = failure.response.headers
        return refusal(self._address.host, failure.status_code, message, headers)

    def _unreachable_message(self, failure: Exception) -> str:
        cause = failure.__cause__ or failure
        message = self._address.redact(str(cause) or type(cause).__name__)
        return f"{self._address.host} can not be reached: {message}; is it running there?"

    def _say_broken(self, message: str) -> str:
        return f"{self._address.host} broke off in the middle of its answer: {message}; ask again"


class EndpointChatModel:
    """The common part of the chat models of vendors: installation check, connection, closing.

    Args:
        package: The vendor's SDK, and the name of the extra that installs it.
        address: Where the endpoint answers.
        model: As the endpoint calls it.
        policy: When to ask again.
        connect: Makes the SDK's client.

    Raises:
        InvalidInput: There is no model's name, or the extra is not installed.
    """

    def __init__(
        self,
        package: str,
        *,
        address: Address,
        model: str,
        policy: RetryPolicy,
        connect: Callable[[ModuleType], Any],
    ) -> None:
        if find_spec(package) is None:
            problem = f"{package} needs the package {package}: pip install 'simonides[{package}]'"
            raise InvalidInput("chat_provider", problem)
        if not model:
            raise InvalidInput("chat_model", "must name the model, as the endpoint calls it")
        self._address = address
        self._model = model
        # Vendors' SDKs are optional, and take a second to import.
        self._endpoint = Endpoint(address, sdk=lambda: import_module(package), policy=policy)
        self._sdk_client = LazyClient(lambda: connect(import_module(package)), label=repr(self))

    @property
    def name(self) -> str:
        """The model's name, as the endpoint calls it."""
        return self._model

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()
        self._sdk_client.close()


def _pieces(answer: Any, *, streams: bool) -> Generator[dict[str, Any] | None, None, None]:
    """Yield the JSON objects of an answer, whether it came as a stream or as a whole."""
    kind = answer.headers.get("content-type", "")
    is_whole = "json" in kind or "html" in kind or not streams
    if is_whole and "event-stream" not in kind:
        body = b"".join(_bound(answer.iter_bytes()))
        yield connection.json_object(body.decode("utf-8", "replace"))
        yield None
        return
    for data in connection.data_of(_lines(answer.iter_bytes())):
        if data.strip() == connection.DONE:
            yield None
            return
        yield connection.json_object(data)


def _bound(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the blocks of an answer in one piece.

    Raises:
        ModelError: It is longer than an answer may be.
    """
    size = 0
    for block in blocks:
        size += len(block)
        if size > LINE_BYTES_MAX:
            raise ModelError(f"sent more than {LINE_BYTES_MAX >> 20} MB in one piece")
        yield block


def _lines(blocks: Iterable[bytes]) -> Iterator[str]:
    """Yield the lines of a stream, whichever way they end.

    Raises:
        ModelError: One is longer than an answer may be.
    """
    rest = b""
    for block in blocks:
        *lines, rest = _LINE_END.split(rest + block)
        if len(rest) > LINE_BYTES_MAX:
            raise ModelError(f"sent more than {LINE_BYTES_MAX >> 20} MB in one line")
        yield from (line.decode("utf-8", "replace") for line in lines)
    if rest:
        yield rest.rstrip(b"\r").decode("utf-8", "replace")


_LINE_END = re.compile(rb"\r\n|\n|\r(?!\Z)")
"""The end of a line; a CR that ends a block may be the first half of one."""


def _partial(reply: ModelReply) -> ModelReply:
    return ModelReply(content=reply.content, usage=reply.usage, model=reply.model)
