"""One space in PostgreSQL: the port's methods, each one transaction.

Knows how reads and writes take turns: a read is one snapshot, writers of a space follow one another
by the lock on its row, and a transaction that the server undid is run again. Must not know the
statements.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, cast

import psycopg
from psycopg import errors

from simonides.errors import StoreError, WrongEmbedder
from simonides.model.stored import EmbedderIdentity, Prepared
from simonides.storage.group_commit import UNSURE, CommitJob, Queue, Take, mark_sent, taking_back
from simonides.storage.leases import check_leases, fence, list_held
from simonides.storage.reader import StoredReader
from simonides.storage.revisions import note_revision
from simonides.storage.space import StoredSpace
from simonides.storage.space_facts import SpaceFacts
from simonides.storage.transaction import Transaction
from simonides.storage.writer import Write, replace_chunks, run
from simonides_postgres.commit_mark import NOW_US, CommitMark
from simonides_postgres.error_mapping import (
    LOST,
    RETRYABLE,
    UNANSWERED,
    NoneFree,
    translate_errors,
)
from simonides_postgres.facts import COLUMNS, FACTS, as_facts
from simonides_postgres.lanes.following import follow
from simonides_postgres.lanes.lanes import LaneReader
from simonides_postgres.lanes.vector_indexes import SEARCHED_WIDELY
from simonides_postgres.limits import limits
from simonides_postgres.maintenance import Maintenance
from simonides_postgres.pool import Pool
from simonides_postgres.transaction import Connection, PostgresTransaction

_TRIES_MAX = 3
"""How often a transaction is run that the server undid, or that was cut off before its end."""

IN_ORDER = "SET LOCAL enable_nestloop = off; SET LOCAL enable_hashjoin = off; SET LOCAL jit = off"
"""Rows are read in the order of their keys, which a merge keeps. Where the server has not counted
the rows of a new space yet it takes them for one, and a loop over 10,000 took 13 seconds. Look-ups
by several keys loop all the same; before version 18 that costs so much by the server's reckoning
that it would compile each of them first."""

_BY_ONE = "SET LOCAL max_parallel_workers_per_gather = 0"
"""Starting other processes for a question takes longer than it does (measured: 10,000 vectors), and
there are others who ask."""


class SpaceGone(StoreError):
    """The space was erased since it was opened."""


class InDoubt(StoreError):
    """The connection was lost at a commit, and the server cannot tell what became of it."""


class PostgresSpace(Maintenance, StoredSpace):
    """One open space; an adapter of `ports.Space`. Any number of threads may use it."""

    def __init__(
        self,
        *,
        name: str,
        space_id: int,
        pool: Pool,
        facts: SpaceFacts,
        timeout_s: float,
        durability: str,
        on_close: Callable[[], object],
        has_lanes: bool = False,
    ) -> None:
        super().__init__(name=name, facts=facts)
        self._has_lanes = has_lanes
        self._id = space_id
        self._pool = pool
        self._timeout_s = timeout_s
        self._durability = durability
        self._on_close = on_close
        self._is_closed = False
        self._queue = Queue(name=name, timeout_s=timeout_s)
        self._mark = CommitMark(space_id)

    def is_still_there(self) -> bool:
        """Return whether nobody has removed the space since it was opened."""
        own = f"SET LOCAL simonides.space = '{self._id:d}'"
        asked = f"BEGIN READ ONLY; {own}; {FACTS}{self._id:d}"
        with translate_errors(), self._pool.lend_begun(asked) as (_connection, row):
            return row is not None

    @contextmanager
    def _looking(self) -> Iterator[tuple[StoredReader, Transaction]]:
        self._check_open()
        with translate_errors(), self._pool.lend_begun(self._reading()) as (connection, row):
            facts = self._recognise(row)
            if facts.embedder != self._embedder:
                problem = f"space {self._name!r} was re-embedded with {facts.embedder.model}"
                raise WrongEmbedder(f"{problem} since it was opened; close it and open it again")
            begin = partial(PostgresTransaction, connection, self._id)
            reader = self._reader(begin, facts, connection)
            try:
                yield reader, begin()
            finally:
                reader.close()

    def _reader(
        self, begin: Callable[[], PostgresTransaction], facts: SpaceFacts, connection: Connection
    ) -> StoredReader:
        if not self._has_lanes:
            return StoredReader(begin, facts)
        return LaneReader(begin, facts, connection=connection, space_id=self._id)

    def _reading(self) -> str:
        begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        own = f"SET LOCAL simonides.space = '{self._id:d}'"
        widely = f"; {SEARCHED_WIDELY}" if self._has_lanes else ""
        return f"{begin}; {own}; {IN_ORDER}; {_BY_ONE}{widely}; {FACTS}{self._id:d}"

    def _writing_begin(self, wait_s: float, *, is_streamed: bool = False) -> str:
        """Return the script that locks the space; its row ends in the server's time."""
        sync = "off" if self._durability == "relaxed" else "on"
        facts = FACTS.replace(" FROM", f", {NOW_US} FROM", 1)
        return (
            f"BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL simonides.space = '{self._id:d}'; "
            f"SET LOCAL synchronous_commit = {sync}; "
            f"{limits(self._timeout_s, wait_s=wait_s, is_streamed=is_streamed)}; "
            f"{facts}{self._id:d} FOR UPDATE"
        )

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreError(f"space {self._name!r} was closed; open it again")

    def _recognise(self, row: tuple[Any, ...] | None) -> SpaceFacts:
        """Return the facts of the space's row; of one that is gone this object is forgotten."""
        if row is None:
            self._on_close()
            problem = f"space {self._name!r} was erased since it was opened"
            raise SpaceGone(f"{problem}; close it and open it again")
        facts = as_facts(row)
        self._uuid = facts.uuid
        return facts

    def _submit(self, write: Write) -> Any:
        self._check_open()
        with translate_errors():
            return self._queue.submit(fence(write, uuid=self._uuid), serve=self._serve)

    def _serve(self, take: Take, wait_s: float) -> None:
        """Write for all waiting threads, in one transaction, which is run again if it is undone."""
        jobs: list[CommitJob] = []

        def write(tx: PostgresTransaction, facts: SpaceFacts) -> None:
            if not jobs:
                jobs.extend(take())
            mark_sent(jobs, is_sent=False)  # what was sent before was undone
            revision = facts.revision
            for job in jobs:
                job.result, job.error, changed = run(
                    tx, job.work, meta=facts, revision=revision + 1
                )
                revision += changed
                if changed:
                    note_revision(tx, job.work, meta=facts, revision=revision)
            self._advance(tx, facts, revision=revision)
            mark_sent(jobs)

        with taking_back(jobs, in_doubt=lambda error: isinstance(error, InDoubt)):
            self._transact(write, wait_s=wait_s, tries=_TRIES_MAX)
        for job in jobs:
            job.done = True
        self._queue.wake()

    def _advance(self, tx: PostgresTransaction, facts: SpaceFacts, *, revision: int) -> None:
        if revision != facts.revision:
            tx.set_fact("revision", revision)

    def _transact(
        self,
        write: Callable[[PostgresTransaction, SpaceFacts], None],
        *,
        wait_s: float,
        tries: int,
        is_streamed: bool = False,
    ) -> None:
        """Run and commit one transaction; again where the server undid it or was cut off."""
        until = time.monotonic() + wait_s
        for left in reversed(range(tries)):
            begin = self._writing_begin(until - time.monotonic(), is_streamed=is_streamed)
            try:
                self._transact_once(write, begin=begin)
            except (NoneFree, *UNANSWERED):
                raise
            except (*RETRYABLE, *LOST) as error:
                is_undone = isinstance(error, (*RETRYABLE, errors.IdleInTransactionSessionTimeout))
                if not left or not (is_undone or error.sqlstate in (None, "57P01")):
                    raise
            else:
                return

    def _transact_once(
        self, write: Callable[[PostgresTransaction, SpaceFacts], None], *, begin: str
    ) -> None:
        with self._pool.lend_begun(begin) as (connection, row):
            facts = self._recognise(row)
            last_key = 0 if row is None else row[COLUMNS.index("last_key")]
            tx = PostgresTransaction(connection, self._id, last_key=last_key)
            write(tx, facts)
            if tx.last_key != last_key:
                tx.set_fact("last_key", tx.last_key)
            if self._has_lanes:
                follow(connection, self._id)
            self._commit(connection, since_us=0 if row is None else int(row[-1]))

    def _commit(self, connection: Connection, *, since_us: int) -> None:
        """Commit; where the connection is lost meanwhile, the mark tells what became of it.

        Raises:
            InDoubt: The server cannot be asked.
            OperationalError: It was not committed.
        """
        try:
            connection.execute(self._mark.commit(since_us=since_us))
        except psycopg.OperationalError as error:
            if not connection.broken:
                raise
            is_kept = self._is_kept(since_us)
            if is_kept is None:
                raise InDoubt(
                    f"the connection was cut in the middle of a commit: {UNSURE}"
                ) from error
            if not is_kept:
                raise

    def _is_kept(self, since_us: int) -> bool | None:
        """Return whether the last commit stands, once it is over; None if nobody can tell."""
        try:
            with self._pool.connect() as connection:
                self._pool.run(connection, self._writing_begin(self._timeout_s))
                row = connection.execute(self._mark.ask(since_us=since_us)).fetchone()
        except psycopg.Error:
            return None
        return None if row is None else row[0]

    def replace_vectors(self, identity: EmbedderIdentity, prepared: Iterable[Prepared]) -> int:
        """Replace the chunks of every present item and the space's embedder, in one transaction.

        `prepared` must hold every present item, unchanged; returns how many. Grows the epoch and
        the revision. Other writers wait until it is done, or give up at their time-out.

        Raises:
            InvalidInput: `prepared` does not match what is kept; nothing was written.
            StoreBusy: Another writer held the space past the time-out.
        """
        counts: list[int] = []

        def write(tx: PostgresTransaction, facts: SpaceFacts) -> None:
            counts.append(replace_chunks(tx, prepared, embedder=identity))
            for name in ("model", "dimension", "window_words", "quantiser"):
                tx.set_fact(name, cast("str | int", getattr(identity, name)))
            tx.set_fact("epoch", facts.epoch + 1)
            tx.set_fact("revision", facts.revision + 1)
            grown = replace(facts, epoch=facts.epoch + 1)
            note_revision(tx, None, meta=grown, revision=facts.revision + 1)

        self._alone(write)
        self._embedder = identity
        return counts[0]

    def _alone(self, write: Callable[[PostgresTransaction, SpaceFacts], None]) -> None:
        """Run one transaction that cannot be run again, while no other writer of this process."""
        self._check_open()
        leases = list_held(self._uuid)

        def check(tx: PostgresTransaction, facts: SpaceFacts) -> None:
            check_leases(tx, leases)
            write(tx, facts)

        with translate_errors(), self._queue.alone():
            self._transact(check, wait_s=self._timeout_s, tries=1, is_streamed=True)

    def close(self) -> None:
        """Close the space. Closing twice is no error."""
        self._is_closed = True
        self._on_close()
