"""What this machine can do at best, measured beside the engine in the same run.

A search cannot be faster than reading the vectors once; a durable add not faster than one sync.
"""

import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

import numpy as np

from simonides.index.exact import dots

PAGE_BYTES = 4096
"""SQLite's page: the smallest that a commit appends to its log."""
_PAGE = b"\x5a" * PAGE_BYTES

sync: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)


def scan_ms(*, rows: int, dimension: int, repeats: int) -> float:
    """Return the median time of one int8 scan over so many rows, by the kernel that search uses."""
    chance = np.random.default_rng(0)
    matrix = chance.integers(-127, 128, (rows, dimension), dtype=np.int8)
    query = chance.integers(-127, 128, dimension, dtype=np.int8)
    return median_ms(lambda: dots(query, matrix), repeats=repeats)


def read_ms(*, bytes_read: int, repeats: int) -> float:
    """Return the median time in which one core reads (and sums) so many bytes of memory."""
    words = np.ones(max(bytes_read // 8, 1), dtype=np.int64)
    return median_ms(words.sum, repeats=repeats)


@contextmanager
def appending(folder: Path) -> Iterator[Callable[[], float]]:
    """Yield what appends a page to a file in `folder`, syncs it, and returns how long that took."""
    with TemporaryFile(dir=folder) as file:

        def append() -> None:
            os.write(file.fileno(), _PAGE)
            sync(file.fileno())

        yield lambda: once_ms(append)


def median_ms(work: Callable[[], object], *, repeats: int) -> float:
    """Return the median time of `work` in milliseconds; it runs once before, unmeasured."""
    work()
    return statistics.median(once_ms(work) for _ in range(repeats))


class Took(NamedTuple):
    """How long something took: by the clock, and of this thread's processor time. Milliseconds."""

    wall_ms: float
    cpu_ms: float


def measure(work: Callable[[], object]) -> Took:
    """Return how long `work` takes."""
    started, busy = time.perf_counter(), time.thread_time()
    work()
    cpu_ms = 1000.0 * (time.thread_time() - busy)
    return Took(wall_ms=1000.0 * (time.perf_counter() - started), cpu_ms=cpu_ms)


def once_ms(work: Callable[[], object]) -> float:
    """Return how long `work` takes by the clock, in milliseconds."""
    return measure(work).wall_ms
