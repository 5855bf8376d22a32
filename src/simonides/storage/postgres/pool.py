"""The connections of one store, lent out one user at a time, each with a transaction begun.

Knows how a connection is set up, that one may be dead when it is lent, and that none may be
carried over a fork. Must not know the tables.
"""

import math
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import ConnectionPool, PoolTimeout

from simonides.errors import StoreError
from simonides.storage.postgres import exact_text
from simonides.storage.postgres.transaction import Connection

Row = tuple[Any, ...]

CONNECT_S_MIN = 2
"""The shortest time-out of a connection that libpq knows (its documentation, connect_timeout)."""


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
        """Return a connection of its own, which is not lent; it says why where there is none.

        A server that does not answer is waited for as long as a writer waits, unless the address
        says how long itself (`connect_timeout`).
        """
        connection = psycopg.connect(self._dsn, **self._options())
        exact_text.register(connection)
        return connection

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
            connection = self._lent(pool)
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

    def _lent(self, pool: "ConnectionPool[Connection]") -> Connection:
        """Return a connection of the pool, once one is free.

        Raises:
            PoolTimeout: All were in use for too long; says what to do.
            OperationalError: The server cannot be reached; says why.
        """
        try:
            return pool.getconn()
        except PoolTimeout:
            if pool.get_stats().get("pool_size", 0) < self._max:
                self.connect().close()  # says why none could be made, if it still cannot
            raise PoolTimeout(
                f"all connections to the database ({self._max}) were in use for "
                f"{self._timeout_s:g} seconds; nothing was written; try again, ask less at once, "
                "or use more processes"
            ) from None

    def _options(self) -> dict[str, Any]:
        """Return how every connection is made."""
        if "connect_timeout" in conninfo_to_dict(self._dsn):
            return {"autocommit": True}
        wait_s = max(math.ceil(self._timeout_s), CONNECT_S_MIN)
        return {"autocommit": True, "connect_timeout": wait_s}

    def _of_process(self) -> "ConnectionPool[Connection]":
        with self._lock:
            if self._is_closed:
                raise StoreError("the store was closed; make a new one")
            if self._pool is None or self._process != os.getpid():
                self._pool = ConnectionPool(
                    self._dsn,
                    kwargs=self._options(),
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
