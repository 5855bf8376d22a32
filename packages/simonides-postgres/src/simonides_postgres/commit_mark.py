"""A mark that a writer leaves with each commit, by which it learns what became of one cut off.

The mark is a row of `leases` that nobody holds: of this writer alone, with a number drawn for each
commit. What the server says of transactions by their own numbers is no answer, because after a
crash it gives numbers out again whose log had not reached the disk. Must not know what is written.
"""

import os
import secrets

NOW_US = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
"""The time by the server's clock."""

_KEPT_US = 86_400_000_000
"""Marks are taken away after a day; whoever asks later than that gets no answer."""


class CommitMark:
    """The mark of one writer of a space, whose transactions follow one another."""

    def __init__(self, space_id: int) -> None:
        self._space_id = space_id
        self._process = 0
        self._work = ""
        self._number = 0

    def commit(self, *, since_us: int) -> bytes:
        """Return the script that leaves a new mark and commits.

        `since_us` is when the transaction began, by the server's clock: a number, because Citus
        refuses to compare the clock with rows that are to be removed.
        """
        sweep = self._start_anew(since_us) if self._process != os.getpid() else ""
        self._number = 1 + secrets.randbelow(2**62)
        return (  # own names and numbers
            f"{sweep}INSERT INTO leases (space_id, work, token, holder, expires_us) "  # noqa: S608
            f"VALUES ({self._space_id:d}, '{self._work}', {self._number:d}, '', "
            f"{since_us + _KEPT_US:d}) ON CONFLICT (space_id, work) DO UPDATE "
            "SET token = excluded.token, expires_us = excluded.expires_us; COMMIT"
        ).encode()

    def ask(self, *, since_us: int) -> bytes:
        """Return the question whether the last mark stands; NULL where it may have been taken away.

        To be asked by a later writer, after the space's row is locked: the commit is over by then.
        `since_us` is when its transaction began, by the server's clock.
        """
        own = f"space_id = {self._space_id:d} AND work = '{self._work}' AND token = {self._number}"
        stands = f"EXISTS (SELECT FROM leases WHERE {own})"
        is_early = f"{NOW_US} - {since_us:d} < {_KEPT_US:d}"
        return f"SELECT CASE WHEN {stands} THEN true WHEN {is_early} THEN false END".encode()

    def _start_anew(self, now_us: int) -> str:
        """Take a row of this process's own: of a fork the parent and the child both write."""
        self._process, self._work = os.getpid(), f"commit/{secrets.token_hex(16)}"
        old = f"work LIKE 'commit/%' AND expires_us < {now_us:d}"
        return f"DELETE FROM leases WHERE space_id = {self._space_id:d} AND {old}; "  # noqa: S608
