"""One space: the port's methods that are the same whatever database it lies in.

Knows which write each method makes, and how its outcome is returned. Must not know how a write is
serialised or made durable: that is for the adapter.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from simonides import storage
from simonides.model.coercion import one_of
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
from simonides.ports.maintenance import Made
from simonides.ports.memories import DecidedBy
from simonides.ports.requests import Attempt
from simonides.ports.space import Reader
from simonides.storage.reader import StoredReader
from simonides.storage.rows import check_vector, lookup_text, pack
from simonides.storage.space_facts import SpaceFacts
from simonides.storage.transaction import Transaction

if TYPE_CHECKING:
    from simonides.model.export import Kept
    from simonides.model.lease import Lease, Work
    from simonides.model.maintenance import Removed
    from simonides.model.memories import Proposal, ProposalStatus
    from simonides.storage.writer import (
        Commit,
        Forget,
        Write,
    )


class StoredSpace:
    """The part of a space that each adapter of `ports.Space` shares."""

    _departed: int = 0

    def __init__(self, *, name: str, facts: SpaceFacts) -> None:
        self._name = name
        self._uuid = facts.uuid
        self._embedder = facts.embedder
        self._analysis = facts.analysis

    def _submit(self, write: "Write") -> Any:
        """Return the result of a write, once it is durable."""
        raise NotImplementedError

    def _looking(self) -> AbstractContextManager[tuple[StoredReader, Transaction]]:
        """Open a consistent view, and the transaction that it reads in."""
        raise NotImplementedError

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

    @contextmanager
    def read(self) -> Iterator[Reader]:
        """Open a consistent view of the space.

        Raises:
            StoreError: It was closed, or removed or replaced since it was opened.
        """
        with self._looking() as (reader, _tx):
            yield reader

    def commit(
        self,
        prepared: Sequence[Prepared],
        *,
        stored_at: datetime,
        revive: bool = True,
        expected: Mapping[str, int] | None = None,
        forget: Sequence[str] = (),
    ) -> tuple[Outcome, ...]:
        """Add or replace items by id and `forget` others, in one transaction and one revision.

        Of several with one id the last is kept, and all get its outcome. `expected` are the
        versions that must be present, by id; 0 stands for none. Outcomes of what was forgotten
        are last; of what does not exist there is none.

        Raises:
            Conflict: Another version is present than the one expected; nothing was written.
            InvalidInput: An item cannot be kept byte for byte; nothing was written.
            StoreBusy: Another writer held the space past the time-out.
            StoreFull: The disk is full or read-only.
            WrongEmbedder: The space was re-embedded since it was opened.
        """
        commit = self._writing(prepared, at=stored_at, revive=revive, expected=expected or {})
        write: Write = commit
        if forget:
            write = storage.writer.CommitAndForget(
                commit=commit, forget=self._forgetting(forget, at=stored_at)
            )
        outcomes = cast("tuple[Outcome, ...]", self._submit(write))
        self._departed += _count_replaced(outcomes)
        return outcomes

    def _writing(
        self,
        prepared: Sequence[Prepared],
        *,
        at: datetime,
        revive: bool = True,
        expected: Mapping[str, int] | None = None,
    ) -> "Commit":
        wanted = {one.item.id: one for one in prepared}
        dimension = self._embedder.dimension
        return storage.writer.Commit(
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
        write = storage.proposals.CommitMemories(commit=commit, decided_by=decided_by)
        outcomes = cast("tuple[Outcome, ...] | None", self._submit(write))
        self._departed += _count_replaced(outcomes or ())
        return outcomes

    def put_proposals(self, proposals: Sequence["Proposal"], *, at: datetime) -> tuple[str, ...]:
        """Store proposals and return the ids of the new ones."""
        write = storage.proposals.PutProposals(
            proposals=tuple(proposals), at_us=microseconds(at, field="at")
        )
        return cast("tuple[str, ...]", self._submit(write))

    def decide(
        self,
        proposal: "Proposal",
        *,
        was: "ProposalStatus",
        prepared: Sequence[Prepared],
        forget: Sequence[str],
        decided_by: DecidedBy,
        at: datetime,
    ) -> "Proposal | None":
        """Store the decision on a proposal and the items that it writes, in one transaction.

        None, and nothing written, if the one kept is not `was`, or a memory was written since.

        Raises:
            InvalidInput: An item cannot be kept byte for byte; nothing was written.
        """
        at_us = microseconds(at, field="at")
        write = storage.proposals.Decide(
            proposal=proposal,
            was=was,
            commit=self._writing(prepared, at=at),
            forget=storage.writer.Forget(ids=tuple(map(lookup_text, forget)), at_us=at_us),
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
        write = storage.writer.PutVectors(vectors=tuple(vectors), embedder=identity, at_us=at_us)
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
        write = replace(
            self._forgetting(ids, at=at),
            expected=expected or {},
            import_may_revive=import_may_revive,
        )
        gone = cast("tuple[str, ...]", self._submit(write))
        self._departed += len(gone)
        return gone

    def _forgetting(self, ids: Sequence[str], *, at: datetime) -> "Forget":
        asked = tuple(one for one in ids if lookup_text(one) == one)
        return storage.writer.Forget(ids=asked, at_us=microseconds(at, field="at"))

    def put_background(self, prepared: PreparedBackground, *, at: datetime) -> Background:
        """Add a snapshot; an existing id changes nothing and returns the existing snapshot.

        It comes back also where it is due to go: putting it again takes that back.

        Raises:
            InvalidInput: It cannot be kept byte for byte; nothing was written.
        """
        write = storage.side_tables.BackgroundWrite(
            prepared=prepared, created_us=microseconds(at, field="at")
        )
        return cast("Background", self._submit(write))

    def delete_background(self, background_id: str, *, due: datetime) -> bool:
        """Hide a snapshot at once; it may be removed from the file once `due` has passed.

        Returns whether one was there that was not hidden before; one that was keeps its `due`.
        """
        asked = lookup_text(background_id)
        write = storage.side_tables.DeleteBackground(
            id=asked, due_us=microseconds(due, field="due")
        )
        return cast("bool", self._submit(write))

    def record_usage(self, ids: Sequence[str], *, how: Engaged, at: datetime) -> tuple[str, ...]:
        """Record usage of items; return the ids that are present, each once."""
        write = storage.side_tables.UsageWrite(
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
        return cast(
            "int", self._submit(storage.side_tables.PutSurrogates(surrogates=tuple(surrogates)))
        )

    def keep_receipt(self, receipt_id: str, text: str, *, at: datetime) -> None:
        """Store a receipt (JSON) by its id, without a new revision; a duplicate is no error.

        Raises:
            InvalidInput: It is no JSON, or another one is kept by that id.
        """
        at_us = microseconds(at, field="at")
        self._submit(storage.side_tables.KeepReceipt(id=receipt_id, text=text, at_us=at_us))

    def stage_vectors(self, identity: EmbedderIdentity, prepared: Sequence[Prepared]) -> int:
        """Keep chunks for a re-embedding beside those in force; return of how many items.

        Raises:
            InvalidInput: A chunk does not fit; nothing was written.
        """
        write = storage.writer.StageChunks(prepared=tuple(prepared), embedder=identity)
        return cast("int", self._submit(write))

    def find_altered(self) -> list[str]:
        """Return the versions that do not match their stored hash.

        What cannot be read at all is found by `check`.
        """
        with self._looking() as (_reader, tx), tx.translate_errors():
            return list(storage.dump.find_altered_versions(tx))

    def is_empty(self) -> bool:
        """Return whether the space is empty and always was."""
        with self._looking() as (_reader, tx), tx.translate_errors():
            return not storage.restore_export.holds_anything(tx)

    def merge_aside(self, records: Sequence[tuple["Kept", Made]]) -> tuple[str, ...]:
        """Merge the data of side tables with the stored data, in one transaction.

        Returns for each `added`, `unchanged` (the same is there), or why it cannot be kept.
        """
        return cast(
            "tuple[str, ...]",
            self._submit(storage.restore_export.MergeSideTables(records=tuple(records))),
        )

    def take_lease(
        self, work: "Work", *, holder: str, for_s: float, instead_of: int = 0
    ) -> "Lease | None":
        """Return the lease of a work for so many seconds; None while that of another stands."""
        write = storage.leases.TakeLease(
            work=work, holder=holder, for_s=for_s, instead_of=instead_of
        )
        return cast("Lease | None", self._submit(write))

    def renew_lease(self, lease: "Lease", *, for_s: float) -> bool:
        """Let a lease stand for so many seconds from now; return False if it was lost."""
        return cast("bool", self._submit(storage.leases.RenewLease(lease=lease, for_s=for_s)))

    def release_lease(self, lease: "Lease") -> None:
        """Give a lease back; one that was lost stays with its new holder."""
        self._submit(storage.leases.ReleaseLease(lease=lease))

    def leases(self) -> list["Lease"]:
        """Return the leases that stand, by work."""
        with self._looking() as (_reader, tx), tx.translate_errors():
            return storage.leases.standing(tx)

    def under(self, lease: "Lease") -> AbstractContextManager[None]:
        """Make every write of this thread in the block under a lease."""
        return storage.leases.under(self._uuid, lease)

    def forget_attempt(self, attempt: Attempt) -> None:
        """Forget an attempt that failed after a write, so that the request may be tried again."""
        self._submit(storage.requests.ForgetAttempt(attempt=attempt))

    @property
    def departed(self) -> int:
        """The approximate number of versions replaced or removed through this object."""
        return self._departed

    def compact(
        self, *, before: int, now: datetime, decided_before: datetime | None, limit: int
    ) -> "Removed":
        """Remove up to `limit` rows of each sort that no query can reach any more.

        One short transaction; readers go on seeing what they see. `Removed.more` says whether
        there is more to remove.

        Raises:
            StoreBusy: Another writer held the space past the time-out.
        """
        decided = decided_before
        write = storage.compaction.RemovePast(
            before=before,
            now_us=microseconds(now, field="now"),
            decided_us=None if decided is None else microseconds(decided, field="decided_before"),
            limit=limit,
        )
        return cast("Removed", self._submit(write))

    def due(self, *, before: int, now: datetime, limit: int) -> int:
        """Return how many versions and snapshots `compact` could remove, up to `limit`."""
        now_us = microseconds(now, field="now")
        values = {"before": before, "now_us": now_us, "limit": limit}
        with self._looking() as (_reader, tx), tx.translate_errors():
            return int(tx.value("count_due", values))


def _count_replaced(outcomes: Sequence[Outcome]) -> int:
    return sum(one.change in (Change.UPDATED, Change.FORGOTTEN) for one in outcomes)
