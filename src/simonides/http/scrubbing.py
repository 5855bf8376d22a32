"""A look at every page of every space in idle time, one space after the other, slowly.

One thread. It waits while requests run, reads 1 MiB at most every quarter of a second, and begins a
space again a week after the last look. Must not know any route.
"""

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from simonides.api.memory import Memory
from simonides.errors import SimonidesError
from simonides.model.maintenance import Scrub

EVERY = timedelta(days=7)
"""Between two looks at the same space: what disks and RAID arrays are scrubbed by (md, ZFS)."""

RETRY = timedelta(hours=1)
"""Until a space is tried again that could not be looked at."""

LOOK_S = 60.0
"""Between two rounds over the spaces that are due."""

SLICE_S = 0.25
"""Between two slices of 1 MiB: 4 MiB a second, some 4 % of a core and of a slow disk."""

_log = logging.getLogger("simonides.http")


class Scrubbing:
    """Looks at spaces that are due while `is_idle` says so, and tells `on_done` of each look.

    `close` ends it within one slice.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        is_idle: Callable[[], bool],
        now: Callable[[], datetime],
        on_done: Callable[[Scrub], object],
    ) -> None:
        self._memory = memory
        self._is_idle = is_idle
        self._now = now
        self._on_done = on_done
        self._due: dict[str, datetime] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="simonides-scrub", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it, and wait until it has let go of the file."""
        self._ended.set()
        self._thread.join()

    def round(self) -> int:
        """Look at each space that is due; return how many were looked at to the end."""
        return sum(self._scrubbed(name) for name in self._memory.spaces())

    def _run(self) -> None:
        while not self._ended.wait(LOOK_S):
            try:
                self.round()
            except SimonidesError as error:
                _log.warning("scrub: %s", error)

    def _scrubbed(self, name: str) -> bool:
        """Look at a space if it is due; one that cannot be looked at does not stop the others."""
        if self._ended.is_set() or self._now() < self._due.get(name, self._now()):
            return False
        try:
            found = self._memory.in_space(name).scrub(go_on=self._go_on, every=EVERY)
        except SimonidesError as error:
            _log.warning("scrub of %s: %s", name, error)
            self._due[name] = self._now() + RETRY
            return False
        if found is None:
            return False
        self._due[name] = found.at + EVERY
        if found.pages:
            self._on_done(found)
        if found.damaged:
            _log.error("scrub of %s: %d damaged pages; repair it", name, len(found.damaged))
        return bool(found.pages)

    def _go_on(self) -> bool:
        """Wait for the next slice, and while requests run; return whether there is to be one."""
        while not self._ended.wait(SLICE_S):
            if self._is_idle():
                return True
        return False
