"""A view on disk: one stamped file of arrays (`growing`), disposable at any time.

The head stamps space, epoch, revision and dimension. A file that does not fit in every point is as
good as none.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from simonides.disk import remove_durably, write_atomically
from simonides.entities.directory import Group
from simonides.errors import SimonidesError
from simonides.index import growing
from simonides.index.build import empty_view
from simonides.index.columns import ChunkColumns, ItemColumns
from simonides.index.exact import Vectors
from simonides.index.growing import Array, Arrays, Head
from simonides.index.index_view import IndexView
from simonides.index.postings import Postings, Segment

_COUNTS = ("revision", "items_alive", "chunks_alive", "vectors_alive", "length_total")
_SEGMENT_PARTS = ("keys", "starts", "docs", "counts")

CHUNKS_MIN = 2_000
"""Views of fewer chunks are built from rows in milliseconds and need no snapshot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """When a warm space's snapshot is renewed: after so many writes, or bytes of log.

    Whatever comes first (the designs' checkpoint: 10,000 writes or 100 MiB of log).
    """

    writes: int = 10_000
    log_bytes: int = 100 << 20


RENEWAL = Renewal()


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotFile:
    """The snapshot file of one space.

    `epoch_now` tells the space's epoch of the moment, so that nothing that was erased meanwhile is
    written down again. With `maps`, what is read lies on the pages of the file.
    """

    path: Path
    space_uuid: str
    epoch_now: Callable[[], int] | None = None
    maps: bool = False

    def read(self, *, epoch: int, revision: int, dimension: int) -> IndexView | None:
        """Return the snapshot's view if it fits the space and is not past `revision`."""
        view = read(
            self.path, space_uuid=self.space_uuid, epoch=epoch, dimension=dimension, maps=self.maps
        )
        return view if view is not None and view.revision <= revision else None

    def write(self, view: IndexView, *, epoch: int) -> None:
        """Write the snapshot if the space is large enough; on a disk error there is none.

        The epoch is asked for before and after: what was erased in between takes it away again.
        """
        if view.chunk_count < CHUNKS_MIN or not self._is_of(epoch):
            return
        with suppress(OSError):
            write(self.path, view, space_uuid=self.space_uuid, epoch=epoch)
        if not self._is_of(epoch):
            remove_durably(self.path)

    def is_stale(self, *, epoch: int) -> bool:
        """Return whether the file is older than an erasure, or of another space: it is ignored."""
        try:
            head = growing.read_head(self.path)
        except (OSError, ValueError):
            return False
        return head is None or head.get("space") != self.space_uuid or head.get("epoch", 0) < epoch

    def remove_stale(self, *, epoch: int) -> None:
        """Remove a stale file, as a power cut or a manual copy may bring it back."""
        if self.is_stale(epoch=epoch):
            with suppress(OSError):
                remove_durably(self.path)

    def _is_of(self, epoch: int) -> bool:
        """Return whether the space is at this epoch; false if it cannot be read any more."""
        try:
            return self.epoch_now is None or self.epoch_now() == epoch
        except SimonidesError:
            return False


def write(path: Path, view: IndexView, *, space_uuid: str, epoch: int) -> None:
    """Write the snapshot of `view` so that a crash leaves a complete file, old or new."""
    every = list(view.directory.groups.items())
    head = {
        "space": space_uuid,
        "epoch": epoch,
        "dimension": view.vectors.dimension,
        **{name: getattr(view, name) for name in _COUNTS},
        "codes": {name: codes.values for name, codes in view.items.codes.items()},
        "names": sorted(view.directory.names()),
        "called": view.directory.group_by_words(),
        "groups": sorted((at, ids) for at, ids in every if at < view.item_count),
        "segments": {"terms": _segment_heads(view.terms), "facets": _segment_heads(view.facets)},
    }
    arrays = dict(_arrays(view))
    fixed = ("terms", "facets", "vectors.total")
    with write_atomically(path) as file:
        growing.write(
            file, head, arrays, growing=[name for name in arrays if not name.startswith(fixed)]
        )


def read(
    path: Path, *, space_uuid: str, epoch: int, dimension: int, maps: bool = False
) -> IndexView | None:
    """Return the view of a snapshot, or None without a complete one that fits.

    With `maps`, on the pages of the file, which processes have in common.
    """
    wanted = {"space": space_uuid, "epoch": epoch, "dimension": dimension}
    found = growing.read(
        path,
        fits=lambda head: all(head.get(name) == value for name, value in wanted.items()),
        maps=maps,
    )
    return None if found is None else _view(*found)


def _arrays(view: IndexView) -> Iterator[tuple[str, Array]]:
    for name, column in view.items.growing.items():
        yield f"items.{name}", column.rows(view.item_count)
    for name, codes in view.items.codes.items():
        yield f"codes.{name}", codes.column.rows(view.item_count)
    for name, column in view.chunks.growing.items():
        yield f"chunks.{name}", column.rows(view.chunk_count)
    yield "vectors.rows", view.vectors.rows.rows(view.chunk_count)
    yield "vectors.squares", view.vectors.squares.rows(view.chunk_count)
    yield "vectors.total", view.vector_total
    for kind, postings in (("terms", view.terms), ("facets", view.facets)):
        for i, segment in enumerate(postings.segments):
            for part in _SEGMENT_PARTS:
                yield f"{kind}.{i}.{part}", getattr(segment, part)


def _segment_heads(postings: Postings) -> list[list[int]]:
    return [[segment.first, segment.stop] for segment in postings.segments]


def _view(head: Head, arrays: Arrays) -> IndexView:
    items, chunks, vectors = ItemColumns(), ChunkColumns(), Vectors(head["dimension"])
    lengths = {name: shape[0] for name, _, shape, *_ in head["arrays"]}
    columns = {
        **{f"items.{name}": column for name, column in items.growing.items()},
        **{f"chunks.{name}": column for name, column in chunks.growing.items()},
        "vectors.rows": vectors.rows,
        "vectors.squares": vectors.squares,
    }
    for name, column in columns.items():
        column.adopt(arrays[name], length=lengths[name])
    for name, codes in items.codes.items():
        place = f"codes.{name}"
        codes.restore(head["codes"][name], arrays[place], length=lengths[place])
    view = replace(
        empty_view(head["dimension"]),
        items=items,
        chunks=chunks,
        vectors=vectors,
        terms=_postings("terms", head, arrays),
        facets=_postings("facets", head, arrays),
        item_count=len(items),
        chunk_count=len(chunks),
        vector_total=arrays["vectors.total"],
        **{name: head[name] for name in _COUNTS},
    )
    view.directory.restore(head["names"], head["called"])
    for slot, (ids, names) in head.get("groups", ()):
        view.directory.join(slot, Group(ids=tuple(ids), names=tuple(names)))
    return view


def _postings(kind: str, head: Head, arrays: Arrays) -> Postings:
    return Postings(
        segments=tuple(
            Segment(
                first=first,
                stop=stop,
                **{part: arrays[f"{kind}.{i}.{part}"] for part in _SEGMENT_PARTS},
            )
            for i, (first, stop) in enumerate(head["segments"][kind])
        )
    )
