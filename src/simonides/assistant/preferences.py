"""Stored preferences: a statement is weighed and written, and all are read again.

Knows the versions of items and the cache. Must not know the rules: those are
`memories.preferences`.
"""

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

import numpy as np

from simonides.assistant.working_state import WorkingState
from simonides.errors import Conflict, NotFound
from simonides.index.index_view import IndexView
from simonides.index.masks import mask_of
from simonides.index.open_space import OpenSpace
from simonides.ingest.keep import TRIES_MAX, keep, overtaken
from simonides.memories.preferences import (
    COLLECTION,
    SOURCE,
    after_statement,
    fade,
    id_of,
    item_of,
    preference_of,
    strongest,
)
from simonides.model.chat import Origin, Preference
from simonides.model.filter import Filter
from simonides.model.item import Kind
from simonides.model.stored import Change
from simonides.ports.space import Reader
from simonides.retrieval.looking import look

_KEPT = Filter(kinds=(Kind.MEMORY,), sources=(SOURCE,), collections=(COLLECTION,))


def state_preference(
    key: str,
    value: str,
    origin: Origin,
    opened: OpenSpace,
) -> Preference:
    """Store the preference that a statement leads to, and return it with its present confidence.

    Raises:
        NotFound: It was observed, and the user had the preference forgotten; nothing was written.
        EmbedderError: The model failed; nothing was written.
        StoreBusy: Others stated it faster, again and again; nothing was written.
    """
    now = opened.now()
    for _ in range(TRIES_MAX):
        try:
            stated = _weigh(key, value, origin, opened, now=now)
        except Conflict:
            continue
        WorkingState.of(opened).drop_preferences()
        return fade(stated, now=now)
    raise overtaken(f"preference {key!r}")


def _weigh(key: str, value: str, origin: Origin, opened: OpenSpace, *, now: datetime) -> Preference:
    """Store the result of a statement, unless the preference changes meanwhile."""
    with opened.make().read() as reader:
        present = reader.item(id_of(key))
    before = None if present is None else preference_of(present)
    stated = after_statement(before, key=key, value=value, origin=origin, now=now)
    item = item_of(stated)
    [outcome] = keep(
        [item], opened, stored_at=now, revive=origin is Origin.EXPLICIT,
        expected={item.id: 0 if present is None else present.version},
    )  # fmt: skip
    if outcome.change is Change.FORGOTTEN:
        raise NotFound("preference", key)
    return replace(stated, id=item.id)


def preferences_now(opened: OpenSpace) -> tuple[Preference, ...]:
    """Return the preferences with their present confidence, highest first, then by key."""
    now = opened.now()
    return tuple(strongest(fade(one, now=now) for one in read_preferences(opened)))


def forget_preference(key: str, opened: OpenSpace) -> bool:
    """Remove a preference from the present; return whether there was one."""
    WorkingState.of(opened).drop_preferences()
    space = opened.find()
    if space is None:
        return False
    gone = space.forget([id_of(key)], at=opened.now())
    opened.home.tend(space)
    return bool(gone)


def read_preferences(opened: OpenSpace) -> tuple[Preference, ...]:
    """Return the stored preferences, not faded; from the cache if it is up to date.

    The cache names the versions that it was made of: what another process writes, forgets or
    erases shows at once.
    """
    space, working = opened.find(), WorkingState.of(opened)
    if space is None:
        return ()
    cached = working.preferences()
    with look(space, opened.index) as (reader, view):
        keys = _keys(view, reader)
        of = [space.uuid, reader.epoch, *keys]
        if cached.get("of") == of:
            return tuple(map(_read, cached["kept"]))
        items = reader.items(keys)
    kept = tuple(filter(None, (preference_of(items[key]) for key in keys)))
    working.keep_preferences({"of": of, "kept": [_write(one) for one in kept]})
    return kept


def _keys(view: IndexView, reader: Reader) -> list[int]:
    """Return the keys of the present versions of preferences, rising."""
    slots = np.flatnonzero(mask_of(_KEPT, view=view, reader=reader))
    return [int(key) for key in view.items.keys.rows(view.item_count)[slots]]


def _write(one: Preference) -> dict[str, Any]:
    return {**asdict(one), "updated_at": one.updated_at.isoformat()}


def _read(cached: Mapping[str, Any]) -> Preference:
    updated_at = datetime.fromisoformat(cached["updated_at"])
    return Preference(**{**cached, "origin": Origin(cached["origin"]), "updated_at": updated_at})
