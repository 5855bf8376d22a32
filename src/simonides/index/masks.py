"""A filter as a mask over items: exact, and the only place where a filter meets the index."""

from datetime import datetime
from functools import reduce

import numpy as np
import numpy.typing as npt

from simonides.index.facets import author_key, entity_key, part_key, tag_key
from simonides.index.index_view import IndexView
from simonides.model.filter import AllOf, AnyOf, Compare, Condition, Filter, Not, Viewer
from simonides.model.item import Scope
from simonides.model.times import microseconds
from simonides.ports.space import Reader
from simonides.scoring.importance import UNDATED

Mask = npt.NDArray[np.bool_]


def mask_of(
    wanted: Filter, *, view: IndexView, reader: Reader, now: datetime | None = None
) -> Mask:
    """Return bool[items]: the present items that satisfy the filter.

    What has expired by `now` (aware) is left out unless the filter lets it in; without `now`
    nothing has.
    """
    parts = [
        view.alive.copy(),
        *_mask_codes(wanted, view),
        *_mask_facets(wanted, view),
        *_mask_times(wanted, view),
    ]
    if wanted.ids:
        parts.append(_with_ids(wanted.ids, view, reader))
    if wanted.without_ids:
        parts.append(~_with_ids(wanted.without_ids, view, reader))
    if now is not None and not wanted.expired:
        parts.append(_mask_unexpired(view, now))
    if wanted.viewer is not None:
        parts.append(_visible(wanted.viewer, view))
    mask = reduce(np.logical_and, parts)
    if wanted.where is not None and mask.any():
        mask &= _satisfying(wanted.where, view, reader)
    return mask


def _mask_codes(wanted: Filter, view: IndexView) -> list[Mask]:
    pairs = (
        ("source", wanted.sources), ("kind", wanted.kinds), ("collection", wanted.collections),
        ("session", wanted.sessions), ("scope", wanted.scopes), ("type", wanted.types),
    )  # fmt: skip
    masks = [view.having_codes(name, texts) for name, texts in pairs if texts]
    if wanted.statuses:
        masks.append(view.having_codes("status", [*wanted.statuses, None]))
    return masks


def _mask_facets(wanted: Filter, view: IndexView) -> list[Mask]:
    masks = []
    if wanted.tags:
        masks.append(view.having(tag_key(tag) for tag in wanted.tags))
    for names, key in (
        (wanted.people, part_key),
        (wanted.authors, author_key),
        (wanted.entities, entity_key),
    ):
        if names:
            meant = {entity for name in names for entity in view.names.matching(name)}
            masks.append(view.having(key(entity) for entity in sorted(meant)))
    return masks


def _mask_times(wanted: Filter, view: IndexView) -> list[Mask]:
    happened = view.items.happened.rows(view.item_count)
    masks = []
    if wanted.since is not None or wanted.until is not None:
        masks.append(happened != UNDATED)
    if wanted.since is not None:
        masks.append(happened >= microseconds(wanted.since))
    if wanted.until is not None:
        masks.append(happened < microseconds(wanted.until))
    return masks


def _mask_unexpired(view: IndexView, now: datetime) -> Mask:
    """Return the items that are not memories or not expired; `expires_at` is exclusive."""
    holding = np.ones(view.item_count, dtype=bool)
    slots = view.expiring
    holding[slots] = view.items.expires.rows(view.item_count)[slots] > microseconds(now)
    return holding


def _with_ids(ids: tuple[str, ...], view: IndexView, reader: Reader) -> Mask:
    mask = np.zeros(view.item_count, dtype=bool)
    mask[view.item_slots(reader.keys(ids))] = True
    return mask


def _visible(viewer: Viewer, view: IndexView) -> Mask:
    """Return the visible items: no memory, global, of one of the viewer's ids, or without one."""
    visible = view.having_codes("scope", [None, Scope.GLOBAL])
    for scope, name in (
        (Scope.WORKSPACE, "workspace_id"),
        (Scope.USER, "user_id"),
        (Scope.SESSION, "session_id"),
    ):
        own = getattr(viewer, name)
        if own:
            visible |= view.having_codes(name, [own])
        visible |= view.having_codes("scope", [scope]) & view.having_codes(name, ["", None])
    return visible


def _satisfying(condition: Condition, view: IndexView, reader: Reader) -> Mask:
    match condition:
        case Compare():
            keys = view.items.keys.rows(view.item_count)
            return view.metadata.mask(condition, reader=reader, keys=keys)
        case Not(part=part):
            return ~_satisfying(part, view, reader)
        case AllOf(parts=parts):
            every = np.ones(view.item_count, dtype=bool)
            return reduce(np.logical_and, (_satisfying(p, view, reader) for p in parts), every)
        case AnyOf(parts=parts):
            none = np.zeros(view.item_count, dtype=bool)
            return reduce(np.logical_or, (_satisfying(p, view, reader) for p in parts), none)
