"""Looks at a space: a reader together with the index's view of the state that it reads.

Must not know what is asked of it.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial

from simonides.config import Settings
from simonides.errors import NotFound, StoreBusy
from simonides.index.index_view import IndexView
from simonides.index.open_space import OpenSpace
from simonides.index.partial_view import frame_of
from simonides.index.space_index import SpaceIndex
from simonides.model.answer import Query
from simonides.model.stored import Background, background_collection
from simonides.ports.models import Embedder
from simonides.ports.space import Reader, Space
from simonides.retrieval.plan import AsOf, revision_asked

_LOOKS_MAX = 100
"""How often a reader is opened anew when writers overtake it; each look costs microseconds."""


@contextmanager
def look(
    space: Space, space_view: SpaceIndex, *, as_of: AsOf = None
) -> Iterator[tuple[Reader, IndexView]]:
    """Open a reader and the view of its revision: the present one, or that of `as_of`.

    Raises:
        HistoryGone: That state was compacted away.
        InvalidInput: The space has not reached it yet.
    """
    for _ in range(_LOOKS_MAX):
        with space.read() as reader:
            seen = _open_as_of(reader, space_view, as_of)
            if seen is not None:
                yield seen
                return
    raise StoreBusy(f"space {space.name!r} was written to faster than it could be read; retry")


def _open_as_of(reader: Reader, index: SpaceIndex, as_of: AsOf) -> tuple[Reader, IndexView] | None:
    """Return a reader of the state asked for, and its view; None where the index is past it."""
    revision = revision_asked(as_of, reader)
    if revision < reader.revision:
        past = reader.past(revision)
        return past, index.past(past)
    view = index.at(reader)
    return None if view is None else (reader, view)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A reader and its view, or the frame of one where the store's lanes are asked."""

    index: SpaceIndex
    embedder: Embedder | None
    reader: Reader
    view: IndexView
    is_frame: bool = False

    def background(self, query: Query) -> Background | None:
        """Return the latest background of the collection of a question."""
        collection = background_collection(query.filter)
        if query.as_of is None:
            return self.index.background(self.reader, collection)
        return self.reader.background(collection)


@contextmanager
def open_look(query: Query, opened: OpenSpace) -> Iterator[Look | None]:
    """Look at the state of a space that is asked for; None if nothing was ever written to it."""
    with ExitStack() as stack:
        found = _enter(opened, stack)
        if found is None:
            yield None
            return
        space, reader = found
        index = opened.home.index(space)
        look_at = partial(Look, index=index, embedder=opened.home.embedder_for(space.embedder))
        if query.as_of is None and opened.settings.lanes != "memory":
            frame = _frame(reader, index, opened.settings)
            if frame is not None:
                yield look_at(reader=reader, view=frame, is_frame=True)
                return
        seen = _open_as_of(reader, index, query.as_of)
        if seen is not None:
            yield look_at(reader=seen[0], view=seen[1])
            return
    with look(space, index, as_of=query.as_of) as (reader, view):
        yield look_at(reader=reader, view=view)


def _enter(opened: OpenSpace, stack: ExitStack) -> tuple[Space, Reader] | None:
    try:
        return stack.enter_context(opened.reading())
    except NotFound:
        return None


def _frame(reader: Reader, index: SpaceIndex, settings: Settings) -> IndexView | None:
    """Return the frame of a space that is to be answered by its store's lanes; else None."""
    if reader.lanes is None or (settings.lanes == "auto" and not index.is_cold):
        return None
    frame = frame_of(reader, reader.lanes, index.outline, dimension=index.dimension)
    if frame is None or settings.lanes == "database":
        return frame
    expected_bytes = frame.chunks_alive * (CHUNK_BYTES + index.dimension)
    return frame if expected_bytes > settings.view_bytes_max else None


CHUNK_BYTES = 600
"""What a chunk takes in memory besides its vector, about (docs/explanation/speed.md)."""
