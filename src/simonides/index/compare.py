"""Comparison of two views of one revision: every column, vector and posting.

What is dead is left out and slots are counted anew, so that a view that has grown can be compared
with one that was built from rows. Must not know where views come from.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from simonides.index.index_view import IndexView
from simonides.index.postings import Postings

Array = npt.NDArray[np.generic]

STATISTICS = (
    "revision", "items_alive", "chunks_alive", "vectors_alive", "length_total", "vector_total",
)  # fmt: skip
"""Exact integers that every score rests on."""


def differences(a: IndexView, b: IndexView) -> list[str]:
    """Return the names of the parts in which two views differ; empty if they are equal."""
    differing = [name for name in STATISTICS if not _same(getattr(a, name), getattr(b, name))]
    left, right = dict(_parts(a)), dict(_parts(b))
    return differing + [name for name in left if not _same(left[name], right[name])]


def _same(a: object, b: object) -> bool:
    one, other = np.asarray(a), np.asarray(b)
    as_numbers = one.dtype.kind == "f"
    return bool(np.array_equal(one, other, equal_nan=as_numbers))


def _parts(view: IndexView) -> Iterator[tuple[str, Array]]:
    """Yield the live rows of each part by name, in the order of keys."""
    items = np.flatnonzero(view.alive)
    chunks = np.flatnonzero(view.alive[view.chunk_items])
    for name, column in view.items.growing.items():
        if name != "died":
            yield f"items.{name}", np.asarray(column.rows(view.item_count)[items])
    for name, codes in view.items.codes.items():
        said = [codes.values[code] for code in codes.column.rows(view.item_count)[items]]
        yield f"items.{name}", np.array([str(text) for text in said])
    for name, column in view.chunks.growing.items():
        if name != "item":
            yield f"chunks.{name}", np.asarray(column.rows(view.chunk_count)[chunks])
    yield "chunks.item", _places(items, view.item_count)[view.chunk_items[chunks]]
    if view.vectors.dimension:
        yield "vectors", np.asarray(view.vectors.rows.rows(view.chunk_count)[chunks])
    yield "terms", _postings(view.terms, _places(chunks, view.chunk_count))
    yield "facets", _postings(view.facets, _places(items, view.item_count))


def _places(slots: npt.NDArray[np.intp], count: int) -> npt.NDArray[np.int64]:
    """Return int64[count]: the number of live slots before each slot; -1 for the dead."""
    places = np.full(count, -1, dtype=np.int64)
    places[slots] = np.arange(len(slots))
    return places


def _postings(postings: Postings, places: npt.NDArray[np.int64]) -> Array:
    """Return every posting of live slots as rows (key, place, count), sorted."""
    places = np.append(places, len(places))  # for a document that is none
    rows = [np.empty((0, 3), dtype=np.uint64)]
    for segment in postings.segments:
        keys = np.repeat(segment.keys, np.diff(segment.starts))
        where = places[np.minimum(segment.docs, len(places) - 1)]
        alive = where >= 0
        columns = (keys[alive], where[alive].astype(np.uint64), segment.counts[alive])
        rows.append(np.stack([column.astype(np.uint64) for column in columns], axis=1))
    every = np.concatenate(rows)
    return np.asarray(every[np.lexsort((every[:, 1], every[:, 0]))])
