"""How a view becomes the next one, and whether two views of one revision are the same index.

What was born is appended, what died is marked, all is counted. A comparison takes every column,
vector and posting: what is dead is left out and slots are counted anew, so that a view that has
grown can be compared with one that was built from rows.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from operator import attrgetter
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from simonides.entities import records
from simonides.entities.directory import Directory, Group
from simonides.errors import WrongEmbedder
from simonides.index.columns import (
    INSERTED_MAX,
    ChunkColumns,
    ItemColumns,
    MetadataColumns,
    insert,
)
from simonides.index.exact import Vectors
from simonides.index.facets import facet_segment
from simonides.index.index_view import IndexView, Slots
from simonides.index.postings import Postings, from_blobs
from simonides.ports.space import ChunkRow, ItemRow, MentionRow, Reader, VectorRow
from simonides.scoring.quantise import MEAN_CHUNKS_MAX

SLICE_ITEMS = 8_192
"""Items whose rows are held at once while a view is built."""

Row = TypeVar("Row", ChunkRow, MentionRow)
Sliced = TypeVar("Sliced", ItemRow, ChunkRow, MentionRow, VectorRow)

_NO_SLOTS = np.empty(0, dtype=np.int32)


def empty_view(dimension: int) -> IndexView:
    """Return the view of a space before its first write."""
    return IndexView(
        revision=0, items=ItemColumns(), chunks=ChunkColumns(), vectors=Vectors(dimension),
        terms=Postings(), facets=Postings(), directory=Directory(), metadata=MetadataColumns(),
        item_count=0, chunk_count=0, items_alive=0, chunks_alive=0, vectors_alive=0,
        length_total=0, vector_total=np.zeros(dimension, dtype=np.int64),
    )  # fmt: skip


def extend(view: IndexView, reader: Reader) -> IndexView:
    """Return the view at the reader's revision, with new items appended and removed ones marked.

    Rows come in slices, so that building a large view needs little memory besides its own.
    """
    dead = _mark_deaths(view, reader)
    filled = _fill_in(view, reader)
    chunks = Run(reader.chunk_rows(view.revision))
    mentions = Run(reader.mention_rows(view.revision))
    terms, facets = view.terms, view.facets
    for items in _slices(reader.item_rows(view.revision)):
        first_chunk, last = len(view.chunks), items[-1].key
        own, named = chunks.up_to(last), mentions.up_to(last)
        facets = facets.append(facet_segment(items, named, first=len(view.items)))
        terms = terms.append(from_blobs([row.terms for row in own], first=first_chunk))
        _append_items(view, items, named)
        _append_chunks(view, own)
    grown = replace(
        view,
        revision=reader.revision,
        terms=terms,
        facets=facets,
        metadata=MetadataColumns(view.metadata),
        item_count=len(view.items),
        chunk_count=len(view.chunks),
        near=view.near and view.near.with_late(filled),
    )
    counted = _count(_with_late(view, filled), grown=grown, dead=dead)
    _carry_order(view, counted)
    return counted


def _slices(rows: Iterable[Sliced]) -> Iterator[list[Sliced]]:
    rest = iter(rows)
    while batch := list(islice(rest, SLICE_ITEMS)):
        yield batch


class Run(Generic[Row]):
    """Rows by rising item key, taken up to one key after another."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._slices: Iterator[list[Row]] = _slices(rows)
        self._ahead: list[Row] = next(self._slices, [])

    def up_to(self, key: int) -> list[Row]:
        """Return the rows not taken yet whose item key is at most `key`."""
        taken: list[Row] = []
        while self._ahead:
            stop = bisect_right(self._ahead, key, key=attrgetter("item_key"))
            taken += self._ahead[:stop]
            self._ahead = self._ahead[stop:] or next(self._slices, [])
            if self._ahead and self._ahead[0].item_key > key:
                break
        return taken


def _carry_order(view: IndexView, grown: IndexView) -> None:
    """Carry the item order over to the next view if few items are new: saves sorting all."""
    new = np.arange(view.item_count, grown.item_count, dtype=np.int32)
    if "ordered" in view.__dict__ and len(new) <= INSERTED_MAX:
        kept = view.ordered[grown.alive[view.ordered]]
        grown.__dict__["ordered"] = insert(grown.items, kept, new)


def _append_items(view: IndexView, rows: list[ItemRow], mentions: list[MentionRow]) -> None:
    first = len(view.items)
    view.items.extend(rows)
    said = {slot: row for slot, row in enumerate(rows, start=first) if _is_record(row)}
    keys = {row.key for row in said.values()}
    view.directory.extend((m.entity, m.kind, m.name) for m in mentions if m.item_key not in keys)
    for slot, row in said.items():
        if own := [m for m in mentions if m.item_key == row.key]:  # a malformed one has none
            view.directory.join(slot, _group(own, row.id))


