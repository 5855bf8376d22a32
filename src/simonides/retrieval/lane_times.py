"""The time that each lane of this process took, summed up: what `/metrics` shows.

Must not know what was asked, nor of which space.
"""

import threading
from collections.abc import Iterable

from simonides.model.answer import LaneReport


class LaneTimes:
    """How often each lane ran, and the seconds that it took in all. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._totals: dict[str, tuple[int, float]] = {}

    def add(self, reports: Iterable[LaneReport]) -> None:
        """Count the lanes of one question that ran."""
        with self._lock:
            for report in reports:
                if report.ran:
                    runs, took_s = self._totals.get(report.name, (0, 0.0))
                    self._totals[report.name] = runs + 1, took_s + report.took_ms / 1000.0

    def totals(self) -> dict[str, tuple[int, float]]:
        """Return (runs, seconds) of each lane that ever ran."""
        with self._lock:
            return dict(self._totals)


LANE_TIMES = LaneTimes()
"""Those of this process, as its turns are: lanes know no server."""
