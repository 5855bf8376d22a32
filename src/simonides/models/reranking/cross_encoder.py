"""A reranker on this machine: a cross-encoder in ONNX, with the tokenizer that stands beside it.

Knows onnxruntime and tokenizers (the extra `onnx`). Must not know what the texts are, nor what
their scores are used for.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from simonides.errors import ModelError, ModelTimeout
from simonides.models.onnx_folder import MODELS, TOKENIZER, file_in
from simonides.text.unicode_script import encodable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

TOKENS_MAX = 512
"""Longest input, question and passage together: that of the BERT family; a passage is cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _CrossEncoderModel:
    session: "InferenceSession"
    tokenizer: "Tokenizer"
    inputs: tuple[str, ...]

    def score(self, question: str, text: str) -> float:
        """Return the logit of one pair; of two classes, how much the second is ahead."""
        encoded = self.tokenizer.encode(encodable(question), encodable(text))
        columns = {
            "input_ids": encoded.ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.type_ids,
        }
        given = {name: np.array([columns[name]], dtype=np.int64) for name in self.inputs}
        logits = np.asarray(self.session.run(None, given)[0], dtype=np.float64).ravel()
        return float(logits[0] if len(logits) == 1 else logits[-1] - logits[0])


class CrossEncoder:
    """A cross-encoder: reads a question and a passage at once. An adapter of `Reranker`.

    One pair a run, so that a score never depends on what else is scored. Loads on first use.

    Args:
        path: A folder with `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json`.
        clock: Seconds that never run backwards.

    Raises:
        InvalidInput: One of the files is not there.
    """

    def __init__(self, path: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._folder = Path(path).expanduser()
        self._model = file_in(self._folder, *MODELS, field="reranker")
        self._tokenizer = file_in(self._folder, TOKENIZER, field="reranker")
        self._clock = clock
        self._lock = Lock()
        self._loaded: _CrossEncoderModel | None = None

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self._folder.name

    def score(self, question: str, texts: Sequence[str], *, timeout_s: float) -> list[float]:
        """Return the logit of each text with the question.

        Raises:
            ModelError: The files cannot be used, or the model failed.
            ModelTimeout: It took longer than `timeout_s`, loading not counted.
        """
        with _failing(self.name):
            model = self._open()
            started_s = self._clock()
            scores: list[float] = []
            for text in texts:
                if self._clock() - started_s > timeout_s:
                    raise ModelTimeout(f"{self.name} read {len(scores)} of {len(texts)} passages "
                                       f"within {timeout_s:g} s")  # fmt: skip
                scores.append(model.score(question, text))
            return scores

    def close(self) -> None:
        """Drop the model; the next call loads it anew."""
        with self._lock:
            self._loaded = None

    def _open(self) -> _CrossEncoderModel:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self._model, self._tokenizer)
            return self._loaded


def _load(model: Path, tokenizer: Path) -> _CrossEncoderModel:
    try:
        from tokenizers import Tokenizer

        from simonides.models.onnx_session import onnx_session
    except ImportError as failure:
        raise ModelError(
            "a cross-encoder needs its extra: pip install 'simonides[onnx]'"
        ) from failure
    session = onnx_session(model)
    reader = Tokenizer.from_file(str(tokenizer))
    reader.no_padding()
    reader.enable_truncation(TOKENS_MAX, strategy="only_second")
    inputs = tuple(one.name for one in session.get_inputs())
    return _CrossEncoderModel(session=session, tokenizer=reader, inputs=inputs)


@contextmanager
def _failing(name: str) -> "Iterator[None]":
    """Turn what the libraries raise into a `ModelError`."""
    try:
        yield
    except ModelError:
        raise
    except Exception as failure:
        reason = f"{type(failure).__name__}: {failure}"
        raise ModelError(f"the cross-encoder {name} failed: {reason}") from failure
