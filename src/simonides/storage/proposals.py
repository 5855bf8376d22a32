"""Proposals as rows and as writes, and writes that rest on a decision about memories.

Knows the table `proposal`, and how a write sees that the memories it was decided by have changed.
Its writes run inside a transaction that another module began and will end. Must not know by which
rules memories are merged, nor of threads or files.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from simonides.errors import InvalidInput, StoreCorrupt
from simonides.model.item import MemoryTraits
from simonides.model.memories import (
    ItemChange,
    MergeOp,
    MergeReason,
    Proposal,
    ProposalOutcome,
    ProposalStatus,
    ProposedMemory,
)
from simonides.model.stored import Outcome
from simonides.model.times import microseconds, moment
from simonides.ports.memories import DecidedBy
from simonides.storage.erase import erased_version
from simonides.storage.rows import as_json, lookup_text, read_traits
from simonides.storage.space_facts import SpaceFacts
from simonides.storage.transaction import Transaction
from simonides.storage.writer import Commit, Forget

_DAMAGE = (InvalidInput, KeyError, OverflowError, RecursionError, TypeError, ValueError)
"""What reading a row raises whose bytes were changed by something else than this engine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitMemories:
    """Commits a decision if the stored data has not changed since; the result is else None."""

    commit: Commit
    decided_by: DecidedBy

    @property
    def stored_us(self) -> int:
        """When it is written."""
        return self.commit.stored_us

    def __call__(
        self, tx: Transaction, meta: SpaceFacts, revision: int
    ) -> tuple[tuple[Outcome, ...] | None, bool]:
        """Write, unless a memory was written since."""
        if not is_unchanged_since(self.decided_by, tx, meta):
            return None, False
        return self.commit(tx, meta, revision)


@dataclass(frozen=True, slots=True, kw_only=True)
class PutProposals:
    """Stores proposals; the result is the ids of the new ones.

    One whose evidence was erased while it was made is not stored: it may hold words of that.
    """

    proposals: tuple[Proposal, ...]
    at_us: int

    def __call__(
        self, tx: Transaction, _meta: SpaceFacts, _revision: int
    ) -> tuple[tuple[str, ...], bool]:
        """Add new records; those with a stored id stay unchanged."""
        added = tuple(
            one.id
            for one in self.proposals
            if not _is_of_erased(one, tx) and tx.run("add_proposal", _row(one))
        )
        return added, bool(added)


