"""Move of a space to another store, while it is used: copied, carried over, compared.

The space is copied in one transaction, and what is written meanwhile is carried over by revision
until the copy has all of it. After each step the copy's export must have the bytes that the source
had at that revision, and its vectors must be the same. Wherever a move breaks off, the next one
goes on from what the copy holds. Must not know which stores there are.
"""

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from simonides.errors import StoreBusy, StoreCorrupt
from simonides.index.open_space import OpenSpace
from simonides.ingest.background import prepare_kept
from simonides.ingest.languages import Spoken
from simonides.maintenance.export import Fingerprint, records_of
from simonides.maintenance.move_target import copy_of, revision_of
from simonides.maintenance.repair import without_vectors
from simonides.model.export import ExportHead, Kept, KeptBackground, KeptVersion
from simonides.model.move import MoveReport
from simonides.model.stored import Prepared, PreparedChunk
from simonides.ports.maintenance import Made
from simonides.ports.space import ChunkRow, Reader, Space

ROUNDS_MAX = 50
"""So often what was written meanwhile is carried over: each time takes less, unless the source is
written to without a pause."""

TELL_EVERY = 256
"""After so many versions the progress of the copy is reported."""

OnProgress = Callable[[int, int], None]
"""Is called with (revisions carried over, revisions of the source)."""


def move_space(
    source: OpenSpace,
    target: OpenSpace,
    *,
    remove_source: bool = False,
    on_progress: OnProgress = lambda _done, _all: None,
) -> MoveReport:
    """Copy a space to another store, compare both, and remove the source only if that is wanted.

    Raises:
        NotFound: There is no such space.
        InvalidInput: Another space of that name is there, or the copy was written to since.
        StoreBusy: The source is written to faster than it can be carried over; run it again.
        StoreCorrupt: The copy is not what the source is; the source stays as it is.
    """
    started = time.perf_counter()
    space = source.space_of_any_embedder
    copy = copy_of(space, target.home.store)
    rounds, verified = 0, ""
    while rounds < ROUNDS_MAX:
        verified = _carry_over(source, space, copy, on_progress)
        rounds += 1
        revision = revision_of(space)
        on_progress(revision_of(copy), revision)
        if revision_of(copy) == revision:
            break
    else:
        raise StoreBusy(f"space {space.name!r} was written to without a pause; run the move again")
    target.home.forget_index(copy)
    if remove_source:
        _remove(source, space, verified)
    items = copy.stats().items
    return MoveReport(
        space=space.name, revision=revision_of(copy), items=items, digest=verified, rounds=rounds,
        removed_source=remove_source, took_s=time.perf_counter() - started,
    )  # fmt: skip


def _carry_over(source: OpenSpace, space: Space, copy: Space, tell: OnProgress) -> str:
    """Bring the copy to the present state of the source; return the fingerprint of both.

    Raises:
        StoreCorrupt: They differ.
    """
    refused: list[str] = []
    with space.making_way(), space.read() as reader:
        head = ExportHead(uuid=space.uuid, revision=reader.revision, floor=reader.floor)
        was = Fingerprint()
        records = _Records(
            source=source, space=space, reader=reader, since=_since(space, copy), tell=tell
        )
        copy.fill(
            head,
            records.ready(records_of(head, reader.read_all(), fingerprint=was)),
            refuse=lambda _, why: refused.append(why),
        )
        expected = f"{was.digest}-{_vectors(reader)}"
    found = fingerprint(copy)
    if refused or found != expected:
        why = refused[0] if refused else "its export or its vectors are not those of the source"
        problem = f"the copy of space {space.name!r} differs: {why}; remove it, and move again"
        raise StoreCorrupt(f"{problem}; the source is as it was")
    return found


def _since(space: Space, copy: Space) -> int:
    """Return the revision up to which the copy holds the source."""
    return revision_of(copy) if copy.uuid == space.uuid else 0


def fingerprint(space: Space) -> str:
    """Return a hash of the export of a space, and one of the vectors of its present items."""
    with space.making_way(), space.read() as reader:
        return _fingerprint(reader, uuid=space.uuid)


def _fingerprint(reader: Reader, *, uuid: str) -> str:
    head = ExportHead(uuid=uuid, revision=reader.revision, floor=reader.floor)
    copied = Fingerprint()
    for _ in records_of(head, reader.read_all(), fingerprint=copied):
        pass
    return f"{copied.digest}-{_vectors(reader)}"


def _vectors(reader: Reader) -> str:
    """Return a hash of the vectors of present items, by the places of their chunks.

    Without the store's keys, and what the analysis derives: an earlier one made other rows, and the
    copy's are made by this one.
    """
    seen = hashlib.blake2b(digest_size=16)
    for row in reader.chunk_rows(0):
        seen.update(repr((row.ordinal, row.vector, row.embedded)).encode())
    return seen.hexdigest()


def _remove(source: OpenSpace, space: Space, verified: str) -> None:
    """Remove the source, unless it was written to since it was compared.

    It is compared once more where nobody can write to it any more.

    Raises:
        StoreBusy: It was written to, or others write to it just now; nothing was removed.
    """
    uuid = space.uuid

    def check(reader: Reader) -> None:
        if _fingerprint(reader, uuid=uuid) != verified:
            problem = f"space {space.name!r} was written to while it was compared"
            raise StoreBusy(f"{problem}; nothing was removed, run the move again")

    source.home.forget_words(space)
    source.home.store.remove(space.name, check=check)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Records:
    """The records of the source with what is derived of them: its own chunks and vectors.

    Of what the copy holds already, up to `since`, only vectors that came later are made ready.
    """

    source: OpenSpace
    space: Space
    reader: Reader
    since: int
    tell: OnProgress

    def ready(self, records: Iterator[Kept]) -> Iterator[tuple[Kept, Made]]:
        """Yield each record with what is derived of it."""
        rows = self.reader.every().chunk_rows(0)
        chunks = (list(of_one) for _, of_one in groupby(rows, key=lambda row: row.item_key))
        spoken = Spoken.by(self.source.settings)
        until, last = self.reader.revision, self.since
        for number, record in enumerate(records, start=1):
            if isinstance(record, KeptVersion):
                last = max(last, record.item.revision)
                if number % TELL_EVERY == 0:
                    self.tell(last, until)
                yield record, self._prepare(record, next(chunks))
            elif isinstance(record, KeptBackground):
                yield record, prepare_kept(record, spoken=spoken)
            else:
                yield record, None

    def _prepare(self, record: KeptVersion, rows: Sequence[ChunkRow]) -> Prepared | None:
        is_held = record.item.revision <= self.since
        if is_held and not any((row.embedded or 0) > self.since for row in rows):
            return None
        [made] = without_vectors(self.space.embedder).prepare([record.item])
        if len(made.chunks) != len(rows):
            return made
        pairs = zip(made.chunks, rows, strict=True)
        return replace(made, chunks=tuple(_with_vector(chunk, row) for chunk, row in pairs))


def _with_vector(chunk: PreparedChunk, row: ChunkRow) -> PreparedChunk:
    """Return a chunk with its stored vector; one that waits for it still does."""
    if row.embedded == 0:
        return chunk
    return replace(chunk, vector=bytes(row.vector), embedded=row.embedded)
