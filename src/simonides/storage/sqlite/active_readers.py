"""Which processes read a space just now, as far as the system tells.

Knows where SQLite keeps the locks of readers (the file beside, `-shm`), and Linux's list of locks.
That list is read and never the file itself: closing it would drop this process's own locks. Must
not know why that is asked.
"""

import os
from pathlib import Path

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