def _is_record(row: ItemRow) -> bool:
    return row.source == records.SOURCE and row.collection == records.COLLECTION


def _group(mentions: list[MentionRow], item_id: str) -> Group:
    """Return the entities that a name record makes one; the record's own first."""
    ids = sorted({m.entity for m in mentions})
    ids.sort(key=lambda one: records.record_id(one) != item_id)
    return Group(ids=tuple(ids), names=tuple(m.name for m in mentions if m.entity == ids[0]))


def _append_chunks(view: IndexView, rows: list[ChunkRow]) -> None:
    keys = view.items.keys.rows(len(view.items))
    owners = np.array([row.item_key for row in rows], dtype=np.int64)
    view.chunks.extend(rows, slots=np.searchsorted(keys, owners))
    dimension = view.vectors.dimension
    if dimension:
        empty = bytes(dimension)
        blob = b"".join(row.vector or empty for row in rows)
        if len(blob) != dimension * len(rows):
            problem = f"the space was opened with vectors of {dimension} dimensions"
            raise WrongEmbedder(f"{problem} and holds others now; close it and open it again")
        view.vectors.extend(blob)


def _mark_deaths(view: IndexView, reader: Reader) -> Slots:
    """Write the revisions of removal and return the slots removed after the view.

    Older views go on seeing them alive, because they compare with their own revision.
    """
    if not view.item_count:
        return _NO_SLOTS
    keys = view.items.keys.rows(view.item_count)
    died = view.items.died.rows(view.item_count)
    slots = []
    for death in reader.deaths(view.revision):
        slot = int(np.searchsorted(keys, death.item_key))
        if slot < len(keys) and keys[slot] == death.item_key:
            died[slot] = death.died
            slots.append(slot)
    return np.array(sorted(slots), dtype=np.int32)


def _fill_in(view: IndexView, reader: Reader) -> Slots:
    """Write the vectors that came after the view, with their revisions; return their chunk slots.

    Older views go on taking them as waited for, because they compare with their own revision.
    """
    if not (view.chunk_count and view.vectors.dimension):
        return _NO_SLOTS
    filled = [_NO_SLOTS]
    for came in _slices(reader.late_vectors(view.revision)):
        items = view.item_slots(row.item_key for row in came)
        slots = view.item_starts[items] + np.array([row.ordinal for row in came], dtype=np.int32)
        view.chunks.embedded.rows(view.chunk_count)[slots] = [row.embedded for row in came]
        view.vectors.fill(slots, b"".join(row.vector for row in came))
        filled.append(slots)
    return np.concatenate(filled)


def _with_late(view: IndexView, slots: Slots) -> IndexView:
    """Return the view with the statistics that it would have with the vectors of these slots."""
    if not len(slots):
        return view
    count, total = _sum_counted(view, slots)
    return replace(
        view, vectors_alive=view.vectors_alive + count, vector_total=view.vector_total + total
    )


def _sum_counted(view: IndexView, slots: Slots) -> tuple[int, npt.NDArray[np.int64]]:
    """Return how many of some chunks count in the mean of the space, and their vectors' sum."""
    if not view.vectors.dimension:
        return 0, view.vector_total
    of_items, earlier = view.chunk_items, np.maximum(slots - MEAN_CHUNKS_MAX, 0)
    counted = slots[(slots < MEAN_CHUNKS_MAX) | (of_items[slots] != of_items[earlier])]
    has_vector = view.vectors.squares.rows(view.chunk_count)[counted] > 0
    return int(has_vector.sum()), view.vectors.total(counted)


def _count(view: IndexView, *, grown: IndexView, dead: Slots) -> IndexView:
    """Return `grown` with exact statistics: those of `view`, plus new items, less removed ones."""
    born = np.arange(view.chunk_count, grown.chunk_count, dtype=np.int32)
    gone = _NO_SLOTS
    if len(dead):
        gone = np.flatnonzero(np.isin(view.chunk_items, dead)).astype(np.int32)
    lengths = grown.chunks.length.rows(grown.chunk_count).astype(np.int64)
    came, came_total = _sum_counted(grown, born)
    left, left_total = _sum_counted(grown, gone)
    return replace(
        grown,
        items_alive=view.items_alive + grown.item_count - view.item_count - len(dead),
        chunks_alive=view.chunks_alive + len(born) - len(gone),
        length_total=view.length_total + int(lengths[born].sum()) - int(lengths[gone].sum()),
        vectors_alive=view.vectors_alive + came - left,
        vector_total=view.vector_total + came_total - left_total,
    )


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
