"""The exact adapter of `ports.VectorIndex`: a scan of every row, with integer sums.

Rows stand in places, in the order in which they came; a place is never used again, and a row that
was deleted or replaced leaves a dead one until `rebuild`.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from simonides.index.growing import Growing
from simonides.index.vectors import dots
from simonides.ports.models import VectorMatches

Keys = npt.NDArray[np.int64]
Rows = npt.NDArray[np.int8]
KeyFilter = Callable[[Keys], npt.NDArray[np.bool_]]

GATHERED_SHARE_MAX = 0.15
"""Up to this share of the rows are gathered and multiplied; more are picked out of the products of
all, because a gathered row costs six times a swept one (measured at 384 dimensions)."""


def check_top_k(top_k: int) -> None:
    """Raise `ValueError` unless `top_k` is at least 1."""
    if top_k < 1:
        raise ValueError(f"top_k must be 1 or more, got {top_k}")


class ExactIndex:
    """A scan of all rows, in an array that may be shared with a caller who appends to it."""

    __slots__ = ("alive", "keys", "rows")

    def __init__(self, rows: Growing) -> None:
        self.rows = rows
        self.keys = Growing(np.int64)
        self.alive = Growing(np.bool_)
        self.adopt()

    def __len__(self) -> int:
        return int(np.count_nonzero(self.alive.rows(self.places)))

    @property
    def dimension(self) -> int:
        """The number of values in a row."""
        return int(self.rows.rows(0).shape[1])

    @property
    def nbytes(self) -> int:
        """Bytes beside the rows."""
        return self.keys.nbytes + self.alive.nbytes

    @property
    def places(self) -> int:
        """The number of places taken, dead ones included."""
        return len(self.alive)

    def adopt(self) -> None:
        """Add the rows that its owner appended to the shared array; each row's place is its key."""
        fresh = np.arange(self.places, len(self.rows), dtype=np.int64)
        self.keys.extend(fresh)
        self.alive.extend(np.ones(len(fresh), dtype=bool))

    def upsert(self, keys: Keys, rows: Rows) -> None:
        """Add or replace rows; see `ports.VectorIndex`."""
        if rows.shape != (len(keys), self.dimension):
            raise ValueError(f"{len(keys)} keys came with rows of shape {rows.shape}")
        if len(np.unique(keys)) < len(keys):
            raise ValueError("a key was given twice in one call")
        self.delete(keys)
        self.rows.extend(rows)
        self.keys.extend(keys)
        self.alive.extend(np.ones(len(keys), dtype=bool))

    def delete(self, keys: Keys) -> None:
        """Delete keys; see `ports.VectorIndex`."""
        count = self.places
        self.alive.rows(count)[np.isin(self.keys.rows(count), keys)] = False

    def search(
        self,
        query: Rows,
        top_k: int,
        filter: KeyFilter | None = None,  # noqa: A002  the word of the project
    ) -> VectorMatches:
        """Return the best rows; see `ports.VectorIndex`."""
        return self.best(query, self.passing(np.arange(self.places), filter), top_k=top_k)

    def passing(self, places: Keys, filter: KeyFilter | None) -> Keys:  # noqa: A002
        """Return the live places whose keys pass the filter."""
        passing: Keys = places[self.alive.rows(self.places)[places]]
        if filter is not None:
            passing = passing[filter(self.keys.rows(self.places)[passing])]
        return passing

    def best(self, query: Rows, places: Keys, *, top_k: int) -> VectorMatches:
        """Return the keys at the best of these places, ties by key."""
        check_top_k(top_k)
        keys, scores = self.keys.rows(self.places)[places], self._products(query, places)
        if len(scores) > top_k:
            cut = len(scores) - top_k
            chosen = scores >= np.partition(scores, cut)[cut]
            keys, scores = keys[chosen], scores[chosen]
        order = np.lexsort((keys, -scores))[:top_k]
        return VectorMatches(keys=keys[order], scores=scores[order])

    def _products(self, query: Rows, places: Keys) -> npt.NDArray[np.float64]:
        rows = self.rows.rows(self.places)
        if len(places) <= GATHERED_SHARE_MAX * len(rows):
            return dots(query, rows[places])
        return dots(query, rows)[places]

    def rebuild(self) -> None:
        """Keep only the live rows, in a new array; see `ports.VectorIndex`."""
        living = np.flatnonzero(self.alive.rows(self.places))
        kept = ExactIndex(Growing(np.int8, width=self.dimension))
        kept.upsert(self.keys.rows(self.places)[living], self.rows.rows(self.places)[living])
        self.rows, self.keys, self.alive = kept.rows, kept.keys, kept.alive
