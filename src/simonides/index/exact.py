"""int8 vectors in one contiguous array, and the exact adapter of `ports.VectorIndex` over them.

Every row is looked at, every sum is an integer. Rows stand in places, in the order in which they
came; a place is never used again, and a row that was deleted or replaced leaves a dead one until
`rebuild`. Centring is done in integers: with stored row x, the rounded mean m and a query q from
which the mean was already taken, cos(q, x-m) = (q·x - q·m) / (|q|·sqrt(|x|² - 2·x·m + |m|²)).
|x-m| is cached per row and recomputed only when the rounded mean moves.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

try:
    import simsimd
except ImportError:  # it comes with the extras that bring vectors
    simsimd = None  # type: ignore[assignment]  # a module, or none

from simonides.index.growing import Growing
from simonides.ports.models import VectorMatches
from simonides.scoring.quantise import rounded_mean

BLOCK_ROWS = 4_096
"""Rows made floats at once without simsimd: what a processor's cache holds."""

EXACT_COLUMNS_MAX = 1_024
"""Products of int8 that a float32 adds up exactly, in any order: 1,024 of at most 2^14 are 2^24."""


def dots(query: npt.NDArray[np.int8], rows: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
    """Return the exact integer products query·row as float64[n] (|sum| < 2^53)."""
    return dots_of_all(query.reshape(1, -1), rows).ravel()


def dots_of_all(
    queries: npt.NDArray[np.int8], rows: npt.NDArray[np.int8]
) -> npt.NDArray[np.float64]:
    """Return the exact integer products of each query and each row, float64[queries, n].

    By one thread: those that BLAS starts for products as small as these wait for each other on a
    busy machine (80 rows by 80: 16 ms instead of .04).
    """
    if simsimd is None or not (len(queries) and len(rows)):
        return _dots_in_blocks(queries, rows)
    return np.asarray(simsimd.cdist(queries, rows, metric="dot"))


def _dots_in_blocks(
    queries: npt.NDArray[np.int8], rows: npt.NDArray[np.int8]
) -> npt.NDArray[np.float64]:
    """Return the same products by numpy alone, some five times slower."""
    products = np.zeros((len(queries), len(rows)))
    for first in range(0, len(rows), BLOCK_ROWS):
        block = slice(first, first + BLOCK_ROWS)
        for left in range(0, queries.shape[1], EXACT_COLUMNS_MAX):
            part = slice(left, left + EXACT_COLUMNS_MAX)
            wide = rows[block, part].astype(np.float32)
            products[:, block] += (wide @ queries[:, part].T.astype(np.float32)).T
    return products


Slots = npt.NDArray[np.signedinteger[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Centre:
    """The mean of the rows alive at one revision, and its effect on each row.

    mean: int8[dim]; norms: float64[n], |x-m| (0 for a zero row); filled: how often rows had been
    filled in by then.
    """

    mean: npt.NDArray[np.int8]
    norms: npt.NDArray[np.float64]
    filled: int = 0


class Vectors:
    """The rows of all chunks, by slot; a row of zeros is a chunk without a vector."""

    __slots__ = ("_centre", "_filled", "dimension", "rows", "squares")

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.rows = Growing(np.int8, width=dimension)
        self.squares = Growing(np.float64)
        self._centre: Centre | None = None
        self._filled = 0

    @property
    def nbytes(self) -> int:
        """Bytes reserved, the centre's included."""
        centre = 8 * len(self.rows) if self._centre else 0
        return self.rows.nbytes + self.squares.nbytes + centre

    def extend(self, blob: bytes) -> None:
        """Append rows from their concatenated bytes."""
        added = np.frombuffer(blob, dtype=np.int8).reshape(-1, self.dimension)
        wide = added.astype(np.int32)
        self.squares.extend(np.einsum("ij,ij->i", wide, wide))
        self.rows.extend(added)

    def fill(self, slots: Slots, blob: bytes) -> None:
        """Write rows that were zeros until now; who must not see them yet masks these slots."""
        came = np.frombuffer(blob, dtype=np.int8).reshape(-1, self.dimension)
        wide = came.astype(np.int32)
        self.rows.rows(len(self.rows))[slots] = came
        self.squares.rows(len(self.squares))[slots] = np.einsum("ij,ij->i", wide, wide)
        self._filled += 1  # last: norms that a reader caches meanwhile are of before

    def total(self, slots: Slots | slice) -> npt.NDArray[np.int64]:
        """Return the exact sum int64[dim] of some rows."""
        chosen = self.rows.rows(len(self.rows))[slots]
        return np.asarray(chosen.sum(axis=0, dtype=np.int64))

    def pick(self, slots: npt.NDArray[np.intp]) -> "Vectors":
        """Return copies of some rows as a new `Vectors`."""
        some = Vectors(self.dimension)
        some.rows.extend(self.rows.rows(len(self.rows))[slots])
        some.squares.extend(self.squares.rows(len(self.squares))[slots])
        return some

    def centre(self, *, total: npt.NDArray[np.int64], alive: int, count: int) -> Centre:
        """Return the centre for the mean total/alive over the first `count` rows; cached."""
        mean = rounded_mean(total, alive)
        known, filled = self._centre, self._filled
        if known is None or known.filled != filled or not np.array_equal(known.mean, mean):
            known = Centre(mean=mean, norms=self._norms(mean, first=0, count=count), filled=filled)
        elif len(known.norms) < count:
            fresh = self._norms(mean, first=len(known.norms), count=count)
            norms = np.concatenate([known.norms, fresh])
            known = Centre(mean=mean, norms=norms, filled=filled)
        self._centre = known
        return Centre(mean=mean, norms=known.norms[:count])

    def _norms(
        self, mean: npt.NDArray[np.int8], *, first: int, count: int
    ) -> npt.NDArray[np.float64]:
        squares = self.squares.rows(count)[first:]
        row_dots = dots(mean, self.rows.rows(count)[first:])
        norms = np.sqrt(np.maximum(squares - 2.0 * row_dots + _square(mean), 0.0))
        norms[squares == 0.0] = 0.0
        return norms

    def centred_cosines(
        self, query: npt.NDArray[np.int8], centre: Centre
    ) -> npt.NDArray[np.float64]:
        """Return cos(query, row - mean) per row; 0 for zero rows and a zero query."""
        products = dots(query, self.rows.rows(len(centre.norms)))
        products -= float(np.dot(query.astype(np.int64), centre.mean.astype(np.int64)))
        return _divide(products, centre.norms * np.sqrt(_square(query)))

    def likenesses(self, chosen: Slots, centre: Centre) -> npt.NDArray[np.float64]:
        """Return cos(row - mean, row - mean) of each two of some rows; 0 where one is all zeros.

        (x - m)·(y - m) = x·y - x·m - y·m + m·m, in whole numbers.
        """
        norms = centre.norms[chosen]  # 0 for a row of zeros
        rows = self.rows.rows(len(self.rows))[chosen]
        by_mean = dots(centre.mean, rows)
        products = dots_of_all(rows, rows) - by_mean[:, None] - by_mean + _square(centre.mean)
        return _divide(products, np.outer(norms, norms))

    def cosines(self, query: npt.NDArray[np.int8], *, count: int) -> npt.NDArray[np.float64]:
        """Return the plain cosines of the first `count` rows; 0 for zero rows or a zero query."""
        norms = np.sqrt(self.squares.rows(count))
        return _divide(dots(query, self.rows.rows(count)), norms * np.sqrt(_square(query)))


def _square(vector: npt.NDArray[np.int8]) -> float:
    wide = vector.astype(np.int64)
    return float(np.dot(wide, wide))


def _divide(
    top: npt.NDArray[np.float64], bottom: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    quotients = np.zeros_like(top)
    np.divide(top, bottom, out=quotients, where=bottom > 0.0)
    return quotients


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
