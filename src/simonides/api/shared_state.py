"""Working memory as shared state. Must not know what is kept."""

from simonides.ports.models import WorkingMemory
from simonides.ports.shared_state import SharedState
from simonides.working_memory.in_process import InProcessWorkingMemory


def as_shared_state(working: WorkingMemory) -> SharedState:
    """Return a working memory as shared state: itself if it is that, else a new one beside it."""
    return working if isinstance(working, SharedState) else InProcessWorkingMemory()
