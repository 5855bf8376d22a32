"""The threads for requests, shared fairly between callers, with limits on running and waiting.

The engine is synchronous; nothing of it may run on the event loop. Each caller has a queue of its
own. A thread that is free takes the next call of the caller who has the fewest at work, of equals
the one who has cost the least processor time; so what one caller sends, and how much each of it
costs, does not lengthen another's wait. Must not know what is run, nor who a caller is.
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from simonides.http.errors import RETRY_S, RequestRefused

Result = TypeVar("Result")


@dataclass(slots=True, eq=False)
class _Job(Generic[Result]):
    """One call: its caller, and the future of its result."""

    call: Callable[[], Result]
    queue: "_Queue"
    waiting: "asyncio.Future[Result]"
    cost_s: float = 0.0
    result: Result | None = None
    error: BaseException | None = None

    def work(self) -> None:
        """Run the call in a thread, and measure its cost."""
        begun_s = time.thread_time()
        try:
            self.result = self.call()
        except BaseException as error:  # noqa: BLE001  told to who waits for it, as it is
            self.error = error
        self.cost_s = time.thread_time() - begun_s


@dataclass(slots=True, eq=False)
class _Queue:
    """The running and waiting calls of one caller.

    `spent_s` is their processor time, counted from that of the others when they came.
    """

    caller: str
    running: int = 0
    spent_s: float = 0.0
    jobs: "deque[_Job[Any]]" = field(default_factory=deque)


class RequestThreads:
    """Runs calls in `size` threads, at most `each_max` for each caller at once.

    Of more than `waiting_max` that wait, the last one of the caller who has the most waiting is
    refused with 503: a caller who sends a flood loses places to those who do not. `on_cost` is told
    of each call whose it was and how many seconds of processor it took in its thread.
    """

    def __init__(
        self,
        size: int,
        *,
        waiting_max: int,
        name: str,
        each_max: int = 0,
        on_cost: Callable[[str, float], None] | None = None,
    ) -> None:
        self._size = size
        self._each_max = each_max or size
        self._waiting_max = waiting_max
        self._on_cost = on_cost
        self._queues: dict[str, _Queue] = {}
        self._running = 0
        self._waiting = 0
        self._now_s = 0.0
        self._is_closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(max_workers=size, thread_name_prefix=f"simonides-{name}")

    @property
    def taken(self) -> int:
        """The number of calls that run or wait."""
        return self._running + self._waiting

    @property
    def waiting(self) -> int:
        """The number of calls that wait for a thread."""
        return self._waiting

    async def run(self, call: Callable[[], Result], *, caller: str = "") -> Result:
        """Return the result of a call, run in a thread; once begun, it is completed.

        Only ever called on the event loop.

        Raises:
            Refused: Too many wait already, or the server is stopping.
        """
        self._loop = asyncio.get_running_loop()
        waiting: asyncio.Future[Result] = self._loop.create_future()
        job, first = self._queued(call, waiting, caller)
        if first is not None:
            try:
                self._pool.submit(self._work, first)
            except RuntimeError as error:  # closed meanwhile
                raise _stopping() from error
        try:
            return await waiting
        except asyncio.CancelledError:
            self._leave(job)
            raise

    def _queued(
        self, call: Callable[[], Result], waiting: "asyncio.Future[Result]", caller: str
    ) -> "tuple[_Job[Result], _Job[Any] | None]":
        """Queue a call; return it, and the call that a free thread is to start."""
        with self._lock:
            if self._is_closed:
                raise _stopping()
            queue = self._queue_of(caller)
            if self._waiting >= self._waiting_max and self._starts_none(queue):
                self._make_room(queue)
            job = _Job(call, queue, waiting)
            queue.jobs.append(job)
            self._waiting += 1
            return job, self._next()

    def _queue_of(self, caller: str) -> _Queue:
        queue = self._queues.get(caller)
        if queue is None:
            queue = self._queues[caller] = _Queue(caller)
        if not (queue.running or queue.jobs):  # who did not ask for a while has saved nothing up
            queue.spent_s = max(queue.spent_s, self._now_s)
        return queue

    def _starts_none(self, queue: _Queue) -> bool:
        return self._running >= self._size or queue.running >= self._each_max

    def _make_room(self, queue: _Queue) -> None:
        """Refuse the last call of the caller with most waiting calls; raise if it is this one."""
        most = max(self._queues.values(), key=lambda one: len(one.jobs))
        if len(most.jobs) <= len(queue.jobs):
            raise _too_many()
        last = most.jobs.pop()
        self._waiting -= 1
        if not last.waiting.done():
            last.waiting.set_exception(_too_many())

    def _next(self) -> "_Job[Any] | None":
        """Remove and return the next call for a free thread; None without one. Lock held."""
        if self._running >= self._size or self._is_closed or not self._waiting:
            return None
        ready = [one for one in self._queues.values() if one.jobs and one.running < self._each_max]
        if not ready:
            return None
        queue = min(ready, key=lambda one: (one.running, one.spent_s))
        self._waiting -= 1
        self._running += 1
        queue.running += 1
        self._now_s = max(self._now_s, queue.spent_s)
        return queue.jobs.popleft()

    def _work(self, first: _Job[Any]) -> None:
        """Run a call in its thread, and after it the next ones.

        A thread that is at work goes on by itself: to be sent by the loop for each call would cost
        a wake and a turn at Python that others want too.
        """
        job: _Job[Any] | None = first
        while job is not None:
            job.work()
            job = self._ended(job)

    def _ended(self, job: _Job[Any]) -> "_Job[Any] | None":
        """Release the place of a call and return the next; wake the loop once for all its work."""
        with self._lock:
            queue = job.queue
            self._running -= 1
            queue.running -= 1
            queue.spent_s += job.cost_s
            following = self._next()
            self._forget(queue)
        if self._on_cost is not None:
            self._on_cost(queue.caller, job.cost_s)
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(_hand_on, job)
        return following

    def _leave(self, job: _Job[Any]) -> None:
        """Cancel a call that nobody waits for any more."""
        with self._lock:
            if job in job.queue.jobs:
                job.queue.jobs.remove(job)
                self._waiting -= 1
                self._forget(job.queue)

    def _forget(self, queue: _Queue) -> None:
        """Forget callers without calls, once their budget is level with others. Lock held."""
        if self._running == self._waiting == 0:
            self._queues.clear()
            self._now_s = 0.0
        elif not (queue.running or queue.jobs) and queue.spent_s <= self._now_s:
            self._queues.pop(queue.caller, None)

    def _drop_waiting(self) -> None:
        with self._lock:
            waiting = [job for queue in self._queues.values() for job in queue.jobs]
        for job in waiting:
            job.waiting.cancel()

    def close(self) -> None:
        """Wait for running calls; waiting ones are not started any more."""
        with self._lock:
            self._is_closed = True
            has_waiting = bool(self._waiting)
        if has_waiting and self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._drop_waiting)
        self._pool.shutdown(wait=True)


def _hand_on(job: _Job[Any]) -> None:
    """Pass the result of a call to its future, on the loop."""
    if not job.waiting.done():
        if job.error is not None:
            job.waiting.set_exception(job.error)
        else:
            job.waiting.set_result(job.result)
    job.result = job.error = None  # it belongs to who waits for it alone


def _too_many() -> RequestRefused:
    return RequestRefused(503, "too many requests wait already; try again", retry_s=RETRY_S)


def _stopping() -> RequestRefused:
    return RequestRefused(503, "the server is stopping", retry_s=RETRY_S)
