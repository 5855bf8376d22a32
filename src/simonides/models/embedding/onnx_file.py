"""An embedder of the user's own: a sentence encoder in ONNX, with the tokenizer beside it.

Knows onnxruntime and tokenizers (the extra `onnx`), the files that Sentence Transformers writes,
and the manifest `embedder.json`. Must not know what the texts are, nor how vectors are kept.
"""

import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import numpy as np

from simonides.errors import EmbedderError, InvalidInput
from simonides.model.stored import EmbedderIdentity
from simonides.models.embedding.query_cache import QueryCache, Vector
from simonides.models.onnx_folder import MODELS, TOKENIZER, file_in
from simonides.scoring.quantise import QUANTISER
from simonides.text.unicode_script import encodable

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

MANIFEST = "embedder.json"
"""The file that says how the model's vectors are made, where the folder does not say it already."""

THREADS_MAX = 16
WINDOW_TOKENS = 256
"""Tokens of a text that are read by default: passages of a few sentences are found best."""

WORDS_PER_TOKEN = 0.7
"""Words that a token of a subword model is about worth; chunks are sized by it."""

_SAMPLE_BYTES = 1 << 20
"""The identity looks at so much of both ends of the model's file, which may have gigabytes."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a model is used: what `embedder.json` may say.

    `dimension` is the length of a vector. `pooling` says which tokens' vectors make that of a text:
    the mean, the first or the last one. The prefixes are put before texts and questions.
    """

    dimension: Annotated[int, msgspec.Meta(ge=1, le=8192)]
    pooling: Literal["mean", "first", "last"] = "mean"
    text_prefix: str = ""
    query_prefix: str = ""
    window_tokens: Annotated[int, msgspec.Meta(ge=16, le=8192)] = WINDOW_TOKENS


@dataclass(frozen=True, slots=True, kw_only=True)
class _OnnxModel:
    session: "InferenceSession"
    tokenizer: "Tokenizer"
    inputs: tuple[str, ...]
    manifest: Manifest

    def vector(self, text: str) -> Vector:
        """Return float32[dimension] of unit length; zeros for a text of no tokens of its own."""
        encoded = self.tokenizer.encode(encodable(text))
        if all(encoded.special_tokens_mask):
            return np.zeros(self.manifest.dimension, dtype=np.float32)
        columns = {
            "input_ids": encoded.ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.type_ids,
            "position_ids": range(len(encoded.ids)),
        }
        given = {name: np.array([columns[name]], dtype=np.int64) for name in self.inputs}
        row = self._pool(np.asarray(self.session.run(None, given)[0], dtype=np.float64))
        if row.shape != (self.manifest.dimension,):
            found = "x".join(map(str, row.shape))
            raise EmbedderError(
                f"its vectors have {found} numbers, not {self.manifest.dimension}; correct "
                f"`dimension` in {MANIFEST}"
            )
        length = float(np.linalg.norm(row))
        if not 0.0 < length < np.inf:
            raise EmbedderError("it made a vector that is zero or not finite")
        vector: Vector = (row / length).astype(np.float32)
        return vector

    def _pool(self, output: "np.ndarray[Any, np.dtype[np.float64]]") -> Any:
        """Return the vector of the text: the output has one, or one for each token."""
        tokens = output[0]
        if tokens.ndim == 1:
            return tokens
        pooling = self.manifest.pooling
        return tokens.mean(axis=0) if pooling == "mean" else tokens[0 if pooling == "first" else -1]


