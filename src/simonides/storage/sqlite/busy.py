"""Other users of a file: how long a connection waits for them, and which processes they are.

Knows SQLite's busy handler, where SQLite keeps the locks of readers (the file beside, `-shm`), and
Linux's list of locks. That list is read and never the file itself: closing it would drop this
process's own locks. Must not know why that is asked.
"""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


_POLL_S = 0.0005
"""Between two tries for a lock. Constant: a waiter that slept longer each time would starve."""

ALONE_S = 1.0
"""How long to wait for others to let go of a file, in seconds: they do soon, or not at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """How connections are set up: `durability` is `full` or `relaxed`.

    `checksums` says whether the pages of a file that is made or rewritten get them;
    not where another program folds the log in, which would write pages without them.
    """

    durability: str = "full"
    timeout_s: float = 10.0
    checksums: bool = True


class BusyHandler:
    """SQLite's busy handler: tries again every half millisecond until `timeout_s` have passed.

    `make_way` is called before each try: it may end what stands in the way.
    """

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self.make_way: Callable[[], object] | None = None
        self._until = 0.0

    def __call__(self, tries: int) -> bool:
        """Return whether to try once more, after a short pause."""
        now = time.monotonic()
        if tries == 0:
            self._until = now + self.timeout_s
        if now >= self._until:
            return False
        if self.make_way is not None:
            self.make_way()
        time.sleep(_POLL_S)
        return True


LOCKS = Path("/proc/locks")
"""Linux's list: number, POSIX, ADVISORY, READ or WRITE, process, device and inode, first, last."""

FIRST_READER, LAST_READER = 123, 127
"""The bytes of the `-shm` file that readers lock (sqlite.org/walformat.html, "WAL locks")."""

_FIELDS = 8


def active_readers(file: Path, *, locks: Path = LOCKS) -> str:
    """Return which other processes read the space at `file`, to follow `somebody`.

    ` (process 4711)`, or nothing where the system does not tell.
    """
    try:
        inode = file.with_name(f"{file.name}-shm").stat().st_ino
        lines = locks.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return ""
    found = {pid for one in lines if (pid := _reader(one.split(), inode))} - {os.getpid()}
    names = ", ".join(map(str, sorted(found)))
    return f" (process {names})" if names else ""


def _reader(fields: list[str], inode: int) -> int:
    """Return the process that a line of the list tells of, if it reads this file; else 0."""
    if len(fields) != _FIELDS or not fields[5].endswith(f":{inode}"):
        return 0
    first = int(fields[6]) if fields[6].isdigit() else 0
    is_reader = fields[3] == "READ" and FIRST_READER <= first <= LAST_READER
    return int(fields[4]) if is_reader and fields[4].isdigit() else 0
