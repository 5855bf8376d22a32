"""Whether the chunks that are kept of an item say what the item says.

A chunk's place, words and terms follow from its item and from how long chunks are; only its vector
needs a model. So the first can be checked at any time, and what does not fit made anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from simonides.errors import WrongEmbedder
from simonides.ingest.prepare import Preparer
from simonides.model.item import Item
from simonides.model.stored import EmbedderIdentity, Prepared, PreparedChunk
from simonides.ports.maintenance import Remade


def without_vectors(identity: EmbedderIdentity) -> Preparer:
    """Return how items are prepared in a space of this embedder, all but their vectors."""
    return Preparer(identity=identity, embedder=None)


def agree(found: Sequence[PreparedChunk], wanted: Sequence[PreparedChunk]) -> bool:
    """Return whether chunks are the same but for their vectors."""
    return tuple(replace(one, vector=b"", embedded=None) for one in found) == tuple(wanted)


def has_vectors(chunks: Sequence[PreparedChunk], *, dimension: int) -> bool:
    """Return whether each has a vector of this length, or none, as it waits for one."""
    return {len(one.vector) for one in chunks} <= {dimension, 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkComparison:
    """Makes items ready to be kept again: of the chunks found, where they agree, or else anew."""

    preparer: Preparer
    identity: EmbedderIdentity

    def __call__(self, item: Item, found: Sequence[PreparedChunk]) -> Remade:
        """Return an item ready to be kept.

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
            known, needed = _called(self.preparer.identity), _called(self.identity)
            problem = f"the space's vectors are of {needed}, and {known} is configured"
            raise WrongEmbedder(f"{problem}; configure the first one and repair again")
        return self.preparer.prepare([wanted.item])[0]


def _called(one: EmbedderIdentity) -> str:
    about = f"{one.dimension} dimensions, {one.window_words} words, {one.quantiser}"
    return f"{one.model!r} ({about})"
