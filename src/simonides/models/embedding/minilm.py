"""The default embedder: a sentence encoder on this machine's processor, with its tokenizer.

Its weights are those of all-MiniLM-L6-v2, trained further on questions about mail, notes, chats,
tasks and events (packages/simonides-minilm says how). The model that was the default before stands
beside it, as the difference of its file: spaces made with it keep working. Texts that are not
English are read by other models, whose vectors are carried over among those of this one.

Knows onnxruntime and the data package `simonides-minilm`. Must not know what the texts are, nor how
vectors are kept.
"""

import lzma
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from simonides.config import INSTALL_LOCAL
from simonides.errors import EmbedderError, InvalidInput
from simonides.model.stored import EmbedderIdentity
from simonides.models.embedding.aligned import Aligned, aligned_vector
from simonides.models.embedding.e5 import E5Encoder
from simonides.models.embedding.query_cache import QUESTIONS_MAX, QueryCache, Vector
from simonides.models.embedding.universal import UniversalEncoder
from simonides.models.embedding.wordpiece import WordPiece
from simonides.scoring.quantise import QUANTISER
from simonides.text.language import is_english
from simonides.text.unicode_script import encodable

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

IDENTITY = EmbedderIdentity(
    model="desk-minilm/2", dimension=384, window_words=180, quantiser=QUANTISER
)
"""256 tokens hold about 180 words of English prose and mark-up."""

ENGLISH = replace(IDENTITY, model="desk-minilm/1")
"""The default before: the same model, which reads texts of every language as if they were English.
The vectors of English texts are the same bytes."""

EARLIER = replace(IDENTITY, model="all-MiniLM-L6-v2/int8-channel/1")
"""The default before that, of the upstream weights."""

MULTILINGUAL = replace(IDENTITY, model="desk-minilm/2+e5")
"""That of the extra `multilingual`: texts that are not English are read by two models. The vectors
of English texts are the same bytes."""

VERSIONS = (IDENTITY, MULTILINGUAL, ENGLISH, EARLIER)

TOKENS_MAX = 256
"""Longest input of the upstream model (its `max_seq_length`); what lies beyond is not read."""

CHARS_MAX = 16_384
"""Characters handed to the tokenizer: far more than 256 tokens take, and a bound on its time."""

THREADS_MAX = 16
"""Threads used by default, on processors that have as many."""

EXTRA_NEEDED = f"the local model needs onnxruntime and simonides-minilm: {INSTALL_LOCAL}"
"""Why the model cannot be made where onnxruntime or its files are not installed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MiniLMModel:
    """A loaded model with its tokenizer; it embeds one text a run."""

    session: "InferenceSession"
    tokenizer: WordPiece

    def vector(self, text: str) -> Vector:
        """Return float32[384] of unit length, zeros for a text that the model cannot read."""
        tokens = self.tokenizer.encode(text)
        if not self.tokenizer.is_read(tokens):
            return np.zeros(IDENTITY.dimension, dtype=np.float32)
        ids = np.array([tokens], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        row: Vector = self.session.run(None, inputs)[0][0]
        return row


class MiniLMEmbedder:
    """The local embedder: one text per model run, several at once. An adapter of `Embedder`.

    Alone because the model quantises activations by the run: in a batch, a text's vector would
    depend on its neighbours. Loads on first use, after checking the files' SHA-256, once for all
    embedders of a process. Vectors are repeatable on one kind of processor; others may differ in
    the low bits.

    Args:
        threads: Model runs side by side in `embed`; by default the processors, at most 16.
        questions_max: Question vectors kept for asking again.
        language: ISO 639-1 code of texts that are too short to tell.
        identity: Which version: one of `VERSIONS`.
    """

    def __init__(
        self,
        *,
        threads: int | None = None,
        questions_max: int = QUESTIONS_MAX,
        language: str = "en",
        identity: EmbedderIdentity = IDENTITY,
    ) -> None:
        if identity not in VERSIONS:
            raise InvalidInput("identity", f"there is no model {identity.model!r} here")
        if threads is not None and threads < 1:
            raise InvalidInput("threads", f"must be at least 1, got {threads}")
        self._threads = threads or min(THREADS_MAX, os.cpu_count() or 1)
        self._questions = QueryCache(questions_max)
        self._lock = Lock()
        self._identity = identity
        self._language = language
        self._others = _encoders(identity)
        self._earlier: dict[EmbedderIdentity, MiniLMEmbedder] = {}

    @property
    def identity(self) -> EmbedderIdentity:
        """The identity stored with the vectors and checked when a space is opened."""
        return self._identity

    def earlier(self, identity: EmbedderIdentity) -> "MiniLMEmbedder | None":
        """Return the model that was the default before, if these are its vectors."""
        if identity == self._identity or identity not in VERSIONS:
            return None
        with self._lock:
            if identity not in self._earlier:
                self._earlier[identity] = MiniLMEmbedder(threads=self._threads, identity=identity)
            return self._earlier[identity]

    def embed(self, texts: Sequence[str]) -> Vector:
        """Return float32[len(texts), 384], rows of unit length, zero for what it cannot read.

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
        """Return float32[384] for a question, read-only, the same as for a stored text.

        Raises:
            EmbedderError: As for `embed`.
        """
        return self._questions.get(text, self._vector)

    def forget_questions(self) -> None:
        """Clear the cached vectors of recent questions."""
        self._questions.clear()
        for one in self._earlier.values():
            one.forget_questions()

    def _vectors(self, texts: Sequence[str]) -> list[Vector]:
        threads = min(self._threads, len(texts))
        if threads == 1:
            return [self._vector(text) for text in texts]
        with ThreadPoolExecutor(threads, thread_name_prefix="simonides-minilm") as pool:
            return list(pool.map(self._vector, texts))

    def _vector(self, text: str) -> Vector:
        words = encodable(text[:CHARS_MAX])
        if self._others and not is_english(words, default=self._language):
            return aligned_vector(words, self._others)
        try:
            return self._load().vector(words)
        except EmbedderError:
            raise  # before the next line asks for onnxruntime, which may be missing
        except _native_failures() as failure:
            raise EmbedderError(
                f"onnxruntime failed on {self._identity.model}: {failure}"
            ) from failure

    def _load(self) -> MiniLMModel:
        """Return the model, which is loaded once in a process, however many embedders there are."""
        with _LOADING:
            return _load(self._identity)


