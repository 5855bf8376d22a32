"""One space: the port's methods, each one transaction.

Knows how reads and writes borrow connections and take turns. Must not know the statements.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import apsw

from simonides.errors import NotFound, StoreBusy, StoreError, WrongEmbedder
from simonides.model.answer import Finding, SpaceStats
from simonides.model.coercion import one_of
from simonides.model.memories import Proposal, ProposalStatus
from simonides.model.stored import (
    Analysis,
    Background,
    Change,
    EmbedderIdentity,
    Engaged,
    LateVector,
    Outcome,
    Prepared,
    PreparedBackground,
    Surrogate,
)
from simonides.model.times import microseconds
from simonides.ports.memories import DecidedBy
from simonides.ports.space import Reader
from simonides.storage.sqlite.connection import Handle, is_blank, writing
from simonides.storage.sqlite.error_mapping import translated
from simonides.storage.sqlite.file_names import mark_file, mark_identity
from simonides.storage.sqlite.group_commit import Queue, Take
from simonides.storage.sqlite.integrity import check_integrity, space_stats
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
from simonides.storage.sqlite.pool import ENDED, Lease, Pool
from simonides.storage.sqlite.proposals import CommitMemories, Decide, PutProposals
from simonides.storage.sqlite.reader import SqliteReader
from simonides.storage.sqlite.revisions import note_revision
from simonides.storage.sqlite.rows import check_vector, lookup_text, pack
from simonides.storage.sqlite.side_tables import (
    DeleteBackground,
    KeepReceipt,
    PutBackground,
    PutSurrogates,
    RecordUsage,
)
from simonides.storage.sqlite.writer import (
    Commit,
    Forget,
    PutVectors,
    StageChunks,
    Write,
    replace_chunks,
    run,
)

LOG_BYTES_SOFT = 4 << 20
"""Above this the log is folded in after a commit, if nobody waits (SQLite's own habit: 4 MB)."""
LOG_BYTES_HARD = 64 << 20
"""Above this it is folded in even if others wait."""


class SqliteSpace(Maintenance):
    """One open space; an adapter of `ports.Space`. Any number of threads may use it."""

    def __init__(
        self, *, name: str, file: Path, pool: Pool, meta: Meta, on_close: Callable[[], object]
    ) -> None:
        self._name = name
        self._file = file
        self._pool = pool
        self._uuid = meta.uuid
        self._embedder = meta.embedder
        self._analysis = meta.analysis
        self._on_close = on_close
        self._is_closed = False
        self._mark = str(mark_file(file))
        self._mark_seen = mark_identity(self._mark)
        self._queue = Queue(name=name, timeout_s=pool.tuning.timeout_s)

    @property
    def name(self) -> str:
        """The space's name."""
        return self._name

    @property
    def uuid(self) -> str:
        """A random name made with the space; a copy of the file has the same."""
        return self._uuid

    @property
    def embedder(self) -> EmbedderIdentity:
        """The identity of the embedder whose vectors the space holds."""
        return self._embedder

    @property
    def analysis(self) -> Analysis:
        """Return how the space's terms, chunks and mentions were derived from its items."""
        return self._analysis

    def is_still_there(self) -> bool:
        """Return whether no other process has erased the space, or made another in its place.

        Looks into the file only where the mark beside it is not the one that was there before.
        """
        seen = mark_identity(self._mark)
        if seen is not None and seen == self._mark_seen:
            return True
        try:
            with self._lend(writes=False) as loan, translated(self._file):
                is_same = not is_blank(loan.handle.sqlite) and (
                    read_meta(loan.handle.sqlite).uuid == self._uuid
                )
        except NotFound:
            return False
        self._mark_seen = seen
        return is_same

    @contextmanager
    def read(self) -> Iterator[Reader]:
        """Open a consistent view of the space.

        Raises:
            StoreError: It was closed, or its file removed or replaced since it was opened.
        """
        with self._look() as (reader, _handle):
            yield reader

    @contextmanager
    def _look(self) -> Iterator[tuple[SqliteReader, Handle]]:
        with self._lend(writes=False) as loan, _busy_if_ended(loan, self._file):
            try:
                reader = SqliteReader(loan, self._begin(loan.handle))
                try:
                    yield reader, loan.handle
                finally:
                    reader.close()
            finally:
                _end(loan)

    def _lend(self, *, writes: bool) -> AbstractContextManager[Lease]:
        if self._is_closed:
            raise StoreError(f"space {self._name!r} was closed; open it again")
        return self._pool.lend(self._file, writes=writes)

    def _begin(self, handle: Handle) -> Meta:
        """Hold a read transaction; reading `meta` fixes its state."""
        with translated(self._file):
            handle.sqlite.execute("BEGIN")
            meta = self._recognised(handle)
        if meta.embedder != self._embedder:
            problem = f"space {self._name!r} was re-embedded with {meta.embedder.model}"
            raise WrongEmbedder(f"{problem} since it was opened; close it and open it again")
        return meta

    def _recognised(self, handle: Handle) -> Meta:
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

    def commit(
        self,
        prepared: Sequence[Prepared],
        *,
        stored_at: datetime,
        revive: bool = True,
        expected: Mapping[str, int] | None = None,
    ) -> tuple[Outcome, ...]:
        """Add or replace items by id, in one transaction and one revision.

        Of several with one id the last is kept, and all get its outcome. `expected` are the
        versions that must be present, by id; 0 stands for none.

        Raises:
            Conflict: Another version is present than the one expected; nothing was written.
            InvalidInput: An item cannot be kept byte for byte; nothing was written.
            StoreBusy: Another writer held the space past the time-out.
            StoreFull: The disk is full or read-only.
            WrongEmbedder: The space was re-embedded since it was opened.
        """
        write = self._writing(prepared, at=stored_at, revive=revive, expected=expected or {})
        outcomes = cast("tuple[Outcome, ...]", self._submit(write))
        self._departed += _replaced(outcomes)
        return outcomes

    def _writing(
        self,
        prepared: Sequence[Prepared],
        *,
        at: datetime,
        revive: bool = True,
        expected: Mapping[str, int] | None = None,
    ) -> Commit:
        wanted = {one.item.id: one for one in prepared}
        dimension = self._embedder.dimension
        return Commit(
            ids=tuple(one.item.id for one in prepared),
            packed=tuple(pack(one, dimension=dimension) for one in wanted.values()),
            embedder=self._embedder,
            stored_us=microseconds(at, field="stored_at"),
            revive=revive,
            expected=dict(expected or {}),
        )

    def commit_memories(
        self, prepared: Sequence[Prepared], *, decided_by: DecidedBy, stored_at: datetime
    ) -> tuple[Outcome, ...] | None:
        """Commit a decision about memories; None, and nothing written, if it is outdated.

        Raises:
            InvalidInput: An item cannot be kept byte for byte; nothing was written.
        """
        commit = self._writing(prepared, at=stored_at)
        write = CommitMemories(commit=commit, decided_by=decided_by)
        outcomes = cast("tuple[Outcome, ...] | None", self._submit(write))
        self._departed += _replaced(outcomes or ())
        return outcomes

    def put_proposals(self, proposals: Sequence[Proposal], *, at: datetime) -> tuple[str, ...]:
        """Store proposals and return the ids of the new ones."""
        write = PutProposals(proposals=tuple(proposals), at_us=microseconds(at, field="at"))
        return cast("tuple[str, ...]", self._submit(write))

    def decide(
        self,
        proposal: Proposal,
        *,
        was: ProposalStatus,
        prepared: Sequence[Prepared],
        forget: Sequence[str],
        decided_by: DecidedBy,
        at: datetime,
    ) -> Proposal | None:
        """Store the decision on a proposal and the items that it writes, in one transaction.

        None, and nothing written, if the one kept is not `was`, or a memory was written since.

        Raises:
            InvalidInput: An item cannot be kept byte for byte; nothing was written.
        """
        at_us = microseconds(at, field="at")
        write = Decide(
            proposal=proposal,
            was=was,
            commit=self._writing(prepared, at=at),
            forget=Forget(ids=tuple(map(lookup_text, forget)), at_us=at_us),
            decided_by=decided_by,
            at_us=at_us,
        )
        decided = cast("Proposal | None", self._submit(write))
        self._departed += 0 if decided is None else len(prepared) + len(forget)  # at most
        return decided

    def put_vectors(
        self, vectors: Sequence[LateVector], *, identity: EmbedderIdentity, at: datetime
    ) -> int:
        """Give chunks the vectors that they wait for, in one revision; return how many got one.

        Raises:
            WrongEmbedder: The space has another embedder than `identity` by now.
            InvalidInput: A vector has not the space's length; nothing was written.
        """
        for one in vectors:
            which = f"chunk {one.ordinal} of key {one.item_key}"
            check_vector(one.vector, dimension=identity.dimension, of=which)
        at_us = microseconds(at, field="at")
        write = PutVectors(vectors=tuple(vectors), embedder=identity, at_us=at_us)
        return cast("int", self._submit(write))

    def forget(
        self,
        ids: Sequence[str],
        *,
        at: datetime,
        expected: Mapping[str, int] | None = None,
        import_may_revive: bool = False,
    ) -> tuple[str, ...]:
        """Remove items from the present; return the ids that existed. The archive keeps them.

        Raises:
            Conflict: Another version is present than the one `expected`, by id; none was taken.
        """
        asked = tuple(one for one in ids if lookup_text(one) == one)
        write = Forget(
            ids=asked,
            at_us=microseconds(at, field="at"),
            expected=expected or {},
            import_may_revive=import_may_revive,
        )
        gone = cast("tuple[str, ...]", self._submit(write))
        self._departed += len(gone)
        return gone

    def put_background(self, prepared: PreparedBackground, *, at: datetime) -> Background:
        """Add a snapshot; an existing id changes nothing and returns the existing snapshot.

        It comes back also where it is due to go: putting it again takes that back.

        Raises:
            InvalidInput: It cannot be kept byte for byte; nothing was written.
        """
        write = PutBackground(prepared=prepared, created_us=microseconds(at, field="at"))
        return cast("Background", self._submit(write))

    def delete_background(self, background_id: str, *, due: datetime) -> bool:
        """Hide a snapshot at once; it may be removed from the file once `due` has passed.

        Returns whether one was there that was not hidden before; one that was keeps its `due`.
        """
        asked = lookup_text(background_id)
        write = DeleteBackground(id=asked, due_us=microseconds(due, field="due"))
        return cast("bool", self._submit(write))

    def record_usage(self, ids: Sequence[str], *, how: Engaged, at: datetime) -> tuple[str, ...]:
        """Record usage of items; return the ids that are present, each once."""
        write = RecordUsage(
            ids=tuple(lookup_text(one) for one in ids),
            how=one_of(Engaged, how, field="how"),
            at_us=microseconds(at, field="at"),
        )
        return cast("tuple[str, ...]", self._submit(write))

    def put_surrogates(self, surrogates: Sequence[Surrogate]) -> int:
        """Store surrogates of present versions and return how many were stored.

        Raises:
            InvalidInput: One cannot be kept byte for byte; nothing was written.
        """
        return cast("int", self._submit(PutSurrogates(surrogates=tuple(surrogates))))

    def keep_receipt(self, receipt_id: str, text: str, *, at: datetime) -> None:
        """Store a receipt (JSON) by its id, without a new revision; a duplicate is no error.

        Raises:
            InvalidInput: It is no JSON, or another one is kept by that id.
        """
        at_us = microseconds(at, field="at")
        self._submit(KeepReceipt(id=receipt_id, text=text, at_us=at_us))

    def _submit(self, write: Write) -> Any:
        with translated(self._file):
            return self._queue.submit(write, serve=self._serve)

    def _serve(self, take: Take, wait_s: float) -> None:
        """Write for all waiting threads, in one transaction; then checkpoint a long log."""
        with self._lend(writes=True) as loan:
            handle = loan.handle
            handle.patience.timeout_s = wait_s
            with writing(handle) as sqlite:
                meta = self._recognised(handle)
                jobs = take()
                revision = meta.revision
                for job in jobs:
                    job.result, job.error, changed = run(
                        sqlite, job.work, meta=meta, revision=revision + 1
                    )
                    revision += changed
                    if changed:
                        note_revision(sqlite, job.work, meta=meta, revision=revision)
                if revision != meta.revision:
                    set_meta(sqlite, "revision", revision)
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

    def stage_vectors(self, identity: EmbedderIdentity, prepared: Sequence[Prepared]) -> int:
        """Keep chunks for a re-embedding beside those in force; return of how many items.

        Raises:
            InvalidInput: A chunk does not fit; nothing was written.
        """
        write = StageChunks(prepared=tuple(prepared), embedder=identity)
        return cast("int", self._submit(write))

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
                meta = self._recognised(loan.handle)
                count = replace_chunks(sqlite, prepared, embedder=identity)
                write_embedder(sqlite, identity)
                set_meta(sqlite, "epoch", meta.epoch + 1)
                set_meta(sqlite, "revision", meta.revision + 1)
                grown = replace(meta, epoch=meta.epoch + 1)
                note_revision(sqlite, None, meta=grown, revision=meta.revision + 1)
            self._embedder = identity
            self._fold_in(loan.handle)
        return count

    def stats(self) -> SpaceStats:
        """Return counts and sizes."""
        with self._look() as (_reader, handle):
            return space_stats(handle, name=self._name)

    def check(self) -> list[Finding]:
        """Return the findings of a check of the whole file (structure, counts, orphans)."""
        with self._look() as (_reader, handle):
            return check_integrity(handle)

    def close(self) -> None:
        """Checkpoint the log and close the file. Closing twice is no error."""
        self._is_closed = True
        self._pool.close(self._file)
        self._on_close()


@contextmanager
def _busy_if_ended(loan: Lease, file: Path) -> Iterator[None]:
    """Say of whatever fails in a reader whose lease was ended that this is why."""
    try:
        yield
    except (StoreError, apsw.Error) as error:
        if not loan.is_ended:
            raise
        raise StoreBusy(f"{file} {ENDED}") from error


def _end(loan: Lease) -> None:
    """End the read transaction, unless the connection was revoked."""
    for handle in loan.current():
        if handle.sqlite.in_transaction:
            handle.sqlite.execute("ROLLBACK")


def _replaced(outcomes: Sequence[Outcome]) -> int:
    return sum(one.change is Change.UPDATED for one in outcomes)
