"""Group commit: the first of several threads writes for all that wait, in one transaction.

Knows how threads queue, lead and wait. Must not know what a write is: that is for `serve`.
"""

import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from simonides.errors import StoreBusy, StoreError

UNSURE = "the write is kept, whole, or not at all; read it again"
"""What is said of a commit that was broken off."""

Take = Callable[[], list["CommitJob"]]
Serve = Callable[[Take, float], None]


@dataclass(slots=True, eq=False, kw_only=True)
class CommitJob:
    """One thread's write: its function, its deadline (monotonic), and its result.

    `taken` while a leader is at it; a job that is not taken can still be withdrawn. `sent` from
    when its commit begins until that is known to have failed: it may stand, so it is never done
    again.
    """

    work: Any
    until: float
    taken: bool = False
    sent: bool = False
    done: bool = False
    result: Any = None
    error: Exception | None = None


class Queue:
    """The writes of one space in this process, one group at a time.

    The thread that finds nobody leading leads: it serves all that wait, itself included, and
    wakes them. `serve(take, wait_s)` gets a function that takes the waiting jobs, to be called
    once the file's lock is held, and how long it may wait for that lock. It marks as done what
    is durable; what it leaves undone waits for the next leader, unless it was sent: of that every
    thread gets the leader's error, that it may be kept.
    """

    def __init__(self, *, name: str, timeout_s: float) -> None:
        self._name = name
        self._timeout_s = timeout_s
        self.start_anew()
        _QUEUES.add(self)

    def start_anew(self) -> None:
        """Be empty, as the child of a fork must: the threads that waited are not in it."""
        self._changed = threading.Condition()
        self._waiting: list[CommitJob] = []
        self._is_led = False

    @property
    def is_empty(self) -> bool:
        """Whether nobody waits."""
        return not self._waiting

    def submit(self, work: Any, *, serve: Serve) -> Any:
        """Return the result of `work`, once it is durable, or raise its error.

        Raises:
            StoreBusy: Other writers held the space for longer than the time-out.
        """
        job = self._job(work)
        with self._changed:
            self._waiting.append(job)
        try:
            while not job.done:
                if self._may_lead(job):
                    self._lead(job, serve)
        finally:
            self._withdraw(job)
        if job.error is not None:
            raise job.error
        return job.result

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep every other writer of this process out for the length of a `with` block.

        Raises:
            StoreBusy: Others held the space for longer than the time-out.
        """
        self._may_lead(self._job(None))
        try:
            yield
        except StoreBusy as error:
            raise self._busy() from error
        finally:
            self._hand_over([])

    def wake(self) -> None:
        """Let the threads go whose jobs are done."""
        with self._changed:
            self._changed.notify_all()

    def _job(self, work: Any) -> CommitJob:
        return CommitJob(work=work, until=time.monotonic() + self._timeout_s)

    def _may_lead(self, job: CommitJob) -> bool:
        """Wait until nobody leads, then lead; return False if the job was done meanwhile."""
        with self._changed:
            while self._is_led and not job.done:
                left_s = job.until - time.monotonic()
                if left_s <= 0.0 and not job.taken:
                    raise self._busy()
                self._changed.wait(None if job.taken else left_s)
            if not job.done:
                self._is_led = True
            return not job.done

    def _lead(self, own: CommitJob, serve: Serve) -> None:
        taken: list[CommitJob] = []

        def take() -> list[CommitJob]:
            with self._changed:
                taken.extend(self._waiting)
                self._waiting.clear()
                for job in taken:
                    job.taken = True
            return taken

        try:
            serve(take, max(own.until - time.monotonic(), 0.0))
        except BaseException as error:
            _leave_in_doubt(taken, error)
            if isinstance(error, StoreBusy):
                raise self._busy() from error
            raise
        finally:
            self._hand_over([job for job in taken if not job.done])

    def _hand_over(self, undone: list[CommitJob]) -> None:
        with self._changed:
            for job in undone:
                job.taken = False
            self._waiting[:0] = undone
            self._is_led = False
            self._changed.notify_all()

    def _busy(self) -> StoreBusy:
        problem = f"space {self._name!r}: waited {self._timeout_s:g} s for other writers"
        return StoreBusy(f"{problem}; nothing was written; try again, or raise the time-out")

    def _withdraw(self, job: CommitJob) -> None:
        """Take a job back that failed or was interrupted before it was done."""
        with self._changed:
            if job in self._waiting:
                self._waiting.remove(job)


@contextmanager
def taking_back(jobs: list[CommitJob], *, in_doubt: Callable[[Exception], bool]) -> Iterator[None]:
    """Note of jobs that they were not sent after all, if an error leaves the block that says so.

    One that leaves them `in_doubt` does not, nor does an interruption.
    """
    try:
        yield
    except Exception as error:
        if not in_doubt(error):
            mark_sent(jobs, is_sent=False)
        raise


def mark_sent(jobs: list[CommitJob], *, is_sent: bool = True) -> None:
    """Note of jobs whether their commit may stand."""
    for job in jobs:
        job.sent = is_sent


def _leave_in_doubt(jobs: list[CommitJob], error: BaseException) -> None:
    """End the jobs that were sent: nobody knows what became of them."""
    failure = error if isinstance(error, Exception) else StoreError(f"interrupted: {UNSURE}")
    for job in jobs:
        if job.sent and not job.done:
            job.error, job.done = failure, True


_QUEUES: weakref.WeakSet[Queue] = weakref.WeakSet()


def _start_anew() -> None:
    for queue in list(_QUEUES):
        queue.start_anew()


if hasattr(os, "register_at_fork"):  # not on Windows, which cannot fork
    os.register_at_fork(after_in_child=_start_anew)
