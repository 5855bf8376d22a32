"""In which order messages stand.

A session's messages go by time, position and id, which is the thread order of the view; sessions
by when they were last used. Knows a view's columns. Must not know what a message says.
"""

from collections.abc import Iterator
from itertools import groupby

import numpy as np
import numpy.typing as npt

from simonides.index.index_view import IndexView
from simonides.model.item import Kind
from simonides.scoring.temporal import UNDATED

Slots = npt.NDArray[np.int32]


def message_slots(view: IndexView, session_id: str | None = None) -> Slots:
    """Return the slots of a session's messages in their order, or of all, session by session.

    Messages without a session are in none, and so in none of these.
    """
    codes, count = view.items.codes, view.item_count
    wanted = codes["kind"].holding([Kind.MESSAGE], count=count)
    wanted &= ~codes["session"].holding(["", None], count=count)
    if session_id is not None:
        wanted &= codes["session"].holding([session_id], count=count)
    return np.asarray(view.ordered[wanted[view.ordered]])


def message_times(view: IndexView) -> npt.NDArray[np.int64]:
    """Return int64[items]: when each happened, or else when it was kept."""
    happened = view.items.happened.rows(view.item_count)
    return np.where(happened == UNDATED, view.items.stored.rows(view.item_count), happened)


def message_place(view: IndexView, slot: int) -> tuple[int, int, str]:
    """Return what a session's messages are ordered by: time, position, and the id as it is kept."""
    items, count = view.items, view.item_count
    kept = bytes(items.ids.rows(count)[slot])
    return (
        int(items.happened.rows(count)[slot]),
        int(items.position.rows(count)[slot]),
        kept.decode("latin-1"),  # keeps the order of bytes
    )


class SessionColumns:
    """Every session of a view, as stretches of one array of slots."""

    def __init__(self, view: IndexView) -> None:
        self._slots = message_slots(view)
        sessions = view.items.codes["session"]
        codes = sessions.column.rows(view.item_count)[self._slots]
        self._starts = np.flatnonzero(np.diff(codes, prepend=-1))
        self._names = [sessions.values[int(code)] or "" for code in codes[self._starts]]
        times = message_times(view)[self._slots]
        self._used = np.maximum.reduceat(times, self._starts) if len(times) else times

    def slots_of(self, place: int) -> Slots:
        """Return the slots of the messages of one session."""
        stops = [*self._starts[place + 1 : place + 2], len(self._slots)]
        return self._slots[self._starts[place] : stops[0]]

    def from_latest(self, after: tuple[int, str] | None) -> Iterator[tuple[int, str, int]]:
        """Yield (when it was last used, id, place) of each session, latest first, then by id."""
        order = np.argsort(-self._used, kind="stable")
        if after is not None:
            order = order[self._used[order] <= after[0]]
        for used_us, places in groupby(order, key=lambda place: int(self._used[place])):
            for name, place in sorted((self._names[one], int(one)) for one in places):
                if after is None or (-used_us, name) > (-after[0], after[1]):
                    yield used_us, name, place
