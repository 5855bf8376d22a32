"""Connections that are given up where the server has stopped to answer.

A statement may take long, and a server that hangs keeps its connections open: neither says a word.
So one that is silent for a while is told from a hanging one by a connection of its own. Must not
know what is asked.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import psycopg
from psycopg import errors
from psycopg.abc import PQGen

Result = TypeVar("Result")

INTERVAL_S = 0.1
"""Between two looks for Ctrl-C, as psycopg has it."""


class Silent(psycopg.OperationalError):
    """The server stopped to answer, on this connection and on a new one."""


class WatchedConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection on which a silence of `silent_s` raises `Silent`, unless the server `answers`.

    It watches from the call of `watch` on.
    """

    _silent_s: float | None = None
    _answers: Callable[[], bool]

    def watch(self, *, silent_s: float, answers: Callable[[], bool]) -> None:
        """Ask `answers` again and again while a statement has been at work for so long."""
        self._silent_s, self._answers = silent_s, answers

    def wait(
        self, gen: PQGen[Result], interval: float = INTERVAL_S, timeout: float | None = None
    ) -> Result:
        """Return the result of an exchange with the server.

        Raises:
            Silent: The server does not answer any more; the connection is closed.
        """
        if timeout is not None or self._silent_s is None:
            return super().wait(gen, interval, timeout)
        while True:
            try:
                return super().wait(gen, interval, self._silent_s)
            except errors._WaitTimeout as error:  # noqa: SLF001  as psycopg's own callers of `wait`
                if not self._answers():
                    self.pgconn.finish()
                    problem = f"it said nothing for {self._silent_s:g} seconds"
                    raise Silent(f"{problem}, and takes no new connection") from error
