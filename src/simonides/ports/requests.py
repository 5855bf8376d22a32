"""Attempts at a request that may come again: what a store reads to note them with their writes.

Must not import an adapter.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol


@dataclass(slots=True, kw_only=True)
class Attempt:
    """One attempt at a request, which a hash names; `is_noted` once a write has noted it."""

    digest: str
    mark: str
    is_noted: bool = False


_ATTEMPT: ContextVar[Attempt | None] = ContextVar("attempt", default=None)


@contextmanager
def attempting(attempt: Attempt) -> Iterator[None]:
    """Make every write of this thread in the block one of an attempt at a request."""
    before = _ATTEMPT.set(attempt)
    try:
        yield
    finally:
        _ATTEMPT.reset(before)


def attempt_here() -> Attempt | None:
    """Return the attempt for which this thread writes; None if there is none."""
    return _ATTEMPT.get()


class OnceSpace(Protocol):
    """An open space that notes attempts with their first write, for a day.

    Laws: of several attempts at one request, over all processes and whatever fails in between, the
    writes of one are kept; those of another raise `AlreadyDone`, and write nothing. None of this
    takes a revision, and no export has it.
    """

    def forget_attempt(self, attempt: Attempt) -> None:
        """Forget an attempt that failed after a write, so that the request may be tried again."""
        ...
