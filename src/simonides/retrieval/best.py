"""The best of all items by their values, ties by id."""

from typing import Any

import numpy as np
import numpy.typing as npt

from simonides.index.columns import ID_BYTES, ID_HEAD_BYTES
from simonides.index.index_view import IndexView
from simonides.ports.space import Reader

Places = npt.NDArray[np.intp]

_HEAD = f"S{ID_HEAD_BYTES}"


def best_slots(
    values: npt.NDArray[np.float64],
    allowed: npt.NDArray[np.bool_],
    *,
    limit: int,
    view: IndexView,
    reader: Reader,
) -> list[int]:
    """Return at most `limit` allowed item slots, by falling value, then rising id.

    NaN never ranks.
    """
    slots = foremost(values, np.flatnonzero(allowed & ~np.isnan(values)), count=limit)
    return [int(slot) for slot in in_order(slots, values, view=view, reader=reader)[:limit]]


def in_order(slots: Places, values: npt.NDArray[Any], *, view: IndexView, reader: Reader) -> Places:
    """Return the slots by falling `values` (number[items]), then rising id.

    Ids are compared by the bytes kept in memory, and whole only where long ones begin alike.
    """
    heads = view.items.ids.rows(view.item_count)[slots]
    order = np.lexsort((heads, -values[slots]))
    slots, heads = slots[order], heads[order]
    same = values[slots][1:] == values[slots][:-1]
    before, after = heads[:-1][same], heads[1:][same]
    alike = before.astype(_HEAD) == after.astype(_HEAD)
    lengths = np.maximum(np.char.str_len(before[alike]), np.char.str_len(after[alike]))
    unsure = bool((lengths >= ID_BYTES).any())
    return _by_whole_ids(slots, values, view=view, reader=reader) if unsure else slots


def _by_whole_ids(
    slots: Places, values: npt.NDArray[Any], *, view: IndexView, reader: Reader
) -> Places:
    keys = [int(key) for key in view.items.keys.rows(view.item_count)[slots]]
    items = reader.items(keys)
    ranked = sorted(
        (-values[slot].item(), items[key].id, int(slot))
        for slot, key in zip(slots, keys, strict=True)
    )
    return np.array([slot for _, _, slot in ranked], dtype=np.intp)


def foremost(values: npt.NDArray[np.float64], slots: Places, *, count: int) -> Places:
    """Return the slots of the `count` highest values, and what equals the last of them."""
    if len(slots) <= count:
        return slots
    cut = len(slots) - count
    highest: Places = slots[values[slots] >= np.partition(values[slots], cut)[cut]]
    return highest
