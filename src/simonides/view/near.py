"""The opt-in for very large spaces: chunks near a question by a graph instead of a scan.

The graph holds the rows as they are stored, without the mean taken away, because the mean moves
with every write. With m the mean and q the question less m, what is wanted is the order of
cos(q, x-m) = (q·x - q·m) / (|q|·|x-m|). The graph finds by q·x; q·m and |q| are the same for all
rows, so the two orders differ only by |x-m|, which varies by some percent among rows of unit
length. Therefore it is asked for many more than are shown, and for those (and all other chunks of
their items) the very cosines of the scan are computed. A value is thus the exact one, or 0
where the graph did not bring the item up.
"""

import threading
import weakref
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.index.exact import ExactIndex
from simonides.index.hnsw import HnswIndex
from simonides.index.vectors import Vectors
from simonides.scoring.quantise import centred_query, rounded_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from simonides.view.view import Bools, Floats, Slots, View

CANDIDATES = 500
"""Chunks asked of the graph. Among them stood .9995 of the ten best by float64 cosines, at
100,000 real vectors (docs/how-to/very-large-spaces.md); twice as many take twice as long."""

PENDING_MAX = 4096
"""Chunks that are scanned along with the graph's finds before they are put into the graph too:
0.1 ms of scanning."""

THREAD_NAME = "simonides-graph"
"""What the thread is called that builds the graph."""

BUILD_ROWS = 256
"""Rows between two looks at whether the graph is still wanted: about 60 ms."""


class NearChunks:
    """A graph over the chunks of one view and its successors; it is built beside the answers."""

    def __init__(self, vectors: Vectors, *, above: int) -> None:
        self.above = above
        self._vectors = vectors
        self._index: HnswIndex | None = None
        self._lock = threading.Lock()
        self._builder: threading.Thread | None = None

    @property
    def nbytes(self) -> int:
        """Bytes held besides the vectors, about."""
        return 0 if self._index is None else self._index.nbytes

    @property
    def index(self) -> HnswIndex:
        """The index, whose keys are chunk slots; made when first asked for."""
        with self._lock:
            if self._index is None:
                self._index = HnswIndex(ExactIndex(self._vectors.rows))
            return self._index

    def is_ready(self) -> bool:
        """Return whether the graph holds (nearly) all chunks; if not, it is being built."""
        index = self.index
        with self._lock:
            is_building = self._builder is not None and self._builder.is_alive()
            if not (is_building and _is_behind(index)):
                index.adopt()
            if not _is_behind(index):
                return True
            if not is_building:
                graph = weakref.ref(index)
                self._builder = threading.Thread(target=_build, args=(graph,), name=THREAD_NAME)
                self._builder.start()
            return False


def _is_behind(index: HnswIndex) -> bool:
    return index.pending > min(PENDING_MAX, index.nodes)


def _build(graph: "weakref.ref[HnswIndex]") -> None:
    """Grow the graph until it holds every row, nobody wants it any more, or the program ends."""
    while threading.main_thread().is_alive():
        wanted = graph()
        if wanted is None or not wanted.pending:
            return
        wanted.grow(rows_max=BUILD_ROWS)
        del wanted


def near_semantic(
    view: "View", query: npt.NDArray[np.float32], *, allowed: "Callable[[], Bools]", limit: int
) -> "tuple[Floats, str]":
    """Return the centred cosines float64[chunks] of what is near, 0 elsewhere, and how it went.

    `allowed` makes bool[items] where it is needed. All cosines are given where the graph is not
    to be used, or brings fewer than `limit` allowed items although there may be more.
    """
    near = view.near
    if near is None or view.chunk_count <= near.above:
        return view.semantic(query), ""
    if limit > CANDIDATES:
        return view.semantic(query), f"exact: more than {CANDIDATES} were asked for"
    if not near.is_ready():
        left = f"{near.index.pending} of {view.chunk_count} chunks are left"
        return view.semantic(query), f"exact: the approximate index is being built, {left}"
    return _by_graph(view, near, query, allowed=allowed(), limit=limit)


def _by_graph(
    view: "View",
    near: NearChunks,
    query: npt.NDArray[np.float32],
    *,
    allowed: "Bools",
    limit: int,
) -> "tuple[Floats, str]":
    asked = centred_query(query, rounded_mean(view.vector_total, view.vectors_alive))
    squares = view.vectors.squares.rows(view.chunk_count)

    def may_come(slots: npt.NDArray[np.int64]) -> "Bools":
        seen = slots < view.chunk_count
        known = np.where(seen, slots, 0)
        return np.asarray(seen & allowed[view.chunk_items[known]] & (squares[known] > 0.0))

    found = near.index.search(asked, CANDIDATES, may_come)
    values = np.zeros(view.chunk_count)
    slots = _whole_items(view, found.keys)
    values[slots] = _cosines(view, asked, slots)
    if len(found.keys) == CANDIDATES:
        # An item whose first chunk is on the question's side is found, however shares are set.
        items = np.count_nonzero((values[view.item_starts] > 0.0) & allowed)
        if items < limit:
            return view.semantic(query), f"exact: the nearest chunks belong to {items} items only"
    how = f"by a scan after {found.rounds} rounds" if found.fell_back else f"{found.rounds} rounds"
    return values, f"approximate: {len(found.keys)} nearest chunks, {how}"


def _whole_items(view: "View", chunks: npt.NDArray[np.int64]) -> "Slots":
    """Return the slots of all chunks of the items that these chunks belong to."""
    items = np.unique(view.chunk_items[chunks])
    firsts = np.searchsorted(view.chunk_items, items, side="left")
    sizes = np.searchsorted(view.chunk_items, items, side="right") - firsts
    starts = np.cumsum(sizes) - sizes
    return (np.repeat(firsts - starts, sizes) + np.arange(int(sizes.sum()))).astype(np.int32)


def _cosines(view: "View", asked: npt.NDArray[np.int8], slots: "Slots") -> "Floats":
    """Return `View.semantic` of just these chunks: the same sums, so the same bits."""
    some = Vectors(view.vectors.dimension)
    some.extend(view.vectors.rows.rows(view.chunk_count)[slots].tobytes())
    centre = some.centre(total=view.vector_total, alive=view.vectors_alive, count=len(slots))
    return some.centred_cosines(asked, centre)
