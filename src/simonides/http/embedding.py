"""Background embedding of chunks left by imports: in idle time, newest items first.

One thread of low priority. It looks at the spaces now and then, or at one at once when an import
says so, and waits while requests run. Must not know any route.
"""

import logging
import os
import threading
from collections.abc import Callable
from contextlib import suppress

from simonides.api.memory import Memory
from simonides.errors import SimonidesError
from simonides.http.import_process import NICE

LOOK_S = 60.0
"""Between two rounds over all spaces, as another program may have left vectors in one."""

TURN_S = 2.0
"""Seconds of work on a space before the next one has its turn."""

BUSY_S, BUSY_LOOKS = 0.05, 100
"""Between two looks at whether requests run, and how many looks: where they always do, a turn is
taken every five seconds all the same, at low priority."""

_log = logging.getLogger("simonides.http")


class VectorWorker:
    """Embeds waiting chunks while `is_idle` is true; `close` ends it within one turn."""

    def __init__(self, memory: Memory, *, is_idle: Callable[[], bool]) -> None:
        self._memory = memory
        self._is_idle = is_idle
        self._left: dict[str, int] = {}
        self._warned: set[tuple[str, str]] = set()
        self._ended = threading.Event()
        self._asked = threading.Event()
        self._thread = threading.Thread(target=self._run, name="simonides-embed", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread, and wait until it has released the file."""
        self._ended.set()
        self._asked.set()
        self._thread.join()

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
            _log.warning("embed in %s: %s", *warning)


def _step_back() -> None:
    """Lower the priority of this thread, if the system has one for each thread (Linux)."""
    with suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
