"""Connections that are given up where the server has stopped to answer.

A statement may take long, and a server that hangs keeps its connections open: neither says a word.
So one that is silent for a while is distinguished from a hanging one by a connection of its own, on
which the server says whether it is at work for the silent one. If it is not, what lies between has
swallowed one side's words. Must not know what is asked.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg import errors
from psycopg.abc import PQGen

Result = TypeVar("Result")

INTERVAL_S = 0.1
"""Between two looks for Ctrl-C, as psycopg has it."""


class Silent(psycopg.OperationalError):
    """The server stopped to answer, on this connection and on a new one."""


class Swallowed(psycopg.OperationalError):
    """The server is not at work for this connection, from which nothing comes."""


class SyncedPipeline(psycopg.Pipeline):
    """A pipeline that ends each statement by a Sync, and nothing by a Flush.

    Only after a Sync does the server begin to count how long a transaction is idle, and a Flush
    behind it makes it stop (its postgres.c): then a client that vanishes is waited for.
    """

    def _communicate_gen(self) -> PQGen[None]:
        if self.command_queue:
            self._enqueue_sync()
        yield from super()._communicate_gen()

    def _exit_gen(self) -> PQGen[None]:
        try:
            yield from self._communicate_gen()
        finally:
            yield from self._fetch_gen(flush=False)


class WatchedConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that is given up after a silence of `silent_s`, unless the server is at work.

    It watches from the call of `watch` on.
    """

    _silent_s: float | None = None
    _is_at_work: Callable[[int], bool]

    def watch(self, *, silent_s: float, is_at_work: Callable[[int], bool]) -> None:
        """Ask `is_at_work` of this connection's backend after each silence of that length.

        It raises an `OperationalError` where the server cannot be asked.
        """
        self._silent_s, self._is_at_work = silent_s, is_at_work

    def wait(
        self, gen: PQGen[Result], interval: float = INTERVAL_S, timeout: float | None = None
    ) -> Result:
        """Return the result of an exchange with the server.

        Raises:
            Silent: The server does not answer any more; the connection is closed.
            Swallowed: It was idle for this connection after two silences; the connection is closed.
        """
        if timeout is not None or self._silent_s is None:
            return super().wait(gen, interval, timeout)
        is_idle = False
        while True:
            try:
                return super().wait(gen, interval, self._silent_s)
            except errors._WaitTimeout:  # noqa: SLF001  as psycopg's own callers of `wait`
                was_idle, is_idle = is_idle, not self._is_worked_for()
                if was_idle and is_idle:  # once may be an answer on its way
                    self.pgconn.finish()
                    problem = f"it said nothing for {2 * self._silent_s:g} seconds"
                    raise Swallowed(f"{problem}, and has nothing to do") from None

    @contextmanager
    def pipeline(self) -> Iterator[psycopg.Pipeline]:
        """Send statements without waiting for the answers to those before."""
        if self._pipeline is None:
            self._pipeline = SyncedPipeline(self)
        with super().pipeline() as pipeline:
            yield pipeline

    def _is_worked_for(self) -> bool:
        try:
            return self._is_at_work(self.pgconn.backend_pid)
        except psycopg.OperationalError as error:
            self.pgconn.finish()
            problem = f"it said nothing for {self._silent_s:g} seconds"
            raise Silent(f"{problem}, and takes no new connection") from error
