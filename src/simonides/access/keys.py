"""API keys: their form, how one is made, and how one is checked.

`sim_<id>_<secret>`: the id finds the key, the secret proves it. The secret has 160 bits of chance,
so one round of SHA-256 is enough: there is nothing to guess, unlike with a password. Must not know
where keys are kept.
"""

import hashlib
import hmac
import re
import secrets
from base64 import b32hexencode
from datetime import datetime

from simonides.errors import AccessDenied
from simonides.model.access import ApiKey
from simonides.ports.access import AccessStore

MARK = "sim"
"""What every key begins with, so that scanners can detect leaked keys."""

ID_BYTES, SECRET_BYTES = 5, 20
"""Bytes of chance: 8 letters name a key, 32 prove it (160 bits)."""

_FORM = re.compile(r"sim_([0-9a-v]{8})_([0-9a-v]{32})")
_NOBODY = hashlib.sha256(b"").digest()


def new_key_id() -> str:
    """Return 8 letters and digits by chance."""
    return _letters(ID_BYTES)


def new_secret() -> str:
    """Return 32 letters and digits by chance: 160 bits."""
    return _letters(SECRET_BYTES)


def _letters(size: int) -> str:
    return b32hexencode(secrets.token_bytes(size)).decode().rstrip("=").lower()


def prefix_of(key_id: str) -> str:
    """Return the part of a key that may be shown."""
    return f"{MARK}_{key_id}"


def whole_key(key_id: str, secret: str) -> str:
    """Return a key as its bearer presents it."""
    return f"{prefix_of(key_id)}_{secret}"


def digest_of(key: str) -> bytes:
    """Return the stored digest of a key: SHA-256 of the whole text."""
    return hashlib.sha256(key.encode(errors="surrogatepass")).digest()


def id_of(key: str) -> str:
    """Return the id in a key; empty if it has not the form of one."""
    found = _FORM.fullmatch(key)
    return found[1] if found else ""


def admit(key: str, *, store: AccessStore, now: datetime) -> ApiKey:
    """Return the key that a text is, if it lets its bearer in.

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
