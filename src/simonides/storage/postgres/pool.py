"""The connections of one store, lent out one user at a time, each with a transaction begun.

Knows how a connection is set up, that one may be dead when it is lent, and that none may be
carried over a fork. Must not know the tables.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg_pool import ConnectionPool

from simonides.errors import StoreError
from simonides.storage.postgres import exact_text
from simonides.storage.postgres.transaction import Connection

Row = tuple[Any, ...]


class Pool:
    """Lends connections to one database; a new pool is made in the child of a fork."""

    def __init__(self, dsn: str, *, timeout_s: float, connections_max: int) -> None:
        self._dsn = dsn
        self._timeout_s = timeout_s
        self._max = connections_max
        self._lock = threading.Lock()
        self._pool: ConnectionPool[Connection] | None = None
        self._process = 0
        self._is_closed = False

    @contextmanager
    def begun(self, script: str) -> Iterator[tuple[Connection, Row | None]]:
        """Lend a connection on which `script` began a transaction, and the last row it gave.

        What is not committed by the end is rolled back.
        """
        pool = self._of_process()
        connection, row = self._begin(pool, script)
        try:
            yield connection, row
        finally:
            with suppress(psycopg.Error):
                if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                    connection.execute("ROLLBACK")
            pool.putconn(connection)

    def connect(self) -> Connection:
        """Return a connection of its own, which is not lent; it says why where there is none."""
        connection = psycopg.connect(self._dsn, autocommit=True)
        exact_text.register(connection)
        return connection

    def counts(self) -> tuple[int, int, int]:
        """Return how many connections are lent, how many idle, and how many callers wait."""
        pool = self._pool
        if pool is None or self._process != os.getpid():
            return 0, 0, 0
        found = pool.get_stats()
        idle = found["pool_available"]
        return found["pool_size"] - idle, idle, found["requests_waiting"]

    def close(self) -> None:
        """Close every idle connection; those in use are closed when they are given back."""
        with self._lock:
            pool, self._pool = self._pool, None
            self._is_closed = True
        if pool is not None and self._process == os.getpid():
            pool.close()

    def _begin(
        self, pool: "ConnectionPool[Connection]", script: str
    ) -> tuple[Connection, Row | None]:
        """Begin on a connection that lives: idle ones may have died with their server."""
        for _ in range(self._max):
            connection = pool.getconn()
            try:
                return connection, _last_row(connection, script)
            except BaseException as error:
                is_dead = connection.broken
                if not is_dead:
                    connection.execute("ROLLBACK")
                pool.putconn(connection)
                if not is_dead or not isinstance(error, psycopg.OperationalError):
                    raise
        raise psycopg.OperationalError("no connection lived long enough to be used")

    def _of_process(self) -> "ConnectionPool[Connection]":
        with self._lock:
            if self._is_closed:
                raise StoreError("the store was closed; make a new one")
            if self._pool is None or self._process != os.getpid():
                self._pool = ConnectionPool(
                    self._dsn,
                    kwargs={"autocommit": True},
                    min_size=0,
                    max_size=self._max,
                    timeout=self._timeout_s,
                    configure=exact_text.register,
                    open=True,
                )
                self._process = os.getpid()
            return self._pool


def _last_row(connection: Connection, script: str) -> Row | None:
    """Run several statements in one round trip; return the last row of the last one."""
    cursor = connection.execute(script.encode())
    while cursor.nextset():
        pass
    return cursor.fetchone() if cursor.description else None
