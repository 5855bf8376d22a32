"""What the processes of a server know alike for minutes: which adapter holds it.

Picks the adapter, as `runtime` does for the rest. Must not know what is kept.
"""

from simonides.api.memory import Memory
from simonides.ports.models import WorkingMemory
from simonides.ports.shared_state import SharedState
from simonides.working_memory.in_process import InProcessWorkingMemory


def shared_state_of(memory: Memory) -> SharedState:
    """Return the shared state of a memory: its working memory if it is one, else a new one."""
    working: WorkingMemory = memory.working
    return working if isinstance(working, SharedState) else InProcessWorkingMemory()
