"""Which exit status each outcome has, in one table.

Knows the error tree and the numbers that scripts rely on. Must not know any verb.
"""

from enum import IntEnum

from simonides.errors import (
    AccessDenied,
    Conflict,
    EmbedderError,
    ImportFailed,
    InvalidInput,
    ModelError,
    NotFound,
    SimonidesError,
    StoreError,
)


class Exit(IntEnum):
    """The exit statuses, as documented in `docs/reference/command-line.md`."""

    OK = 0
    UNEXPECTED = 1
    USAGE = 2
    NOT_FOUND = 3
    INVALID_INPUT = 4
    STORE = 5
    EMBEDDER = 6
    IMPORT_FAILED = 7
    PROBLEM_FOUND = 8
    NOT_EXACT = 9
    CONFLICT = 10
    MODEL = 11
    ACCESS_DENIED = 12
    INTERRUPTED = 130


_STATUS: dict[type[SimonidesError], Exit] = {
    NotFound: Exit.NOT_FOUND,
    Conflict: Exit.CONFLICT,
    InvalidInput: Exit.INVALID_INPUT,
    StoreError: Exit.STORE,
    EmbedderError: Exit.EMBEDDER,
    ModelError: Exit.MODEL,
    AccessDenied: Exit.ACCESS_DENIED,
    ImportFailed: Exit.IMPORT_FAILED,
}


def status_of(error: SimonidesError) -> Exit:
    """Return the exit status of an error: that of its nearest class in the table."""
    return next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), Exit.UNEXPECTED)
