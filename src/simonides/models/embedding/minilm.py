"""The default embedder: a sentence encoder on this machine's processor, with its tokenizer.

Its weights are those of all-MiniLM-L6-v2, trained further on questions about mail, notes, chats,
tasks and events (packages/simonides-minilm says how). The model that was the default before stands
beside it, as the difference of its file: spaces made with it keep working. Texts that are not
English are read by other models, whose vectors are carried over among those of this one.

The tokenizer gives the ids that the library `tokenizers` gives for the same `tokenizer.json`; that
library is used by the tests only, because of what it brings along. Knows onnxruntime and the data
package `simonides-minilm`. Must not know what the texts are, nor how vectors are kept.
"""

import json
import lzma
import os
import re
from bisect import bisect_right
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from hashlib import sha256
from operator import itemgetter
from threading import Lock
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import numpy as np

from simonides.config import INSTALL_LOCAL
from simonides.errors import EmbedderError, InvalidInput
from simonides.model.stored import EmbedderIdentity
from simonides.models.embedding.aligned import Aligned, aligned_vector
from simonides.models.embedding.e5 import E5Encoder
from simonides.models.embedding.query_cache import QUESTIONS_MAX, QueryCache, Vector
from simonides.models.embedding.universal import UniversalEncoder
from simonides.scoring.quantise import QUANTISER
from simonides.text.language import is_english
from simonides.text.unicode_script import encodable

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

WORD_CHARS_MAX = 100
"""Longer words are unknown."""

_WORDS_KEPT = 1 << 16
_CHARS_KEPT = 1 << 14
_CHINESE = [
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0x2F800, 0x2FA1F),
]
_LOWER = {0xA7CB: "\u0264"}
"""Capital letters younger than the Unicode of Python 3.11, and their small ones."""


class _Forms(dict[int, str]):
    """The replacement of each character, for `str.translate`; made at its first occurrence."""

    def __init__(self, *, dropped: list[list[int]], alone: list[list[int]]) -> None:
        super().__init__()
        self._dropped = dropped
        self._alone = alone

    def __missing__(self, code: int) -> str:
        parts = normalize("NFD", chr(code))
        kept = (c for c in parts if not _within(self._dropped, ord(c)))
        form = "".join(self._set_apart(_LOWER.get(ord(c)) or c.lower()) for c in kept)
        if _within(_CHINESE, code):
            form = f" {form} "
        if len(self) < _CHARS_KEPT:
            self[code] = form
        return form

    def _set_apart(self, char: str) -> str:
        if char.isspace():
            return " "
        return f" {char} " if len(char) == 1 and _within(self._alone, ord(char)) else char


def _within(ranges: Sequence[Sequence[int]], code: int) -> bool:
    place = bisect_right(ranges, code, key=itemgetter(0)) - 1
    return place >= 0 and code <= ranges[place][1]


