"""The shared state of the workers of one machine, put together. Needs a system with `fork`.

Must not know what is kept, and starts no thread before it is used: processes are forked.
"""

from simonides.ports.shared_state import Buckets, SharedState
from simonides.working_memory.fallback import FallbackState
from simonides.working_memory.shared_buckets import SharedBuckets
from simonides.working_memory.state_process import SocketState, StateServer

__all__ = ["StateServer", "buckets_of_workers", "state_of_workers"]


def buckets_of_workers() -> Buckets:
    """Return the buckets of all workers that are forked from now on."""
    return SharedBuckets()


def state_of_workers(address: str, *, buckets: Buckets) -> SharedState:
    """Return the shared state of a worker, held by the process at this address."""
    return FallbackState(SocketState(address), buckets=buckets)
