"""What becomes of a memory that is to be kept: the decision, its reason, and what was written.

Knows shapes. Must not know by which rules it is decided: those are `memories.merge`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from simonides.model.bounds import SHARE
from simonides.model.item import Status
from simonides.model.result import Result


class MergeOp(StrEnum):
    """The operation for a candidate and the memory it was compared with."""

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
    """How memories are merged.

    A candidate about the same entity takes the place of a memory, unless that one is surer by more
    than `supersede_threshold`, in [0, 1]: .05, as in the seeds.
    """

    supersede_threshold: float = 0.05

    def __post_init__(self) -> None:
        SHARE.check(self.supersede_threshold, field="supersede_threshold")


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeDecision:
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
    """A kept memory that a candidate was compared with.

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
