"""Endpoint basics: the address, the API key, the wait before a retry, and a circuit breaker.

Pure but for the environment. Knows exponential backoff with full jitter, the header `Retry-After`
(RFC 9110, section 10.2.3), and when calls failed. Must not know what is asked. A key is shown
nowhere.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from math import isfinite
from threading import Lock
from time import monotonic
from urllib.parse import urlsplit

from simonides.errors import EmbedderError, InvalidInput, SimonidesError
from simonides.text.unicode_script import encodable

CHAT_KEY = "SIMONIDES_CHAT_API_KEY"
"""The environment's key for whatever chat endpoint is configured."""

EMBEDDING_KEY = "SIMONIDES_OPENAI_API_KEY"
"""The same for embeddings."""

ERROR_CHARS_MAX = 300
"""How much of an endpoint's own words an error repeats."""

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A checked base URL and its key; an empty key is not sent, as local servers expect."""

    base_url: str
    key: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """Host and port, as errors name them."""
        return urlsplit(self.base_url).netloc

    @property
    def is_loopback(self) -> bool:
        """Whether the host is this machine, without a proxy in between."""
        return urlsplit(self.base_url).hostname in _LOOPBACK

    def redact(self, message: str) -> str:
        """Return an endpoint's message on one line, bounded, without the key."""
        words = encodable(" ".join(message.split()))
        if self.key:
            words = words.replace(self.key, "[key]")
        return words if len(words) <= ERROR_CHARS_MAX else words[:ERROR_CHARS_MAX] + "..."


def address(base_url: str, api_key: str | None, *, own: str, keys: tuple[str, str]) -> Address:
    """Return the address, its key taken from the environment if none is given.

    Args:
        base_url: An http or https address.
        api_key: None reads the environment.
        own: The provider's own address.
        keys: The variables to read: ours, for whatever endpoint is configured, or else the one
            that the provider's own tools read, which is sent to its own address only.

    Raises:
        InvalidInput: It is no such address, or the key can not be sent.
    """
    url = _check_url(base_url)
    if api_key is None:
        ours, theirs = keys
        api_key = os.environ.get(ours) or (os.environ.get(theirs, "") if url == own else "")
    return Address(base_url=url, key=_check_key(api_key))


def _check_url(base_url: str) -> str:
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


def _check_key(api_key: str) -> str:
    key = api_key.strip()
    if not key.isascii() or not (key.isprintable() or not key):
        raise InvalidInput("api_key", "must be printable ASCII")
    return key


FIRST_S = 0.5
"""Upper bound of the first wait, in seconds; it doubles with each further one."""

LONGEST_S = 30.0
"""Upper bound of any wait that we choose ourselves, in seconds."""


def backoff_s(attempt: int, *, draw: float, longest_s: float = LONGEST_S) -> float:
    """Return the seconds to wait: ``draw * min(longest_s, 0.5 * 2 ** attempt)``.

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


FAILURES_MAX = 5
"""Failures in a row that open the breaker."""

OPEN_S = 60.0
"""Seconds it stays open before one call may try again (the value of the designs' own breaker)."""


class Breaker:
    """A circuit breaker. Closed: all calls pass. Open: none. Half-open: one, as a probe.

    It opens after `failures_max` failures in a row, turns half-open `open_s` seconds later, and
    then closes if the probe succeeds or opens anew if it fails. Any number of threads may call.

    Args:
        counts: The exceptions that mean that the endpoint is down. Others neither count as a
            failure nor clear the ones before.
        label: What the endpoint is for, as errors say it.
        error: The exception of a call that does not pass.
        failures_max: Failures in a row, at least 1.
        open_s: Seconds.
        clock: Seconds that never run backwards.
    """

    def __init__(
        self,
        counts: type[Exception],
        *,
        label: str = "embedding",
        error: type[SimonidesError] = EmbedderError,
        failures_max: int = FAILURES_MAX,
        open_s: float = OPEN_S,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._counts = counts
        self._label = label
        self._error = error
        self._failures_max = failures_max
        self._open_s = open_s
        self._clock = clock
        self._lock = Lock()
        self._failures = 0
        self._opened_at_s: float | None = None
        self._probing = False

    @property
    def is_open(self) -> bool:
        """Whether it is not closed."""
        return self._opened_at_s is not None

    @contextmanager
    def call(self) -> Iterator[None]:
        """Let the calls of the block pass, and update the state by the outcome.

        Raises:
            SimonidesError: `error`: it is open, or half-open with its probe still under way.
        """
        probe = self._admit()
        try:
            yield
        except self._counts:
            self._note_failure()
            raise
        else:
            self._note_success()
        finally:
            if probe:
                self._probing = False

    def _admit(self) -> bool:
        """Return whether the call is the probe."""
        with self._lock:
            if self._opened_at_s is None:
                return False
            left_s = self._opened_at_s + self._open_s - self._clock()
            if left_s > 0 or self._probing:
                raise self._error(self._refusal(max(left_s, 0.0)))
            self._probing = True
            return True

    def _refusal(self, left_s: float) -> str:
        return (
            f"the {self._label} endpoint failed {self._failures} times in a row and is left alone "
            f"(circuit open); the next try is in {left_s:.0f} s"
        )

    def _note_failure(self) -> None:
        with self._lock:
            self._failures += 1
            if self._failures >= self._failures_max:
                self._opened_at_s = self._clock()

    def _note_success(self) -> None:
        with self._lock:
            self._failures = 0
            self._opened_at_s = None
