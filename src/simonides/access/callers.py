"""Callers through an interface: how a key is made and checked, and how much each caller may ask.

`sim_<id>_<secret>`: the id finds the key, the secret proves it. The secret has 160 bits of chance,
so one round of SHA-256 is enough: there is nothing to guess, unlike with a password. Limits of rate
and cost are token buckets refilled over time; the clock is an argument. Must not know where keys
are kept.
"""

import hashlib
import hmac
import re
import secrets
import threading
from base64 import b32hexencode
from collections import OrderedDict
from datetime import datetime

from simonides.errors import AccessDenied, InvalidInput
from simonides.model.access import ApiKey
from simonides.ports.access import AccessStore

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


CALLERS_MAX = 10_000
"""Buckets kept; past that the one used longest ago is dropped, and begins full again."""


class Rates:
    """A bucket for each caller: `burst` calls at once, `per_s` a second in the long run.

    Safe to use from several threads.
    """

    def __init__(self, *, per_s: float, burst: int) -> None:
        if not (per_s > 0 and burst >= 1):
            raise InvalidInput("rate", f"must be above 0, got {per_s} a second, {burst} at once")
        self._per_s = per_s
        self._burst = float(burst)
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_s(self, caller: str, *, now_s: float) -> float:
        """Return 0 and count one call, or the seconds until the next one is allowed.

        `now_s` is a clock that only ever rises, in seconds.
        """
        with self._lock:
            left, at_s = self._buckets.get(caller, (self._burst, now_s))
            left = min(self._burst, left + max(0.0, now_s - at_s) * self._per_s)
            is_allowed = left >= 1.0
            self._buckets[caller] = (left - 1.0 if is_allowed else left, max(at_s, now_s))
            self._buckets.move_to_end(caller)
            if len(self._buckets) > CALLERS_MAX:
                self._buckets.popitem(last=False)
        return 0.0 if is_allowed else (1.0 - left) / self._per_s


class Costs:
    """A budget for each caller: `burst_s` seconds of work at once, `per_s` of them a second.

    What a call costs is known once it has ended, so it is charged then, and a caller who owes has
    to wait until that is made good: calls that run side by side are all charged. Safe to use from
    several threads.
    """

    def __init__(self, *, per_s: float, burst_s: float) -> None:
        if not (per_s > 0 and burst_s > 0):
            raise InvalidInput("cost", f"must be above 0, got {per_s} a second, {burst_s} at once")
        self._per_s = per_s
        self._burst_s = burst_s
        self._lock = threading.Lock()
        self._budgets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_s(self, caller: str, *, now_s: float) -> float:
        """Return the seconds until the caller's budget is positive again; 0 if it is."""
        with self._lock:
            left_s, _ = self._left(caller, now_s)
        return 0.0 if left_s >= 0.0 else -left_s / self._per_s

    def charge(self, caller: str, cost_s: float, *, now_s: float) -> None:
        """Subtract the seconds of a call from its caller's budget."""
        with self._lock:
            left_s, at_s = self._left(caller, now_s)
            self._budgets[caller] = (left_s - max(0.0, cost_s), at_s)
            self._budgets.move_to_end(caller)
            if len(self._budgets) > CALLERS_MAX:
                self._budgets.popitem(last=False)

    def _left(self, caller: str, now_s: float) -> tuple[float, float]:
        """Return the remaining budget in seconds, and the time it is counted at."""
        left_s, at_s = self._budgets.get(caller, (self._burst_s, now_s))
        now_s = max(at_s, now_s)
        return min(self._burst_s, left_s + (now_s - at_s) * self._per_s), now_s
