"""Requests that may come again: each is noted in the transaction of its first write.

So a request is done once whatever else forgets it: the note stands if, and only if, its write does.
Must not know what a request asks, nor who sent it.
"""

import time
from dataclasses import dataclass
from typing import Any

from simonides.errors import AlreadyDone
from simonides.ports.requests import Attempt, attempt_here
from simonides.storage.space_facts import SpaceFacts
from simonides.storage.transaction import Transaction
from simonides.storage.writer import Write

KEPT_US = 24 * 3_600_000_000
"""How long a note stands, in microseconds: as long as an answer is given again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noting:
    """A write of an attempt at a request."""

    write: Write
    attempt: Attempt

    @property
    def commit(self) -> Any:
        """The write that says its time."""
        return getattr(self.write, "commit", self.write)

    def __call__(self, tx: Transaction, meta: SpaceFacts, revision: int) -> tuple[Any, bool]:
        """Note the attempt, then write.

        Raises:
            AlreadyDone: Another attempt at the same request has written.
        """
        at_us = time.time_ns() // 1000
        tx.run("forget_requests", {"before_us": at_us - KEPT_US})
        names = {"digest": self.attempt.digest, "mark": self.attempt.mark, "at_us": at_us}
        if tx.value("note_request", names) != self.attempt.mark:
            raise AlreadyDone
        self.attempt.is_noted = True
        return self.write(tx, meta, revision)


def noting(write: Write) -> Write:
    """Return the write for the attempt of this thread; itself if there is none."""
    attempt = attempt_here()
    return write if attempt is None else Noting(write=write, attempt=attempt)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetAttempt:
    """Forgets an attempt that failed after a write, so that it may be made again."""

    attempt: Attempt

    def __call__(self, tx: Transaction, _meta: SpaceFacts, _revision: int) -> tuple[None, bool]:
        """Take its note away; that of another attempt stays."""
        names = {"digest": self.attempt.digest, "mark": self.attempt.mark}
        tx.run("forget_request", names)
        return None, False
