"""What tells the time, and what turns texts into vectors. Must not know any adapter."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from simonides.model.stored import EmbedderIdentity

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Clock(Protocol):
    """Tells the time; tests hand in a fixed one."""

    def __call__(self) -> datetime:
        """Return the present as aware UTC."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors.

    Laws: the same text gives the same bytes, alone or among others; rows have unit length, or
    are zero for a text without content; the number and order of rows are those of the texts.
    """

    @property
    def identity(self) -> EmbedderIdentity:
        """What is stored with the vectors and checked when a space is opened."""
        ...

    def embed(self, texts: Sequence[str]) -> "npt.NDArray[np.float32]":
        """Return float32[len(texts), dimension].

        Raises:
            EmbedderError: The model failed.
            EmbedderTimeout: It did not answer in time.
        """
        ...

    def embed_query(self, text: str) -> "npt.NDArray[np.float32]":
        """Return float32[dimension] for a question, from a small cache where it was asked before.

        Raises:
            EmbedderError: The model failed.
            EmbedderTimeout: It did not answer in time.
        """
        ...
