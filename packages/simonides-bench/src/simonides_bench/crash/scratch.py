"""Folders that trials lie in: in memory where the system has such a place.

What a power cut takes is simulated, and a kill takes nothing that was written, so that real syncs
would only cost time.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_IN_MEMORY = Path("/dev/shm")  # noqa: S108  every folder in it is made by tempfile


@contextmanager
def scratch() -> Iterator[Path]:
    """Give a new folder that is removed at the end."""
    parent = _IN_MEMORY if os.access(_IN_MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="simonides-crash-", dir=parent) as folder:
        yield Path(folder)
