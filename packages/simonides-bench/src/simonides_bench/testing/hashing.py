"""An embedder for tests: a bag of hashed words instead of a model.

Knows nothing of meaning: two texts are near when they share words. Fast, without weights, and
the same on every machine.
"""

import re
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from simonides.errors import EmbedderError, InvalidInput
from simonides.model.stored import EmbedderIdentity

_WORD = re.compile(r"\w+")


class HashingEmbedder:
    """Embeds a text as the normalised sum of its words' signed unit vectors.

    Each word (letter case ignored) adds +1 or -1 to one of `dimension` places; place and sign
    come from its BLAKE2b hash. An adapter of `ports.Embedder`.
    """

    def __init__(self, dimension: int = 64) -> None:
        if dimension < 1:
            raise InvalidInput("dimension", f"must be at least 1, got {dimension}")
        self._identity = EmbedderIdentity(
            model="testing-hash/1",
            dimension=dimension,
            window_words=180,
            quantiser="fixed-int8/1",
        )

    @property
    def identity(self) -> EmbedderIdentity:
        """What is stored with the vectors and checked when a space is opened."""
        return self._identity

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return float32[len(texts), dimension], rows of unit length, zero for a blank text."""
        rows = np.zeros((len(texts), self._identity.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            self._fill(row, text.casefold())
        return rows

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Return float32[dimension], the same as for a kept text."""
        row: npt.NDArray[np.float32] = self.embed([text])[0]
        return row

    def _fill(self, row: npt.NDArray[np.float32], text: str) -> None:
        for word in _WORD.findall(text) or text.split():
            place, sign = self._place(word)
            row[place] += sign
        if not row.any() and text.strip():  # every word met its opposite
            row[self._place(text)[0]] = 1.0
        length = np.sqrt(np.dot(row, row))
        if length:
            row /= length

    def _place(self, word: str) -> tuple[int, float]:
        number = int.from_bytes(
            blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big"
        )
        return number // 2 % self._identity.dimension, 1.0 if number % 2 else -1.0


class CountingEmbedder(HashingEmbedder):
    """A hashing embedder that remembers the texts it was given, and fails after so many of them.

    `fails_after` is None for one that never fails.
    """

    def __init__(self, dimension: int = 64) -> None:
        super().__init__(dimension)
        self.texts: list[str] = []
        self.fails_after: int | None = None

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the vectors of texts.

        Raises:
            EmbedderError: It was given `fails_after` texts before.
        """
        if self.fails_after is not None and len(self.texts) >= self.fails_after:
            raise EmbedderError("no model")
        self.texts += texts
        return super().embed(texts)
