"""The HTTP client for a vendor's SDK, and the errors of an endpoint.

Knows httpx2, which headers must not be sent, status codes and their advice. Must not know a wire
format or a clock.
"""

from collections.abc import Callable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from simonides.errors import ModelError
from simonides.models.http_client import Address, RetryableFailure, retry_after_s

if TYPE_CHECKING:
    from httpx2 import Client, Request

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

    def opened(self) -> SDKClient:
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
    """Return a client without a key if there is none, and without the `withheld` headers.

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
    if status >= _SERVER_ERROR or status in _AGAIN:
        return RetryableFailure(error, wait_s=retry_after_s(headers))
    return error
