"""The neighbours of a candidate: similar stored memories, found by the engine's lanes.

By its words and their meaning (a search in mode `hybrid`), by the entity it is about, and by the
ids that the same words would have: these also where they are superseded or deleted. Only what the
candidate's own viewer may see, and only in its collection; what has expired, too. Must not know
what is decided.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import IntEnum

import numpy as np

from simonides.entities.extract import about_id, fold_name
from simonides.index.facets import entity_key
from simonides.index.index_view import IndexView
from simonides.index.masks import mask_of
from simonides.index.open_space import OpenSpace
from simonides.memories.merge import (
    is_active,
    is_in_force,
    is_same_entity,
    is_same_place,
    says_the_same,
    text_of,
    traits_of,
)
from simonides.memories.scoped_merge import is_visible
from simonides.model.answer import Query
from simonides.model.filter import Filter, Viewer
from simonides.model.item import Item, Kind, Status
from simonides.model.memories import Compared
from simonides.ports.memories import DecidedBy
from simonides.ports.space import Reader
from simonides.retrieval.looking import look
from simonides.retrieval.search import search
from simonides.text.similarity import likeness

FOUND_MAX = 16
"""Memories that the search finds at most: what is nearly the same stands among the first."""

ABOUT_MAX = 64
"""Memories of the same entity that are looked at, the latest."""

ASKED_CHARS_MAX = 2_000
"""So much of a candidate is the question: more words find nothing that these do not."""

_IN_FORCE = (Status.ACTIVE, Status.QUARANTINED)
"""What was superseded many times over must not hide what holds."""

LIKENESS_MIN = 0.3
"""What shares less of its words with a candidate is not similar to it: it shares a turn of phrase.
Only the reason that is given depends on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A stored memory near a candidate; `score` is None if the search did not find it."""

    item: Item
    likeness: float
    same_entity: bool
    score: float | None = None

    @property
    def compared(self) -> Compared:
        """The neighbour as a result shows it."""
        return Compared(
            id=self.item.id,
            text=text_of(self.item),
            status=traits_of(self.item).status,
            likeness=self.likeness,
            same_entity=self.same_entity,
            score=self.score,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """The neighbours of a candidate, nearest first, and the state of their space.

    `taken` are the present items of the ids that the candidate could have, of whatever kind.
    """

    decided_by: DecidedBy
    near: tuple[Neighbour, ...]
    taken: dict[str, Item]


def neighbours_of(
    candidate: Item, ids: Sequence[str], opened: OpenSpace, *, now: datetime
) -> Neighbours:
    """Return the neighbours of a candidate, in the order in which they may decide.

    First what says the same and is in force; then active ones of its place (scope, type, whose)
    about the same entity; then what says the same and is not in force; then what is similar. Of
    equals the more alike, then the better found, then the smaller id.
    """
    wanted = _visible_to(candidate)
    with look(opened.space, opened.index) as (reader, view):
        decided_by = DecidedBy(revision=reader.revision, epoch=reader.epoch)
        taken = {one: item for one in ids if (item := reader.item(one)) is not None}
        about = _about(candidate, wanted, view=view, reader=reader)
    named = [one for one in taken.values() if _may_be_seen(one, candidate)]
    known = {item.id: _near(item, candidate) for item in (*about, *named)}
    for item, score in _find(candidate, wanted, opened, now=now):
        known[item.id] = _near(item, candidate, score=score)
    ranked = sorted(known.values(), key=lambda one: _rank(one, candidate, now=now))
    return Neighbours(decided_by=decided_by, near=tuple(ranked), taken=taken)


def _visible_to(candidate: Item) -> Filter:
    return Filter(
        kinds=(Kind.MEMORY,), collections=(candidate.collection,), statuses=_IN_FORCE, expired=True,
        viewer=_viewer(candidate),
    )  # fmt: skip


def _viewer(candidate: Item) -> Viewer:
    traits = traits_of(candidate)
    return Viewer(
        workspace_id=traits.workspace_id, user_id=traits.user_id, session_id=traits.session_id
    )


def _may_be_seen(item: Item, candidate: Item) -> bool:
    """Return whether the search filter would let in an item that was found by its id."""
    if item.kind is not Kind.MEMORY or item.collection != candidate.collection:
        return False
    return is_visible(traits_of(item), _viewer(candidate))


def _find(
    candidate: Item, wanted: Filter, opened: OpenSpace, *, now: datetime
) -> Iterator[tuple[Item, float]]:
    query = Query(
        text=text_of(candidate)[:ASKED_CHARS_MAX], now=now, timezone=opened.timezone,
        limit=FOUND_MAX, filter=wanted,
    )  # fmt: skip
    for hit in search(query, opened):
        yield hit.item, hit.score


def _about(candidate: Item, wanted: Filter, *, view: IndexView, reader: Reader) -> list[Item]:
    """Return the latest active memories about the candidate's entity."""
    entity = traits_of(candidate).entity
    if not fold_name(entity):
        return []
    active = replace(wanted, statuses=(Status.ACTIVE,))
    mask = mask_of(active, view=view, reader=reader)
    mask &= view.having([entity_key(about_id(entity))])
    keys = view.items.keys.rows(view.item_count)[np.flatnonzero(mask)[-ABOUT_MAX:]]
    items = reader.items([int(key) for key in keys]).values()
    return [one for one in items if is_same_entity(traits_of(one), traits_of(candidate))]


def _near(item: Item, candidate: Item, *, score: float | None = None) -> Neighbour:
    return Neighbour(
        item=item,
        likeness=likeness(text_of(item), text_of(candidate)),
        same_entity=is_same_entity(traits_of(item), traits_of(candidate)),
        score=score,
    )


def _rank(one: Neighbour, candidate: Item, *, now: datetime) -> tuple[int, bool, float, float, str]:
    score = math.inf if one.score is None else -one.score
    is_active_status = traits_of(one.item).status is Status.ACTIVE
    nearness = nearness_of(one, candidate, now=now)
    return nearness, not is_active_status, -one.likeness, score, one.item.id


class Similarity(IntEnum):
    """How a memory is near a candidate: the lower, the sooner it decides."""

    SAME = 0
    """Says the same and is in force."""
    RIVAL = 1
    """Active, of the same place and about the same entity."""
    SAME_OF_OLD = 2
    """Says the same and is not in force."""
    SIMILAR = 3


def nearness_of(one: Neighbour, candidate: Item, *, now: datetime) -> Similarity:
    """Return how a memory is near a candidate."""
    same = says_the_same(one.item, candidate)
    if same and is_in_force(one.item, at=now):
        return Similarity.SAME
    rivals = one.same_entity and is_same_place(traits_of(one.item), traits_of(candidate))
    if rivals and is_active(one.item, at=now):
        return Similarity.RIVAL
    return Similarity.SAME_OF_OLD if same else Similarity.SIMILAR
