"""The background work of a server: writing the audit log, scrubbing pages and making vectors.

Three threads. Audit entries are gathered and written together, without a word of what a request was
about, so that no request waits for a sync; those of what cannot be taken back are written before
the answer goes out. A look at every page of every space waits while requests run, reads 1 MiB at
most every quarter of a second, and begins a space again a week after the last look. So do the
vectors that imports left, by turns and at low priority. Must not know any route, nor where entries
are kept.
"""

import logging
import os
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from simonides.api.memory import Memory
from simonides.errors import SimonidesError
from simonides.http.import_process import NICE
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
"""Between two rounds over the spaces: some are due, or another program left vectors in one."""

SLICE_S = 0.25
"""Between two slices of 1 MiB: 4 MiB a second, some 4 % of a core and of a slow disk."""


class _IdleWorker(ABC):
    """A thread that works on all spaces while `is_idle` is true."""

    def __init__(self, memory: Memory, *, is_idle: Callable[[], bool], name: str) -> None:
        self._memory = memory
        self._is_idle = is_idle
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"simonides-{name}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread, and wait until it has released the file."""
        self._ended.set()
        self._thread.join()

    @abstractmethod
    def _run(self) -> None: ...


class Scrubbing(_IdleWorker):
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
        self._now = now
        self._on_done = on_done
        self._due: dict[str, datetime] = {}
        super().__init__(memory, is_idle=is_idle, name="scrub")

    def round(self) -> int:
        """Scrub each space that is due; return the number of complete scrubs."""
        return sum(self._scrub(name) for name in self._memory.spaces())

    def _run(self) -> None:
        while not self._ended.wait(LOOK_S):
            try:
                self.round()
            except SimonidesError as error:
                LOG.warning("scrub: %s", error)

    def _scrub(self, name: str) -> bool:
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


TURN_S = 2.0
"""Seconds of work on a space before the next one has its turn."""

BUSY_S, BUSY_LOOKS = 0.05, 100
"""Between two looks at whether requests run, and how many looks: where they always do, a turn is
taken every five seconds all the same, at low priority."""


class VectorWorker(_IdleWorker):
    """Embeds waiting chunks of imports while nobody asks, the newest items first.

    It looks at the spaces now and then, or at once when an import says so; `close` ends it within
    one turn.
    """

    def __init__(self, memory: Memory, *, is_idle: Callable[[], bool]) -> None:
        self._left: dict[str, int] = {}
        self._warned: set[tuple[str, str]] = set()
        self._asked = threading.Event()
        super().__init__(memory, is_idle=is_idle, name="embed")

    def close(self) -> None:
        """End the thread, and wait until it has released the file."""
        self._ended.set()
        self._asked.set()
        super().close()

    def ask(self) -> None:
        """Start a round at once, after an import."""
        self._asked.set()

    @property
    def left(self) -> int:
        """The number of chunks of all spaces that waited when each was last looked at."""
        return sum(list(self._left.values()))

    def round(self) -> int:
        """Embed the waiting chunks of all spaces by turns; return their number."""
        done, names = 0, list(self._memory.spaces())
        self._left = {name: self._left.get(name, 0) for name in names}
        while names and not self._ended.is_set():
            turns = {name: self._turn(name) for name in names}
            done += sum(turns.values())
            names = [name for name, count in turns.items() if count]
        return done

    def _run(self) -> None:
        _step_back()
        while not self._ended.is_set():
            self._asked.clear()
            try:
                self.round()
            except SimonidesError as error:
                self._warn("spaces", error)
            self._asked.wait(LOOK_S)

    def _turn(self, name: str) -> int:
        """Embed some chunks of a space; an error does not stop the other spaces."""
        looks = 0
        while looks < BUSY_LOOKS and not self._is_idle() and not self._ended.wait(BUSY_S):
            looks += 1
        if self._ended.is_set():
            return 0
        try:
            report = self._memory.in_space(name).embed(time_max_s=TURN_S)
        except SimonidesError as error:
            self._warn(name, error)
            with suppress(SimonidesError):
                self._left[name] = self._memory.in_space(name).stats().waiting
            return 0
        self._left[name] = report.waiting
        return report.embedded

    def _warn(self, name: str, error: SimonidesError) -> None:
        """Log the reason why embedding fails, once for each space and reason."""
        warning = (name, str(error))
        if warning not in self._warned:
            self._warned.add(warning)
            LOG.warning("embed in %s: %s", *warning)


def _step_back() -> None:
    """Lower the priority of this thread, if the system has one for each thread (Linux)."""
    with suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
