"""Vectors of multilingual encoders, carried over among those of the default model.

A matrix for each encoder was learned from English texts that it and the default model embed
(packages/simonides-minilm/make/align.py): so questions and texts of all languages are compared in
one space. Must not know which encoders there are, nor how vectors are kept.
"""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

CHARS_MAX = 4_096
"""Characters that are read: more than a passage has, and a bound on the time of one, 30 ms."""


class Encoder(Protocol):
    """A model in its own space: a vector for a text, zeros for one that it cannot read."""

    def encode(self, text: str) -> Floats:
        """Return float32[n], of unit length or zeros."""


@dataclass(kw_only=True)
class Aligned:
    """An encoder with its matrix; `alignment` gives the bytes of its file when first needed.

    The file is NumPy's: `mean` float32[n], `matrix` float16[n, 384], `offset` and `centre`
    float32[384].
    """

    encoder: Encoder
    alignment: Callable[[], bytes]

    def direction(self, text: str) -> Floats | None:
        """Return ``unit((u - mean) @ matrix + offset)`` of the encoder's vector u of a text.

        That is where the text lies as seen from `centre`; None for one that it cannot read.
        """
        encoded = self.encoder.encode(text[:CHARS_MAX])
        if not encoded.any():
            return None
        learned = self._learned
        # A sum, not a product of matrices: that would depend on the number of threads.
        turned = ((encoded - learned["mean"])[:, None] * learned["matrix"]).sum(axis=0)
        return _unit(turned + learned["offset"])

    @property
    def centre(self) -> Floats:
        """The mean of the default model's vectors, the same for every encoder."""
        return self._learned["centre"]

    @cached_property
    def _learned(self) -> dict[str, Floats]:
        with np.load(io.BytesIO(self.alignment())) as arrays:
            return {one: arrays[one].astype(np.float32) for one in arrays.files}


def aligned_vector(text: str, encoders: Sequence[Aligned]) -> Floats:
    """Return float32[384] of unit length, zeros for a text that no encoder can read.

    That is ``unit(unit(sum of their directions) + centre)``, of those that can read it.

    Raises:
        EmbedderError: The files of a model are missing or damaged.
    """
    directions = [found for one in encoders if (found := one.direction(text)) is not None]
    centre = encoders[0].centre
    if not directions:
        return np.zeros(len(centre), dtype=np.float32)
    summed = directions[0] if len(directions) == 1 else _unit(np.sum(directions, axis=0))
    return _unit(summed + centre)


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / np.sqrt((vector * vector).sum()), dtype=np.float32)
