"""The HTTP client that a vendor's SDK is given: what it must not send is taken out here.

Knows httpx2. Must not know a wire format.
"""

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from simonides.errors import ModelError
from simonides.models.http_client.address import Address

if TYPE_CHECKING:
    from httpx2 import Client, Request

_CREDENTIALS = ("authorization", "x-api-key")

NO_KEY = "none"
"""Handed to an SDK in the place of an empty key, so that it looks for no other; never sent."""


class Closable(Protocol):
    """An SDK's client."""

    def close(self) -> None:
        """Let go of its connections."""
        ...


SDKClient = TypeVar("SDKClient", bound=Closable)


class LazyClient(Generic[SDKClient]):
    """An SDK's client, made at the first call and closed once. Safe to use from several threads.

    Args:
        make: Makes the client.
        called: What the model is called in the error of a call that comes too late.
    """

    def __init__(self, make: Callable[[], SDKClient], *, called: str) -> None:
        self._make = make
        self._called = called
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
        """Let go of the connections; a call that comes later is refused."""
        with self._lock:
            client, self._client = self._client, None
            self._is_closed = True
        if client is not None:
            client.close()


def http_client(address: Address, *, withheld: tuple[str, ...] = ()) -> "Client":
    """Return a client that sends no key where there is none, and none of the `withheld` headers.

    The SDKs fill headers from the environment on their own; this does not depend on how. Time-outs
    come with each request. This machine is asked directly, whatever proxy the environment names.
    """
    from httpx2 import Client

    out = withheld if address.key else (*_CREDENTIALS, *withheld)

    def strip(request: "Request") -> None:
        for name in out:
            request.headers.pop(name, None)

    return Client(event_hooks={"request": [strip]}, trust_env=not address.is_loopback)
