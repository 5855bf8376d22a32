"""The default embedder: all-MiniLM-L6-v2 on this machine's processor.

Knows onnxruntime and the data package `simonides-minilm`. Must not know what the
texts are, nor how vectors are kept.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from simonides.config import INSTALL_LOCAL
from simonides.errors import EmbedderError, InvalidInput
from simonides.model.stored import EmbedderIdentity
from simonides.models.embedding.query_cache import QUESTIONS_MAX, QueryCache, Vector
from simonides.models.embedding.wordpiece import WordPiece

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

IDENTITY = EmbedderIdentity(
    model="all-MiniLM-L6-v2/int8-channel/1",
    dimension=384,
    window_words=180,
    quantiser="fixed-int8/1",
)
"""256 tokens hold about 180 words of English prose and mark-up."""

TOKENS_MAX = 256
"""Longest input of the upstream model (its `max_seq_length`); what lies beyond is not read."""

CHARS_MAX = 16_384
"""Characters handed to the tokenizer: far more than 256 tokens take, and a bound on its time."""

THREADS_MAX = 4
"""Threads used unless told otherwise, on processors that have as many."""

_FRAME = 2
"""Tokens that stand around every text: [CLS] and [SEP]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    session: "InferenceSession"
    tokenizer: WordPiece

    def vector(self, text: str) -> Vector:
        """Return float32[384] of unit length, zeros for a text without tokens."""
        words = text[:CHARS_MAX].encode("utf-8", "replace").decode()  # lone surrogates become "?"
        ids = np.array([self.tokenizer.encode(words)], dtype=np.int64)
        if ids.size <= _FRAME:
            return np.zeros(IDENTITY.dimension, dtype=np.float32)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        row: Vector = self.session.run(None, inputs)[0][0]
        return row


class MiniLMEmbedder:
    """Embeds one text per model run, several runs side by side. An adapter of `ports.Embedder`.

    Alone because the model quantises activations by the run: in a batch, a text's vector would
    depend on its neighbours. Loads on first use, after checking the files' SHA-256. Vectors are
    repeatable on one kind of processor; others may differ in the low bits.

    Args:
        threads: Model runs side by side in `embed`; by default the processors, at most 4.
        questions_max: Question vectors kept for asking again.
    """

    def __init__(self, *, threads: int | None = None, questions_max: int = QUESTIONS_MAX) -> None:
        if threads is not None and threads < 1:
            raise InvalidInput("threads", f"must be at least 1, got {threads}")
        self._threads = threads or min(THREADS_MAX, os.cpu_count() or 1)
        self._questions = QueryCache(questions_max)
        self._lock = Lock()
        self._model: _Model | None = None

    @property
    def identity(self) -> EmbedderIdentity:
        """What is stored with the vectors and checked when a space is opened."""
        return IDENTITY

    def embed(self, texts: Sequence[str]) -> Vector:
        """Return float32[len(texts), 384], rows of unit length, zero for a text without tokens.

        Raises:
            EmbedderError: The model's files are missing or damaged, or the model failed.
        """
        rows = np.zeros((len(texts), IDENTITY.dimension), dtype=np.float32)
        if not texts:
            return rows
        for row, vector in zip(rows, self._vectors(texts), strict=True):
            row[:] = vector
        return rows

    def embed_query(self, text: str) -> Vector:
        """Return float32[384] for a question, read-only, the same as for a kept text.

        Raises:
            EmbedderError: As for `embed`.
        """
        return self._questions.get(text, self._vector)

    def forget_questions(self) -> None:
        """Drop the vectors of the questions asked last."""
        self._questions.clear()

    def _vectors(self, texts: Sequence[str]) -> list[Vector]:
        threads = min(self._threads, len(texts))
        if threads == 1:
            return [self._vector(text) for text in texts]
        with ThreadPoolExecutor(threads, thread_name_prefix="simonides-minilm") as pool:
            return list(pool.map(self._vector, texts))

    def _vector(self, text: str) -> Vector:
        try:
            return self._loaded().vector(text)
        except EmbedderError:
            raise  # before the next line asks for onnxruntime, which may be missing
        except _native_failures() as failure:
            raise EmbedderError(f"onnxruntime failed on {IDENTITY.model}: {failure}") from failure

    def _loaded(self) -> _Model:
        with self._lock:
            if self._model is None:
                self._model = _load()
            return self._model


def _load() -> _Model:
    # Its Linux builds report usage to their maker unless told not to before they are loaded.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        from onnxruntime import GraphOptimizationLevel, InferenceSession, SessionOptions
    except ImportError as failure:
        raise EmbedderError(f"{IDENTITY.model} needs its extra: {INSTALL_LOCAL}") from failure
    options = SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
    session = InferenceSession(_checked("model.onnx"), options, providers=["CPUExecutionProvider"])
    tokenizer = _checked("tokenizer.json"), _checked("characters.json")
    return _Model(session=session, tokenizer=WordPiece(*tokenizer, tokens_max=TOKENS_MAX))


def _checked(name: str) -> bytes:
    """Return the file's bytes, having seen that they are those the package was made with."""
    try:
        import simonides_minilm as package

        content = package.path(name).read_bytes()
    except (ImportError, OSError) as failure:
        raise EmbedderError(f"cannot read {name} of simonides-minilm: {failure}") from failure
    found = sha256(content).hexdigest()
    if found != package.SHA256[name]:
        raise EmbedderError(
            f"{name} of simonides-minilm is damaged: its SHA-256 is {found}, not "
            f"{package.SHA256[name]}; install the package anew"
        )
    return content


def _native_failures() -> tuple[Any, ...]:
    from onnxruntime.capi import onnxruntime_pybind11_state as native

    return (
        native.Fail,
        native.InvalidGraph,
        native.InvalidProtobuf,
        native.NotImplemented,
        native.RuntimeException,
    )
