"""The background work of a server: writing the audit log, and scrubbing pages in idle time.

Two threads. Audit entries are gathered and written together, without a word of what a request was
about, so that no request waits for a sync; those of what cannot be taken back are written before
the answer goes out. A look at every page of every space waits while requests run, reads 1 MiB at
most every quarter of a second, and begins a space again a week after the last look. Must not know
any route, nor where entries are kept.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from simonides.api.memory import Memory
from simonides.errors import SimonidesError
from simonides.model.access import AuditEntry
from simonides.model.scrub import Scrub

LOG = logging.getLogger("simonides.http")
WAIT_S = 0.5
"""How long a note may lie in memory."""

GATHERED_MAX = 10_000
"""Notes that may lie in memory; past that the oldest are lost, and the log says how many."""


class AuditLog:
    """Gathers audit entries and writes them together; only `now` can fail a request."""

    def __init__(self, write: Callable[..., Any]) -> None:
        self._write = write
        self._gathered: deque[AuditEntry] = deque()
        self._lost = 0
        self._wake = threading.Event()
        self._lock = threading.Lock()
        self._is_closed = False
        self._thread: threading.Thread | None = None

    def later(self, entry: AuditEntry) -> None:
        """Queue an entry, which is written within half a second."""
        with self._lock:
            if len(self._gathered) >= GATHERED_MAX:
                self._gathered.popleft()
                self._lost += 1
            self._gathered.append(entry)
            if self._thread is None and not self._is_closed:
                self._thread = threading.Thread(target=self._run, name="simonides-audit")
                self._thread.start()

    def now(self, entry: AuditEntry) -> None:
        """Write an entry before returning.

        Raises:
            StoreError: It cannot be written.
        """
        self._write(entry)

    def close(self) -> None:
        """Write the queued entries and end the thread."""
        with self._lock:
            self._is_closed = True
            thread = self._thread
        self._wake.set()
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while not self._wake.wait(WAIT_S):
            self._flush()
        self._flush()

    def _flush(self) -> None:
        with self._lock:
            entries, lost = list(self._gathered), self._lost
            self._gathered.clear()
            self._lost = 0
        try:
            self._write(*entries)
        except Exception as error:  # noqa: BLE001  the thread goes on, and the log says what was lost
            lost += len(entries)
            reason = error.code if isinstance(error, SimonidesError) else type(error).__name__
            LOG.error("audit notes were not written: %s", reason)  # noqa: TRY400  a trace says no more
        if lost:
            LOG.error("%d audit notes were lost", lost)


EVERY = timedelta(days=7)
"""Between two looks at the same space: what disks and RAID arrays are scrubbed by (md, ZFS)."""

RETRY = timedelta(hours=1)
"""Until a space is tried again that could not be looked at."""

LOOK_S = 60.0
"""Between two rounds over the spaces that are due."""

SLICE_S = 0.25
"""Between two slices of 1 MiB: 4 MiB a second, some 4 % of a core and of a slow disk."""


class Scrubbing:
    """Scrubs spaces that are due while `is_idle` is true, and reports each scrub to `on_done`.

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
        """End the thread, and wait until it has released the file."""
        self._ended.set()
        self._thread.join()

    def round(self) -> int:
        """Scrub each space that is due; return the number of complete scrubs."""
        return sum(self._scrubbed(name) for name in self._memory.spaces())

    def _run(self) -> None:
        while not self._ended.wait(LOOK_S):
            try:
                self.round()
            except SimonidesError as error:
                LOG.warning("scrub: %s", error)

    def _scrubbed(self, name: str) -> bool:
        """Scrub a space if it is due; an error does not stop the others."""
        if self._ended.is_set() or self._now() < self._due.get(name, self._now()):
            return False
        try:
            found = self._memory.in_space(name).scrub(go_on=self._go_on, every=EVERY)
        except SimonidesError as error:
            LOG.warning("scrub of %s: %s", name, error)
            self._due[name] = self._now() + RETRY
            return False
        if found is None:
            return False
        self._due[name] = found.at + EVERY
        if found.pages:
            self._on_done(found)
        if found.damaged:
            LOG.error("scrub of %s: %d damaged pages; repair it", name, len(found.damaged))
        return bool(found.pages)

    def _go_on(self) -> bool:
        """Wait for the next slice, and while requests run; return whether to continue."""
        while not self._ended.wait(SLICE_S):
            if self._is_idle():
                return True
        return False
