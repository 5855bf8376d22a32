"""The translation of PostgreSQL's errors into the engine's.

Knows which failure means what and what to do about it. Must not know what was being done.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from simonides.errors import InvalidInput, StoreBusy, StoreCorrupt, StoreError, StoreFull
from simonides_postgres.watched import Silent, Swallowed

RETRYABLE = (errors.SerializationFailure, errors.DeadlockDetected)
"""What undid a whole transaction that can be run again as it is."""

LOST = (psycopg.OperationalError, errors.IdleInTransactionSessionTimeout)
"""What tells, on a connection that is closed by then, that it was lost."""

_BUSY = (*RETRYABLE, errors.LockNotAvailable, errors.QueryCanceled)
_FULL = (errors.DiskFull, errors.ReadOnlySqlTransaction, errors.InsufficientResources)
_CORRUPT = (errors.DataCorrupted, errors.IndexCorrupted, UnicodeDecodeError)
_REFUSED = (psycopg.IntegrityError, psycopg.DataError)


UNANSWERED = (Silent, errors.ConnectionTimeout)
"""The server stopped to answer: trying again at once would take as long again."""


class NoneFree(psycopg.OperationalError):
    """All connections of the pool were in use for too long; says what to do."""


@contextmanager
def translate_errors() -> Iterator[None]:
    """Translate PostgreSQL's errors inside the block into the engine's."""
    try:
        yield
    except (psycopg.Error, UnicodeDecodeError) as error:
        raise as_store_error(error) from error


_CROWDED = (
    "the server has no connection left ({}); nothing was written; try again, raise its "
    "max_connections, or put a pooler in between"
)

_CROWDED_SAYS = ("too many", "remaining connection slots")
"""What PostgreSQL says where it refuses a connection for being crowded (its proc.c, postinit.c):
before there is a connection, libpq tells no code of an error."""

_SAID: tuple[tuple[tuple[type[Exception], ...], type[StoreError], str], ...] = (
    (_BUSY, StoreBusy, "the database is busy ({}); nothing was written; try again"),
    ((NoneFree,), StoreBusy, "{}"),
    (UNANSWERED, StoreBusy, "the database does not answer ({}); try again, and look at its server"),
    ((Swallowed,), StoreBusy, "a connection to the database was lost in silence ({}); try again"),
    (
        (errors.IdleInTransactionSessionTimeout,),
        StoreBusy,
        "this process stood still in the middle of a write ({}); nothing was written; try again",
    ),
    (_CORRUPT, StoreCorrupt, "the database fails its own check ({}); restore a backup"),
    (_FULL, StoreFull, "the database takes no writes ({}); nothing was written"),
    ((errors.InsufficientPrivilege,), StoreError, "the role may not do this ({})"),
    (
        (errors.UndefinedTable,),
        StoreError,
        "the database lacks tables ({}); run `simonides db upgrade`",
    ),
)
"""Which errors become which of the engine's, and with what sentence."""


_STARTS_OR_STOPS = "the database system is"
"""What PostgreSQL says while it starts, stops or recovers (its postmaster.c)."""


def is_unreachable(error: Exception) -> bool:
    """Return whether there is no server at the address just now, or it went away.

    A refused password or a missing database is reported as fatal by the server itself.
    """
    if isinstance(error, errors.AdminShutdown | errors.CrashShutdown | errors.CannotConnectNow):
        return True
    said = str(error)
    is_plain = type(error) is psycopg.OperationalError
    return is_plain and ("FATAL" not in said or _STARTS_OR_STOPS in said)


def is_crowded(error: Exception) -> bool:
    """Return whether the server refuses a connection because it has too many."""
    says = any(one in str(error) for one in _CROWDED_SAYS)
    return isinstance(error, errors.TooManyConnections) or (
        type(error) is psycopg.OperationalError and says
    )


def as_store_error(error: Exception) -> StoreError | InvalidInput:
    """Return the engine's error for one of PostgreSQL's."""
    said = str(error).strip().partition("\n")[0]
    if isinstance(error, _REFUSED) and not isinstance(error, _CORRUPT):
        return InvalidInput("item", f"the store refuses a value: {said}")
    if is_crowded(error):
        return StoreBusy(_CROWDED.format(said))
    if is_unreachable(error):
        return StoreBusy(f"no database answers ({said}); check that it can be reached; try again")
    for kinds, mapped, sentence in _SAID:
        if isinstance(error, kinds):
            return mapped(sentence.format(said))
    return StoreError(f"the database failed ({said}); check that it can be reached")
