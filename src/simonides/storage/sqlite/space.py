"""One space: the port's methods, each one transaction.

Knows how reads and writes borrow connections and take turns. Must not know the statements.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from simonides import storage
from simonides.errors import NotFound, StoreBusy, StoreError, WrongEmbedder
from simonides.model.answer import Finding, SpaceStats
from simonides.model.stored import EmbedderIdentity, Prepared
from simonides.storage import sqlite
from simonides.storage.group_commit import CommitJob, Queue, Take, mark_sent, taking_back
from simonides.storage.reader import StoredReader
from simonides.storage.revisions import note_revision
from simonides.storage.space import StoredSpace
from simonides.storage.sqlite.connection import Handle, is_blank, writing
from simonides.storage.sqlite.error_mapping import translate_errors
from simonides.storage.sqlite.file_names import mark_file, mark_identity
from simonides.storage.sqlite.maintenance import PAGE_BYTES, Maintenance
from simonides.storage.sqlite.meta import (
    FORMAT,
    Meta,
    check_format,
    check_pages,
    read_meta,
    set_meta,
    write_embedder,
)
from simonides.storage.sqlite.pool import ENDED, Pool, PooledConnection
from simonides.storage.sqlite.transaction import SqliteTransaction, transaction
from simonides.storage.transaction import Transaction

if TYPE_CHECKING:
    from simonides.storage.writer import Write

LOG_BYTES_SOFT = 4 << 20
"""Above this the log is folded in after a commit, if nobody waits (SQLite's own habit: 4 MB)."""
LOG_BYTES_HARD = 64 << 20
"""Above this it is folded in even if others wait."""


class SqliteSpace(Maintenance, StoredSpace):
    """One open space; an adapter of `ports.Space`. Any number of threads may use it."""

    def __init__(
        self, *, name: str, file: Path, pool: Pool, meta: Meta, on_close: Callable[[], object]
    ) -> None:
        super().__init__(name=name, facts=meta)
        self._file = file
        self._pool = pool
        self._on_close = on_close
        self._is_closed = False
        self._mark = str(mark_file(file))
        self._mark_seen = mark_identity(self._mark)
        self._queue = Queue(name=name, timeout_s=pool.tuning.timeout_s)

    def is_still_there(self) -> bool:
        """Return whether no other process has erased the space, or made another in its place.

        Looks into the file only where the mark beside it is not the one that was there before.
        """
        seen = mark_identity(self._mark)
        if seen is not None and seen == self._mark_seen:
            return True
        try:
            with self._lend(writes=False) as loan, translate_errors(self._file):
                is_same = not is_blank(loan.handle.sqlite) and (
                    read_meta(loan.handle.sqlite).uuid == self._uuid
                )
        except NotFound:
            return False
        self._mark_seen = seen
        return is_same

    @contextmanager
    def _looking(self) -> Iterator[tuple[StoredReader, Transaction]]:
        with self._look() as (reader, handle):
            yield reader, transaction(handle.sqlite, self._file)

    @contextmanager
    def _look(self) -> Iterator[tuple[StoredReader, Handle]]:
        with self._lend(writes=False) as loan, _busy_if_ended(loan, self._file):
            try:
                meta = self._begin(loan.handle)
                begin = partial(SqliteTransaction, lambda: loan.handle.sqlite, self._file)
                reader = StoredReader(begin, meta)
                try:
                    yield reader, loan.handle
                finally:
                    reader.close()
            finally:
                _end(loan)

    def _lend(self, *, writes: bool) -> AbstractContextManager[PooledConnection]:
        if self._is_closed:
            raise StoreError(f"space {self._name!r} was closed; open it again")
        return self._pool.lend(self._file, writes=writes)

    def _begin(self, handle: Handle) -> Meta:
        """Hold a read transaction; reading `meta` fixes its state."""
        with translate_errors(self._file):
            handle.sqlite.execute("BEGIN")
            meta = self._recognise(handle)
        if meta.embedder != self._embedder:
            problem = f"space {self._name!r} was re-embedded with {meta.embedder.model}"
            raise WrongEmbedder(f"{problem} since it was opened; close it and open it again")
        return meta

    def _recognise(self, handle: Handle) -> Meta:
        """Return the space's facts as of the transaction begun, if it still is the same space.

        Of one that is not, this object is forgotten: who opens the space next finds what is there.
        """
        found = check_format(handle)
        if found == 0:
            self._on_close()
            problem = f"the space at {self._file} was erased since it was opened"
            raise StoreError(f"{problem}; close it and open it again")
        if found < FORMAT:
            problem = f"{self._file} was put back in an older format since it was opened"
            raise StoreError(f"{problem}; close it and open it again, which brings it up to date")
        meta = read_meta(handle.sqlite)
        check_pages(meta, handle)
        if meta.uuid != self._uuid:
            self._on_close()
            raise StoreError(f"another space lies at {self._file} by now; close and open it again")
        return meta

    def _submit(self, write: "Write") -> Any:
        with translate_errors(self._file):
            return self._queue.submit(
                storage.leases.fence(write, uuid=self._uuid), serve=self._serve
            )

    def _serve(self, take: Take, wait_s: float) -> None:
        """Write for all waiting threads, in one transaction; then checkpoint a long log."""
        with self._lend(writes=True) as loan:
            handle = loan.handle
            handle.patience.timeout_s = wait_s
            jobs: list[CommitJob] = []
            with taking_back(jobs, in_doubt=_is_failed_disk), writing(handle) as sqlite:
                meta = self._recognise(handle)
                jobs += take()
                tx = transaction(sqlite, self._file)
                revision = meta.revision
                for job in jobs:
                    job.result, job.error, changed = storage.writer.run(
                        tx, job.work, meta=meta, revision=revision + 1
                    )
                    revision += changed
                    if changed:
                        note_revision(tx, job.work, meta=meta, revision=revision)
                if revision != meta.revision:
                    set_meta(sqlite, "revision", revision)
                mark_sent(jobs)
            for job in jobs:
                job.done = True
            self._queue.wake()
            self._fold_in(handle)

    def _fold_in(self, handle: Handle) -> None:
        self._note_written(handle)
        log_bytes = handle.log_pages * PAGE_BYTES
        nobody_waits = self._queue.is_empty
        if log_bytes > LOG_BYTES_HARD or (log_bytes > LOG_BYTES_SOFT and nobody_waits):
            with suppress(apsw.Error):  # what is committed stays safe in the log
                handle.sqlite.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

    def replace_vectors(self, identity: EmbedderIdentity, prepared: Iterable[Prepared]) -> int:
        """Replace the chunks of every present item and the space's embedder, in one transaction.

        `prepared` must hold every present item, unchanged; returns how many. Grows the epoch and
        the revision. Other writers wait until it is done, or give up at their time-out.

        Raises:
            InvalidInput: `prepared` does not match what is kept; nothing was written.
            StoreBusy: Another writer held the space past the time-out.
        """
        with self._queue.alone(), self._lend(writes=True) as loan:
            loan.handle.patience.timeout_s = self._pool.tuning.timeout_s
            with writing(loan.handle) as sqlite:
                meta = self._recognise(loan.handle)
                tx = transaction(sqlite, self._file)
                storage.leases.check_leases(tx, storage.leases.list_held(self._uuid))
                count = storage.writer.replace_chunks(tx, prepared, embedder=identity)
                write_embedder(sqlite, identity)
                set_meta(sqlite, "epoch", meta.epoch + 1)
                set_meta(sqlite, "revision", meta.revision + 1)
                grown = replace(meta, epoch=meta.epoch + 1)
                note_revision(tx, None, meta=grown, revision=meta.revision + 1)
            self._embedder = identity
            self._fold_in(loan.handle)
        return count

    def stats(self) -> SpaceStats:
        """Return counts and sizes."""
        with self._look() as (_reader, handle):
            return sqlite.integrity.space_stats(handle, name=self._name)

    def check(self) -> list[Finding]:
        """Return the findings of a check of the whole file (structure, counts, orphans)."""
        with self._look() as (_reader, handle):
            return sqlite.integrity.check_integrity(handle)

    def close(self) -> None:
        """Checkpoint the log and close the file. Closing twice is no error."""
        self._is_closed = True
        self._pool.close(self._file)
        self._on_close()


def _is_failed_disk(error: Exception) -> bool:
    """Return whether nobody knows what was written: so after a sync that failed."""
    return isinstance(error.__cause__, apsw.IOError)


@contextmanager
def _busy_if_ended(loan: PooledConnection, file: Path) -> Iterator[None]:
    """Say of whatever fails in a reader whose lease was ended that this is why."""
    try:
        yield
    except (StoreError, apsw.Error) as error:
        if not loan.is_ended:
            raise
        raise StoreBusy(f"{file} {ENDED}") from error


def _end(loan: PooledConnection) -> None:
    """End the read transaction, unless the connection was revoked."""
    for handle in loan.current():
        if handle.sqlite.in_transaction:
            handle.sqlite.execute("ROLLBACK")
