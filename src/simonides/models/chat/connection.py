"""The HTTP client that a vendor's SDK is given, its server-sent events, and failures of endpoints.

Knows httpx2, which headers must not be sent, status codes and their advice, and server-sent events
(WHATWG HTML, 9.2). Must not know what the objects mean, nor a clock.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from simonides.errors import ModelError
from simonides.models.http_client import Address, RetryableFailure, retry_after_s
from simonides.text.unicode_script import encodable

if TYPE_CHECKING:
    from httpx2 import Client, Request


DONE = "[DONE]"
"""What ends a stream of Chat Completions."""

_SHOWN_CHARS = 80


def data_of(lines: Iterator[str]) -> Iterator[str]:
    """Yield the data of each event, without comments and other fields.

    An event that the stream's end cuts off is yielded too: some endpoints end without the blank
    line, and one that is cut shows as broken JSON.
    """
    data: list[str] = []
    for line in lines:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data = []
    if data:
        yield "\n".join(data)


def json_object(text: str) -> dict[str, Any]:
    """Return the JSON object in a text.

    Raises:
        ModelError: It holds none; repeats how it begins.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        begin = text[:_SHOWN_CHARS].strip()
        raise ModelError(f"sent what is no JSON object: {begin!r}")
    return value


def arguments_object(text: str) -> dict[str, Any]:
    """Return a call's arguments as an object; malformed text stands in `unreadable`."""
    try:
        return json_object(text) if text.strip() else {}
    except ModelError:
        return {"unreadable": text}


def error_text(body: Any) -> str:
    """Return the message in an error's body, whatever its form; may be empty."""
    if isinstance(body, str):
        return body
    if not isinstance(body, dict):
        return "" if body is None else json.dumps(body)
    for key in ("error", "message", "detail"):
        if body.get(key):
            return error_text(body[key])
    return json.dumps(body) if body else ""


def sendable(value: Any) -> Any:
    """Return a JSON value whose texts any encoder accepts: lone surrogates become "?"."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {sendable(key): sendable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [sendable(each) for each in value]
    return value


def count(value: Any) -> int | None:
    """Return a number of tokens, None for any other value."""
    return value if type(value) is int and value >= 0 else None


_CREDENTIALS = ("authorization", "x-api-key")

NO_KEY = "none"
"""Handed to an SDK in the place of an empty key, so that it looks for no other; never sent."""


class Closable(Protocol):
    """An SDK's client."""

    def close(self) -> None:
        """Close its connections."""
        ...


SDKClient = TypeVar("SDKClient", bound=Closable)


class LazyClient(Generic[SDKClient]):
    """An SDK's client, made at the first call and closed once. Thread-safe.

    Args:
        make: Makes the client.
        called: What the model is called in the error of a call that comes too late.
    """

    def __init__(self, make: Callable[[], SDKClient], *, label: str) -> None:
        self._make = make
        self._called = label
        self._lock = Lock()
        self._client: SDKClient | None = None
        self._is_closed = False

    def open(self) -> SDKClient:
        """Return the client.

        Raises:
            ModelError: It was closed.
        """
        with self._lock:
            if self._is_closed:
                raise ModelError(f"{self._called} was closed; open another")
            if self._client is None:
                self._client = self._make()
            return self._client

    def close(self) -> None:
        """Close the connections; a later call raises an error."""
        with self._lock:
            client, self._client = self._client, None
            self._is_closed = True
        if client is not None:
            client.close()


def http_client(address: Address, *, without_headers: tuple[str, ...] = ()) -> "Client":
    """Return a client without a key if there is none, and without the headers `without_headers`.

    The SDKs fill headers from the environment on their own; this does not depend on how. Time-outs
    come with each request. This machine is asked directly, whatever proxy the environment names.
    """
    from httpx2 import Client  # comes with an optional extra

    out = without_headers if address.key else (*_CREDENTIALS, *without_headers)

    def strip(request: "Request") -> None:
        for name in out:
            request.headers.pop(name, None)

    return Client(event_hooks={"request": [strip]}, trust_env=not address.is_loopback)


LONGEST_S = 8.0
"""Upper bound of a wait that we choose ourselves: somebody sits before the screen."""

_AGAIN = frozenset({408, 409, 425, 429})
"""Refusals besides 5xx that pass: time-out, lock, too early, too many (as the vendors' SDKs)."""

_SERVER_ERROR = 500

_ADVICE = {
    401: "check the API key",
    403: "check the API key and what it may do",
    404: "check the address and the model's name",
    413: "send less context",
    429: "ask less often, or look at the account's quota",
}


_PASSING = frozenset({
    "api_error", "overloaded_error", "rate_limit_error", "rate_limit_exceeded", "server_error",
    "timeout_error",
})  # fmt: skip
"""What the vendors call these in an error that comes after a status of success."""


class EndpointRefusal(ModelError):
    """A response with the HTTP error status `status`."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


def refusal(
    host: str, status: int, message: str, headers: Mapping[str, str]
) -> RetryableFailure | EndpointRefusal:
    """Return the exception for an HTTP error status."""
    advice = _ADVICE.get(status, "")
    words = f"{host} answered {status}: {message or 'without a word'}"
    error = EndpointRefusal(f"{words}; {advice}" if advice else words, status=status)
    if _passes(status):
        return RetryableFailure(error, wait_s=retry_after_s(headers))
    return error


class PassingError(ModelError):
    """An error in an answer that may be gone at the next attempt."""

    retryable = True


def error_in(piece: dict[str, Any]) -> ModelError:
    """Return the exception for an answer, or a piece of one, that is an error."""
    found = piece.get("error")
    names = [found.get(key) for key in ("type", "code")] if isinstance(found, dict) else []
    kind = PassingError if any(map(_passes, names)) else ModelError
    return kind(f"answered with an error: {error_text(piece)}")


def _passes(name: Any) -> bool:
    """Return whether an error of this status or name may be gone at the next attempt."""
    if isinstance(name, int):
        return name >= _SERVER_ERROR or name in _AGAIN
    return isinstance(name, str) and name in _PASSING
