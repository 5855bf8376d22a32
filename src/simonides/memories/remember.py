"""Remembering a statement: compared with stored memories, decided and written at once.

A text and its traits become a candidate. A decision rests on the memories that were there when it
was made: if one is written meanwhile, nothing is written and it is made anew. Must not know the
rules: those are `merge`'s.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from simonides.errors import InvalidInput, StoreBusy
from simonides.index.open_space import OpenSpace
from simonides.ingest.prepare import prepare_items
from simonides.memories.merge import (
    is_active,
    memories_stating,
    merge_candidate,
    text_of,
    traits_of,
)
from simonides.memories.neighbours import (
    LIKENESS_MIN,
    Neighbour,
    Neighbours,
    Similarity,
    nearness_of,
    neighbours_of,
)
from simonides.model.coercion import refuse_unknown
from simonides.model.compose import compose
from simonides.model.item import Item, MemoryTraits, Status, short_hash
from simonides.model.memories import MergeConfig, MergeDecision, MergeOp, MergeReason, Remembered
from simonides.model.metadata_keys import SUPERSEDED_BY_KEY, SUPERSEDES_KEY
from simonides.ports.memories import DecidedBy

TRAITS = tuple(one.name for one in fields(MemoryTraits))
"""What can be stated of a memory itself."""

OTHERS = (
    "source", "title", "summary", "tags", "people", "metadata", "collection", "session",
    "happened_at", "language",
)  # fmt: skip
"""What can be said of it as of any item. Its id is not among it: that is for the decision."""

_PLAIN = MemoryTraits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory that may be stored. `stated` are its explicitly given traits."""

    item: Item
    stated: frozenset[str]

    @property
    def ids(self) -> tuple[str, str]:
        """The possible ids: of the words alone, and of the words with their scope."""
        traits, item = traits_of(self.item), self.item
        place = [traits.scope, traits.type, traits.workspace_id, traits.user_id, traits.session_id]
        return item.id, short_hash("\x1f".join(["memory", item.id, item.collection, *place]))

    @property
    def is_plain(self) -> bool:
        """Whether it has no particular scope, so that its words alone make its id."""
        return _place(self.item) == _place(Item(content="x", traits=_PLAIN))

    def item_as_stored(self, taken: Mapping[str, Item]) -> Item:
        """Return the item under its stored id, which no other person's memory has.

        `taken` are the present items of `ids`.
        """
        by_words, by_place = self.ids
        other = taken.get(by_words)
        is_free = other is None or _place(other) == _place(self.item)
        return self.item if self.is_plain and is_free else replace(self.item, id=by_place)


def candidate_of(text: str, given: Mapping[str, Any]) -> Candidate:
    """Return the candidate of a text and its fields.

    Raises:
        InvalidInput: A name is unknown, or a value does not fit.
    """
    if not isinstance(text, str):
        raise InvalidInput("text", f"must be text, got {type(text).__name__}")
    if not text.strip():
        raise InvalidInput("text", "is empty; there is nothing to remember")
    refuse_unknown(given, (*TRAITS, *OTHERS))
    stated = {name: given[name] for name in TRAITS if given.get(name) is not None}
    others = {name: given[name] for name in OTHERS if given.get(name) is not None}
    return Candidate(item=compose(text, traits=stated, **others), stated=frozenset(stated))


def _place(item: Item) -> tuple[str, ...]:
    traits = traits_of(item)
    ids = (traits.workspace_id, traits.user_id, traits.session_id)
    return (item.kind, item.collection, traits.scope, traits.type, *ids)


COMPARED_MAX = 5
"""How many of the memories that were looked at are named, the nearest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The decision on a candidate, and the items to write."""

    decision: MergeDecision
    decided_by: DecidedBy
    near: tuple[Neighbour, ...]
    id: str
    superseded: str = ""
    writes: tuple[Item, ...] = ()
    versions: tuple[int, ...] = ()
    """Of each of `writes`, which version is present before; 0 for none."""

    def to_result(self, *, revision: int, written: bool) -> Remembered:
        """Return the result record."""
        return Remembered(
            op=self.decision.op,
            reason=self.decision.reason,
            id=self.id,
            superseded=self.superseded,
            written=tuple(item.id for item in self.writes) if written else (),
            revision=revision,
            compared=tuple(one.compared for one in self.near[:COMPARED_MAX]),
        )


def remember(candidate: Candidate, opened: OpenSpace, *, dry_run: bool = False) -> Remembered:
    """Decide on a candidate, write the result, and return the outcome.

    In a `dry_run` nothing is written; else the space comes into being if need be.

    Raises:
        EmbedderError: The model failed; nothing was written.
        StoreBusy: Memories were written by others faster than this one could be decided.
    """
    if dry_run and opened.find() is None:
        return _outcome_in_unwritten_space(candidate)
    space = opened.space if dry_run else opened.make()
    now = opened.now()
    for _ in tries(opened):
        verdict = decide(candidate, opened, now=now)
        if dry_run or not verdict.writes:
            return verdict.to_result(revision=verdict.decided_by.revision, written=False)
        outcomes = space.commit_memories(
            prepare_items(verdict.writes, opened),
            decided_by=verdict.decided_by,
            stored_at=now,
        )
        if outcomes is not None:
            opened.home.tend(space)
            return verdict.to_result(revision=outcomes[0].revision, written=True)
    raise too_busy(opened)


