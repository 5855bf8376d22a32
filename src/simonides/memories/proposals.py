"""Decisions on proposals: accepting and rejecting them, and undoing both.

Accepted, it goes the way of any other memory (`remember`). What that did is noted version by
version in the same transaction, so that undoing it brings every item back to the state it had, and
nothing that a model says is final. Must not know who proposes.
"""

from dataclasses import fields, replace
from datetime import datetime

from simonides.errors import Conflict, HistoryGone, InvalidInput, NotFound
from simonides.index.open_space import OpenSpace
from simonides.ingest.prepare import prepare_items
from simonides.memories.remember import Candidate, Verdict, candidate_of, decide, too_busy, tries
from simonides.model.item import TRUST_KEY, Item, MemoryTraits, Trust, digest, least_trusted
from simonides.model.memories import ItemChange, Proposal, ProposalOutcome, ProposalStatus
from simonides.ports.memories import DecidedBy
from simonides.ports.space import Reader, Space
from simonides.retrieval.looking import look
from simonides.retrieval.trust import TrustResolver

SOURCE = "proposal"
"""The source of memories that were proposed."""

PROPOSAL_KEY, PROPOSED_BY_KEY, EVIDENCE_KEY = "_proposal", "_proposed_by", "_evidence"
"""The metadata keys by which such a memory says where it comes from."""

_OPEN = (ProposalStatus.PENDING, ProposalStatus.UNDONE)
"""What can be decided."""


def find(proposal_id: str, opened: OpenSpace) -> Proposal:
    """Return one proposal.

    Raises:
        NotFound: None is kept by that id.
    """
    with _space(proposal_id, opened).read() as reader:
        return _of(proposal_id, reader)


def accept(proposal_id: str, opened: OpenSpace, *, dry_run: bool = False) -> Proposal:
    """Remember a proposed memory and return the proposal, with its outcome.

    One that is accepted already stays as it is. In a `dry_run` nothing is written, and the
    outcome's revision is 0.

    Raises:
        NotFound: None is kept by that id.
        InvalidInput: It was rejected.
        StoreBusy: Memories were written by others faster than this one could be decided.
    """
    space, now = _space(proposal_id, opened), opened.now()
    for _ in tries(opened):
        with space.read() as reader:
            kept = _of(proposal_id, reader)
        if kept.status is ProposalStatus.ACCEPTED:
            return kept
        _check_open(kept)
        verdict = decide(_candidate(kept, opened), opened, now=now)
        accepted = replace(
            kept, status=ProposalStatus.ACCEPTED, decided_at=now, outcome=_outcome(verdict)
        )
        if dry_run:
            return accepted
        done = space.decide(
            accepted,
            was=kept.status,
            prepared=prepare_items(verdict.writes, opened),
            forget=(),
            decided_by=verdict.decided_by,
            at=now,
        )
        if done is not None:
            return done
    raise too_busy(opened)


def reject(proposal_id: str, opened: OpenSpace) -> Proposal:
    """Reject a proposal for good and return it: it is not proposed again.

    One that is rejected already stays as it is.

    Raises:
        NotFound: None is kept by that id.
        InvalidInput: It was accepted.
    """
    space, now = _space(proposal_id, opened), opened.now()
    for _ in tries(opened):
        with space.read() as reader:
            kept, decided_by = _of(proposal_id, reader), _state(reader)
        if kept.status is ProposalStatus.REJECTED:
            return kept
        _check_open(kept)
        rejected = replace(kept, status=ProposalStatus.REJECTED, decided_at=now)
        done = _put(rejected, kept, (), (), opened, decided_by=decided_by, now=now)
        if done is not None:
            return done
    raise too_busy(opened)


def undo(proposal_id: str, opened: OpenSpace) -> Proposal:
    """Undo a decision and return the proposal.

    What accepting it wrote is written back: every item has the state again that it had before,
    those that were not there are forgotten; it is then `undone`. Rejected, it is `pending` again.

    Raises:
        NotFound: None is kept by that id.
        InvalidInput: Nothing was decided.
        Conflict: An item that it wrote was changed since; undo that first.
        HistoryGone: The state before was compacted away.
    """
    space, now = _space(proposal_id, opened), opened.now()
    for _ in tries(opened):
        with space.read() as reader:
            kept, decided_by = _of(proposal_id, reader), _state(reader)
            if kept.status is ProposalStatus.UNDONE:
                return kept
            if kept.status is ProposalStatus.PENDING:
                raise InvalidInput("proposal", f"{kept.id!r} is pending: there is nothing to undo")
            back, gone = _before(kept, reader)
        done = _put(_undone(kept, now), kept, back, gone, opened, decided_by=decided_by, now=now)
        if done is not None:
            return done
    raise too_busy(opened)


