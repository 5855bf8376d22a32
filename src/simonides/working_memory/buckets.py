"""Buckets of one process: how much each caller has left, in memory.

Must not know what is drawn, nor who draws.
"""

import threading
from collections import OrderedDict

from simonides.ports.shared_state import Refill

CALLERS_MAX = 10_000
"""Buckets kept; past that the one used longest ago is dropped, and begins full again."""


class InProcessBuckets:
    """The buckets of one process. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def draw(
        self, name: str, amount: float, *, refill: Refill, needs: float, now_s: float
    ) -> float:
        """Draw an amount and return 0, if at least `needs` is there; else the seconds until it is.

        `now_s` is a clock that only ever rises, in seconds.
        """
        with self._lock:
            left, at_s = fill(self._levels.get(name), refill, now_s=now_s)
            if left < needs:
                return (needs - left) / refill.per_s
            if amount:
                self._keep(name, (left - amount, at_s))
        return 0.0

    def level(self, name: str, left: float, *, now_s: float) -> None:
        """Set what a bucket holds: others drew from it, too."""
        with self._lock:
            self._keep(name, (left, now_s))

    def _keep(self, name: str, level: tuple[float, float]) -> None:
        self._levels[name] = level
        self._levels.move_to_end(name)
        if len(self._levels) > CALLERS_MAX:
            self._levels.popitem(last=False)


def fill(level: tuple[float, float] | None, refill: Refill, *, now_s: float) -> tuple[float, float]:
    """Return the level of a bucket now, and the time of the count; None is a full one."""
    left, at_s = level or (refill.size, now_s)
    now_s = max(at_s, now_s)
    return min(refill.size, left + (now_s - at_s) * refill.per_s), now_s
