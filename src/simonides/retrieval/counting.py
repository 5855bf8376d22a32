"""Counts of the items that pass a filter, from the columns of the index."""

import numpy as np
import numpy.typing as npt

from simonides.index.growing import Codes
from simonides.index.masks import Mask, mask_of
from simonides.index.open_space import OpenSpace
from simonides.model.counts import ItemCounts
from simonides.model.filter import Filter
from simonides.retrieval.looking import look
from simonides.retrieval.plan import AsOf, check_as_of
from simonides.scoring.importance import UNDATED


def count_items(wanted: Filter, opened: OpenSpace, *, as_of: AsOf = None) -> ItemCounts:
    """Return the numbers of items that pass a filter, present or `as_of`.

    What has expired by now is left out, as in a list.

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
        return ItemCounts(
            items=int(mask.sum()),
            undated=int((happened == UNDATED).sum()),
            by_source=_by_text(codes["source"], mask),
            by_kind=_by_text(codes["kind"], mask),
            by_collection=_by_text(codes["collection"], mask),
            by_month=_by_month(happened[happened != UNDATED]),
        )


def _by_text(codes: Codes, mask: Mask) -> dict[str, int]:
    counts = np.bincount(codes.column.rows(len(mask))[mask])
    found = {codes.values[code]: int(counts[code]) for code in np.flatnonzero(counts)}
    named = ((text, count) for text, count in found.items() if text is not None)
    return dict(sorted(named, key=lambda one: (-one[1], one[0])))


def _by_month(happened_us: npt.NDArray[np.int64]) -> dict[str, int]:
    months = happened_us.astype("datetime64[us]").astype("datetime64[M]")
    found, counts = np.unique(months, return_counts=True)
    return {str(month): int(count) for month, count in zip(found, counts, strict=True)}