class OnnxEmbedder:
    """A sentence encoder in a folder. An adapter of `ports.Embedder`. Loads on first use.

    One text a run, on one thread of the processor, so that a vector never depends on its
    neighbours or on the machine's cores. The identity is made of the manifest, the tokenizer, the
    size of the model's file and its first and last MiB.

    Args:
        path: A folder with `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json`, and
            `embedder.json` unless Sentence Transformers' own files say as much.
        threads: Texts read side by side; by default one for each core, at most 16.

    Raises:
        InvalidInput: A file is not there, or says what cannot be.
    """

    def __init__(self, path: str, *, threads: int | None = None) -> None:
        self._folder = Path(path).expanduser()
        self._model = file_in(self._folder, *MODELS, field="embedder")
        self._tokenizer = file_in(self._folder, TOKENIZER, field="embedder")
        self._manifest = _manifest_of(self._folder)
        self._threads = threads or min(THREADS_MAX, os.cpu_count() or 1)
        self._questions = QueryCache()
        self._lock = Lock()
        self._loaded: _OnnxModel | None = None
        self._identity = EmbedderIdentity(
            model=f"onnx:{self._fingerprint()}",
            dimension=self._manifest.dimension,
            window_words=int(self._manifest.window_tokens * WORDS_PER_TOKEN),
            quantiser=QUANTISER,
        )

    @property
    def identity(self) -> EmbedderIdentity:
        """A hash of what is in the folder, wherever it lies."""
        return self._identity

    def embed(self, texts: Sequence[str]) -> Vector:
        """Return float32[len(texts), dimension].

        Raises:
            EmbedderError: The files cannot be used, or the model failed.
        """
        rows = np.zeros((len(texts), self._manifest.dimension), dtype=np.float32)
        if len(texts) == 0:
            return rows
        with ThreadPoolExecutor(min(self._threads, len(texts))) as pool:
            for place, row in enumerate(pool.map(self._text, texts)):
                rows[place] = row
        return rows

    def embed_query(self, text: str) -> Vector:
        """Return float32[dimension] for a question.

        Raises:
            EmbedderError: The files cannot be used, or the model failed.
        """
        return self._questions.get(text, self._question)

    def _text(self, text: str) -> Vector:
        return self._vector(text, self._manifest.text_prefix)

    def _question(self, text: str) -> Vector:
        return self._vector(text, self._manifest.query_prefix)

    def _vector(self, text: str, prefix: str) -> Vector:
        if not text.strip():
            return np.zeros(self._manifest.dimension, dtype=np.float32)
        with _failing(self._folder):
            return self._open().vector(prefix + text)

    def _open(self) -> _OnnxModel:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self._model, self._tokenizer, self._manifest)
            return self._loaded

    def _fingerprint(self) -> str:
        hashed = blake2b(msgspec.json.encode(self._manifest), digest_size=8)
        hashed.update(self._tokenizer.read_bytes())
        size_bytes = self._model.stat().st_size
        hashed.update(str(size_bytes).encode())
        with self._model.open("rb") as file:
            hashed.update(file.read(_SAMPLE_BYTES))
            file.seek(max(0, size_bytes - _SAMPLE_BYTES))
            hashed.update(file.read())
        return hashed.hexdigest()


def _manifest_of(folder: Path) -> Manifest:
    """Return the manifest, or else one made of the files of Sentence Transformers."""
    try:
        raw = (folder / MANIFEST).read_bytes()
        return msgspec.json.decode(raw, type=Manifest)
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        raise InvalidInput("embedder", f"{folder / MANIFEST}: {error}") from error
    pooling = _json(folder / "1_Pooling/config.json")
    prompts = _json(folder / "config_sentence_transformers.json").get("prompts") or {}
    model = _json(folder / "config.json")
    said = {
        "dimension": pooling.get("word_embedding_dimension") or model.get("hidden_size"),
        "pooling": _pooling(pooling),
        "text_prefix": prompts.get("document") or prompts.get("passage") or "",
        "query_prefix": prompts.get("query") or "",
    }
    try:
        return msgspec.convert(said, Manifest)
    except ValueError as error:
        problem = (
            f"{folder} does not say how its vectors are made; write {MANIFEST} there, such as "
        )
        example = '{"dimension": 384, "pooling": "mean"}'
        raise InvalidInput("embedder", f"{problem}{example} ({error})") from error


def _pooling(said: dict[str, Any]) -> str:
    if said.get("pooling_mode_cls_token"):
        return "first"
    return "last" if said.get("pooling_mode_lasttoken") else "mean"


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _load(model: Path, tokenizer: Path, manifest: Manifest) -> _OnnxModel:
    try:
        from tokenizers import Tokenizer

        from simonides.models.onnx_session import onnx_session
    except ImportError as failure:
        problem = "a model in ONNX needs its extra: pip install 'simonides[onnx]'"
        raise EmbedderError(problem) from failure
    session = onnx_session(model)
    reader = Tokenizer.from_file(str(tokenizer))
    reader.no_padding()
    reader.enable_truncation(manifest.window_tokens)
    inputs = tuple(one.name for one in session.get_inputs())
    return _OnnxModel(session=session, tokenizer=reader, inputs=inputs, manifest=manifest)


@contextmanager
def _failing(folder: Path) -> Iterator[None]:
    """Turn what the libraries raise into an `EmbedderError` that names the model."""
    try:
        yield
    except Exception as failure:
        reason = str(failure) if isinstance(failure, EmbedderError) else repr(failure)
        raise EmbedderError(f"the embedder onnx:{folder} failed: {reason}") from failure
