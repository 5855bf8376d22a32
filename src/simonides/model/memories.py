"""Decay, merging and proposals of memories: settings, decisions, outcomes, proposed memories.

Knows shapes, what a proposal needs, and how its id is made. Must not know by which rules memories
are merged (`memories.merge`), nor who reads a proposal out of what.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from simonides.errors import InvalidInput
from simonides.model.bounds import ID, PROPOSED, SHARE, check_text
from simonides.model.coercion import one_of, tuple_of
from simonides.model.item import MemoryTraits, Status, short_hash
from simonides.model.result import Result
from simonides.model.times import as_time, utc

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simonides.model.times import TimeLike


class MergeOp(StrEnum):
    """The operation on a candidate and the memory it was compared with."""

    ADD = "add"
    UPDATE = "update"
    """The same words are kept already; what is new about them (how sure, how long) is noted."""
    SUPERSEDE = "supersede"
    """The candidate takes the place of the other, which stays, with the status `superseded`."""
    NOOP = "noop"
    DELETE = "delete"
    """The other gets the status `deleted`. Only ever asked for, never concluded."""


class MergeReason(StrEnum):
    """The reason of a merge decision."""

    NO_SIMILAR_MEMORY = "no_similar_memory"
    DUPLICATE_TEXT_METADATA_UPDATE = "duplicate_text_metadata_update"
    QUARANTINE_LIFTED = "quarantine_lifted"
    DUPLICATE_TEXT = "duplicate_text"
    ASKED_FOR = "asked_for"
    RECALLED_TEXT = "recalled_text"
    """Each of its sentences is one of memories that are kept: it was recalled, and fed back."""
    NEW_MEMORY_SCOPE_OR_TYPE_MISMATCH = "new_memory_scope_or_type_mismatch"
    EXISTING_MEMORY_NOT_ACTIVE = "existing_memory_not_active"
    CANDIDATE_NOT_ACTIVE = "candidate_not_active"
    NEW_MEMORY_NON_CONFLICTING = "new_memory_non_conflicting"
    LOWER_CONFIDENCE_CANDIDATE = "lower_confidence_candidate"
    OLDER_THAN_EXISTING = "older_than_existing"
    HIGHER_CONFIDENCE_OR_NEWER_FACT = "higher_confidence_or_newer_fact"


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeConfig:
    """The settings of merging.

    A candidate about the same entity takes the place of a memory, unless that one is surer by more
    than `supersede_threshold`, in [0, 1]: .05, as in the designs.
    """

    supersede_threshold: float = 0.05

    def __post_init__(self) -> None:
        SHARE.check(self.supersede_threshold, field="supersede_threshold")


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeDecision(Result):
    """The decision of a merge: operation, reason, and the memories concerned.

    `ids` are the memories that it was compared with and that it concerns; `patch` the traits that
    an update sets, by name.
    """

    op: MergeOp
    reason: MergeReason
    ids: tuple[str, ...] = ()
    patch: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared(Result):
    """A stored memory that a candidate was compared with.

    `likeness` is the share of the one text in the other, in [0, 1]; `same_entity` whether both
    are about one entity; `score` that of the search which found it, None where only its entity
    or its words did.
    """

    id: str
    text: str
    status: Status
    likeness: float
    same_entity: bool
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered(Result):
    """The outcome of remembering a text.

    `id` is the memory that says it from now on: the new one, or the one that said it before; empty
    where nothing does. `written` are the ids of the items of which there is a new version, none
    in a rehearsal. `superseded` is the one whose place was taken, or empty. `compared` is what was
    looked at, what decided first. `revision` is the space's after it.
    """

    op: MergeOp
    reason: MergeReason
    id: str
    superseded: str
    written: tuple[str, ...]
    revision: int
    compared: tuple[Compared, ...]


PROPOSED_CHARS_MAX = PROPOSED.chars_max
EVIDENCE_MAX = 100
"""Most items that one proposal may be read out of."""

REFUSED_CHARS = 80
"""Characters of a refused proposal that are repeated."""


class ProposalStatus(StrEnum):
    """The status of a proposal. Undone: it was accepted, and that was reverted."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedMemory(Result):
    """A proposed memory. `evidence` are the ids of the items that it was extracted from.

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
    """The result of accepting a proposal, with its revision: enough to undo it."""

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
        """The ids of all its items: its evidence, and the items that accepting it wrote."""
        written = (change.id for change in self.outcome.changes) if self.outcome else ()
        return tuple(dict.fromkeys((*self.proposed.evidence, *written)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused(Result):
    """A rejected proposal: the beginning of its text, and the reason."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalsMade(Result):
    """The result of an extraction: new proposals, the number already known, and rejected ones.

    `read` is how many items an extractor read.
    """

    proposed: tuple[Proposal, ...] = ()
    known: int = 0
    read: int = 0
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
    identity = [proposed.text, collection, *place, traits.session_id, *sorted(proposed.evidence)]
    return short_hash("proposal\x1f" + json.dumps(identity, ensure_ascii=False))


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
