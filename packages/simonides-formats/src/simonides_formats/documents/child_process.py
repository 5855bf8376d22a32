"""The extraction process as its user sees it: started when needed, bounded in time, replaced.

A process serves one file after the other, and several threads have one each. Must not know
formats, nor what becomes of the text.
"""

import atexit
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from simonides_formats.documents.child import OUTPUT_CHARS_MAX

ANSWER_S: Final = 90.0
"""How long one file may take; the processor time of its process is bounded below that."""

LINE_BYTES_MAX: Final = 256 << 20
"""Longest line of an answer: 20 million characters, each escaped as JSON."""

TOO_LONG: Final = "reading it takes too long"
PROGRAM: Final = ("-m", "simonides_formats.documents.child")

_FEW_THREADS: Final = {
    "MALLOC_ARENA_MAX": "2",
    "RAYON_NUM_THREADS": "1",
    "TOKIO_WORKER_THREADS": "1",
}
"""Each thread takes address space, of which the process has little on a machine of many cores."""

CRASHED: Final = "what reads it ran out of memory or crashed"


@dataclass(slots=True, kw_only=True)
class Extracted:
    """What was taken out of one file.

    `about` is what the file says of itself; each of `parts` has a `text`, and where it lies
    (`page`, or `sheet` and `part`); each of `problems` a `problem` and the `part` that has it.
    `end` says why nothing more was read; it is empty for a file that was read to its end.
    """

    about: dict[str, Any] = field(default_factory=dict)
    parts: list[dict[str, Any]] = field(default_factory=list)
    problems: list[dict[str, Any]] = field(default_factory=list)
    end: str = CRASHED
    is_whole: bool = False

    def take(self, record: dict[str, Any]) -> None:
        """Take in one line of an answer."""
        if "about" in record:
            self.about = record["about"]
        elif "problem" in record:
            self.problems.append(record)
        elif "text" in record:
            self.parts.append(record)
        else:
            self.end, self.is_whole = record["end"], True


class Timer(Protocol):
    """A clock that calls a function when time is over, unless it is cancelled."""

    def start(self) -> None:
        """Begin to count."""
        ...

    def cancel(self) -> None:
        """Never call."""
        ...


def _timer(after_s: float, call: Callable[[], None]) -> Timer:
    timer = threading.Timer(after_s, call)
    timer.daemon = True
    return timer


Child = subprocess.Popen[bytes]


class Extractor:
    """Extraction in processes of their own; `timer` measures how long each file takes."""

    def __init__(
        self,
        *,
        timer: Callable[[float, Callable[[], None]], Timer] = _timer,
        program: Sequence[str] = PROGRAM,
    ) -> None:
        self._timer = timer
        self._program = program
        self._idle: list[Child] = []
        self._of_parent: list[Child] = []

    def extract(self, path: Path, kind: str, *, chars_max: int = OUTPUT_CHARS_MAX) -> Extracted:
        """Return the text taken out of a file, at most so many characters.

        Whatever ends its process is said in `end`. One that was idle may have ended just now, so
        that a new one is asked if it is silent.
        """
        asked = {"path": str(path.absolute()), "kind": kind, "chars_max": chars_max}
        order = json.dumps(asked).encode() + b"\n"
        idle = None
        with suppress(IndexError):  # none is
            idle = self._idle.pop()
        found = self._ask(idle, order) if idle else None
        return found or self._ask(self._start(), order) or Extracted()

    def close(self) -> None:
        """End the processes that wait for files."""
        with suppress(IndexError):
            while True:
                _end(self._idle.pop())

    def leave_to_parent(self) -> None:
        """Forget the processes, which are those of the process that this one was forked from."""
        self._of_parent += self._idle  # kept, since Python warns of running ones that are let go
        self._idle = []

    def _start(self) -> Child:
        paths = os.pathsep.join(path for path in sys.path if path)
        return subprocess.Popen(  # noqa: S603  our own program, by the Python that runs us
            [sys.executable, *self._program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, "PYTHONPATH": paths, **_FEW_THREADS},
        )  # fmt: skip

    def _ask(self, child: Child, order: bytes) -> Extracted | None:
        """Return the answer of a process; None if it says nothing at all."""
        is_late = threading.Event()

        def stop() -> None:
            is_late.set()
            child.kill()

        timer = self._timer(ANSWER_S, stop)
        timer.start()
        found = Extracted()
        try:
            is_silent = not _listen(child, order, found)
        finally:
            timer.cancel()
            if found.is_whole:
                self._idle.append(child)
            else:
                _end(child)
        if is_late.is_set() and not found.is_whole:
            found.end = TOO_LONG
            return found
        return None if is_silent else found


def _listen(child: Child, order: bytes, found: Extracted) -> bool:
    """Take in the answer of a process as far as it comes; return whether any came."""
    assert child.stdin is not None  # noqa: S101  asked for when it was started
    assert child.stdout is not None  # noqa: S101  asked for when it was started
    lines = 0
    with suppress(OSError):  # one that has ended may have said something before
        child.stdin.write(order)
        child.stdin.flush()
    with suppress(OSError, ValueError):  # it ended, or was killed in the middle of a line
        while not found.is_whole and (line := child.stdout.readline(LINE_BYTES_MAX)):
            lines += 1
            found.take(json.loads(line))
    return lines > 0


def _end(child: Child) -> None:
    child.kill()  # nothing, where it has ended
    child.wait()
    for pipe in (child.stdin, child.stdout):
        with suppress(OSError):  # what was not read by the one that was killed
            if pipe is not None:
                pipe.close()


EXTRACTOR: Final = Extractor()
"""The one of this program; its processes end with it."""

atexit.register(EXTRACTOR.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=EXTRACTOR.leave_to_parent)
