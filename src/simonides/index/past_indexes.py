"""The views of a few past revisions, kept warm: each is built from the rows that were alive then.

Knows how few are held. Must not know how a revision was chosen.
"""

import threading
from collections import OrderedDict

from simonides.index.build import empty_view, extended
from simonides.index.index_view import IndexView, held_bytes
from simonides.ports.space import Reader

PAST_VIEWS_MAX = 4
"""Past revisions held at once; who compares two states with the present needs two."""


class PastIndexes:
    """The views last used of one space's past revisions. Thread-safe.

    A view of the past is like that of the present: the same rows, statistics and order. So the
    answer is that of then, to the bit; only the approximate index is never built for it.
    """

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._lock = threading.Lock()
        self._views: OrderedDict[tuple[int, int], IndexView] = OrderedDict()

    @property
    def nbytes(self) -> int:
        """Bytes held in memory, about."""
        return sum(held_bytes(view) for view in list(self._views.values()))

    def of(self, reader: Reader) -> IndexView:
        """Return the view of the reader's revision; `reader` must be a look at the past."""
        key = (reader.epoch, reader.revision)
        with self._lock:
            self._forget_what_is_gone(reader)
            view = self._views.pop(key, None) or extended(empty_view(self._dimension), reader)
            self._views[key] = view
            while len(self._views) > PAST_VIEWS_MAX:
                self._views.popitem(last=False)
            return view

    def drop(self) -> None:
        """Let go of all of them."""
        with self._lock:
            self._views.clear()

    def _forget_what_is_gone(self, reader: Reader) -> None:
        """Drop what was erased or compacted away since it was built."""
        for epoch, revision in list(self._views):
            if epoch != reader.epoch or revision < reader.floor:
                del self._views[epoch, revision]
