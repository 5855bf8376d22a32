"""Callers through an interface: how a key is made and checked, and how much each caller may ask.

`sim_<id>_<secret>`: the id finds the key, the secret proves it. The secret has 160 bits of chance,
so one round of SHA-256 is enough: there is nothing to guess, unlike with a password. Limits of rate
and cost are token buckets refilled over time; the clock is an argument. Must not know where keys
are kept, nor which processes share a bucket.
"""

import hashlib
import hmac
import math
import re
import secrets
from base64 import b32hexencode
from datetime import datetime

from simonides.errors import AccessDenied, InvalidInput
from simonides.model.access import ApiKey
from simonides.ports.access import AccessStore
from simonides.ports.shared_state import Buckets, Refill
from simonides.working_memory.buckets import InProcessBuckets

MARK = "sim"
"""What every key begins with, so that scanners can detect leaked keys."""

ID_BYTES, SECRET_BYTES = 5, 20
"""Bytes of chance: 8 letters name a key, 32 prove it (160 bits)."""

_FORM = re.compile(r"sim_([0-9a-v]{8})_([0-9a-v]{32})")
_NOBODY = hashlib.sha256(b"").digest()


def new_key_id() -> str:
    """Return 8 random letters and digits."""
    return _letters(ID_BYTES)


def new_secret() -> str:
    """Return 32 random letters and digits: 160 bits."""
    return _letters(SECRET_BYTES)


def _letters(size: int) -> str:
    return b32hexencode(secrets.token_bytes(size)).decode().rstrip("=").lower()


def prefix_of(key_id: str) -> str:
    """Return the prefix of a key, which may be shown."""
    return f"{MARK}_{key_id}"


def whole_key(key_id: str, secret: str) -> str:
    """Return the full text of a key."""
    return f"{prefix_of(key_id)}_{secret}"


def digest_of(key: str) -> bytes:
    """Return the stored digest of a key: SHA-256 of the whole text."""
    return hashlib.sha256(key.encode(errors="surrogatepass")).digest()


def id_of(key: str) -> str:
    """Return the id in a key; empty if it has not the form of one."""
    found = _FORM.fullmatch(key)
    return found[1] if found else ""


def admit(key: str, *, store: AccessStore, now: datetime) -> ApiKey:
    """Return the key of a text, if it is valid.

    Neither the time that this takes nor the error reveals anything about the secret.

    Raises:
        AccessDenied: It is no key, or unknown, revoked or expired.
    """
    found = store.find(id_of(key)) if id_of(key) else None
    known, digest = found or (None, _NOBODY)
    is_same = hmac.compare_digest(digest_of(key), digest)
    if known is None or not is_same or not known.is_valid(now=now):
        raise AccessDenied("the key is unknown, revoked or expired; ask for a new one")
    return known


class Rates:
    """A bucket for each caller: `burst` calls at once, `per_s` a second in the long run.

    Safe to use from several threads. Limits of several kinds may share `buckets`: each has its
    `name`.
    """

    def __init__(
        self, *, per_s: float, burst: int, buckets: Buckets | None = None, name: str = "rate"
    ) -> None:
        if not (per_s > 0 and burst >= 1):
            raise InvalidInput("rate", f"must be above 0, got {per_s} a second, {burst} at once")
        self._refill = Refill(per_s=per_s, size=float(burst))
        self._buckets = buckets or InProcessBuckets()
        self._name = name

    def wait_s(self, caller: str, *, now_s: float) -> float:
        """Return 0 and count one call, or the seconds until the next one is allowed.

        `now_s` is a clock that only ever rises, in seconds.
        """
        return self._buckets.draw(
            f"{self._name}:{caller}", 1.0, refill=self._refill, needs=1.0, now_s=now_s
        )


class Costs:
    """A budget for each caller: `burst_s` seconds of work at once, `per_s` of them a second.

    What a call costs is known once it has ended, so it is charged then, and a caller who owes has
    to wait until that is made good: calls that run side by side are all charged. Safe to use from
    several threads.
    """

    def __init__(self, *, per_s: float, burst_s: float, buckets: Buckets | None = None) -> None:
        if not (per_s > 0 and burst_s > 0):
            raise InvalidInput("cost", f"must be above 0, got {per_s} a second, {burst_s} at once")
        self._refill = Refill(per_s=per_s, size=burst_s)
        self._buckets = buckets or InProcessBuckets()

    def wait_s(self, caller: str, *, now_s: float) -> float:
        """Return the seconds until the caller's budget is positive again; 0 if it is."""
        return self._draw(caller, 0.0, needs=0.0, now_s=now_s)

    def charge(self, caller: str, cost_s: float, *, now_s: float) -> None:
        """Subtract the seconds of a call from its caller's budget."""
        self._draw(caller, max(0.0, cost_s), needs=-math.inf, now_s=now_s)

    def _draw(self, caller: str, amount: float, *, needs: float, now_s: float) -> float:
        return self._buckets.draw(
            f"cost:{caller}", amount, refill=self._refill, needs=needs, now_s=now_s
        )
