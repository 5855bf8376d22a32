"""A fair queue for the searches of one process: first come, first served.

Under the GIL several searches do not run side by side: each lets go of it at every array and every
row, and has to win it back from all others. Eight at once took more than twice as long together as
one after another (docs/explanation/speed.md). Nobody waits for good: a turn is manners, not a lock
that keeps anything whole.
Must not know what a turn is taken for.
"""

import os
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

TIMEOUT_S = 1.0
"""So long one waits for a turn, and then goes without: longer than a search of a million chunks
takes, so whoever has it hangs, perhaps on a disk."""


class FairQueue:
    """A queue that admits `places` callers at once, in the order of arrival."""

    def __init__(self, places: int, *, timeout_s: float = TIMEOUT_S) -> None:
        self._places = places
        self._timeout_s = timeout_s
        self.reset()

    def reset(self) -> None:
        """Reset the queue in a forked process, where none of its callers exist."""
        self._mutex = threading.Lock()
        self._free = self._places
        self._waiting: deque[threading.Lock] = deque()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn, or until the timeout; pass the turn on at the end.

        A caller that timed out also releases its turn: so a turn that got lost, by an interrupt in
        the wrong moment, is found again.
        """
        self._wait()
        try:
            yield
        finally:
            self._pass_on()

    @contextmanager
    def without_turn(self) -> Iterator[None]:
        """Give the turn to others while something else is waited for, and queue for it anew."""
        self._pass_on()
        try:
            yield
        finally:
            self._wait()

    def _wait(self) -> None:
        with self._mutex:
            if self._free:
                self._free -= 1
                return
            own = threading.Lock()
            own.acquire()
            self._waiting.append(own)
        try:
            own.acquire(timeout=self._timeout_s)
        except BaseException:  # an interrupt
            if not self._leave(own):
                self._pass_on()
            raise
        self._leave(own)

    def _leave(self, own: threading.Lock) -> bool:
        """Leave the queue; return whether the caller was still in it, without a turn."""
        with self._mutex:
            is_waiting = own in self._waiting
            if is_waiting:
                self._waiting.remove(own)
            return is_waiting

    def _pass_on(self) -> None:
        with self._mutex:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._free = min(self._free + 1, self._places)


def _places() -> int:
    has_gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    return 1 if has_gil else os.cpu_count() or 1


TURNS = FairQueue(_places())
"""Of this process: the GIL is, too."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=TURNS.reset)
