"""Views of a few items of a space that are scored as in a view of all of it.

Every score rests on what is counted over the whole space; that comes from the store, as exact
integers, and so do the names. All else is built from the rows of these items as a view of all is
from all rows. Must not know how the items were chosen.
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from simonides.entities import records
from simonides.entities.directory import Directory, Names, Words, name_words
from simonides.index.build import empty_view, extend
from simonides.index.index_view import IndexView, is_mixed
from simonides.index.postings import Postings, Segment, build
from simonides.model.filter import Filter
from simonides.model.item import PINNED, Kind
from simonides.ports.lanes import Lanes, Matches, SpaceCounts, Wanted
from simonides.ports.space import Reader
from simonides.text.unicode_version import fold_case

RECORDS_MAX = 100_000
"""More records of names than anybody writes; all of them are read."""


class Outline:
    """What is known of a space of which no index is in memory. Thread-safe.

    The names of all mentions ever are kept current by revision; what holds for the whole space is
    kept as long as its revision stays.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._directory = Directory()
        self._state = (-1, 0)
        self._known: _Candidates | None = None

    def read(self, reader: Reader, lanes: Lanes, *, dimension: int) -> "_Candidates | None":
        """Return the counts of the whole space at the reader's revision; None if not counted."""
        state = (reader.epoch, reader.revision)
        known = self._known
        if known is not None and known.state == state:
            return known
        counts = lanes.counts()
        if counts is None:
            return None
        record_keys: Sequence[int] = ()
        if any(source == records.SOURCE for _, source, _ in counts.items):
            record_keys = lanes.read_ordered(record_filter(), limit=RECORDS_MAX)
        has_memories = any(kind == Kind.MEMORY for kind, _, _ in counts.items)
        keys = sorted({*record_keys, *(_read_pinned_keys(lanes) if has_memories else ())})
        view = extend(empty_view(dimension), lanes.among(keys)) if keys else empty_view(dimension)
        view = _count(replace(view, revision=reader.revision), counts)
        self._known = _Candidates(state=state, counts=counts, record_keys=record_keys, view=view)
        return self._known

    def at(self, reader: Reader, *, records_of: Sequence[int]) -> Directory:
        """Return the names up to the reader's revision; `records_of` are keys of name records.

        What another reader added meanwhile does no harm: names count where a present item has them.
        """
        with self._lock:
            epoch, revision = self._state
            if epoch != reader.epoch or revision < reader.floor:
                self._directory, revision = Directory(), 0
            if revision < reader.revision:
                own = set(records_of)
                rows = reader.mention_rows(revision)
                self._directory.extend(
                    (row.entity, row.kind, row.name) for row in rows if row.item_key not in own
                )
                self._state = (reader.epoch, reader.revision)
            return self._directory


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidates:
    """What holds for a whole space at one state (epoch, revision), and a view of its name records.

    `names` are those by which present items mention an entity, of the entities asked for so far.
    """

    state: tuple[int, int]
    counts: SpaceCounts
    record_keys: Sequence[int]
    view: IndexView
    names: dict[str, frozenset[Words]] = field(default_factory=dict)


class _Unnamed(Directory):
    """The directory of a view of a few items, whose names are those of the whole space."""

    __slots__ = ()

    def extend(self, mentions: Iterable[tuple[str, str, str]]) -> None:
        """Add nothing."""


def frame_of(reader: Reader, lanes: Lanes, outline: Outline, *, dimension: int) -> IndexView | None:
    """Return a view of the space's records of names alone, with what holds for the whole space.

    None where the store has not counted the space at the reader's revision.
    """
    known = outline.read(reader, lanes, dimension=dimension)
    if known is None:
        return None
    counts, view = known.counts, replace(known.view)
    directory = outline.at(reader, records_of=known.record_keys)

    def has_name(entity: str, name: Words) -> bool:
        names = known.names.get(entity)
        if names is None:
            names = known.names[entity] = frozenset(map(name_words, lanes.names_of(entity)))
        is_whole = name and entity.startswith("person:")
        return name in names if is_whole else bool(names)

    groups = tuple(group for _, group in sorted(view.name_groups.items()))
    sorts = [{sort[at] for sort in counts.items} for at in range(3)]
    view.__dict__["names"] = Names(directory=directory, has_name=has_name, groups=groups)
    view.__dict__["is_mixed"] = is_mixed(*sorts[:2])
    view.__dict__["languages"] = tuple(sorted(filter(None, sorts[2])))
    view.__dict__["waiting_count"] = counts.waiting
    return view


PINNED_MAX = 100
"""So many pinned memories are read with the names, the last ones: more than a brief shows."""


def _read_pinned_keys(lanes: Lanes) -> Sequence[int]:
    """Return the keys of the memories that every brief begins with."""
    tagged = tuple(key for key, tags in lanes.tags() if PINNED in map(fold_case, tags))
    if not tagged:
        return ()
    wanted = Wanted(filter=Filter(kinds=(Kind.MEMORY,), statuses=()), keys=(tagged,))
    return lanes.read_ordered(wanted, limit=PINNED_MAX)


def record_filter() -> Wanted:
    """Return the condition of the records of names."""
    wanted = Filter(sources=(records.SOURCE,), collections=(records.COLLECTION,), statuses=())
    return Wanted(filter=wanted)


def partial_view(
    reader: Reader,
    frame: IndexView,
    *,
    held: Mapping[tuple[int, ...], int],
    matches: Matches | None,
) -> IndexView:
    """Return the view of the reader's items, with what `frame` says of the whole space.

    `held` is how many chunks of the whole space hold each term, by its keys; `matches` are all that
    hold any, from which the postings of the view are made: of no other term is anything asked.
    """
    empty = replace(empty_view(frame.vectors.dimension), directory=_Unnamed())
    view = extend(empty, reader)
    if matches is not None:
        view = replace(view, terms=Postings(segments=(_segment(view, matches),)))
    view = replace(
        view,
        held=held,
        chunks_alive=frame.chunks_alive,
        length_total=frame.length_total,
        vectors_alive=frame.vectors_alive,
        vector_total=frame.vector_total,
    )
    for name in ("names", "is_mixed", "languages", "waiting_count"):
        view.__dict__[name] = getattr(frame, name)
    return view


def _segment(view: IndexView, matches: Matches) -> Segment:
    """Return the postings of those matches that are of chunks of the view."""
    is_there = np.isin(matches.item_keys, view.items.keys.rows(view.item_count))
    items = view.item_slots(matches.item_keys[is_there])
    is_of_view = np.repeat(is_there, matches.sizes)
    return build(
        first=0,
        stop=view.chunk_count,
        keys=matches.terms[is_of_view],
        docs=np.repeat(
            (view.item_starts[items] + matches.ordinals[is_there]).astype(np.uint32),
            matches.sizes[is_there],
        ),
        counts=matches.counts[is_of_view],
    )


def _count(view: IndexView, counts: SpaceCounts) -> IndexView:
    return replace(
        view,
        chunks_alive=counts.chunks,
        length_total=counts.length_total,
        vectors_alive=counts.vectors,
        vector_total=np.array(counts.vector_total, dtype=np.int64),
    )
