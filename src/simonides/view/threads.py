"""How the columns of items and chunks become thread order. Only what is alive is in it."""

import numpy as np
import numpy.typing as npt

from simonides.scoring.threads import Threads
from simonides.view.columns import ChunkColumns, ItemColumns


def thread_codes(items: ItemColumns, count: int) -> npt.NDArray[np.int64]:
    """Return int64[count]: one number per thread; items without a session have their own."""
    sessions = items.codes["session"].column.rows(count).astype(np.int64)
    empty = (items.codes["session"].code(""), 0)
    alone = np.isin(sessions, empty)
    return np.where(alone, -1 - np.arange(count), sessions)


def item_order(
    items: ItemColumns, codes: npt.NDArray[np.int64], slots: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """Return `slots` sorted by thread, time, position, id."""
    happened = items.happened.rows(len(items))[slots]
    position = items.position.rows(len(items))[slots]
    threads = codes[slots]
    order = np.lexsort((position, happened, threads))
    columns = (threads[order], happened[order], position[order])
    tied = np.ones(max(len(order) - 1, 0), dtype=bool)
    for column in columns:
        tied &= column[1:] == column[:-1]
    if tied.any():
        ids = items.ids.rows(len(items))[slots]
        order = np.lexsort((ids, position, happened, threads))
    return np.asarray(slots[order], dtype=np.int32)


def build_threads(
    chunks: ChunkColumns, *, ordered: npt.NDArray[np.int32],
    codes: npt.NDArray[np.int64], chunk_count: int,
) -> Threads:  # fmt: skip
    """Return the thread order of the chunks of `ordered` items."""
    owners = chunks.item.rows(chunk_count)
    firsts = np.searchsorted(owners, ordered, side="left")
    sizes = np.searchsorted(owners, ordered, side="right") - firsts
    item_starts = np.cumsum(sizes) - sizes
    spread = np.arange(int(sizes.sum())) - np.repeat(item_starts, sizes)
    chunk_order = np.repeat(firsts, sizes) + spread
    threads = np.repeat(codes[ordered], sizes)
    follows = np.zeros(len(threads), dtype=bool)
    follows[1:] = threads[1:] == threads[:-1]
    return Threads(
        items=ordered,
        chunks=chunk_order.astype(np.int32),
        item_starts=item_starts.astype(np.int64),
        thread_starts=np.flatnonzero(~follows).astype(np.int64),
        follows=follows,
    )
