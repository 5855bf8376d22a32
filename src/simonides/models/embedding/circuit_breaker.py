"""A circuit breaker: leaves an endpoint alone for a while after it failed several times in a row.

Knows how often and when calls failed. Must not know what is called, nor how.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic

from simonides.errors import EmbedderError

FAILURES_MAX = 5
"""Failures in a row that open the breaker."""

OPEN_S = 60.0
"""Seconds it stays open before one call may try again (the value of the seeds' own breaker)."""


class Breaker:
    """Closed: every call goes through. Open: none does. Half-open: one does, as a probe.

    It opens after `failures_max` failures in a row, turns half-open `open_s` seconds later, and
    then closes if the probe succeeds or opens anew if it fails. Any number of threads may call.

    Args:
        counts: The exceptions that mean that the endpoint is down. Others neither count as a
            failure nor clear the ones before.
        failures_max: Failures in a row, at least 1.
        open_s: Seconds.
        clock: Seconds that never run backwards.
    """

    def __init__(
        self,
        counts: type[Exception],
        *,
        failures_max: int = FAILURES_MAX,
        open_s: float = OPEN_S,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._counts = counts
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
        """Let the calls of the block through, and learn from how it ends.

        Raises:
            EmbedderError: The breaker is open, or half-open with its probe still under way.
        """
        probe = self._admit()
        try:
            yield
        except self._counts:
            self._failed()
            raise
        else:
            self._succeeded()
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
                raise EmbedderError(self._refusal(max(left_s, 0.0)))
            self._probing = True
            return True

    def _refusal(self, left_s: float) -> str:
        return (
            f"the embedding endpoint failed {self._failures} times in a row and is left alone "
            f"(circuit open); the next try is in {left_s:.0f} s"
        )

    def _failed(self) -> None:
        with self._lock:
            self._failures += 1
            if self._failures >= self._failures_max:
                self._opened_at_s = self._clock()

    def _succeeded(self) -> None:
        with self._lock:
            self._failures = 0
            self._opened_at_s = None
