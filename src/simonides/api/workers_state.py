"""The shared state of the workers of one machine, put together.

Must not know what is kept.
"""

from pathlib import Path

from simonides.ports.shared_state import SharedState
from simonides.working_memory.fallback import FallbackState
from simonides.working_memory.sqlite_state import SQLiteState


def state_of_workers(path: Path) -> SharedState:
    """Return the shared state of a worker, in a file that all workers open."""
    return FallbackState(SQLiteState(path))
