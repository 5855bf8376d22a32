"""The approximate adapter of `ports.VectorIndex`: a graph of neighbours (HNSW, by usearch).

The graph only proposes: what it finds is filtered, multiplied out again in integers and sorted
as the exact index does, so the scores are the same numbers. Where it proposes too few, all rows
are scanned. Rows that are not in the graph yet are always scanned along, so nothing has to wait
for it. The graph is derived, disposable and never written to disk: usearch neither syncs its
files nor notices a flipped bit in one.

A graph depends on the order of insertion and, with several threads, on chance; it is built by
one thread at a time.
"""

import threading
import time

import numpy as np
from usearch.index import Index

from simonides.index.exact import ExactIndex, KeyFilter, Keys, Rows
from simonides.index.widening import widened
from simonides.ports import Found

CONNECTIVITY = 32
"""Neighbours of a node above the lowest layer, twice as many there: the seeds' m 32, m0 64."""

EXPANSION_ADD = 128
"""Candidates looked at for a new node's neighbours (the seeds' 100, rounded up; usearch's own)."""

EXPANSION_SEARCH = 128
"""Candidates looked at in a search, or as many as are fetched if that is more."""

STEP_ROWS = 8
"""Rows added before whoever waits gets a turn: about 2 ms."""

TURN_S = 1e-4
"""Long enough for a waiting search to take the lock, which alone would not be handed over."""


class HnswIndex:
    """A graph over the rows of an exact index; see `ports.VectorIndex`.

    `grow` and `adopt` may run beside searches; of the other writes see the port.
    """

    def __init__(self, exact: ExactIndex) -> None:
        self._exact = exact
        self._lock = threading.Lock()
        self._graph = self._empty_graph()
        self._grown = 0

    def __len__(self) -> int:
        return len(self._exact)

    @property
    def pending(self) -> int:
        """How many rows are not in the graph yet, and so are scanned."""
        return self._exact.places - self._grown

    @property
    def nbytes(self) -> int:
        """Bytes held besides the rows of the exact index, about."""
        return int(self._graph.memory_usage) + 9 * self._exact.places

    def upsert(self, keys: Keys, rows: Rows) -> None:
        """Add or replace rows; see `ports.VectorIndex`."""
        with self._lock:
            self._exact.upsert(keys, rows)
        self.grow()

    def delete(self, keys: Keys) -> None:
        """Take keys out; their nodes stay in the graph as ways to others until `rebuild`."""
        with self._lock:
            self._exact.delete(keys)

    def rebuild(self) -> None:
        """Make the graph anew; see `ports.VectorIndex`."""
        with self._lock:
            self._exact.rebuild()
            self._graph, self._grown = self._empty_graph(), 0
        self.grow()

    def adopt(self) -> None:
        """Take in rows that were appended to a shared array; the graph gets them by `grow`."""
        with self._lock:
            self._exact.adopt()

    def grow(self, *, rows_max: int | None = None) -> None:
        """Put rows into the graph, all that are pending or at most so many."""
        stop = self._exact.places
        if rows_max is not None:
            stop = min(stop, self._grown + rows_max)
        while self._grown < stop:
            with self._lock:
                self._step(stop)
            if self._grown < stop:
                time.sleep(TURN_S)

    def search(
        self,
        query: Rows,
        top_k: int,
        filter: KeyFilter | None = None,  # noqa: A002  the word of the project
    ) -> Found:
        """Return the best that the graph knows, or of all rows; see `ports.VectorIndex`."""
        with self._lock:
            near = widened(
                lambda fetch: self._survivors(query, fetch, filter),
                wanted=top_k,
                total=len(self._graph),
            )
            if not near.enough:
                found = self._exact.search(query, top_k, filter)
                return found._replace(rounds=near.rounds, fell_back=True)
            pending = np.arange(self._grown, self._exact.places)
            places = np.concatenate([near.survivors, self._exact.passing(pending, filter)])
            return self._exact.best(query, places, top_k=top_k)._replace(rounds=near.rounds)

    def _survivors(self, query: Rows, fetch: int, filter: KeyFilter | None) -> Keys:  # noqa: A002
        found = self._graph.search(query, fetch, threads=1).keys
        return self._exact.passing(np.asarray(found).astype(np.int64), filter)

    def _step(self, stop: int) -> None:
        """Add a few nodes; a row of zeros has no direction and gets none."""
        until = min(stop, self._grown + STEP_ROWS)
        places = self._exact.passing(np.arange(self._grown, until), None)
        rows = self._exact.rows.rows(self._exact.places)[places]
        directed = rows.any(axis=1)
        if directed.any():
            self._graph.add(places[directed], rows[directed], threads=1)
        self._grown = until

    def _empty_graph(self) -> Index:
        """Return a graph by inner product, whose distance 1 - query·row falls as the score."""
        return Index(
            ndim=self._exact.rows.rows(0).shape[1],
            metric="ip",
            dtype="i8",
            connectivity=CONNECTIVITY,
            expansion_add=EXPANSION_ADD,
            expansion_search=EXPANSION_SEARCH,
        )
