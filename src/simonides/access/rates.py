"""How often a caller may ask: a bucket of tokens each, refilled by time.

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
