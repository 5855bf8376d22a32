"""The threads that verbs run in: a bounded number at work, a bounded number waiting.

The engine is synchronous; nothing of it may run on the event loop. Must not know what is run.
"""

import asyncio
import functools
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from simonides.http.problems import RETRY_S, Refused

Result = TypeVar("Result")


class Threads:
    """Runs calls in `size` threads; past `waiting_max` that wait, a call is refused with 503."""

    def __init__(self, size: int, *, waiting_max: int, name: str) -> None:
        self._most = size + waiting_max
        self._taken = 0
        self._pool = ThreadPoolExecutor(max_workers=size, thread_name_prefix=f"simonides-{name}")

    @property
    def taken(self) -> int:
        """How many calls run or wait."""
        return self._taken

    async def run(self, call: Callable[[], Result]) -> Result:
        """Return what a call returns, run in a thread; once begun it runs to its end.

        Only ever called on the event loop, which is why the count needs no lock.

        Raises:
            Refused: Too many wait already, or the server is stopping.
        """
        if self._taken >= self._most:
            raise Refused(503, "too many requests wait already; try again", retry_s=RETRY_S)
        loop = asyncio.get_running_loop()
        try:
            running = self._pool.submit(call)
        except RuntimeError as error:  # closed meanwhile
            raise Refused(503, "the server is stopping", retry_s=RETRY_S) from error
        self._taken += 1
        waiting: asyncio.Future[Result] = loop.create_future()
        waiting.add_done_callback(lambda one: one.cancelled() and running.cancel())
        running.add_done_callback(functools.partial(self._tell, loop, waiting))
        return await waiting

    def _tell(
        self,
        loop: asyncio.AbstractEventLoop,
        waiting: "asyncio.Future[Result]",
        running: "Future[Result]",
    ) -> None:
        """Wake the loop, in the thread of the call, once for all there is to do.

        `asyncio.wrap_future` would wake it a second time: a write to a socket, and a turn at Python
        that other threads want too.
        """
        if not loop.is_closed():
            loop.call_soon_threadsafe(self._ended, waiting, running)

    def _ended(self, waiting: "asyncio.Future[Result]", running: "Future[Result]") -> None:
        """Free the place of a call, and hand on how it ended."""
        self._taken -= 1
        if waiting.done():  # nobody waits for it any more
            return
        if running.cancelled():
            waiting.cancel()
        elif (error := running.exception()) is not None:
            waiting.set_exception(error)
        else:
            waiting.set_result(running.result())

    def close(self) -> None:
        """Wait for what runs; what waits is not begun any more."""
        self._pool.shutdown(wait=True, cancel_futures=True)
