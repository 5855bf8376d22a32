"""A space's index at one revision: all data of a search, as arrays and masks.

Immutable for its readers: later revisions append behind what it sees, and deaths are known by
revision. Slots are places in the columns; item and chunk slots are counted apart.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from simonides.entities.directory import Directory, Group, Names, Words
from simonides.index.columns import (
    NEVER,
    ChunkColumns,
    ItemColumns,
    MetadataColumns,
    build_threads,
    item_order,
)
from simonides.index.exact import Centre, Vectors
from simonides.index.facets import entity_key, name_key
from simonides.index.postings import Postings
from simonides.model.item import Kind
from simonides.scoring.formulas import K1, TermPostings, gains, idf, length_norms
from simonides.scoring.quantise import centred_query, quantise
from simonides.scoring.threads import ThreadOrder, best_by_owner

if TYPE_CHECKING:
    from simonides.index.approximate import ApproximateChunks

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Slots = npt.NDArray[np.int32]
Made = TypeVar("Made")


_FEW_VALUES = frozenset({"kind", "status"})
"""Columns of a handful of values, for each of which the mask is kept: most questions ask for it."""


def is_mixed(kinds: Collection[str | None], sources: Collection[str | None]) -> bool:
    """Return whether words for kinds and sources say which items of a space are asked for.

    Where these are several, or events or tasks: "appointments" and "open tasks" ask for a list even
    where there is nothing else.
    """
    return max(len(kinds), len(sources)) > 1 or not {Kind.EVENT, Kind.TASK}.isdisjoint(kinds)


@dataclass(frozen=True, kw_only=True)
class IndexView:
    """A consistent view of a space's index at one revision.

    `chunks_alive`, `length_total` and `vector_total` are exact integer statistics of what is
    alive at the revision: they, and so every score, do not depend on the order of writes.
    `vector_total` is the sum of the vectors that count in the mean, `vectors_alive` their number.
    """

    revision: int
    items: ItemColumns
    chunks: ChunkColumns
    vectors: Vectors
    terms: Postings
    facets: Postings
    directory: Directory
    metadata: MetadataColumns
    item_count: int
    chunk_count: int
    items_alive: int
    chunks_alive: int
    vectors_alive: int
    length_total: int
    vector_total: npt.NDArray[np.int64]
    near: "ApproximateChunks | None" = None
    """The opt-in for very large spaces."""
    held: Mapping[tuple[int, ...], int] | None = None
    """How many chunks of the space hold a term, by its keys, where the view is of a few items."""

    @cached_property
    def _derived(self) -> dict[Hashable, Any]:
        return {}

    def derive(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return the result of `make`, made of this view alone: once, and kept with it by a key."""
        if key not in self._derived:
            self._derived[key] = make()
        made: Made = self._derived[key]
        return made

    @cached_property
    def array_bytes(self) -> int:
        """Bytes of the arrays, about: cached, as a view never changes."""
        parts = (self.items, self.chunks, self.vectors, self.terms, self.facets, self.metadata)
        return sum(part.nbytes for part in parts)

    @cached_property
    def alive(self) -> Bools:
        """bool[items]: the items present at the revision."""
        return np.asarray(self.items.died.rows(self.item_count) > self.revision)

    @cached_property
    def expiring(self) -> Slots:
        """int32[few]: the slots of the memories with an expiry time."""
        expires = self.items.expires.rows(self.item_count)
        return np.flatnonzero(expires != NEVER).astype(np.int32)

    @cached_property
    def chunk_items(self) -> Slots:
        """int32[chunks]: each chunk's item slot."""
        return np.asarray(self.chunks.item.rows(self.chunk_count))

    @cached_property
    def item_starts(self) -> Slots:
        """int32[items]: the slot of each item's first chunk; every item has at least one."""
        return np.flatnonzero(np.diff(self.chunk_items, prepend=-1)).astype(np.int32)

    @cached_property
    def item_stops(self) -> Slots:
        """int32[items]: the slot after each item's last chunk."""
        return np.append(self.item_starts[1:], np.int32(self.chunk_count)).astype(np.int32)

    @cached_property
    def item_words(self) -> npt.NDArray[np.int32]:
        """int32[items]: how many words each item's chunks have."""
        words = self.chunks.words.rows(self.chunk_count)
        return np.bincount(self.chunk_items, words, minlength=self.item_count).astype(np.int32)

    @cached_property
    def chunk_alive(self) -> Bools | None:
        """bool[chunks], or None if nothing is dead."""
        return None if self.chunks_alive == self.chunk_count else self.alive[self.chunk_items]

    @cached_property
    def waiting(self) -> Bools | None:
        """bool[chunks]: which living ones had no vector by the revision; None where all had.

        Their rows may be filled by now: a later view sees them.
        """
        if not self.vectors.dimension:
            return None
        waits = self.chunks.embedded.rows(self.chunk_count) > self.revision
        if self.chunk_alive is not None:
            waits &= self.chunk_alive
        return waits if waits.any() else None

    @cached_property
    def waiting_count(self) -> int:
        """How many chunks of present items wait for their vectors."""
        return 0 if self.waiting is None else int(np.count_nonzero(self.waiting))

    @cached_property
    def is_mixed(self) -> bool:
        """Whether the words for kinds and sources say which of the present items are asked for."""
        kinds, sources = self._count_present("kind"), self._count_present("source")
        return is_mixed(kinds, sources)

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of the present items, that of most of them first."""
        counted = self._count_present("language")
        return tuple(sorted(filter(None, counted), key=lambda one: (-counted[one], one)))

    def _count_present(self, name: str) -> dict[str | None, int]:
        """Return how many of the present items have each value of a column."""
        column = self.items.codes[name]
        counts = np.bincount(column.column.rows(self.item_count)[self.alive]).tolist()
        return {column.values[code]: count for code, count in enumerate(counts) if count}

    @cached_property
    def names(self) -> Names:
        """The names of present items; the directory knows later and earlier ones too."""
        groups = (group for _, group in sorted(self.name_groups.items()))
        return Names(
            directory=self.directory, has_name=cache(self._has_present_item), groups=tuple(groups)
        )

    @cached_property
    def name_groups(self) -> dict[int, Group]:
        """The ids that mean one entity, by the slot of the present item that says so."""
        every = dict(self.directory.groups)
        return {at: ids for at, ids in every.items() if at < self.item_count and self.alive[at]}

    def _has_present_item(self, entity: str, name: Words) -> bool:
        person = name and entity.startswith("person:")
        docs, _ = self.facets.find(name_key(entity, name) if person else entity_key(entity))
        return bool(self.alive[docs].any())

    @cached_property
    def ordered(self) -> Slots:
        """int32[alive items]: item slots in thread order."""
        return item_order(self.items, np.flatnonzero(self.alive).astype(np.int32))

    @cached_property
    def threads(self) -> ThreadOrder:
        """The present items in thread order."""
        return build_threads(self.items, self.ordered)

    @cached_property
    def thread_places(self) -> Slots:
        """int32[items]: the place of each present item in thread order; 0 for the others."""
        places = np.zeros(self.item_count, dtype=np.int32)
        places[self.ordered] = np.arange(len(self.ordered), dtype=np.int32)
        return places

    @cached_property
    def _length_norms(self) -> Floats:
        mean_length = self.length_total / max(self.chunks_alive, 1)
        return length_norms(self.chunks.length.rows(self.chunk_count), mean_length=mean_length)

    def term(self, keys: Iterable[int]) -> TermPostings:
        """Return the postings of a query term (several keys if stems differ)."""
        asked = tuple(keys)
        found = [self.terms.find(key) for key in asked]
        docs = np.concatenate([docs for docs, _ in found])
        counts = np.concatenate([counts for _, counts in found])
        if len(found) > 1:
            docs, counts = _sum(docs, counts)
        alive = self.chunk_alive
        present = len(docs) if alive is None else int(np.count_nonzero(alive[docs]))
        present = present if self.held is None else self.held.get(asked, present)
        return TermPostings(docs=docs, counts=counts, idf=idf(present, self.chunks_alive))

    def lexical(self, words: Iterable[TermPostings]) -> Floats:
        """Return float64[chunks]: BM25 of every chunk over the ideal score, in [0, 1].

        ideal = sum of idf·(k1+1) over the question's words, also those that nothing holds.
        """
        scores = np.zeros(self.chunk_count)
        ideal = 0.0
        for word in words:
            ideal += word.idf * (K1 + 1.0)
            counts = word.counts.astype(np.float64)
            scores[word.docs] += gains(word.idf, counts, self._length_norms[word.docs])
        return scores / ideal if ideal else scores

    def semantic(self, query: npt.NDArray[np.float32]) -> Floats:
        """Return float64[chunks]: cosines of vectors from which the space's mean is subtracted.

        The value of a chunk whose vector is waited for means nothing. All are 0 for a question of
        zeros: the model cannot read it.
        """
        if not query.any():
            return np.zeros(self.chunk_count)
        centre = self._centre
        return self.vectors.centred_cosines(centred_query(query, centre.mean), centre)

    def likenesses(self, chunks: npt.NDArray[np.intp]) -> Floats:
        """Return float64[n, n]: the centred cosines of each two of some chunks."""
        return self.vectors.likenesses(chunks, self._centre)

    @property
    def _centre(self) -> Centre:
        return self.vectors.centre(
            total=self.vector_total, alive=self.vectors_alive, count=self.chunk_count
        )

    def cosines(self, query: npt.NDArray[np.float32]) -> Floats:
        """Return float64[chunks]: plain cosines; 0 where a vector is waited for."""
        cosines = self.vectors.cosines(quantise(query), count=self.chunk_count)
        if self.waiting is not None:
            cosines[self.waiting] = 0.0
        return cosines

    def of_kind(self, kind: Kind) -> Bools:
        """Return bool[items], to be read only: the items of a kind (dead ones included)."""
        return self._having_code("kind", kind)

    def having_codes(self, name: str, values: Iterable[str | None]) -> Bools:
        """Return bool[items]: the items with any of these values in a column; None is no value."""
        if name in _FEW_VALUES:
            mask = np.zeros(self.item_count, dtype=bool)
            for value in values:
                mask |= self._having_code(name, value)
            return mask
        return np.asarray(self.items.codes[name].holding(values, count=self.item_count))

    def _having_code(self, name: str, value: str | None) -> Bools:
        def make() -> Bools:
            mask = self.items.codes[name].holding([value], count=self.item_count)
            mask.setflags(write=False)
            return mask

        return self.derive((name, value), make)

    def having(self, keys: Iterable[int]) -> Bools:
        """Return bool[items]: the items with any of these facet keys (dead ones included)."""
        mask = np.zeros(self.item_count, dtype=bool)
        for key in keys:
            mask[self.facets.find(key)[0]] = True
        return mask

    def item_slots(self, keys: Iterable[int]) -> Slots:
        """Return the slots of item keys, which must be in this view."""
        known = self.items.keys.rows(self.item_count)
        return np.searchsorted(known, np.fromiter(keys, dtype=np.int64)).astype(np.int32)

    def places(self, chunks: npt.NDArray[np.integer[Any]]) -> list[tuple[int, int]]:
        """Return the item key and the ordinal of each chunk slot: where a reader finds it."""
        slots = self.chunk_items[chunks]
        keys = self.items.keys.rows(self.item_count)[slots]
        return list(zip(keys.tolist(), (chunks - self.item_starts[slots]).tolist(), strict=True))

    def any_chunk(self, marked: Bools) -> Bools:
        """Return bool[items]: whether any chunk of the item is marked (bool[chunks])."""
        return self.with_chunks(marked.nonzero()[0])

    def with_chunks(self, chunks: npt.NDArray[np.integer[Any]]) -> Bools:
        """Return bool[items]: the items of these chunk slots."""
        items = np.zeros(self.item_count, dtype=bool)
        items[self.chunk_items[chunks]] = True
        return items

    def best_chunk_values(self, values: Floats) -> Floats:
        """Return float64[items]: the largest value (float64[chunks]) among each item's chunks."""
        return best_by_owner(values, self.chunk_items, count=self.item_count)


def _sum(
    docs: npt.NDArray[np.uint32], counts: npt.NDArray[np.uint8]
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
    """Return distinct documents with the sum of their counts, saturated at 255."""
    distinct, where = np.unique(docs, return_inverse=True)
    totals = np.bincount(where, weights=counts, minlength=len(distinct))
    return distinct, np.minimum(totals, 255).astype(np.uint8)


def measure_bytes(view: IndexView) -> int:
    """Return the approximate size of a view in bytes."""
    threads = view.threads.nbytes if "threads" in view.__dict__ else 0
    near = 0 if view.near is None else view.near.nbytes
    return threads + near + view.array_bytes
