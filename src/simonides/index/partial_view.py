"""Views of a few items of a space that are scored as in a view of all of it.

Every score rests on what is counted over the whole space; that comes from the store, as exact
integers, and so do the names. All else is built from the rows of these items as a view of all is
from all rows. Must not know how the items were chosen.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from simonides.entities import records
from simonides.entities.directory import Directory, Names, Words, name_words
from simonides.index.build import empty_view, extended
from simonides.index.index_view import IndexView
from simonides.model.filter import Filter
from simonides.ports.lanes import Lanes, SpaceCounts, Wanted
from simonides.ports.space import Reader

RECORDS_MAX = 100_000
"""More records of names than anybody writes; all of them are read."""


class Outline:
    """The names of one space, of all mentions ever: kept current by revision. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._directory = Directory()
        self._state = (-1, 0)

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


def frame_of(reader: Reader, lanes: Lanes, outline: Outline, *, dimension: int) -> IndexView | None:
    """Return a view of the space's records of names alone, with what holds for the whole space.

    None where the store has not counted the space at the reader's revision.
    """
    counts = lanes.counts()
    if counts is None:
        return None
    keys = []
    if any(source == records.SOURCE for _, source, _ in counts.items):
        keys = lanes.ordered(record_filter(), limit=RECORDS_MAX)
    view = _counted(extended(empty_view(dimension), lanes.among(keys)), counts)
    directory = outline.at(reader, records_of=keys)
    known: dict[str, frozenset[Words]] = {}

    def has_name(entity: str, name: Words) -> bool:
        if entity not in known:
            known[entity] = frozenset(map(name_words, lanes.names_of(entity)))
        is_whole = name and entity.startswith("person:")
        return name in known[entity] if is_whole else bool(known[entity])

    groups = tuple(group for _, group in sorted(view.name_groups.items()))
    sorts = [{sort[at] for sort in counts.items} for at in range(3)]
    view.__dict__["names"] = Names(directory=directory, has_name=has_name, groups=groups)
    view.__dict__["is_mixed"] = len(sorts[0]) > 1 or len(sorts[1]) > 1
    view.__dict__["languages"] = tuple(sorted(filter(None, sorts[2])))
    view.__dict__["waiting_count"] = counts.waiting
    return view


def record_filter() -> Wanted:
    """Return what wants the records of names, whatever else they say."""
    wanted = Filter(sources=(records.SOURCE,), collections=(records.COLLECTION,), statuses=())
    return Wanted(filter=wanted)


def partial_view(
    reader: Reader, frame: IndexView, *, held: Mapping[tuple[int, ...], int]
) -> IndexView:
    """Return the view of the reader's items, with what `frame` says of the whole space.

    `held` is how many chunks of the whole space hold each term, by its keys.
    """
    view = replace(
        extended(empty_view(frame.vectors.dimension), reader),
        held=held,
        chunks_alive=frame.chunks_alive,
        length_total=frame.length_total,
        vectors_alive=frame.vectors_alive,
        vector_total=frame.vector_total,
    )
    for name in ("names", "is_mixed", "languages", "waiting_count"):
        view.__dict__[name] = getattr(frame, name)
    return view


def _counted(view: IndexView, counts: SpaceCounts) -> IndexView:
    return replace(
        view,
        chunks_alive=counts.chunks,
        length_total=counts.length_total,
        vectors_alive=counts.vectors,
        vector_total=np.array(counts.vector_total, dtype=np.int64),
    )
