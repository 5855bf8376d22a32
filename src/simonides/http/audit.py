"""What was done over HTTP, noted without a word of what it was about.

Notes are gathered and written together by a thread of their own, so that no request waits for a
sync; those of what cannot be taken back are written before the answer goes out. Must not know
where they are kept.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from simonides.errors import SimonidesError
from simonides.model.access import AuditEntry

LOG = logging.getLogger("simonides.http")
WAIT_S = 0.5
"""How long a note may lie in memory."""

GATHERED_MAX = 10_000
"""Notes that may lie in memory; past that the oldest are lost, and the log says how many."""


class AuditLog:
    """Gathers notes and hands them on; nothing that it does fails a request but `now`."""

    def __init__(self, write: Callable[..., Any]) -> None:
        self._write = write
        self._gathered: deque[AuditEntry] = deque()
        self._lost = 0
        self._wake = threading.Event()
        self._lock = threading.Lock()
        self._is_closed = False
        self._thread: threading.Thread | None = None

    def later(self, entry: AuditEntry) -> None:
        """Have a note written within half a second."""
        with self._lock:
            if len(self._gathered) >= GATHERED_MAX:
                self._gathered.popleft()
                self._lost += 1
            self._gathered.append(entry)
            if self._thread is None and not self._is_closed:
                self._thread = threading.Thread(target=self._run, name="simonides-audit")
                self._thread.start()

    def now(self, entry: AuditEntry) -> None:
        """Write a note before returning.

        Raises:
            StoreError: It cannot be written.
        """
        self._write(entry)

    def close(self) -> None:
        """Write what is gathered and end the thread."""
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
            told = error.code if isinstance(error, SimonidesError) else type(error).__name__
            LOG.error("audit notes were not written: %s", told)  # noqa: TRY400  a trace says no more
        if lost:
            LOG.error("%d audit notes were lost", lost)
