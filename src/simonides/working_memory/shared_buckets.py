"""Buckets that the processes of one machine draw from: a table in memory that all of them map.

Made before the processes are forked. A place in the table is found by the hash of a name; where its
set is full, the place used longest ago is taken. The system's locks of a file guard each set: a
process that is killed gives them back. Must not know what is drawn, nor who draws.
"""

import hashlib
import math
import mmap
import os
import struct
import tempfile
import threading
from fcntl import LOCK_EX, LOCK_UN, lockf
from functools import lru_cache

from simonides.ports.shared_state import Refill
from simonides.working_memory.buckets import filled

_SLOT = struct.Struct("=16sdd")
"""The hash of a name, what is left, and when that was so."""

_SLOTS = 8
_SETS = 4096
_SET_BYTES = _SLOTS * _SLOT.size
"""32,768 places in 1 MiB: three times what one process keeps, so that a set is seldom full."""

_NOBODY = bytes(16)


class SharedBuckets:
    """The buckets of all processes that are forked after this was made. Thread-safe."""

    def __init__(self) -> None:
        self._file = _anonymous_file()
        os.ftruncate(self._file, _SETS * _SET_BYTES)
        self._table = mmap.mmap(self._file, _SETS * _SET_BYTES)
        self._lock = threading.Lock()

    def draw(
        self, name: str, amount: float, *, refill: Refill, needs: float, now_s: float
    ) -> float:
        """Draw an amount and return 0, if at least `needs` is there; else the seconds until it is.

        `now_s` is the machine's monotonic clock, which is the same in all processes.
        """
        digest, start = _place_of(name)
        with self._lock:
            lockf(self._file, LOCK_EX, _SET_BYTES, start)
            try:
                at, level = self._found(digest, start)
                left, at_s = filled(level, refill, now_s=now_s)
                if left < needs:
                    return (needs - left) / refill.per_s
                if amount:
                    _SLOT.pack_into(self._table, at, digest, left - amount, at_s)
            finally:
                lockf(self._file, LOCK_UN, _SET_BYTES, start)
        return 0.0

    def close(self) -> None:
        """Give the table back; that of other processes stays."""
        self._table.close()
        os.close(self._file)

    def _found(self, digest: bytes, start: int) -> tuple[int, tuple[float, float] | None]:
        """Return the place of a bucket and what it holds, or the best place for a new one."""
        best, oldest_s = start, math.inf
        for at in range(start, start + _SET_BYTES, _SLOT.size):
            held, left, at_s = _SLOT.unpack_from(self._table, at)
            if held == digest:
                return at, (left, at_s)
            if held == _NOBODY:
                at_s = -math.inf
            if at_s < oldest_s:
                best, oldest_s = at, at_s
        return best, None


@lru_cache(maxsize=1024)
def _place_of(name: str) -> tuple[bytes, int]:
    """Return the hash of a name and where its set begins."""
    digest = hashlib.blake2b(name.encode(errors="surrogatepass"), digest_size=16).digest()
    return digest, int.from_bytes(digest[:4]) % _SETS * _SET_BYTES


def _anonymous_file() -> int:
    """Return a file without a name, in memory where the system has that."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("simonides-buckets")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
