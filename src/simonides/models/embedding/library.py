"""Embedders of two libraries that people have already: fastembed and Sentence Transformers.

A model is named as the library names it, and must be on this machine: nothing is downloaded. Knows
both libraries. Must not know what the texts are, nor how vectors are kept.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any

import numpy as np

from simonides.errors import EmbedderError, InvalidInput
from simonides.model.stored import EmbedderIdentity
from simonides.models.embedding.onnx_file import WINDOW_TOKENS, WORDS_PER_TOKEN
from simonides.models.embedding.query_cache import QueryCache, Vector
from simonides.scoring.quantise import QUANTISER
from simonides.text.unicode_script import encodable


@dataclass(frozen=True, slots=True, kw_only=True)
class _LibraryModel:
    """A loaded model: the vector of one text, and of one question, and the vectors' length."""

    text: Callable[[str], Any]
    question: Callable[[str], Any]
    dimension: int
    window_tokens: int = WINDOW_TOKENS


def _make_fastembed(name: str) -> _LibraryModel:
    from fastembed import TextEmbedding

    model = TextEmbedding(model_name=name, local_files_only=True)
    return _LibraryModel(
        text=lambda text: next(iter(model.passage_embed([text]))),
        question=lambda text: next(iter(model.query_embed([text]))),
        dimension=model.embedding_size,
    )


def _sentence_transformers(name: str) -> _LibraryModel:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(name, device="cpu", local_files_only=True)
    text = partial(model.encode_document, show_progress_bar=False)
    return _LibraryModel(
        text=text,
        question=partial(model.encode_query, show_progress_bar=False),
        dimension=len(text("dimension")),  # versions call the method for it differently
        window_tokens=min(WINDOW_TOKENS, model.max_seq_length or WINDOW_TOKENS),
    )


_LOAD = {"fastembed": _make_fastembed, "sentence-transformers": _sentence_transformers}
_FETCH = {
    "fastembed": "from fastembed import TextEmbedding; TextEmbedding({name!r})",
    "sentence-transformers": (
        "from sentence_transformers import SentenceTransformer; SentenceTransformer({name!r})"
    ),
}
"""What fetches a model, once, for the library to find it without a network."""


class LibraryEmbedder:
    """A model of fastembed or Sentence Transformers. An adapter of `ports.Embedder`.

    One text a run, so that a vector never depends on its neighbours; one run at a time, because the
    tokenizers of these libraries are not safe in threads. Loads when its identity is first asked.

    Args:
        library: `fastembed` or `sentence-transformers`.
        name: The model, as the library names it.
    """

    def __init__(self, library: str, name: str) -> None:
        self._label = f"{library}:{name}"
        self._library, self._name = library, name
        self._questions = QueryCache()
        self._lock = Lock()
        self._loaded: _LibraryModel | None = None

    @property
    def identity(self) -> EmbedderIdentity:
        """The name of the library and of the model.

        Raises:
            InvalidInput: The library or the model is not on this machine.
        """
        loaded = self._open()
        return EmbedderIdentity(
            model=self._label,
            dimension=loaded.dimension,
            window_words=int(loaded.window_tokens * WORDS_PER_TOKEN),
            quantiser=QUANTISER,
        )

    def embed(self, texts: Sequence[str]) -> Vector:
        """Return float32[len(texts), dimension].

        Raises:
            EmbedderError: The model failed.
        """
        loaded = self._open()
        rows = np.zeros((len(texts), loaded.dimension), dtype=np.float32)
        for place, text in enumerate(texts):
            rows[place] = self._vector(text, loaded.text)
        return rows

    def embed_query(self, text: str) -> Vector:
        """Return float32[dimension] for a question.

        Raises:
            EmbedderError: The model failed.
        """
        return self._questions.get(text, lambda asked: self._vector(asked, self._open().question))

    def _vector(self, text: str, encode: Callable[[str], Any]) -> Vector:
        """Return float32[dimension] of unit length; zeros for a text without content."""
        dimension = self._open().dimension
        if not text.strip():
            return np.zeros(dimension, dtype=np.float32)
        with self._lock, self._failing():
            row = np.asarray(encode(encodable(text)), dtype=np.float64)
        length = float(np.linalg.norm(row))
        if row.shape != (dimension,) or not 0.0 < length < np.inf:
            raise EmbedderError(f"the embedder {self._label} made no vector of {dimension} numbers")
        vector: Vector = (row / length).astype(np.float32)
        return vector

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except Exception as failure:
            raise EmbedderError(f"the embedder {self._label} failed: {failure!r}") from failure

    def _open(self) -> _LibraryModel:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> _LibraryModel:
        try:
            return _LOAD[self._library](self._name)
        except ImportError as failure:
            problem = f"{self._label} needs its library: pip install {self._library}"
            raise InvalidInput("embedder", f"{problem} ({failure})") from failure
        except Exception as failure:
            fetch = _FETCH[self._library].format(name=self._name)
            problem = (
                f"{self._library} cannot load {self._name!r} from this machine; if it was never"
                f' fetched, run once: python -c "{fetch}"'
            )
            raise InvalidInput("embedder", f"{problem} ({failure})") from failure
