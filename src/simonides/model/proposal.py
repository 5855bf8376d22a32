"""What somebody proposes to remember, mostly a model, and what a person made of it.

Knows the shape of a proposal, what it needs, and how its id is made. Must not know who reads it
out of what, nor by which rules it is merged.
"""

import json
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from simonides.errors import InvalidInput
from simonides.model.bounds import ID, PROPOSED, check_text
from simonides.model.coercion import one_of, tuple_of
from simonides.model.item import MemoryTraits, Status, short_hash
from simonides.model.merging import MergeOp, MergeReason
from simonides.model.result import Result
from simonides.model.times import as_time, utc

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simonides.model.times import TimeLike

PROPOSED_CHARS_MAX = PROPOSED.chars_max
EVIDENCE_MAX = 100
"""Most items that one proposal may be read out of."""

REFUSED_CHARS = 80
"""So much of a refused proposal is told."""


class ProposalStatus(StrEnum):
    """The status of a proposal. Undone: it was accepted, and that was reverted."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedMemory(Result):
    """A memory as somebody proposes it. `evidence` are the ids of the items it was read out of.

    `happened_at` is when it was so, as far as it is known; `note` why it is proposed.
    """

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            text: str,
            evidence: Iterable[str],
            traits: MemoryTraits = ...,
            happened_at: TimeLike | None = None,
            note: str = "",
        ) -> None: ...

    text: str
    evidence: tuple[str, ...]
    traits: MemoryTraits = field(default_factory=MemoryTraits)
    happened_at: datetime | None = None
    note: str = ""

    def __post_init__(self) -> None:
        PROPOSED.check(self.text, field="text")
        PROPOSED.check(self.note, field="note")
        if not self.text.strip():
            raise InvalidInput("text", "is empty; there is nothing to remember")
        evidence = tuple(dict.fromkeys(tuple_of(str, self.evidence, field="evidence")))
        _check_evidence(evidence)
        object.__setattr__(self, "evidence", evidence)
        _check_traits(self.traits)
        if self.happened_at is not None:
            object.__setattr__(self, "happened_at", as_time(self.happened_at, field="happened_at"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemChange(Result):
    """The change of one item by an accepted proposal: its version before and after.

    0 stands for none: it was not there before.
    """

    id: str
    before: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalOutcome(Result):
    """The effect of accepting a proposal, and its revision: enough to undo it."""

    op: MergeOp
    reason: MergeReason
    id: str
    revision: int
    changes: tuple[ItemChange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal(Result):
    """A proposed memory with its origin and its decision.

    `by` names who proposed it, `collection` is where it would be kept. `outcome` is what
    accepting it did, None where it is not accepted. Times are aware UTC.
    """

    id: str
    proposed: ProposedMemory
    by: str
    collection: str
    created_at: datetime
    status: ProposalStatus = ProposalStatus.PENDING
    decided_at: datetime | None = None
    outcome: ProposalOutcome | None = None

    def __post_init__(self) -> None:
        for name in ("by", "collection"):
            PROPOSED.check(getattr(self, name), field=name)
            if not getattr(self, name):
                raise InvalidInput(name, "must not be empty")
        if not 0 < len(check_text(self.id, field="id")) <= ID.chars_max:
            raise InvalidInput("id", f"must have 1 to {ID.chars_max} characters")
        status = one_of(ProposalStatus, self.status, field="status")
        object.__setattr__(self, "status", status)
        object.__setattr__(self, "created_at", utc(self.created_at, field="created_at"))
        if self.decided_at is not None:
            object.__setattr__(self, "decided_at", utc(self.decided_at, field="decided_at"))

    @property
    def item_ids(self) -> tuple[str, ...]:
        """The ids of all items that it names: its evidence, and what accepting it wrote."""
        written = (change.id for change in self.outcome.changes) if self.outcome else ()
        return tuple(dict.fromkeys((*self.proposed.evidence, *written)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused(Result):
    """A refused proposal: the beginning of its text, and why."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalsMade(Result):
    """The result of an extraction: new proposals, the number already known, and refused ones."""

    proposed: tuple[Proposal, ...] = ()
    known: int = 0
    refused: tuple[Refused, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalPage(Result):
    """One page of proposals, latest first; `cursor` asks for the next one, empty at the end."""

    proposals: tuple[Proposal, ...]
    cursor: str = ""


def proposal_id(proposed: ProposedMemory, *, collection: str) -> str:
    """Return the derived id of a proposal: by text, subject, owner and evidence.

    How sure it is, how long it holds, the note and who made it do not count: what was rejected
    once is not proposed again because a model is a little surer.
    """
    traits = proposed.traits
    place = [traits.scope, traits.type, traits.entity, traits.workspace_id, traits.user_id]
    said = [proposed.text, collection, *place, traits.session_id, *sorted(proposed.evidence)]
    return short_hash("proposal\x1f" + json.dumps(said, ensure_ascii=False))


def _check_evidence(evidence: tuple[str, ...]) -> None:
    if not 1 <= len(evidence) <= EVIDENCE_MAX:
        problem = f"must name 1 to {EVIDENCE_MAX} items that it was read out of"
        raise InvalidInput("evidence", f"{problem}, got {len(evidence)}")
    for one in evidence:
        PROPOSED.check(one, field="evidence")


def _check_traits(traits: MemoryTraits) -> None:
    if not isinstance(traits, MemoryTraits):
        raise InvalidInput("traits", f"must be MemoryTraits, got {type(traits).__name__}")
    if traits.status is not Status.ACTIVE:
        raise InvalidInput("status", f"of what is proposed must be active, got {traits.status}")
