"""Which failures of a database are told as one that may be tried again."""

import logging

import psycopg
import pytest
from psycopg import errors

from simonides.errors import StoreBusy, StoreError
from simonides_postgres import pool
from simonides_postgres.error_mapping import translate_errors
from simonides_postgres.watched import Swallowed


@pytest.mark.parametrize(
    ("error", "is_retryable"),
    [
        (psycopg.OperationalError("connection to server failed: Connection refused"), True),
        (psycopg.OperationalError("FATAL:  the database system is starting up"), True),
        (psycopg.OperationalError("server closed the connection unexpectedly"), True),
        (errors.AdminShutdown("terminating connection"), True),
        (Swallowed("it said nothing"), True),
        (errors.IdleInTransactionSessionTimeout("terminating connection"), True),
        (psycopg.OperationalError("FATAL:  password authentication failed"), False),
        (psycopg.OperationalError('FATAL:  database "x" does not exist'), False),
    ],
)
def test_a_database_that_is_down_may_be_tried_again(
    error: Exception, *, is_retryable: bool
) -> None:
    with pytest.raises(StoreError) as reported, translate_errors():
        raise error

    assert (reported.type is StoreBusy) is is_retryable


def test_what_psycopg_warns_of_is_not_printed() -> None:
    assert pool.QUIET in logging.getLogger("psycopg").handlers