_LOADING = Lock()


@cache
def _encoders(identity: EmbedderIdentity) -> tuple[Aligned, ...]:
    """Return the encoders of texts that are not English; none of the first versions had any."""
    if identity not in (IDENTITY, MULTILINGUAL):
        return ()
    universal = Aligned(encoder=UniversalEncoder(), alignment=lambda: read_file("languages.npz"))
    if identity == IDENTITY:
        return (universal,)
    e5 = E5Encoder(lambda: read_file("e5.onnx"))
    return (universal, Aligned(encoder=e5, alignment=lambda: read_file("languages-e5.npz")))


@cache
def _load(identity: EmbedderIdentity) -> MiniLMModel:
    content = read_file("model.onnx")
    if identity == EARLIER:
        content = apply_difference(content, read_file("earlier.xz"))
    return make_model(content)


def make_model(content: bytes) -> MiniLMModel:
    """Return the model of a file in ONNX, with the tokenizer of the package.

    Raises:
        EmbedderError: onnxruntime or the package is not installed, or damaged.
    """
    try:
        from simonides.models.onnx_session import onnx_session  # of an optional extra, and slow
    except ImportError as failure:
        raise EmbedderError(EXTRA_NEEDED) from failure
    session = onnx_session(content)
    tokenizer = read_file("tokenizer.json"), read_file("characters.json")
    return MiniLMModel(session=session, tokenizer=WordPiece(*tokenizer, tokens_max=TOKENS_MAX))


def apply_difference(content: bytes, difference: bytes) -> bytes:
    """Return another model's file: each byte of this one with that of the difference added."""
    added = np.frombuffer(lzma.decompress(difference), dtype=np.uint8)
    return (np.frombuffer(content, dtype=np.uint8) + added).tobytes()


def read_file(name: str) -> bytes:
    """Return the bytes of a file of simonides-minilm, checked against the hash of the package.

    Raises:
        EmbedderError: The package is not installed, or damaged.
    """
    try:
        import simonides_minilm as package  # of an optional extra
    except ImportError as failure:
        raise EmbedderError(EXTRA_NEEDED) from failure
    try:
        content = package.path(name).read_bytes()
    except OSError as failure:
        raise EmbedderError(f"cannot read {name} of simonides-minilm: {failure}") from failure
    found = sha256(content).hexdigest()
    if found != package.SHA256[name]:
        raise EmbedderError(
            f"{name} of simonides-minilm is damaged: its SHA-256 is {found}, not "
            f"{package.SHA256[name]}; install the package anew"
        )
    return content


def _native_failures() -> tuple[Any, ...]:
    from onnxruntime.capi import onnxruntime_pybind11_state as native  # of an optional extra

    return (
        native.Fail,
        native.InvalidGraph,
        native.InvalidProtobuf,
        native.NotImplemented,
        native.RuntimeException,
    )
