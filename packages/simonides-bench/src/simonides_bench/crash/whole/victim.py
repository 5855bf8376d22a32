"""The process that is killed in a verb: `python -m …crash.whole.victim ROOT NAME AT`.

Does the steps of a scenario on a prepared home, says each that returned, a line of JSON each, and
kills itself right before the change with the number AT, so that a kill comes between two changes
that were chosen and not when the machine has time.
"""

import json
import os
import signal
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

from simonides_bench.crash.disk import Change
from simonides_bench.crash.whole.file_calls import changes_watched
from simonides_bench.crash.whole.scenarios import SCENARIOS

_STDOUT = 1


@dataclass(slots=True)
class KillsItself:
    """Ends the process before a change; an adapter of `ChangeWatcher`."""

    at: int
    _count: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def before(self, _change: Change) -> None:
        """Count the change, and end the process if it is its turn."""
        with self._lock:
            self._count += 1
            if self._count == self.at:
                os.kill(os.getpid(), signal.SIGKILL)

    def after(self, change: Change) -> None:
        """Take no note."""


def main(root: Path, name: str, at: int) -> None:
    """Do the steps of a scenario until the process kills itself, or all are done."""
    [scenario] = [one for one in SCENARIOS if one.name == name]
    killer = KillsItself(at)
    for step in scenario.steps:
        with changes_watched(root, killer):
            result = step.do(root)
        os.write(_STDOUT, json.dumps(result).encode() + b"\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
