"""The approximate adapter of `ports.VectorIndex`: a graph of neighbours (HNSW, by faiss).

The graph only proposes: what it finds is filtered, multiplied out again in integers and sorted
as the exact index does, so the scores are the same numbers. Where it proposes too few, all rows
are scanned. Rows that are not in the graph yet are always scanned along, so nothing has to wait
for it. Derived, disposable and never written to disk.

In the graph stands each row less the mean of all. The order of products stays the same, because
q·(x-o) = q·x - q·o; but texts of one space lean to one side, and only without that lean are
neighbours near (measured at 100,000 real vectors, 128 candidates: .987 of the ten largest products
found, .949 with the rows as they are).

A filtered search asks for more and more until enough survives (the widening search of the designs):
it begins with as many as are wanted, doubles, and stops at min(total, 8 x wanted).
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import faiss
import numpy as np
import numpy.typing as npt

from simonides.index.exact import ExactIndex, KeyFilter, Keys, Rows, check_top_k
from simonides.ports.models import VectorMatches

CAP_FACTOR = 8
"""At most so many times what is wanted is fetched (the designs' own cap)."""

Places = npt.NDArray[np.int64]


class Widened(NamedTuple):
    """The survivors of the last round, the number of rounds, and whether they are enough."""

    survivors: Places
    rounds: int
    enough: bool


def widen(search: Callable[[int], Places], *, wanted: int, total: int) -> Widened:
    """Return the survivors of ever wider searches, each from scratch, up to the cap.

    `search(fetch)` returns the survivors among the `fetch` nearest of `total`. Widening ends
    early where the share that survived says that the cap would not bring enough: whoever asks
    looks at everything then, and should not wait for it.
    """
    cap = min(total, CAP_FACTOR * wanted)
    fetch, rounds = min(wanted, cap), 0
    survivors: Places = np.empty(0, dtype=np.int64)
    while fetch:
        rounds += 1
        survivors = search(fetch)
        is_hopeless = len(survivors) * cap < wanted * fetch
        if len(survivors) >= wanted or fetch == cap or is_hopeless:
            break
        fetch = min(2 * fetch, cap)
    return Widened(survivors=survivors, rounds=rounds, enough=len(survivors) >= wanted)


CONNECTIVITY = 32
"""Neighbours of a node above the lowest layer, twice as many there: the designs' m 32, m0 64."""

EXPANSION_ADD = 128
"""Candidates looked at for a new node's neighbours; the designs have 100."""

EXPANSION_SEARCH = 256
"""Candidates looked at in a search, or as many as are fetched if that is more; the designs have
100, which finds too little (measured at 100,000 real vectors, ten wanted: .97 at 100, .994 at
256)."""

STEP_ROWS = 64
"""Rows added before whoever waits gets a turn: about 10 ms."""

TURN_S = 1e-4
"""Long enough for a waiting search to take the lock, which alone would not be handed over."""

NODE_BYTES = 4 * (2 * CONNECTIVITY + 2) + 16
"""Bytes of a node beside its row: its neighbours, its level and where they stand."""


class HnswIndex:
    """A graph over the rows of an exact index; see `ports.VectorIndex`.

    `grow` and `adopt` may run beside searches; of the other writes see the port.
    """

    def __init__(self, exact: ExactIndex) -> None:
        self._exact = exact
        self._lock = threading.Lock()
        self._graph = self._empty_graph()
        self._origin: npt.NDArray[np.int16] | None = None

    def __len__(self) -> int:
        return len(self._exact)

    @property
    def nodes(self) -> int:
        """The number of rows in the graph, dead ones included."""
        return int(self._graph.ntotal)

    @property
    def pending(self) -> int:
        """The number of rows that are not in the graph yet, and so are scanned."""
        return self._exact.places - self.nodes

    @property
    def nbytes(self) -> int:
        """Bytes beside the rows of the exact index, about."""
        return self.nodes * (self._exact.dimension + NODE_BYTES) + self._exact.nbytes

    def upsert(self, keys: Keys, rows: Rows) -> None:
        """Add or replace rows; see `ports.VectorIndex`."""
        with self._lock:
            self._exact.upsert(keys, rows)
        self.grow()

    def delete(self, keys: Keys) -> None:
        """Delete keys; their nodes stay in the graph as links to others until `rebuild`."""
        with self._lock:
            self._exact.delete(keys)

    def rebuild(self) -> None:
        """Rebuild the graph; see `ports.VectorIndex`."""
        with self._lock:
            self._exact.rebuild()
            self._graph, self._origin = self._empty_graph(), None
        self.grow()

    def adopt(self) -> None:
        """Add rows that were appended to a shared array; `grow` adds them to the graph."""
        with self._lock:
            self._exact.adopt()

    def grow(self, *, rows_max: int | None = None) -> None:
        """Add rows to the graph, all pending ones or at most so many. One thread at a time."""
        left = self.pending if rows_max is None else min(self.pending, rows_max)
        while left > 0:
            with self._lock:
                self._add(min(left, STEP_ROWS))
            left -= STEP_ROWS
            if left > 0:
                time.sleep(TURN_S)

    def search(
        self,
        query: Rows,
        top_k: int,
        filter: KeyFilter | None = None,  # noqa: A002  the word of the project
    ) -> VectorMatches:
        """Return the best rows of the graph, or of all rows; see `ports.VectorIndex`."""
        check_top_k(top_k)
        with self._lock:
            near = widen(
                lambda fetch: self._survivors(query, fetch, filter),
                wanted=top_k,
                total=self.nodes,
            )
            if not near.enough:
                found = self._exact.search(query, top_k, filter)
                return found._replace(rounds=near.rounds, fell_back=True)
            pending = np.arange(self.nodes, self._exact.places)
            places = np.concatenate([near.survivors, self._exact.passing(pending, filter)])
            return self._exact.best(query, places, top_k=top_k)._replace(rounds=near.rounds)

    def _survivors(self, query: Rows, fetch: int, filter: KeyFilter | None) -> Keys:  # noqa: A002
        """Return the allowed ones of the `fetch` nearest nodes; a node's number is its place."""
        wide = faiss.SearchParametersHNSW(efSearch=max(fetch, EXPANSION_SEARCH))
        _, nodes = self._graph.search(query[np.newaxis].astype(np.float32), fetch, params=wide)
        return self._exact.passing(nodes[nodes >= 0], filter)

    def _add(self, count: int) -> None:
        """Add the next rows, dead ones included, as nodes."""
        rows = self._exact.rows.rows(self._exact.places)
        if self._origin is None:
            self._origin = np.rint(rows.mean(axis=0)).astype(np.int16)
        first = self.nodes
        moved = np.clip(rows[first : first + count] - self._origin, -127, 127)
        with _one_thread():
            self._graph.add(moved.astype(np.float32))

    def _empty_graph(self) -> faiss.IndexHNSWSQ:
        """Return a graph of int8 nodes by inner product."""
        int8 = faiss.ScalarQuantizer.QT_8bit_direct_signed
        graph = faiss.IndexHNSWSQ(
            self._exact.dimension, int8, CONNECTIVITY, faiss.METRIC_INNER_PRODUCT
        )
        graph.hnsw.efConstruction = EXPANSION_ADD
        return graph


@contextmanager
def _one_thread() -> Iterator[None]:
    """Use one thread in faiss: more would make the graph random, and they spin while waiting.

    The setting is that of the calling thread alone.
    """
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
