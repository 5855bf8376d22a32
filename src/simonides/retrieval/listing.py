"""Lists: the items that pass a filter, newest first, one page at a time."""

import numpy as np
import numpy.typing as npt

from simonides.index.columns import ID_HEAD_BYTES
from simonides.index.index_view import IndexView
from simonides.index.masks import mask_of
from simonides.index.open_space import OpenSpace
from simonides.model.answer import Page
from simonides.model.bounds import LIMIT
from simonides.model.coercion import cursor_of, place_of
from simonides.model.filter import Filter
from simonides.ports.space import Reader
from simonides.retrieval.best import Places, in_order
from simonides.retrieval.looking import look
from simonides.retrieval.plan import AsOf, check_as_of
from simonides.scoring.importance import UNDATED

PAGE_MAX = LIMIT.high


def list_items(
    wanted: Filter, opened: OpenSpace, *, limit: int, cursor: str, as_of: AsOf = None
) -> Page:
    """Return one page of items by falling time (undated ones by storage time), then id.

    A cursor names the last item seen, so that pages neither skip nor repeat what stays in place
    while others write. `as_of` lists what was kept then; what has expired by now is left out.

    Raises:
        InvalidInput: The limit, the cursor or `as_of` is malformed.
        HistoryGone: The state that is asked for was compacted away.
    """
    check_as_of(as_of)
    LIMIT.check(limit, field="limit")
    after = place_of(cursor, int, str)
    space = opened.find_of_any_embedder()
    if space is None:
        return Page(items=())
    with look(space, opened.home.index(space), as_of=as_of) as (reader, view):
        times = _times(view)
        mask = mask_of(wanted, view=view, reader=reader, now=opened.now())
        if after is not None:
            mask &= _not_before(after, times=times, view=view)
        slots = np.flatnonzero(mask)
        ordered = in_order(slots, times, view=view, reader=reader)
        return _page(ordered, times, after=after, limit=limit, view=view, reader=reader)


def _not_before(
    after: tuple[int, str], *, times: npt.NDArray[np.int64], view: IndexView
) -> npt.NDArray[np.bool_]:
    """Return bool[items]: the candidates after the cursor, by the part of ids kept in memory."""
    time_us, item_id = after
    heads = view.items.ids.rows(view.item_count).astype(f"S{ID_HEAD_BYTES}")
    same = (times == time_us) & (heads >= item_id.encode()[:ID_HEAD_BYTES])
    return np.asarray(same | (times < time_us))


def _page(
    ordered: Places,
    times: npt.NDArray[np.int64],
    *,
    after: tuple[int, str] | None,
    limit: int,
    view: IndexView,
    reader: Reader,
) -> Page:
    """Walk the ordered slots past the cursor and return one page, with the next item checked."""
    keys = view.items.keys.rows(view.item_count)
    items = []
    for start in range(0, len(ordered), limit + 1):
        part = ordered[start : start + limit + 1]
        fetched = reader.items([int(keys[slot]) for slot in part])
        for slot in part:
            item = fetched[int(keys[slot])]
            if after is None or (-int(times[slot]), item.id) > (-after[0], after[1]):
                items.append((int(times[slot]), item))
        if len(items) > limit:
            break
    page = items[:limit]
    more = len(items) > limit
    return Page(
        items=tuple(item for _, item in page),
        cursor=cursor_of(page[-1][0], page[-1][1].id) if more else "",
    )


def _times(view: IndexView) -> npt.NDArray[np.int64]:
    happened = view.items.happened.rows(view.item_count)
    stored = view.items.stored.rows(view.item_count)
    return np.where(happened == UNDATED, stored, happened)
