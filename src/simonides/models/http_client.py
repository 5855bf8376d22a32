"""Endpoint basics: the address, the API key, and the wait before a retry.

Pure but for the environment. Knows exponential backoff with full jitter and the header
`Retry-After` (RFC 9110, section 10.2.3). Must not know a clock, nor what is asked. A key is shown
nowhere.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from math import isfinite
from urllib.parse import urlsplit

from simonides.errors import InvalidInput, SimonidesError

CHAT_KEY = "SIMONIDES_CHAT_API_KEY"
"""The environment's key for whatever chat endpoint is configured."""

EMBEDDING_KEY = "SIMONIDES_OPENAI_API_KEY"
"""The same for embeddings."""

ERROR_CHARS_MAX = 300
"""How much of an endpoint's own words an error repeats."""

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A checked base URL and its key; an empty key sends none, as local servers like it."""

    base_url: str
    key: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """Host and port, as errors name them."""
        return urlsplit(self.base_url).netloc

    @property
    def is_loopback(self) -> bool:
        """Whether it is on this machine, where no proxy is in between."""
        return urlsplit(self.base_url).hostname in _LOOPBACK

    def redacted(self, message: str) -> str:
        """Return an endpoint's words on one line, bounded, without the key."""
        words = " ".join(message.split()).encode("utf-8", "replace").decode()
        if self.key:
            words = words.replace(self.key, "[key]")
        return words if len(words) <= ERROR_CHARS_MAX else words[:ERROR_CHARS_MAX] + "..."


def address(base_url: str, api_key: str | None, *, own: str, keys: tuple[str, str]) -> Address:
    """Return the address, its key taken from the environment where none is given.

    Args:
        base_url: An http or https address.
        api_key: None reads the environment.
        own: The provider's own address.
        keys: The variables to read: ours, for whatever endpoint is configured, or else the one
            that the provider's own tools read, which is sent to its own address only.

    Raises:
        InvalidInput: It is no such address, or the key can not be sent.
    """
    url = _checked_url(base_url)
    if api_key is None:
        ours, theirs = keys
        api_key = os.environ.get(ours) or (os.environ.get(theirs, "") if url == own else "")
    return Address(base_url=url, key=_checked_key(api_key))


def _checked_url(base_url: str) -> str:
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise InvalidInput("base_url", f"must be an http or https address, got {base_url!r}")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise InvalidInput("base_url", "must not hold a user, a password, a query or a fragment")
    return base_url.rstrip("/")


def _checked_key(api_key: str) -> str:
    key = api_key.strip()
    if not key.isascii() or not (key.isprintable() or not key):
        raise InvalidInput("api_key", "must be printable ASCII")
    return key


FIRST_S = 0.5
"""Upper bound of the first wait, in seconds; it doubles with each further one."""

LONGEST_S = 30.0
"""Upper bound of any wait that we choose ourselves, in seconds."""


def backoff_s(attempt: int, *, draw: float, longest_s: float = LONGEST_S) -> float:
    """Return seconds to wait: ``draw * min(longest_s, 0.5 * 2 ** attempt)``.

    Full jitter (Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).

    Args:
        attempt: Number of the attempt that failed, from 0.
        draw: A random number in [0, 1).
        longest_s: Upper bound of the wait.
    """
    return draw * min(longest_s, FIRST_S * 2.0**attempt)


def retry_after_s(headers: Mapping[str, str]) -> float:
    """Return the seconds that `Retry-After` asks for; 0 if it is absent or unreadable.

    A date is counted from the reply's own `Date`, so that the clocks need not agree.
    """
    wish = headers.get("retry-after", "").strip()
    try:
        seconds = float(wish)
    except ValueError:
        seconds = _seconds_between(headers.get("date", ""), wish)
    return max(seconds, 0.0) if isfinite(seconds) else 0.0


def _seconds_between(begin: str, end: str) -> float:
    try:
        return (parsedate_to_datetime(end) - parsedate_to_datetime(begin)).total_seconds()
    except (TypeError, ValueError):
        return 0.0


class RetryableFailure(Exception):
    """A failure worth another attempt, not before `wait_s` seconds."""

    def __init__(self, error: SimonidesError, *, wait_s: float = 0.0) -> None:
        super().__init__(str(error))
        self.error = error
        self.wait_s = wait_s