class WordPiece:
    """The tokenizer of one model; threads may share it.

    Args:
        tokenizer: The bytes of a `tokenizer.json` whose model is WordPiece.
        characters: The bytes of the `characters.json` beside it.
        tokens_max: Longest result, with the two tokens that stand around every text.
    """

    def __init__(self, tokenizer: bytes, characters: bytes, *, tokens_max: int) -> None:
        described = json.loads(tokenizer)
        self._vocabulary: dict[str, int] = described["model"]["vocab"]
        self._special = {token["content"]: token["id"] for token in described["added_tokens"]}
        self._forms = _Forms(**json.loads(characters))
        self._room = tokens_max - 2
        self._longest = max(map(len, self._vocabulary))
        self._pieces = lru_cache(_WORDS_KEPT)(self._cut)
        self._parts = re.compile(f"({'|'.join(map(re.escape, self._special))})")

    def encode(self, text: str) -> list[int]:
        """Return the ids of the text, between those of [CLS] and [SEP]."""
        ids: list[int] = []
        for part in self._parts.split(text):
            special = self._special.get(part)
            for word in () if special is not None else part.translate(self._forms).split():
                ids += self._pieces(word)
                if len(ids) >= self._room:
                    break
            if special is not None:
                ids.append(special)
        return [self._special["[CLS]"], *ids[: self._room], self._special["[SEP]"]]

    def is_read(self, ids: Sequence[int]) -> bool:
        """Return whether at least half of a text's tokens are known to the model.

        The unknown ones are all one token to it: texts of nothing else would all be alike.
        """
        unknown = ids.count(self._special["[UNK]"])
        return 2 * unknown <= len(ids) - _FRAME and len(ids) > _FRAME

    def _cut(self, word: str) -> tuple[int, ...]:
        """Return the longest known pieces from the left, or the unknown token for all of it."""
        ids: list[int] = []
        start = 0
        while start < len(word) <= WORD_CHARS_MAX:
            piece, start = self._longest_piece(word, start)
            if piece is None:
                break
            ids.append(piece)
        return tuple(ids) if ids and start == len(word) else (self._special["[UNK]"],)

    def _longest_piece(self, word: str, start: int) -> tuple[int | None, int]:
        prefix = "##" if start else ""
        for stop in range(min(len(word), start + self._longest), start, -1):
            known = self._vocabulary.get(prefix + word[start:stop])
            if known is not None:
                return known, stop
        return None, start


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

_FRAME = 2
"""Tokens that stand around every text: [CLS] and [SEP]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _MiniLMModel:
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
            with _LOADING:
                model = _load(self._identity)
            return model.vector(words)
        except EmbedderError:
            raise  # before the next line asks for onnxruntime, which may be missing
        except _native_failures() as failure:
            raise EmbedderError(
                f"onnxruntime failed on {self._identity.model}: {failure}"
            ) from failure


_LOADING = Lock()
"""What is loaded is loaded once in a process, however many embedders there are."""


@cache
def _encoders(identity: EmbedderIdentity) -> tuple[Aligned, ...]:
    """Return the encoders of texts that are not English; none of the first versions had any."""
    if identity not in (IDENTITY, MULTILINGUAL):
        return ()
    universal = Aligned(encoder=UniversalEncoder(), alignment=lambda: _check("languages.npz"))
    if identity == IDENTITY:
        return (universal,)
    e5 = E5Encoder(lambda: _check("e5.onnx"))
    return (universal, Aligned(encoder=e5, alignment=lambda: _check("languages-e5.npz")))


@cache
def _load(identity: EmbedderIdentity) -> _MiniLMModel:
    try:
        from simonides.models.onnx_session import onnx_session  # of an optional extra, and slow
    except ImportError as failure:
        raise EmbedderError(f"{identity.model} needs its extra: {INSTALL_LOCAL}") from failure
    content = _check("model.onnx")
    if identity == EARLIER:
        content = _apply_difference(content, _check("earlier.xz"))
    session = onnx_session(content)
    tokenizer = _check("tokenizer.json"), _check("characters.json")
    return _MiniLMModel(session=session, tokenizer=WordPiece(*tokenizer, tokens_max=TOKENS_MAX))


def _apply_difference(content: bytes, difference: bytes) -> bytes:
    """Return the earlier file: each byte of this one with that of the difference added."""
    added = np.frombuffer(lzma.decompress(difference), dtype=np.uint8)
    return (np.frombuffer(content, dtype=np.uint8) + added).tobytes()


def _check(name: str) -> bytes:
    """Return the file's bytes, checked against the hash of the package."""
    try:
        import simonides_minilm as package  # of an optional extra

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
    from onnxruntime.capi import onnxruntime_pybind11_state as native  # of an optional extra

    return (
        native.Fail,
        native.InvalidGraph,
        native.InvalidProtobuf,
        native.NotImplemented,
        native.RuntimeException,
    )
