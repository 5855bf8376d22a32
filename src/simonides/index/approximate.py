"""Approximate search for very large spaces: chunks near a question by a graph, not a scan.

The graph finds by q·x, with q the question less the space's mean m, and x a row as it is stored:
m moves with every write, rows do not. What is wanted is the order of
cos(q, x-m) = (q·x - q·m) / (|q|·|x-m|). q·m and |q| are the same for all rows, so the two orders
differ only by |x-m| (8 % of spread at 100,000 real vectors). Therefore the graph is asked for many
more than are shown, and their cosines are made as the scan makes them.

A score also holds what words say, and the best of an item's thread. So the same is done for the
best by words, for all chunks of these items, and for the items before and after them. A value is
thus the very one of the scan, or 0 for what neither meaning nor words brought up.
"""

import threading
import weakref
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from simonides.index.exact import ExactIndex, Vectors
from simonides.index.hnsw import CAP_FACTOR, HnswIndex
from simonides.scoring.quantise import centred_query, rounded_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from simonides.index.index_view import Bools, Floats, IndexView, Slots

CANDIDATES = 400
"""Chunks asked of the graph, and of words. Of the ten nearest by float64 .991 were among as many at
100,000 real vectors and .992 at a million (256: .989, .982; the scan of all: .9945, .9955); of the
ten best hits .997 were those of the scan (docs/how-to/very-large-spaces.md)."""

PENDING_MAX = 4096
"""Chunks that are scanned along with the graph's finds before they are put into the graph too:
0.1 ms of scanning."""

THREAD_NAME = "simonides-graph"
"""What the thread is called that builds the graph."""

BUILD_ROWS = 256
"""Rows between two looks at whether the graph is still wanted: about 60 ms."""


class ApproximateChunks:
    """A graph over the chunks of one view and its successors, built in the background."""

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
        """The graph, whose keys are chunk slots; made at first use."""
        with self._lock:
            if self._index is None:
                self._index = HnswIndex(ExactIndex(self._vectors.rows))
            return self._index

    def with_late(self, slots: "Slots") -> "ApproximateChunks":
        """Return the index after these rows, zeros until now, were filled in.

        Another one, to be built anew, where any of them was taken in as it was.
        """
        index = self._index
        if index is None or not len(slots) or slots.min() >= index.nodes + index.pending:
            return self
        return ApproximateChunks(self._vectors, above=self.above)

    def is_ready(self) -> bool:
        """Return whether the graph has (nearly) all chunks; if not, it is being built."""
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
    """Build the graph until it holds every row, nobody needs it, or the program ends."""
    while threading.main_thread().is_alive():
        wanted = graph()
        if wanted is None or not wanted.pending:
            return
        wanted.grow(rows_max=BUILD_ROWS)
        del wanted


def near_semantic(
    view: "IndexView",
    query: npt.NDArray[np.float32],
    *,
    lexical: "Floats | None",
    allowed: "Callable[[], Bools]",
    limit: int,
) -> "tuple[Floats, str]":
    """Return the centred cosines float64[chunks] of the nearest, 0 elsewhere, and a report.

    `lexical` is float64[chunks] or None; `allowed` makes bool[items] where it is needed. All
    cosines are given where the graph is not to be used, or brings too few.
    """
    near = view.near
    if near is None or view.chunk_count <= near.above:
        return view.semantic(query), ""
    if view.waiting is not None:
        return view.semantic(query), f"exact: {view.waiting_count} chunks wait for their vectors"
    if limit > CANDIDATES:
        return view.semantic(query), f"exact: more than {CANDIDATES} were asked for"
    if not near.is_ready():
        left = f"{near.index.pending} of {view.chunk_count} chunks are left"
        return view.semantic(query), f"exact: the approximate index is being built, {left}"
    may = allowed()
    if CAP_FACTOR * np.count_nonzero(may[view.chunk_items]) < view.chunk_count:
        return view.semantic(query), f"exact: the filter leaves less than 1 of {CAP_FACTOR} chunks"
    values, how = _by_graph(view, near, query, lexical=lexical, allowed=may, limit=limit)
    return view.semantic(query) if values is None else values, how


def _by_graph(
    view: "IndexView",
    near: ApproximateChunks,
    query: npt.NDArray[np.float32],
    *,
    lexical: "Floats | None",
    allowed: "Bools",
    limit: int,
) -> "tuple[Floats | None, str]":
    """Return the values and how they were found, or None and why there are too few."""
    asked = centred_query(query, rounded_mean(view.vector_total, view.vectors_alive))
    found = near.index.search(asked, CANDIDATES, partial(_may_come, view, allowed))
    if found.fell_back:
        return None, f"exact: the graph brought too few, rounds: {found.rounds}"
    chunks = found.keys
    if lexical is not None:
        chunks = np.concatenate([chunks, _best_by_words(view, lexical, allowed)])
    slots = _whole_items(view, _with_neighbours(view, np.unique(view.chunk_items[chunks])))
    values = np.zeros(view.chunk_count)
    values[slots] = _cosines(view, asked, slots)
    # An item whose first chunk is on the question's side is found, however shares are set.
    items = int(np.count_nonzero((values[view.item_starts] > 0.0) & allowed))
    if items < limit:
        return None, f"exact: what the graph brought belongs to {items} items only"
    return values, f"approximate: {len(found.keys)} chunks by the graph, rounds: {found.rounds}"


def _may_come(view: "IndexView", allowed: "Bools", slots: npt.NDArray[np.int64]) -> "Bools":
    """Return the allowed chunk slots of this view that have a vector."""
    seen = slots < view.chunk_count
    known = np.where(seen, slots, 0)
    has_vector = view.vectors.squares.rows(view.chunk_count)[known] > 0.0
    return np.asarray(seen & has_vector & allowed[view.chunk_items[known]])


def _best_by_words(view: "IndexView", lexical: "Floats", allowed: "Bools") -> npt.NDArray[np.int64]:
    """Return the best chunk slots by words, as many as the graph is asked for."""
    slots = np.flatnonzero(lexical)
    slots = slots[allowed[view.chunk_items[slots]]]
    if len(slots) <= CANDIDATES:
        return slots
    return slots[np.argpartition(lexical[slots], -CANDIDATES)[-CANDIDATES:]]


def _with_neighbours(view: "IndexView", items: "Slots") -> "Slots":
    """Return the item slots with those before and after each in its thread."""
    places, follows = view.thread_places[items], view.threads.follows
    before = places[follows[places]] - 1
    after = places[places + 1 < len(follows)] + 1
    after = after[follows[after]]
    return np.unique(view.ordered[np.concatenate([before, places, after])])


def _whole_items(view: "IndexView", items: "Slots") -> npt.NDArray[np.intp]:
    """Return the slots of all chunks of these items."""
    firsts = np.searchsorted(view.chunk_items, items, side="left")
    sizes = np.searchsorted(view.chunk_items, items, side="right") - firsts
    starts = np.cumsum(sizes) - sizes
    return np.repeat(firsts - starts, sizes) + np.arange(int(sizes.sum()))


def _cosines(
    view: "IndexView", asked: npt.NDArray[np.int8], slots: npt.NDArray[np.intp]
) -> "Floats":
    """Return `IndexView.semantic` of only these chunks: the same sums, so the same bits."""
    some = view.vectors.pick(slots)
    centre = some.centre(total=view.vector_total, alive=view.vectors_alive, count=len(slots))
    return some.centred_cosines(asked, centre)
