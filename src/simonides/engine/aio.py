"""`memory.aio`: every public verb of `Memory` as a coroutine, generated, not written again."""

import asyncio
import functools
import inspect
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from simonides.engine.memory import Memory

THREADS_MAX = 8
"""Calls that run at once; more wait their turn. The work is native code that frees the lock."""

_POOL = ThreadPoolExecutor(max_workers=THREADS_MAX, thread_name_prefix="simonides-aio")


class AsyncMemory:
    """A memory whose verbs are awaited: `await memory.aio.search("…")`.

    A call that was begun runs to its end even if its task is cancelled: a write is never half
    done. One that still waits for a thread is not begun any more.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    if TYPE_CHECKING:  # the verbs are set below, where type checkers do not see them

        def __getattr__(self, verb: str) -> Callable[..., Coroutine[Any, Any, Any]]: ...


def _awaited(name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
    verb = getattr(Memory, name)

    @functools.wraps(verb)
    async def call(self: AsyncMemory, *arguments: Any, **named: Any) -> Any:
        bound = functools.partial(verb, self._memory, *arguments, **named)
        return await asyncio.get_running_loop().run_in_executor(_POOL, bound)

    return call


for _name, _verb in inspect.getmembers(Memory, inspect.isfunction):
    if not _name.startswith("_") and _name != "in_space":
        setattr(AsyncMemory, _name, _awaited(_name))
