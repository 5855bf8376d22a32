"""Authentication: by the key in `Authorization`; without any key, of this machine alone.

Knows the header's form. Must not know how a key is checked, nor what a route does. The door for
MCP asks here too: there is one rule.
"""

import functools
from datetime import UTC, datetime
from ipaddress import IPv4Address, ip_address, ip_network

from starlette.datastructures import Headers

from simonides.api.caller import key_denial
from simonides.api.memory import Memory
from simonides.errors import AccessDenied
from simonides.http.errors import RequestRefused
from simonides.model.access import ApiKey, Permission

SCHEMES = ("bearer", "token")
"""The second one is what mem0's clients send."""

MAKE_A_KEY = "simonides keys create --space NAME"
"""What whoever may use the command line has to do so that others come in."""


FORWARDED = (
    "forwarded", "via", "x-forwarded-", "x-real-ip", "x-client-ip", "x-cluster-client-ip",
    "x-original-", "x-envoy-", "x-amzn-", "x-azure-", "cf-", "true-client-ip", "fly-", "fastly-",
    "cdn-", "tailscale-",
)  # fmt: skip
"""How the headers begin that proxies, load balancers and tunnels add to what they hand on.

Of those that their makers document: RFC 7239 and 9110, nginx, HAProxy, Traefik, Caddy, Envoy, AWS,
Azure, Cloudflare, Akamai, Fly.io, Fastly, Tailscale.
"""

OLD_HTTP = "1.0"
"""The version that proxies speak by default that add no header (nginx up to 1.29.6)."""


def is_handed_on(headers: Headers, *, http_version: str) -> bool:
    """Return whether a request shows that a proxy handed it on: it may come from anywhere."""
    return http_version == OLD_HTTP or any(name.startswith(FORWARDED) for name in headers)


def caller_of(
    headers: Headers, *, memory: Memory, space: str, needs_key: bool, http_version: str = ""
) -> ApiKey:
    """Return the key of a request; if no key was ever created, one for `space`.

    Where `needs_key`, a key is needed in any case, and so it is for what a proxy hands on: that may
    come from anywhere.

    Raises:
        Refused: No key is shown though one is needed, or the one that is shown is not valid.
    """
    shown = headers.get("authorization", "")
    if not shown and not needs_key and not memory.keys.exist():
        if is_handed_on(headers, http_version=http_version):
            raise RequestRefused(401, f"a key is needed through a proxy: {MAKE_A_KEY}")
        return nobody(space)
    scheme, _, key = shown.partition(" ")
    if scheme.lower() not in SCHEMES or not key:
        raise RequestRefused(401, "a key is needed: send `Authorization: Bearer sim_…`")
    try:
        return memory.keys.check(key.strip())
    except AccessDenied as error:
        raise RequestRefused(401, str(error)) from error


def nobody(space: str) -> ApiKey:
    """Return the key of a local caller without a key, who could use the command line as well."""
    return ApiKey(
        id="", prefix="", space=space, permissions=tuple(Permission),
        created_at=datetime(1970, 1, 1, tzinfo=UTC),
    )  # fmt: skip


def is_here(address: str) -> bool:
    """Return whether an address is a loopback address, or no network address at all."""
    try:
        return ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return True


@functools.lru_cache(maxsize=1024)
def neighbourhood(address: str) -> str:
    """Return the unit of an address for rate limits: of IPv6 the /64 network."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, IPv4Address):
        return str(found)
    return str(found.ipv4_mapped or ip_network((found, 64), strict=False).network_address)


def check_allowed(caller: ApiKey, permission: Permission | None) -> None:
    """Raise `RequestRefused` unless the caller's key has a permission."""
    if permission is not None and not caller.allows(permission):
        raise RequestRefused(403, key_denial(permission))
