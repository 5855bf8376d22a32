"""The translation of PostgreSQL's errors into the engine's.

Knows which failure means what and what to do about it. Must not know what was being done.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors
from psycopg_pool import PoolTimeout

from simonides.errors import InvalidInput, StoreBusy, StoreCorrupt, StoreError, StoreFull

RETRYABLE = (errors.SerializationFailure, errors.DeadlockDetected)
"""What undid a whole transaction that can be run again as it is."""

_BUSY = (*RETRYABLE, errors.LockNotAvailable, errors.QueryCanceled, PoolTimeout)
_FULL = (errors.DiskFull, errors.ReadOnlySqlTransaction, errors.InsufficientResources)
_CORRUPT = (errors.DataCorrupted, errors.IndexCorrupted, UnicodeDecodeError)
_REFUSED = (psycopg.IntegrityError, psycopg.DataError)


@contextmanager
def translated() -> Iterator[None]:
    """Translate PostgreSQL's errors inside the block into the engine's."""
    try:
        yield
    except (psycopg.Error, PoolTimeout, UnicodeDecodeError) as error:
        raise as_store_error(error) from error


def as_store_error(error: Exception) -> StoreError | InvalidInput:
    """Return the engine's error for one of PostgreSQL's."""
    said = str(error).strip().partition("\n")[0]
    if isinstance(error, _BUSY):
        return StoreBusy(f"the database is busy ({said}); nothing was written; try again")
    if isinstance(error, _CORRUPT):
        return StoreCorrupt(f"the database fails its own check ({said}); restore a backup")
    if isinstance(error, _FULL):
        return StoreFull(f"the database takes no writes ({said}); nothing was written")
    if isinstance(error, _REFUSED):
        return InvalidInput("item", f"the store refuses a value: {said}")
    if isinstance(error, errors.InsufficientPrivilege):
        return StoreError(f"the role may not do this ({said}); see the roles of the how-to")
    if isinstance(error, errors.UndefinedTable):
        return StoreError("the database holds no tables of Simonides; run `simonides db upgrade`")
    return StoreError(f"the database failed ({said}); check that it can be reached")
