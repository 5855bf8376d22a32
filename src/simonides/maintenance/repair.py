"""Repair of a space, its vectors and its interrupted erasures, with a list of losses.

Knows when an erasure is due to be finished, and what a repair loses. Must not know how bytes are
removed, nor how rows are saved.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from simonides.errors import WrongEmbedder
from simonides.ingest.prepare import Preparer
from simonides.model.item import Item
from simonides.model.maintenance import RepairReport
from simonides.model.stored import EmbedderIdentity, Prepared, PreparedChunk
from simonides.ports.maintenance import Remade
from simonides.ports.space import Space, SpaceStore

ASIDE = "the file as it was lies in {}: what is lost may still be in it; remove it yourself"


def repair(
    name: str,
    *,
    store: SpaceStore,
    preparer_for: Callable[[EmbedderIdentity], Preparer],
    fallback: EmbedderIdentity,
) -> RepairReport:
    """Rebuild a space's file from all readable data, with everything derived.

    `preparer_for` gives the preparation of items for an embedder, or for the configured one if
    there is none for that; `fallback` is taken where the file does not say whose vectors it holds.

    Raises:
        NotFound: There is no such space.
        StoreBusy: Others have it open; nothing was changed.
        StoreCorrupt: Nothing of it can be read.
        WrongEmbedder: Vectors are to be made anew, and another embedder is configured.
    """

    def remake(identity: EmbedderIdentity) -> ChunkComparison:
        return ChunkComparison(preparer=preparer_for(identity), identity=identity)

    return _with_note(store.repair(name, remake=remake, fallback=fallback))


def repair_from(name: str, backup: Path, *, store: SpaceStore) -> RepairReport:
    """Replace a space by a backup; its own file is set aside.

    Raises:
        InvalidInput: The backup is no space, or is damaged itself.
        StoreBusy: Others have the space open; nothing was changed.
    """
    return _with_note(store.replace(name, str(backup)))


def _with_note(report: RepairReport) -> RepairReport:
    if not report.aside:
        return report
    return replace(report, notes=(*report.notes, ASIDE.format(report.aside)))


BATCH_ITEMS = 64
"""Items embedded at once: enough for every thread, little enough to show progress, and to have to
embed again after a kill."""


def reembed(
    space: Space, *, preparer: Preparer, on_progress: Callable[[int, int], None] | None = None
) -> int:
    """Replace the space's chunks and vectors by the embedder in force; return how many items.

    New ones are kept beside the old ones, batch by batch; wherever that ends, the next call goes
    on. Until all are there and take their place, in one transaction, everyone goes on with the old
    ones, and may write. `on_progress` is called with (done, all) items.
    """
    identity = preparer.identity

    def list_unstaged() -> Sequence[int]:
        with space.read() as reader:
            return reader.find_unstaged(identity)

    def prepare(keys: Sequence[int]) -> list[Prepared]:
        with space.read() as reader:
            items = reader.items(keys)
        return preparer.prepare(list(items.values()))

    def report(left: int) -> None:
        if on_progress is not None:
            on_progress(total - left, total)

    def rest() -> Iterator[Prepared]:
        """Yield what is left; begins once the transaction has, so that none comes after."""
        if left := list_unstaged():
            yield from prepare(left)
            report(0)

    with space.read() as reader:
        total = sum(1 for _ in reader.item_rows(0))
    staged = 1
    while staged and len(keys := list_unstaged()) > BATCH_ITEMS:
        staged = 0
        for at in range(0, len(keys), BATCH_ITEMS):
            staged += space.stage_vectors(identity, prepare(keys[at : at + BATCH_ITEMS]))
            report(max(0, len(keys) - at - BATCH_ITEMS))
    return space.replace_vectors(identity, rest())


def without_vectors(identity: EmbedderIdentity) -> Preparer:
    """Return the preparation of items for a space of this embedder, without vectors."""
    return Preparer(identity=identity, embedder=None)


def agree(found: Sequence[PreparedChunk], wanted: Sequence[PreparedChunk]) -> bool:
    """Return whether chunks are the same but for their vectors."""
    return tuple(replace(one, vector=b"", embedded=None) for one in found) == tuple(wanted)


def has_vectors(chunks: Sequence[PreparedChunk], *, dimension: int) -> bool:
    """Return whether each has a vector of this length, or none, as it waits for one."""
    return {len(one.vector) for one in chunks} <= {dimension, 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkComparison:
    """Prepares stored items again: with their own chunks if these agree, or else with new ones."""

    preparer: Preparer
    identity: EmbedderIdentity

    def __call__(self, item: Item, found: Sequence[PreparedChunk]) -> Remade:
        """Return an item prepared for storage.

        Raises:
            WrongEmbedder: A vector is needed, and another embedder is configured than the space's.
        """
        wanted = without_vectors(self.identity).prepare([item])[0]
        dimension = self.identity.dimension
        if agree(found, wanted.chunks) and has_vectors(found, dimension=dimension):
            return Remade(prepared=replace(wanted, chunks=tuple(found)), is_anew=False)
        return Remade(prepared=self._anew(wanted), is_anew=True)

    def _anew(self, wanted: Prepared) -> Prepared:
        if not self.identity.dimension:
            return wanted
        if self.preparer.identity != self.identity:
            known, needed = _name(self.preparer.identity), _name(self.identity)
            problem = f"the space's vectors are of {needed}, and {known} is configured"
            raise WrongEmbedder(f"{problem}; configure the first one and repair again")
        return self.preparer.prepare([wanted.item])[0]


def _name(one: EmbedderIdentity) -> str:
    about = f"{one.dimension} dimensions, {one.window_words} words, {one.quantiser}"
    return f"{one.model!r} ({about})"
