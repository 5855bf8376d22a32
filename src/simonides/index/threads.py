"""How the columns of items and chunks become thread order. Only what is alive is in it."""

from bisect import bisect_left

import numpy as np
import numpy.typing as npt

from simonides.index.columns import ItemColumns
from simonides.scoring.relevance import Threads

Slots = npt.NDArray[np.int32]


INSERTED_MAX = 64
"""New items that are put in their places one by one; more are sorted together with the rest."""


def thread_codes(items: ItemColumns, slots: Slots) -> npt.NDArray[np.int64]:
    """Return int64[n]: one number per thread of each slot; items without a session are alone."""
    sessions = items.codes["session"]
    codes = sessions.column.rows(len(items))[slots].astype(np.int64)
    alone = (codes == sessions.code("")) | (codes == 0)
    return np.where(alone, -1 - slots.astype(np.int64), codes)


def item_order(items: ItemColumns, slots: Slots) -> Slots:
    """Return `slots` sorted by thread, time, position, id."""
    happened = items.happened.rows(len(items))[slots]
    position = items.position.rows(len(items))[slots]
    threads = thread_codes(items, slots)
    order = np.lexsort((position, happened, threads))
    tied = np.ones(max(len(order) - 1, 0), dtype=bool)
    for column in (threads[order], happened[order], position[order]):
        tied &= column[1:] == column[:-1]
    if tied.any():
        ids = items.ids.rows(len(items))[slots]
        order = np.lexsort((ids, position, happened, threads))
    return slots[order].astype(np.int32)


def inserted(items: ItemColumns, ordered: Slots, new: Slots) -> Slots:
    """Return `item_order` of `ordered` (already in order) and a few `new` slots together."""
    fresh = item_order(items, new)
    place = _Place(items)
    keys = [place(slot) for slot in fresh]
    at = [bisect_left(ordered, key, key=place) for key in keys]
    return np.insert(ordered, at, fresh).astype(np.int32)


class _Place:
    """The sort key of one slot, comparable with `item_order`."""

    def __init__(self, items: ItemColumns) -> None:
        self._items = items
        self._columns = [
            column.rows(len(items)) for column in (items.happened, items.position, items.ids)
        ]

    def __call__(self, slot: int) -> tuple[int, int, int, bytes]:
        happened, position, ids = self._columns
        code = int(thread_codes(self._items, np.array([slot]))[0])
        return code, int(happened[slot]), int(position[slot]), bytes(ids[slot])


def build_threads(items: ItemColumns, ordered: Slots) -> Threads:
    """Return the threads of item slots that are in thread order."""
    codes = thread_codes(items, ordered)
    follows = np.zeros(len(codes), dtype=bool)
    follows[1:] = codes[1:] == codes[:-1]
    return Threads(items=ordered, starts=np.flatnonzero(~follows), follows=follows)