def _undone(kept: Proposal, now: datetime) -> Proposal:
    if kept.status is ProposalStatus.REJECTED:
        return replace(kept, status=ProposalStatus.PENDING, decided_at=None)
    return replace(kept, status=ProposalStatus.UNDONE, decided_at=now, outcome=None)


def _put(
    proposal: Proposal,
    kept: Proposal,
    back: tuple[Item, ...],
    gone: tuple[str, ...],
    opened: OpenSpace,
    *,
    decided_by: DecidedBy,
    now: datetime,
) -> Proposal | None:
    prepared = prepare_items(back, opened)
    return opened.space.decide(
        proposal, was=kept.status, prepared=prepared, forget=gone, decided_by=decided_by,
        at=now,
    )  # fmt: skip


def _space(proposal_id: str, opened: OpenSpace) -> Space:
    space = opened.find()
    if space is None:
        raise NotFound("proposal", proposal_id)
    return space


def _of(proposal_id: str, reader: Reader) -> Proposal:
    found = reader.proposal(proposal_id)
    if found is None:
        raise NotFound("proposal", proposal_id)
    return found


def _state(reader: Reader) -> DecidedBy:
    return DecidedBy(revision=reader.revision, epoch=reader.epoch)


def _check_open(kept: Proposal) -> None:
    if kept.status not in _OPEN:
        raise InvalidInput("proposal", f"{kept.id!r} is {kept.status}; undo that first")


def _candidate(proposal: Proposal, opened: OpenSpace) -> Candidate:
    """Return the memory of a proposal, with its origin.

    It is trusted no further than what it was read out of.
    """
    proposed = proposal.proposed
    metadata = {
        PROPOSAL_KEY: proposal.id,
        PROPOSED_BY_KEY: proposal.by,
        EVIDENCE_KEY: list(proposed.evidence),
    }
    trust = evidence_trust(proposed.evidence, opened)
    if trust is not Trust.OWN:
        metadata[TRUST_KEY] = trust.value
    plain = MemoryTraits()
    stated = {
        one.name: value
        for one in fields(MemoryTraits)
        if (value := getattr(proposed.traits, one.name)) != getattr(plain, one.name)
    }
    return candidate_of(
        proposed.text,
        {
            **stated, "metadata": metadata, "source": SOURCE, "collection": proposal.collection,
            "happened_at": proposed.happened_at,
        },
    )  # fmt: skip


def evidence_trust(evidence: tuple[str, ...], opened: OpenSpace) -> Trust:
    """Return the trust of the least trusted item; `unknown` for those that are gone."""
    with look(opened.space, opened.index) as (reader, view):
        trusting = TrustResolver.for_view(view, opened.settings.owner)
        found = [reader.item(one) for one in evidence]
        return least_trusted(*(trusting.of(one) if one else Trust.UNKNOWN for one in found))


def _outcome(verdict: Verdict) -> ProposalOutcome:
    return ProposalOutcome(
        op=verdict.decision.op,
        reason=verdict.decision.reason,
        id=verdict.id,
        revision=0,
        changes=tuple(
            ItemChange(id=item.id, before=version, after=0)
            for item, version in zip(verdict.writes, verdict.versions, strict=True)
        ),
    )


def _before(kept: Proposal, reader: Reader) -> tuple[tuple[Item, ...], tuple[str, ...]]:
    """Return the items before the change, and the ids of those that did not exist."""
    back, gone = [], []
    for change in kept.outcome.changes if kept.outcome else ():
        _check_as_left(change, reader)
        if not change.before:
            gone.append(change.id)
            continue
        item = reader.version(change.id, change.before)
        if item is None:
            asked = f"version {change.before} of item {change.id!r}"
            raise HistoryGone(asked, oldest=reader.floor)
        back.append(item)
    return tuple(back), tuple(gone)


def _check_as_left(change: ItemChange, reader: Reader) -> None:
    """Raise `Conflict` unless an item still is as the change left it.

    A later version will do that says just the same: what came between was undone, too.
    """
    present, left = reader.item(change.id), reader.version(change.id, change.after)
    version = 0 if present is None else present.version
    if version == change.after:
        return
    if present is None or left is None or digest(present) != digest(left):
        raise Conflict(change.id, expected=change.after, found=version)
