"""Buckets that several machines draw from: each draws from its own, and tells what it drew.

So no request waits for another machine. All together hold a limit but for what is drawn between two
times of telling. Must not know whom it tells.
"""

import threading
from collections.abc import Callable

from simonides.ports.shared_state import Refill
from simonides.working_memory.buckets import InProcessBuckets

Spend = Callable[[str, float, Refill], float]
"""Draws an amount from what all share, and returns what is left there, also less than nothing."""

NAMES_MAX = 1_000
"""Buckets that are sent at a time; the rest is sent the next time."""


class SyncedBuckets:
    """The buckets of one process, made even with what others drew by `sync`. Thread-safe."""

    def __init__(self, spend: Spend) -> None:
        self._spend = spend
        self._own = InProcessBuckets()
        self._lock = threading.Lock()
        self._drawn: dict[str, tuple[float, Refill, float]] = {}

    def draw(
        self, name: str, amount: float, *, refill: Refill, needs: float, now_s: float
    ) -> float:
        """Draw an amount and return 0, if at least `needs` is there; else the seconds until it is.

        `now_s` is a clock that only ever rises, in seconds.
        """
        wait_s = self._own.draw(name, amount, refill=refill, needs=needs, now_s=now_s)
        if amount and not wait_s:
            with self._lock:
                before = self._drawn.get(name, (0.0, refill, now_s))[0]
                self._drawn[name] = (before + amount, refill, now_s)
        return wait_s

    def sync(self) -> None:
        """Tell what was drawn since the last time, and take over what is left of it for all."""
        with self._lock:
            names = list(self._drawn)[:NAMES_MAX]
            drawn = {name: self._drawn.pop(name) for name in names}
        for name, (amount, refill, now_s) in drawn.items():
            left = self._spend(name, amount, refill)
            with self._lock:
                since = self._drawn.get(name, (0.0, refill, now_s))[0]
            self._own.level(name, left - since, now_s=now_s)
