"""A view on disk: one stamped, checksummed file, disposable at any time.

Layout: 8 bytes magic · 8 bytes length of the head · head (JSON) · arrays, one after another ·
16 bytes BLAKE2b of all before. The head stamps format, space, epoch, revision and dimension and
describes the arrays. A file that does not fit in every point is as good as none.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from simonides.errors import SimonidesError
from simonides.index.growing import Growing
from simonides.index.postings import Postings, Segment
from simonides.index.vectors import Vectors
from simonides.view.columns import ChunkColumns, ItemColumns
from simonides.view.grow import empty_view
from simonides.view.leftovers import written_aside
from simonides.view.view import View

MAGIC = b"SIMOIDX4"
DIGEST_BYTES = 16
_COUNTS = ("revision", "items_alive", "chunks_alive", "vectors_alive", "length_total")

CHUNKS_MIN = 2_000
"""Views of fewer chunks are built from rows in milliseconds and need no snapshot."""

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """After how much a warm space's snapshot is written anew: so many writes, or bytes of log.

    Whatever comes first (the seeds' checkpoint: 10,000 writes or 100 MiB of log).
    """

    writes: int = 10_000
    log_bytes: int = 100 << 20


RENEWAL = Renewal()


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotFile:
    """Where one space's snapshot lies.

    `epoch_now` tells the space's epoch of the moment, so that nothing that was erased meanwhile is
    written down again.
    """

    path: Path
    space_uuid: str
    epoch_now: Callable[[], int] | None = None

    def read(self, *, epoch: int, revision: int, dimension: int) -> View | None:
        """Return the snapshot's view if it fits the space and is not past `revision`."""
        view = read(self.path, space_uuid=self.space_uuid, epoch=epoch, dimension=dimension)
        return view if view is not None and view.revision <= revision else None

    def write(self, view: View, *, epoch: int) -> None:
        """Write the snapshot where it is worth it; where the disk refuses, there is just none.

        The epoch is asked for before and after: what was erased in between takes it away again.
        """
        if view.chunk_count < CHUNKS_MIN or not self._is_of(epoch):
            return
        with suppress(OSError):
            write(self.path, view, space_uuid=self.space_uuid, epoch=epoch)
        if not self._is_of(epoch):
            self.path.unlink(missing_ok=True)

    def _is_of(self, epoch: int) -> bool:
        """Return whether the space is at this epoch; one that cannot be asked any more is not."""
        try:
            return self.epoch_now is None or self.epoch_now() == epoch
        except SimonidesError:
            return False


def write(path: Path, view: View, *, space_uuid: str, epoch: int) -> None:
    """Write the snapshot of `view` so that a crash leaves the old file or the new one, whole."""
    arrays = dict(_arrays(view))
    head = {
        "space": space_uuid,
        "epoch": epoch,
        "dimension": view.vectors.dimension,
        **{name: getattr(view, name) for name in _COUNTS},
        "codes": {name: codes.values for name, codes in view.items.codes.items()},
        "names": sorted(view.directory.names()),
        "segments": {"terms": _segment_heads(view.terms), "facets": _segment_heads(view.facets)},
        "arrays": [[name, a.dtype.str, list(a.shape)] for name, a in arrays.items()],
    }
    body = json.dumps(head, ensure_ascii=False).encode()
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    with written_aside(path) as file:
        for part in _parts(body, arrays):
            file.write(part)
            digest.update(part)
        file.write(digest.digest())


def read(path: Path, *, space_uuid: str, epoch: int, dimension: int) -> View | None:
    """Return the view of a snapshot, or None where there is none that fits and is whole."""
    try:
        raw = path.read_bytes()
    except OSError:
        return None
    head = _checked_head(raw)
    wanted = {"space": space_uuid, "epoch": epoch, "dimension": dimension}
    if head is None or any(head.get(name) != value for name, value in wanted.items()):
        return None
    return _view(head, _read_arrays(raw, head))


def _checked_head(raw: bytes) -> dict[str, Any] | None:
    """Return the head of a whole file of this format, else None."""
    if len(raw) < len(MAGIC) + 8 + DIGEST_BYTES or not raw.startswith(MAGIC):
        return None
    body, digest = memoryview(raw)[:-DIGEST_BYTES], raw[-DIGEST_BYTES:]
    if hashlib.blake2b(body, digest_size=DIGEST_BYTES).digest() != digest:
        return None
    return dict(json.loads(raw[16 : 16 + _head_length(raw)]))


def _head_length(raw: bytes) -> int:
    return int.from_bytes(raw[8:16], "little")


def _parts(body: bytes, arrays: dict[str, Array]) -> Iterator[bytes]:
    yield MAGIC
    yield len(body).to_bytes(8, "little")
    yield body
    for array in arrays.values():
        yield array.tobytes()


def _arrays(view: View) -> Iterator[tuple[str, Array]]:
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
            for part in ("keys", "starts", "docs", "counts"):
                yield f"{kind}.{i}.{part}", getattr(segment, part)


def _segment_heads(postings: Postings) -> list[list[int]]:
    return [[segment.first, segment.stop] for segment in postings.segments]


def _read_arrays(raw: bytes, head: dict[str, Any]) -> dict[str, Array]:
    arrays: dict[str, Array] = {}
    at = 16 + _head_length(raw)
    for name, dtype, shape in head["arrays"]:
        kind = np.dtype(dtype)
        count = int(np.prod(shape))
        arrays[name] = np.frombuffer(raw, dtype=kind, count=count, offset=at).reshape(shape)
        at += kind.itemsize * count
    return arrays


def _view(head: dict[str, Any], arrays: dict[str, Array]) -> View:
    items, chunks, vectors = ItemColumns(), ChunkColumns(), Vectors(head["dimension"])
    _fill(items.growing, arrays, prefix="items")
    for name, codes in items.codes.items():
        codes.restore(head["codes"][name], arrays[f"codes.{name}"])
    _fill(chunks.growing, arrays, prefix="chunks")
    _fill({"rows": vectors.rows, "squares": vectors.squares}, arrays, prefix="vectors")
    view = replace(
        empty_view(head["dimension"]),
        items=items,
        chunks=chunks,
        vectors=vectors,
        terms=_postings("terms", head, arrays),
        facets=_postings("facets", head, arrays),
        item_count=len(items),
        chunk_count=len(chunks),
        vector_total=arrays["vectors.total"].copy(),
        **{name: head[name] for name in _COUNTS},
    )
    view.directory.extend((entity, kind, name) for entity, kind, name in head["names"])
    return view


def _fill(columns: dict[str, Growing], arrays: dict[str, Array], *, prefix: str) -> None:
    for name, column in columns.items():
        column.extend(arrays[f"{prefix}.{name}"])


def _postings(kind: str, head: dict[str, Any], arrays: dict[str, Array]) -> Postings:
    """Return the postings, copied out, so that the bytes of the file can be let go."""
    return Postings(
        segments=tuple(
            Segment(
                first=first,
                stop=stop,
                **{
                    part: arrays[f"{kind}.{i}.{part}"].copy()
                    for part in ("keys", "starts", "docs", "counts")
                },
            )
            for i, (first, stop) in enumerate(head["segments"][kind])
        )
    )
