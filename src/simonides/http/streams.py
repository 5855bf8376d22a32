"""The threads of streamed answers, with their limits: shares of each key, and time.

Each key has a share of the threads, so that one that takes all of its own leaves room for others;
those that wait are served in their order, past keys whose share is taken. Must not know what is
streamed.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar

from simonides.http.errors import RETRY_S, RequestRefused

Result = TypeVar("Result")

LATE, STOPPING = "time", "stopping"
"""Why a stream was cut off: it took longer than it may, or the server stops."""


@dataclass(slots=True, eq=False, kw_only=True)
class _Waiting:
    key: str
    turn: "asyncio.Future[None]"


class Streams:
    """Runs streams in up to `size` threads, `of_key_max` for each key; others wait or are refused.

    Of each key as many may wait as may run, and for `wait_s` seconds. A stream that is sent for
    longer than `stream_s` is cut off. But for `close` it is only ever used on the event loop, which
    is why its counts need no lock. `count_cut_off` is told the reason of each that is cut off.
    """

    def __init__(
        self,
        size: int,
        *,
        of_key_max: int,
        wait_s: float,
        stream_s: float,
        count_cut_off: Callable[[str], object],
    ) -> None:
        self._size = size
        self._of_key_max = of_key_max
        self._wait_s = wait_s
        self._stream_s = stream_s
        self.count_cut_off = count_cut_off
        self._running: Counter[str] = Counter()
        self._waiting: list[_Waiting] = []
        self._limits: set[asyncio.Timeout] = set()
        self._is_stopping = False
        self._pool = ThreadPoolExecutor(size, thread_name_prefix="simonides-stream")

    @property
    def taken(self) -> int:
        """The number of threads in use."""
        return self._running.total()

    @property
    def under_way(self) -> int:
        """The number of streams being sent."""
        return len(self._limits)

    @property
    def reason(self) -> str:
        """The reason for which a stream is cut off now."""
        return STOPPING if self._is_stopping else LATE

    async def run(self, call: Callable[[], Result], *, key: str) -> Result:
        """Return the result of a call, run in a thread of the share of `key`.

        Once begun it runs to its end, though its caller leave; only then its place is free again.

        Raises:
            Refused: Too many of the key run or wait, or its turn did not come in time.
        """
        await self._take_place(key)
        loop = asyncio.get_running_loop()
        try:
            running = self._pool.submit(call)
        except RuntimeError as error:  # closed meanwhile
            self._give_back(key)
            raise _stopping() from error

        def ended(_: "Future[Result]") -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody waits for a place
                loop.call_soon_threadsafe(self._give_back, key)

        running.add_done_callback(ended)
        return await asyncio.wrap_future(running)

    @asynccontextmanager
    async def limited(self) -> AsyncIterator[None]:
        """Limit the time of a stream during a `with` block.

        Raises:
            TimeoutError: It took longer, or all streams are cut off; `reason` says which.
        """
        async with asyncio.timeout(0 if self._is_stopping else self._stream_s) as limit:
            self._limits.add(limit)
            try:
                yield
            finally:
                self._limits.discard(limit)

    def cut_off(self) -> None:
        """End every running stream, and start no other."""
        self._is_stopping = True
        now_s = asyncio.get_running_loop().time()
        for limit in self._limits:
            limit.reschedule(now_s)
        for one in self._waiting:
            if not one.turn.done():
                one.turn.set_exception(_stopping())

    def close(self, *, left_s: float) -> bool:
        """Wait up to a number of seconds for running work; return whether all has ended."""
        return ended_within(left_s, lambda: self._pool.shutdown(wait=True, cancel_futures=True))

    async def _take_place(self, key: str) -> None:
        if self._is_stopping:
            raise _stopping()
        if self._has_place(key):
            self._running[key] += 1
            return
        if sum(one.key == key for one in self._waiting) >= self._of_key_max:
            raise _too_many()
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting = _Waiting(key=key, turn=turn)
        self._waiting.append(waiting)
        try:
            async with asyncio.timeout(self._wait_s):
                await turn
        except BaseException as error:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._give_back(key)  # its turn came just as it was no longer wanted
            if isinstance(error, TimeoutError):
                raise _too_many() from error
            raise
        finally:
            if waiting in self._waiting:
                self._waiting.remove(waiting)

    def _has_place(self, key: str) -> bool:
        return self.taken < self._size and self._running[key] < self._of_key_max

    def _give_back(self, key: str) -> None:
        """Release a place, and give it to the first waiting call that may have it."""
        self._running[key] -= 1
        self._running += Counter()  # drops the keys of which nothing runs
        for one in self._waiting:
            if not one.turn.done() and self._has_place(one.key):
                self._running[one.key] += 1
                self._waiting.remove(one)
                one.turn.set_result(None)
                return


def half(size: int) -> int:
    """Return half of a limit as the share of one key, to leave room for others."""
    return max(1, size // 2)


TOO_MANY = "too many chats, exports and uploads run already; try again when some have ended"


def _too_many() -> RequestRefused:
    return RequestRefused(503, TOO_MANY, retry_s=RETRY_S)


def _stopping() -> RequestRefused:
    return RequestRefused(503, "the server is stopping", retry_s=RETRY_S)


def ended_within(left_s: float, wait: Callable[[], object]) -> bool:
    """Return whether a call returned within a number of seconds; it is not awaited longer."""
    waiting = threading.Thread(target=wait, name="simonides-closing", daemon=True)
    waiting.start()
    waiting.join(max(0.0, left_s))
    return not waiting.is_alive()
