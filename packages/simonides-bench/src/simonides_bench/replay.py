"""Vectors for more texts than there is time to embed, and an embedder that hands them out.

Knows how a text's vector follows from those of the passages it was made of. Must not know items.
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from simonides.errors import EmbedderError
from simonides.model.stored import EmbedderIdentity

Vectors = npt.NDArray[np.float32]

NOISE = 0.3
"""Length of the noise beside a weighted mean of unit vectors (measured: see `Blend`)."""
_ALIKE_MIN = 0.8
"""A question with a word or two corrected is this like the one that was asked (difflib's ratio)."""


class Blend:
    """Makes the vector of a text from those of the passages its words come from.

    vector = unit(Σ share·passage + 0.3·n): shares by length, n a unit vector drawn from the
    text's own hash. The noise makes up for what averaging hides. Measured on 700 recombined
    passages against MiniLM's own vectors of them: mean cosine .83; cosine to the nearest other
    passage .515 (MiniLM .517, without noise .598), spread of all cosines .107 (MiniLM .114).

    Args:
        rows: float32[passages, dimension], rows of unit length.
    """

    def __init__(self, rows: Vectors) -> None:
        self._rows = rows

    def of(self, texts: Sequence[str], shares: Sequence[Mapping[int, float]]) -> Vectors:
        """Return float32[len(texts), dimension]; `shares` are of passages by number."""
        weights = np.zeros((len(texts), len(self._rows)), dtype=np.float32)
        for i, own in enumerate(shares):
            weights[i, list(own)] = list(own.values())
        weights /= weights.sum(axis=1, keepdims=True)
        noise = np.stack([_direction(text, self._rows.shape[1]) for text in texts])
        return unit(weights @ self._rows + NOISE * noise)


def _direction(text: str, dimension: int) -> Vectors:
    seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
    drawn = np.random.default_rng(seed).standard_normal(dimension, dtype=np.float32)
    return np.asarray(drawn / np.linalg.norm(drawn), dtype=np.float32)


def unit(rows: Vectors) -> Vectors:
    """Return the rows, each divided by its length; zeros stay zeros."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0.0, lengths, 1.0), dtype=np.float32)


def spread(rows: Vectors, *, chosen: Sequence[int], total: int) -> Vectors:
    """Return a row for each of `total` passages: its own where chosen, else the nearest before.

    Neighbours in reading order are about the same thing. `chosen` rises and begins with 0.
    """
    nearest = np.searchsorted(np.asarray(chosen), np.arange(total), side="right") - 1
    return np.asarray(rows[nearest], dtype=np.float32)


class ReplayEmbedder:
    """Hands out vectors made beforehand, by text, so that embedding costs nothing.

    An adapter of `ports.Embedder` under the identity of the embedder whose vectors it replays.
    """

    def __init__(self, identity: EmbedderIdentity) -> None:
        self._identity = identity
        self._known: dict[str, Vectors] = {}

    @property
    def identity(self) -> EmbedderIdentity:
        """What is stored with the vectors and checked when a space is opened."""
        return self._identity

    def learn(self, texts: Sequence[str], rows: Vectors) -> None:
        """Be ready for these texts; rows are float32[len(texts), dimension]."""
        self._known.update(zip(texts, rows, strict=True))

    def unlearn(self, texts: Sequence[str]) -> None:
        """Let go of these texts."""
        for text in texts:
            self._known.pop(text, None)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return float32[len(texts), dimension].

        Raises:
            EmbedderError: A text was not learned.
        """
        rows = np.zeros((len(texts), self._identity.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:] = self._row(text)
        return rows

    def embed_query(self, text: str) -> Vectors:
        """Return float32[dimension]; one whose spelling was corrected has the question's own.

        Raises:
            EmbedderError: Neither the text nor one very like it was learned.
        """
        if text not in self._known:
            alike = get_close_matches(text, self._known, n=1, cutoff=_ALIKE_MIN)
            self._known[text] = self._row(alike[0] if alike else text)
        return self._known[text]

    def _row(self, text: str) -> Vectors:
        try:
            return self._known[text]
        except KeyError:
            raise EmbedderError(f"no vector was made beforehand for {text[:60]!r}") from None