def _is_of_erased(proposal: Proposal, tx: Transaction) -> bool:
    """Return whether an item that a proposal was read out of was erased."""
    names = map(lookup_text, proposal.proposed.evidence)
    return any(erased_version(tx, name) is not None for name in names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decide:
    """Decides one proposal and writes the result, all or nothing.

    The result is the proposal as it is kept: with the revision, and the versions of the items that
    were changed; None if it is not `was` any more, or the memories have changed.
    """

    proposal: Proposal
    was: ProposalStatus
    commit: Commit
    forget: Forget
    decided_by: DecidedBy
    at_us: int

    def __call__(
        self, tx: Transaction, meta: SpaceFacts, revision: int
    ) -> tuple[Proposal | None, bool]:
        """Write, unless the decision is outdated."""
        kept = tx.one("proposal", {"id": self.proposal.id})
        if kept is None or kept[2] != self.was or not is_unchanged_since(self.decided_by, tx, meta):
            return None, False
        self.commit(tx, meta, revision)
        self.forget(tx, meta, revision)
        settled = _settle(self.proposal, tx, revision=revision)
        number, _, status, decided_us, body = _row(settled)
        named = {"id": number, "status": status, "decided_us": decided_us, "body": body}
        tx.run("decide_proposal", named)
        return settled, True


def is_unchanged_since(decided_by: DecidedBy, tx: Transaction, meta: SpaceFacts) -> bool:
    """Return whether the memories are those that a decision rests on: none was written since.

    What died since may have been compacted away: then the floor tells that something did.
    """
    if meta.epoch != decided_by.epoch or meta.floor > decided_by.revision:
        return False
    since = {"since": decided_by.revision}
    return tx.one("memory_written_since", since) is None


def proposal(row: tuple[Any, ...]) -> Proposal:
    """Return the proposal of a row.

    Raises:
        StoreCorrupt: The row does not say what a proposal can be.
    """
    try:
        return _proposal(row)
    except _DAMAGE as error:
        problem = f"proposal {row[0]!r} cannot be read back ({error})"
        raise StoreCorrupt(f"{problem}; run `simonides doctor`") from error


def unreadable(tx: Transaction) -> list[str]:
    """Return the ids of proposals that cannot be read back."""
    lost = []
    for row in tx.all("all_proposals"):
        try:
            proposal(row)
        except StoreCorrupt:
            lost.append(str(row[0]))
    return lost


def find(tx: Transaction, proposal_id: str) -> Proposal | None:
    """Return one proposal; None if there is none of that id."""
    row = tx.one("proposal", {"id": lookup_text(proposal_id)})
    return None if row is None else proposal(row)


def page(
    tx: Transaction, statuses: Sequence[ProposalStatus], *, limit: int, before: str
) -> list[Proposal]:
    """Return up to `limit` proposals of some statuses (none named: all), latest first."""
    asked = {
        "statuses": json.dumps([one.value for one in statuses or ProposalStatus]),
        "before": lookup_text(before),
        "limit": max(limit, 0),
    }
    return [proposal(row) for row in tx.all("proposals", asked)]


def _settle(one: Proposal, tx: Transaction, *, revision: int) -> Proposal:
    """Return a proposal whose outcome has the revision, and the versions after it."""
    if one.outcome is None:
        return one
    changes = tuple(
        replace(change, after=_version(tx, change.id)) for change in one.outcome.changes
    )
    return replace(one, outcome=replace(one.outcome, revision=revision, changes=changes))


def _version(tx: Transaction, item_id: str) -> int:
    present = tx.one("present", {"id": lookup_text(item_id)})
    return 0 if present is None else int(present[1])


def _row(one: Proposal) -> tuple[Any, ...]:
    proposed = one.proposed
    body = {
        "by": one.by,
        "collection": one.collection,
        "text": proposed.text,
        "evidence": list(proposed.evidence),
        "traits": {name: _plain(proposed.traits, name) for name in MemoryTraits.__slots__},
        "happened_us": _plain(proposed, "happened_at"),
        "note": proposed.note,
        "outcome": None if one.outcome is None else _outcome_json(one.outcome),
    }
    created_us = microseconds(one.created_at, field="created_at")
    text = as_json(body, field="proposal")
    return lookup_text(one.id), created_us, one.status.value, _plain(one, "decided_at"), text


def _plain(record: Any, name: str) -> Any:
    """Return one field as JSON holds it: times in microseconds."""
    value = getattr(record, name)
    is_time = name.endswith("_at") and value is not None
    return microseconds(value, field=name) if is_time else value


def _outcome_json(outcome: ProposalOutcome) -> dict[str, Any]:
    tree: dict[str, Any] = {one.name: getattr(outcome, one.name) for one in fields(outcome)}
    tree["changes"] = [[change.id, change.before, change.after] for change in outcome.changes]
    return tree


def _proposal(row: tuple[Any, ...]) -> Proposal:
    proposal_id, created_us, status, decided_us, body = row
    said = json.loads(body)
    return Proposal(
        id=proposal_id,
        proposed=ProposedMemory(
            text=said["text"],
            evidence=tuple(said["evidence"]),
            traits=read_traits(said["traits"]),
            happened_at=_moment(said["happened_us"]),
            note=said["note"],
        ),
        by=said["by"],
        collection=said["collection"],
        created_at=moment(created_us),
        status=ProposalStatus(status),
        decided_at=_moment(decided_us),
        outcome=None if said["outcome"] is None else _outcome(said["outcome"]),
    )


def _outcome(tree: Mapping[str, Any]) -> ProposalOutcome:
    return ProposalOutcome(
        op=MergeOp(tree["op"]),
        reason=MergeReason(tree["reason"]),
        id=tree["id"],
        revision=int(tree["revision"]),
        changes=tuple(
            ItemChange(id=one, before=int(before), after=int(after))
            for one, before, after in tree["changes"]
        ),
    )


def _moment(us: Any) -> Any:
    return None if us is None else moment(us)
