"""The threads of requests and of streams, shared fairly between callers, with a limit on waiting.

The engine is synchronous; nothing of it may run on the event loop. Each caller has a line. A free
thread takes the next call of the caller who has the fewest at work, of equals the one whose turn is
longest ago; so what one caller sends does not lengthen another's wait. All that is counted here is
counted on the event loop, so it needs no lock. Must not know what is run, nor who a caller is.
"""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from simonides.http.errors import RETRY_S, RequestRefused

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Job(Generic[Result]):
    """One call: its caller, and the future that is given what has ended in a thread."""

    call: Callable[[], Result]
    caller: str
    ended: "asyncio.Future[Future[Result]]"


@dataclass(slots=True, kw_only=True)
class _Line:
    """The calls of one caller: how many run, and those that wait."""

    running: int = 0
    jobs: "deque[_Job[Any]]" = field(default_factory=deque)


class Threads:
    """Runs calls in `size` threads, at most `each_max` of each caller at once.

    Of more than `waiting_max` that wait, the last one of the caller who has the most waiting is
    refused with 503: a caller who sends a flood loses places to those who do not. So is one past
    `waiting_each_max` of its caller, and one that waited for `wait_s`; `refusal` is what they are
    answered. `on_cost` is called with each call, in its thread, whose it was and how many seconds
    of processor it took. `waiting` is the number of calls that wait now.
    """

    def __init__(
        self,
        size: int,
        *,
        each_max: int,
        name: str,
        waiting_max: float = math.inf,
        waiting_each_max: float = math.inf,
        wait_s: float | None = None,
        refusal: str = "too many requests wait already; try again",
        on_cost: Callable[[str, float], object] = lambda _caller, _cost_s: None,
    ) -> None:
        self._size = size
        self._each_max = each_max
        self._waiting_max = waiting_max
        self._waiting_each_max = waiting_each_max
        self._wait_s = wait_s
        self._refusal = refusal
        self._on_cost = on_cost
        self._lines: dict[str, _Line] = {}  # the one whose turn is longest ago comes first
        self._running = 0
        self.waiting = 0
        self._is_stopping = False
        self._pool = ThreadPoolExecutor(size, thread_name_prefix=f"simonides-{name}")

    @property
    def taken(self) -> int:
        """The number of calls that run or wait."""
        return self._running + self.waiting

    async def run(self, call: Callable[[], Result], *, caller: str = "") -> Result:
        """Return the result of a call, run in a thread; once begun, it is completed.

        Raises:
            Refused: Too many wait already, it waited too long, or the server is stopping.
        """
        if self._is_stopping:
            raise _stopping()
        loop = asyncio.get_running_loop()
        job: _Job[Result] = _Job(call=call, caller=caller, ended=loop.create_future())
        self._stand_in_line(job)
        late = self._wait_s and loop.call_later(self._wait_s, self._leave, job, self._too_many())
        try:
            return (await job.ended).result()
        finally:
            self._leave(job)
            if late:
                late.cancel()

    def _stand_in_line(self, job: _Job[Any]) -> None:
        line = self._lines.setdefault(job.caller, _Line())
        line.jobs.append(job)
        self.waiting += 1
        self._begin_next()
        if len(line.jobs) > self._waiting_each_max:
            self._leave(job, self._too_many())
        elif self.waiting > self._waiting_max:
            lines = self._lines.values()
            longest = max(lines, key=lambda one: (len(one.jobs), one is not line))
            self._leave(longest.jobs[-1], self._too_many())

    def _leave(self, job: _Job[Any], refused: RequestRefused | None = None) -> None:
        """Take a call out of its line, unless it has begun."""
        line = self._lines.get(job.caller)
        if line is None or job not in line.jobs:
            return
        line.jobs.remove(job)
        self.waiting -= 1
        self._forget(job.caller)
        if refused is not None and not job.ended.done():
            job.ended.set_exception(refused)

    def _begin_next(self) -> None:
        """Give a free thread to the call whose turn it is; nothing without one of both."""
        lines = self._lines.items()
        ready = [(who, one) for who, one in lines if one.jobs and one.running < self._each_max]
        if self._running >= self._size or not ready:
            return
        caller, line = min(ready, key=lambda one: one[1].running)
        job = line.jobs[0]
        try:
            self._pool.submit(self._work, job)
        except RuntimeError:
            if self._is_stopping:  # closed meanwhile
                self.stop()
                return
            # no further thread could be started: one of those there are takes it from the pool
        line.jobs.popleft()
        self.waiting -= 1
        self._running += 1
        line.running += 1
        self._lines[caller] = self._lines.pop(caller)

    def _work(self, job: _Job[Any]) -> None:
        """Run a call in a thread, and wake the loop once for all that is to do then."""
        ended: Future[Any] = Future()
        try:
            ended.set_result(self._measure(job))
        except BaseException as error:  # noqa: BLE001  raised where it is waited for, as it is
            ended.set_exception(error)
        with suppress(RuntimeError):  # the loop is closed: nobody waits for a place
            job.ended.get_loop().call_soon_threadsafe(self._finish, job, ended)

    def _measure(self, job: _Job[Result]) -> Result:
        begun_s = time.thread_time()
        try:
            return job.call()
        finally:
            self._on_cost(job.caller, time.thread_time() - begun_s)

    def _finish(self, job: _Job[Result], ended: "Future[Result]") -> None:
        self._running -= 1
        self._lines[job.caller].running -= 1
        self._forget(job.caller)
        if not job.ended.done():
            job.ended.set_result(ended)
        self._begin_next()

    def _forget(self, caller: str) -> None:
        if not (self._lines[caller].running or self._lines[caller].jobs):
            del self._lines[caller]

    def stop(self) -> None:
        """Refuse the calls that wait and those that come, on the event loop; running ones go on."""
        self._is_stopping = True
        for job in [one for line in self._lines.values() for one in line.jobs]:
            self._leave(job, _stopping())

    def close(self) -> None:
        """Wait for running calls; others are not begun any more."""
        self._is_stopping = True
        self._pool.shutdown(wait=True)

    def _too_many(self) -> RequestRefused:
        return RequestRefused(503, self._refusal, retry_s=RETRY_S)


def _stopping() -> RequestRefused:
    return RequestRefused(503, "the server is stopping", retry_s=RETRY_S)
