"""Counts of the items that pass a filter, from the columns and facets of the index."""

import json
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from simonides.index.facets import part_key
from simonides.index.growing import Codes
from simonides.index.index_view import IndexView
from simonides.index.masks import Mask, mask_of
from simonides.index.open_space import OpenSpace
from simonides.model.counts import ItemCounts
from simonides.model.filter import Filter
from simonides.model.stored import EntityKind
from simonides.retrieval.looking import look
from simonides.retrieval.plan import AsOf, check_as_of
from simonides.scoring.importance import UNDATED

PEOPLE_MAX = 50
"""So many people are counted: those who take part in most items."""

VALUES_MAX = 200
"""So many values of a metadata key are counted: the most frequent ones."""

_PERSON = f"{EntityKind.PERSON}:"


def count_items(
    wanted: Filter, opened: OpenSpace, *, as_of: AsOf = None, metadata: str = ""
) -> ItemCounts:
    """Return the numbers of items that pass a filter, present or `as_of`.

    What has expired by now is left out, as in a list. `metadata` is a key whose values are counted.

    Raises:
        InvalidInput: `as_of` is malformed.
        HistoryGone: The state that is asked for was compacted away.
    """
    check_as_of(as_of)
    space = opened.find_of_any_embedder()
    if space is None:
        return ItemCounts()
    with look(space, opened.home.index(space), as_of=as_of) as (reader, view):
        mask = mask_of(wanted, view=view, reader=reader, now=opened.now())
        happened = view.items.happened.rows(view.item_count)[mask]
        codes = view.items.codes
        keys = view.items.keys.rows(view.item_count)
        values = view.metadata.counts(metadata, mask, reader=reader, keys=keys) if metadata else []
        return ItemCounts(
            items=int(mask.sum()),
            undated=int((happened == UNDATED).sum()),
            by_source=_by_text(codes["source"], mask),
            by_kind=_by_text(codes["kind"], mask),
            by_collection=_by_text(codes["collection"], mask),
            by_person=_by_person(view, mask),
            by_month=_by_month(happened[happened != UNDATED]),
            by_value=dict(_frequent([(_text_of(one), count) for one, count in values], VALUES_MAX)),
        )


def _by_text(codes: Codes, mask: Mask) -> dict[str, int]:
    counts = np.bincount(codes.column.rows(len(mask))[mask])
    found = {codes.values[code]: int(counts[code]) for code in np.flatnonzero(counts)}
    return dict(_frequent([(text, count) for text, count in found.items() if text is not None]))


def _frequent(counts: list[tuple[str, int]], most: int | None = None) -> list[tuple[str, int]]:
    """Return counts, the most frequent first, then by name."""
    return sorted(counts, key=lambda one: (-one[1], one[0]))[:most]


def _text_of(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _by_person(view: IndexView, mask: Mask) -> dict[str, int]:
    """Return how many items a filter by each person would let through of these."""
    frequent = Counter[str]()
    for entity, name in _names_of_people(view).items():
        frequent[name] += int(np.count_nonzero(mask[view.facets.find(part_key(entity))[0]]))
    likely = [name for name, count in frequent.most_common(2 * PEOPLE_MAX) if count]
    counts = []
    for name in likely:
        meant = sorted(view.names.matching(name))
        counts.append((name, int(np.count_nonzero(mask & view.having(map(part_key, meant))))))
    return dict(_frequent(counts, PEOPLE_MAX))


def _names_of_people(view: IndexView) -> dict[str, str]:
    """Return the name of each person: the longest that is no address, else the address."""
    names: dict[str, str] = {}
    for entity, kind, name in sorted(view.directory.names()):
        if kind == EntityKind.PERSON:
            known = names.setdefault(entity, "")
            if "@" not in name and len(name) > len(known):
                names[entity] = name
    return {one: name or one.removeprefix(_PERSON) for one, name in names.items()}


def _by_month(happened_us: npt.NDArray[np.int64]) -> dict[str, int]:
    months = happened_us.astype("datetime64[us]").astype("datetime64[M]")
    found, counts = np.unique(months, return_counts=True)
    return {str(month): int(count) for month, count in zip(found, counts, strict=True)}
