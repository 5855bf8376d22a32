"""The HTTP client that a vendor's SDK is given: what it must not send is taken out here.

Knows httpx2. Must not know a wire format.
"""

from typing import TYPE_CHECKING

from simonides.remote.address import Address

if TYPE_CHECKING:
    from httpx2 import Client, Request

_CREDENTIALS = ("authorization", "x-api-key")

NO_KEY = "none"
"""Handed to an SDK in the place of an empty key, so that it looks for no other; never sent."""


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
