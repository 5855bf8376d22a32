"""Requests that are done once: what a request writes is noted in the transaction of its write."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from simonides.api.memory import Memory
from simonides.errors import SimonidesError
from simonides.ports.requests import Attempt, attempting


@contextmanager
def doing_once(memory: Memory, digest: str) -> Iterator[None]:
    """Make what this thread writes in the block be written once for a request, by its hash.

    If the block raises anything, the request may be tried again, unless its process ends first:
    then what it wrote stands, and it is done.

    Raises:
        AlreadyDone: From a write: another attempt at the request has written.
    """
    attempt = Attempt(digest=digest, mark=secrets.token_hex(8))
    try:
        with attempting(attempt):
            yield
    except BaseException:
        if attempt.is_noted:
            with suppress(SimonidesError):
                _forget(memory, attempt)
        raise


def _forget(memory: Memory, attempt: Attempt) -> None:
    space = memory._opened.find_of_any_embedder()  # noqa: SLF001  the facade of this room
    if space is not None:
        space.forget_attempt(attempt)
