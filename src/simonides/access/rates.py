"""Rate and cost limits of callers: token buckets refilled over time.

Pure but for its own memory: the clock is an argument. Must not know what a caller is.
"""

import threading
from collections import OrderedDict

from simonides.errors import InvalidInput

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
        """Return 0 and count one call, or the seconds after which the next one may be made.

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
        """Return 0 where the caller owes nothing, or the seconds until that is so."""
        with self._lock:
            left_s, _ = self._left(caller, now_s)
        return 0.0 if left_s >= 0.0 else -left_s / self._per_s

    def charge(self, caller: str, cost_s: float, *, now_s: float) -> None:
        """Take the seconds that a call cost from its caller's budget."""
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
