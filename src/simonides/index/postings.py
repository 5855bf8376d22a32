"""Postings: the documents of each key, with counts: immutable segments of sorted arrays.

A document is a slot number; keys are 64-bit hashes. Appending makes a new `Postings` that
shares what it can, so readers of an older one are never disturbed. Segments are merged like the
digits of a binary counter: n appends leave at most about log2(n) segments.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

KEY_BYTES, COUNT_BYTES = 8, 1
TERM_BYTES = KEY_BYTES + COUNT_BYTES
"""Bytes of one packed term: `text.terms.pack` writes a document's keys, then its counts."""

_MERGE_RATIO = 2
"""A segment is merged with the one before it unless that is more than twice as large."""


@dataclass(frozen=True, kw_only=True)
class Segment:
    """Postings of the slots [first, stop): for keys[i], docs and counts [starts[i], starts[i+1]).

    keys: uint64[k] rising; starts: int64[k+1]; docs: uint32[p] rising within a key;
    counts: uint8[p].
    """

    first: int
    stop: int
    keys: npt.NDArray[np.uint64]
    starts: npt.NDArray[np.int64]
    docs: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint8]

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return sum(a.nbytes for a in (self.keys, self.starts, self.docs, self.counts))

    @cached_property
    def by_doc(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
        """The keys of each document: of the one at `first + i`, places[starts[i]:starts[i+1]].

        starts: int64[stop - first + 1]; places: uint32[p], places among `keys`, rising.
        """
        counts = np.bincount(self.docs - np.uint32(self.first), minlength=self.stop - self.first)
        keys = np.repeat(np.arange(len(self.keys), dtype=np.uint32), np.diff(self.starts))
        return np.append(0, np.cumsum(counts)), keys[np.argsort(self.docs, kind="stable")]

    def span(self, key: int) -> slice | None:
        """Return the range of the postings of `key`, or None."""
        i = self.keys.searchsorted(np.uint64(key))
        if i == len(self.keys) or self.keys[i] != key:
            return None
        return slice(int(self.starts[i]), int(self.starts[i + 1]))


def build(
    *,
    first: int,
    stop: int,
    keys: npt.NDArray[np.uint64],
    docs: npt.NDArray[np.uint32],
    counts: npt.NDArray[np.uint8],
) -> Segment:
    """Return the segment of parallel arrays (one entry a posting), documents rising per key."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    heads = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(ordered) else order
    return Segment(
        first=first,
        stop=stop,
        keys=ordered[heads],
        starts=np.append(heads, len(ordered)).astype(np.int64),
        docs=docs[order],
        counts=counts[order],
    )


def from_blobs(blobs: list[bytes], *, first: int) -> Segment:
    """Return the segment of one packed term list per document, slots from `first` on."""
    sizes = np.array([len(blob) // TERM_BYTES for blob in blobs], dtype=np.int64)
    raw = np.frombuffer(b"".join(blobs), dtype=np.uint8)
    runs = np.stack([KEY_BYTES * sizes, COUNT_BYTES * sizes], axis=1).ravel()
    of_keys = np.repeat(np.tile([True, False], len(blobs)), runs)
    stop = first + len(blobs)
    return build(
        first=first,
        stop=stop,
        keys=raw[of_keys].view("<u8"),
        docs=np.repeat(np.arange(first, stop, dtype=np.uint32), sizes),
        counts=raw[~of_keys],
    )


def _merge(left: Segment, right: Segment) -> Segment:
    return build(
        first=left.first,
        stop=right.stop,
        keys=np.concatenate([_expand(left), _expand(right)]),
        docs=np.concatenate([left.docs, right.docs]),
        counts=np.concatenate([left.counts, right.counts]),
    )


def _expand(segment: Segment) -> npt.NDArray[np.uint64]:
    return np.repeat(segment.keys, np.diff(segment.starts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Postings:
    """All segments, by rising slots."""

    segments: tuple[Segment, ...] = ()

    def __len__(self) -> int:
        return self.segments[-1].stop if self.segments else 0

    @property
    def nbytes(self) -> int:
        """Bytes of all segments."""
        return sum(segment.nbytes for segment in self.segments)

    def append(self, segment: Segment) -> "Postings":
        """Return these postings with `segment` behind them; it must begin where they end."""
        kept = list(self.segments)
        while kept and kept[-1].docs.size <= _MERGE_RATIO * segment.docs.size:
            segment = _merge(kept.pop(), segment)
        return Postings(segments=(*kept, segment))

    def find(self, key: int) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
        """Return (docs rising, counts) of `key`; both empty if no document has it."""
        docs, counts = [], []
        for segment in self.segments:
            span = segment.span(key)
            if span is not None:
                docs.append(segment.docs[span])
                counts.append(segment.counts[span])
        if len(docs) == 1:
            return docs[0], counts[0]
        if not docs:
            return np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.uint8)
        return np.concatenate(docs), np.concatenate(counts)

    def mark_held_keys(self, docs: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """Return bool[docs, keys]: which of all keys that these documents have each of them has."""
        rows, keys = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.uint64)]
        for segment in self.segments:
            own = ((docs >= segment.first) & (docs < segment.stop)).nonzero()[0]
            starts, places = segment.by_doc
            at = docs[own] - segment.first
            counts = starts[at + 1] - starts[at]
            within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            rows.append(np.repeat(own, counts))
            keys.append(segment.keys[places[np.repeat(starts[at], counts) + within]])
        distinct, columns = np.unique(np.concatenate(keys), return_inverse=True)
        held = np.zeros((len(docs), len(distinct)), dtype=bool)
        held[np.concatenate(rows), columns] = True
        return held
