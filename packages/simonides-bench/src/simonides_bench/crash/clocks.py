"""Clocks for trials: one that goes on evenly, and one that is set forth and back all the time."""

import random
import threading
from datetime import UTC, datetime, timedelta

BEGINNING = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)
_TICK = timedelta(seconds=1)
_JUMPS = (timedelta(milliseconds=1), timedelta(minutes=1), timedelta(days=1), timedelta(days=9000))
"""Sizes of jumps: a correction, a wrong minute, a wrong zone, an empty battery."""


class SteadyClock:
    """Goes on by one second each time it is looked at."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now = BEGINNING

    def __call__(self) -> datetime:
        """Return the present as aware UTC."""
        with self._lock:
            self._now += _TICK
            return self._now


class JumpingClock:
    """Is somewhere else each time it is looked at, mostly earlier or later by one of four sizes."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311  a trial, no secret
        self.jumps = 0

    def __call__(self) -> datetime:
        """Return some time as aware UTC."""
        self.jumps += 1
        return BEGINNING + self._random.choice((-1, 0, 1)) * self._random.choice(_JUMPS)
