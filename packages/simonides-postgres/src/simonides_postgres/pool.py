"""The connections of one store, lent out one user at a time, each with a transaction begun.

Knows how a connection is set up, that one may be dead when it is lent, and that none may be
carried over a fork. Whoever needs a new one makes it, so that whoever cannot be served hears why at
once, and is served again the moment the server is back. Must not know the tables.
"""

import logging
import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.generators import fetch_many
from psycopg.pq import TransactionStatus

from simonides.errors import StoreError
from simonides_postgres import exact_text
from simonides_postgres.distribution import TELL_NODES
from simonides_postgres.error_mapping import LOST, NoneFree, is_crowded
from simonides_postgres.transaction import Connection
from simonides_postgres.watched import Silent, Swallowed, WatchedConnection

Row = tuple[Any, ...]

CONNECT_S_MIN = 2
"""The shortest time-out of a connection that libpq knows (its documentation, connect_timeout)."""

IDLE_S_MAX = 120.0
"""A connection that nobody needed for so long is closed: what lies between may forget it, without a
word, after 240 seconds (Azure's load balancer; others later)."""

_KEEPALIVES = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
"""When TCP asks whether a silent other end is there, in seconds, and how often."""

_AT_WORK = """SELECT pg_backend_pid(), EXISTS (SELECT FROM pg_stat_activity WHERE pid = %s
  AND coalesce(state, '') NOT LIKE 'idle%%' AND wait_event_type IS DISTINCT FROM 'Client')"""
"""Whether the server is at work for a backend, rather than waiting for its client. A role may see
its own."""

QUIET = logging.NullHandler()
"""What psycopg warns of is raised as an error as well; without a handler Python would print it."""

logging.getLogger("psycopg").addHandler(QUIET)