def _outcome_in_unwritten_space(candidate: Candidate) -> Remembered:
    """Return the outcome of a candidate in a space that was never written to."""
    decision = merge_candidate(None, candidate.item)
    return Remembered(
        op=decision.op, reason=decision.reason, id=candidate.item_as_stored({}).id, superseded="",
        written=(), revision=0, compared=(),
    )  # fmt: skip


def tries(opened: OpenSpace) -> Iterator[None]:
    """Yield once, and again until the timeout of the settings has passed."""
    until = time.monotonic() + opened.settings.timeout_s
    yield
    while time.monotonic() < until:
        yield


def too_busy(opened: OpenSpace) -> StoreBusy:
    """Return the error for writers that were always faster."""
    problem = f"space {opened.name!r}: memories were written faster than one could be decided"
    return StoreBusy(
        f"{problem} for {opened.settings.timeout_s:g} s; nothing was written; try again"
    )


def decide(candidate: Candidate, opened: OpenSpace, *, now: datetime) -> Verdict:
    """Return the decision on a candidate, with the items to write."""
    found = neighbours_of(candidate.item, candidate.ids, opened, now=now)
    nearest = _nearest(found.near)
    kind = nearest and nearness_of(nearest, candidate.item, now=now)
    item = replace(candidate.item_as_stored(found.taken), stored_at=now)
    if nearest is not None and kind is Similarity.SAME:
        item = _as_stated(item, candidate.stated, kept=nearest.item)
    rules = MergeConfig(supersede_threshold=opened.settings.supersede_threshold)
    decision = merge_candidate(nearest.item if nearest else None, item, rules)
    if nearest is not None and kind is Similarity.SAME:
        decision = _decision_if_lifted(decision, candidate, kept=nearest.item) or decision
    if kind is not Similarity.SAME:
        decision = (
            _decision_if_recalled(item, found, rival=nearest if kind is Similarity.RIVAL else None)
            or decision
        )
    return _verdict(decision, item, nearest=nearest, found=found)


def _nearest(near: Sequence[Neighbour]) -> Neighbour | None:
    first = next(iter(near), None)
    if first is None or first.same_entity or first.likeness >= LIKENESS_MIN:
        return first
    return None


def _as_stated(item: Item, stated: frozenset[str], *, kept: Item) -> Item:
    """Return a candidate with the stored confidence and importance where it states none.

    Or else each repetition would bring a memory back to the defaults.
    """
    unsaid = {"confidence", "importance"} - stated
    own = {name: getattr(traits_of(kept), name) for name in sorted(unsaid)}
    return replace(item, traits=replace(traits_of(item), **own))


def _decision_if_lifted(
    decision: MergeDecision, candidate: Candidate, *, kept: Item
) -> MergeDecision | None:
    """Return an `update` decision if a quarantined memory is explicitly stated to be active.

    Without a status a repetition leaves it quarantined, or whoever was not believed the first time
    would only have to say it twice.
    """
    is_stated = "status" in candidate.stated and traits_of(candidate.item).status is Status.ACTIVE
    if not is_stated or traits_of(kept).status is not Status.QUARANTINED:
        return None
    patch = {**decision.patch, "status": Status.ACTIVE}
    return MergeDecision(
        op=MergeOp.UPDATE, reason=MergeReason.QUARANTINE_LIFTED, ids=(kept.id,), patch=patch
    )


def _decision_if_recalled(
    item: Item, found: Neighbours, *, rival: Neighbour | None
) -> MergeDecision | None:
    """Return a `noop` decision if active memories together already say all of it.

    Not where it would take the place of one that does not say it: then it is a change of mind.
    """
    if traits_of(item).status is not Status.ACTIVE:
        return None
    active = [one.item for one in found.near if is_active(one.item, at=item.stored_at)]
    ids = memories_stating(text_of(item), active)
    if not ids or (rival is not None and rival.item.id not in ids):
        return None
    return MergeDecision(op=MergeOp.NOOP, reason=MergeReason.RECALLED_TEXT, ids=ids)


def _verdict(
    decision: MergeDecision, item: Item, *, nearest: Neighbour | None, found: Neighbours
) -> Verdict:
    kept = nearest.item if nearest is not None else item
    holds, superseded = kept.id, ""
    writes: tuple[Item, ...] = ()
    match decision.op:
        case MergeOp.ADD:
            holds, writes = item.id, (item,)
        case MergeOp.UPDATE:
            writes = (replace(kept, traits=replace(traits_of(kept), **decision.patch)),)
        case MergeOp.DELETE:
            holds, writes = "", (_with_status(kept, Status.DELETED),)
        case MergeOp.SUPERSEDE:
            holds, superseded, writes = item.id, kept.id, _superseding(item, kept)
        case MergeOp.NOOP:
            holds = decision.ids[0]
    return Verdict(
        decision=decision, decided_by=found.decided_by, near=found.near, id=holds,
        superseded=superseded, writes=writes,
        versions=tuple(found.taken.get(one.id, one).version for one in writes),
    )  # fmt: skip


def _superseding(item: Item, kept: Item) -> tuple[Item, Item]:
    """Return both memories, each with a reference to the other: the old one first."""
    old = _with_status(kept, Status.SUPERSEDED)
    return (
        replace(old, metadata={**old.metadata, SUPERSEDED_BY_KEY: item.id}),
        replace(item, metadata={**item.metadata, SUPERSEDES_KEY: kept.id}),
    )


def _with_status(item: Item, status: Status) -> Item:
    return replace(item, traits=replace(traits_of(item), status=status))
