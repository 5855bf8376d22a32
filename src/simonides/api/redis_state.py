"""The shared state in a Redis, put together. Imports `redis`; only who needs it enters here."""

from simonides.ports.shared_state import SharedState
from simonides.working_memory.fallback import FallbackState
from simonides.working_memory.redis_state import RedisState


def redis_state(url: str) -> SharedState:
    """Return the shared state in a Redis, which is first asked when something is needed of it."""
    return FallbackState(RedisState(url))