class Pool:
    """Lends connections to one database; it begins anew in the child of a fork."""

    def __init__(self, dsn: str, *, timeout_s: float, connections_max: int) -> None:
        self._dsn = dsn
        self._timeout_s = timeout_s
        self._max = connections_max
        self.is_distributed = False
        """Whether rows lie on other nodes (Citus), to which what is set here must be passed on."""
        self._is_closed = False
        self._of_parent: list[tuple[Connection, float]] = []
        self._start_anew()

    @contextmanager
    def lend_begun(self, script: str) -> Iterator[tuple[Connection, Row | None]]:
        """Lend a connection on which `script` began a transaction, and the last row it gave.

        What is not committed by the end is rolled back.

        Raises:
            NoneFree: All connections were in use for too long; says what to do.
            OperationalError: The server cannot be reached; says why.
        """
        with self._turn():
            connection, row = self._begin(script)
            try:
                yield connection, row
            finally:
                self._take_back(connection)

    def connect(self) -> Connection:
        """Return a new connection, which is not lent.

        A server that does not answer is waited for as long as a writer waits, unless the address
        says how long itself (`connect_timeout`). Where it stops to answer later, that is found out
        after as long again, and the connection given up.
        """
        return self._connect(silent_s=self._timeout_s, is_at_work=self._is_at_work)

    def _connect(self, *, silent_s: float, is_at_work: Callable[[int], bool]) -> WatchedConnection:
        connection = WatchedConnection.connect(self._dsn, autocommit=True, **self._options())
        connection.watch(silent_s=silent_s, is_at_work=is_at_work)
        exact_text.register(connection)
        return connection

    def _is_at_work(self, backend: int) -> bool:
        """Return whether the server is at work for a backend; True where it cannot tell.

        Raises:
            OperationalError: It takes no new connection.
        """
        patience_s = max(self._timeout_s, CONNECT_S_MIN)
        try:
            with self._connect(silent_s=patience_s, is_at_work=_is_silent_too) as asking:
                row = asking.execute(_AT_WORK, (backend,)).fetchone()
                is_direct = row is not None and row[0] == asking.pgconn.backend_pid
        except psycopg.OperationalError as error:
            if is_crowded(error):
                return True
            raise
        return bool(row and row[1]) or not is_direct  # a pooler tells numbers of its own

    def run(self, connection: Connection, script: str) -> Row | None:
        """Run several statements in one round trip; return the last row of the last one."""
        return (_last_row_of_each if self.is_distributed else _last_row)(connection, script)

    def counts(self) -> tuple[int, int, int]:
        """Return how many connections are lent, how many idle, and how many callers wait."""
        if self._process != os.getpid():
            return 0, 0, 0
        with self._lock:
            return self._lent, len(self._idle), self._waiting

    def close(self) -> None:
        """Close every idle connection; those in use are closed when they are given back."""
        self._is_closed = True
        if self._process == os.getpid():
            self._close_idle(since=math.inf)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait until fewer connections are in use than there may be."""
        if self._process != os.getpid():
            self._of_parent += self._idle  # the parent's: kept, for closing them would end its own
            self._start_anew()
        if self._is_closed:
            raise StoreError("the store was closed; make a new one")
        free = self._free
        if not self._wait(free):
            raise NoneFree(
                f"all connections to the database ({self._max}) were in use for "
                f"{self._timeout_s:g} seconds; nothing was written; try again, ask less at once, "
                "or use more processes"
            )
        try:
            yield
        finally:
            self._count(lent=-1)
            free.release()

    def _wait(self, free: threading.Semaphore) -> bool:
        """Wait for a turn, and count those who do; False if none came in time."""
        self._count(waiting=1)
        has_turn = free.acquire(timeout=self._timeout_s)
        self._count(waiting=-1, lent=int(has_turn))
        return has_turn

    def _count(self, *, lent: int = 0, waiting: int = 0) -> None:
        with self._lock:
            self._lent += lent
            self._waiting += waiting

    def _start_anew(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._free = threading.Semaphore(self._max)
        self._idle: list[tuple[Connection, float]] = []
        self._lent = self._waiting = 0

    def _begin(self, script: str) -> tuple[Connection, Row | None]:
        """Begin on a connection that lives: idle ones may have died with their server."""
        while True:
            self._close_idle(since=time.monotonic() - IDLE_S_MAX)
            idle = self._take()
            connection = self.connect() if idle is None else idle
            try:
                _finish_rollback(connection)
                return connection, self.run(connection, script)
            except BaseException as error:
                is_dead = connection.broken and isinstance(error, LOST)
                self._take_back(connection)
                if isinstance(error, Silent | Swallowed):  # so are the others, most likely
                    self._close_idle(since=math.inf)
                if idle is None or not is_dead or isinstance(error, Silent):
                    raise

    def _take(self) -> Connection | None:
        """Return the idle connection that was used last; None if there is none."""
        with self._lock:
            return self._idle.pop()[0] if self._idle else None

    def _take_back(self, connection: Connection) -> None:
        """Keep a connection for the next user, with what it did not commit being rolled back."""
        with suppress(psycopg.Error):
            _begin_rollback(connection)
        now = time.monotonic()
        if connection.closed or self._is_closed:
            connection.close()
        else:
            with self._lock:
                self._idle.append((connection, now))
        self._close_idle(since=now - IDLE_S_MAX)

    def _close_idle(self, *, since: float) -> None:
        """Close the connections that nobody has used since then."""
        with self._lock:
            old = [one for one, used in self._idle if used < since]
            self._idle = self._idle[len(old) :]  # the longest unused ones come first
        for one in old:
            one.close()

    def _options(self) -> dict[str, Any]:
        """Return the settings of each connection, unless the address sets them itself."""
        wait_s = max(math.ceil(self._timeout_s), CONNECT_S_MIN)
        unheard_ms = 2 * wait_s * 1000
        ours = {"connect_timeout": wait_s, "tcp_user_timeout": unheard_ms, **_KEEPALIVES}
        said = conninfo_to_dict(self._dsn)
        return {name: value for name, value in ours.items() if name not in said}


def _is_silent_too(_backend: int) -> bool:
    """Give up a connection by which another one is asked for, if it is silent itself."""
    raise psycopg.OperationalError("it does not answer on a new connection")


def _begin_rollback(connection: Connection) -> None:
    """Tell the server to roll back, unless nothing is begun; nobody waits for its answer."""
    status = connection.info.transaction_status
    if status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
        connection.pgconn.send_query(b"ROLLBACK")
        connection.pgconn.flush()
    elif status != TransactionStatus.IDLE:  # a statement was broken off
        connection.close()


def _finish_rollback(connection: Connection) -> None:
    """Read the answer to what the last user left behind, which mostly is there already."""
    if connection.info.transaction_status == TransactionStatus.ACTIVE:
        connection.wait(fetch_many(connection.pgconn))


def _last_row_of_each(connection: Connection, script: str) -> Row | None:
    """Run each statement by itself, and let those that set something be passed on to the nodes.

    Citus passes on the whole text in which a SET LOCAL stands: it must stand alone.
    """
    begin, *others = script.split("; ")
    with connection.pipeline():
        for one in (begin, TELL_NODES, *others):
            cursor = connection.execute(one.encode(), prepare=False)
    return cursor.fetchone() if cursor.description else None


def _last_row(connection: Connection, script: str) -> Row | None:
    cursor = connection.execute(script.encode())
    while cursor.nextset():
        pass
    return cursor.fetchone() if cursor.description else None
