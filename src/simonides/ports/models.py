"""The models that others provide: language models, embedders and vector indexes, and by which laws.

Also the clock and the assistant's working memory. Must not know any adapter.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from simonides.model.stored import EmbedderIdentity

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from simonides.model.chat import ModelReply, ModelRequest


class Clock(Protocol):
    """A clock; tests pass a fixed one."""

    def __call__(self) -> datetime:
        """Return the present as aware UTC."""
        ...


class Embedder(Protocol):
    """An embedder, which turns texts into vectors.

    Laws: the same text gives the same bytes, alone or among others; rows have unit length, or
    are zero for a text without content; the number and order of rows are those of the texts.
    """

    @property
    def identity(self) -> EmbedderIdentity:
        """The identity stored with the vectors and checked when a space is opened."""
        ...

    def embed(self, texts: Sequence[str]) -> "npt.NDArray[np.float32]":
        """Return float32[len(texts), dimension].

        Raises:
            EmbedderError: The model failed.
            EmbedderTimeout: It did not answer in time.
        """
        ...

    def embed_query(self, text: str) -> "npt.NDArray[np.float32]":
        """Return float32[dimension] for a question, from a small cache if it is repeated.

        Raises:
            EmbedderError: The model failed.
            EmbedderTimeout: It did not answer in time.
        """
        ...


@runtime_checkable
class VersionedEmbedder(Protocol):
    """An embedder that also serves the vectors of its earlier versions."""

    def earlier(self, identity: EmbedderIdentity) -> Embedder | None:
        """Return the earlier version whose vectors have this identity; None if there is none."""
        ...


class VectorMatches(NamedTuple):
    """The result of a search of a `VectorIndex`, best first, and how it was found.

    keys: int64[k]; scores: float64[k]; `rounds` says how often an approximate index was asked
    (0: it was not), `fell_back` whether all rows were scanned after it or in its stead.
    """

    keys: "npt.NDArray[np.int64]"
    scores: "npt.NDArray[np.float64]"
    rounds: int = 0
    fell_back: bool = False


class VectorIndex(Protocol):
    """Rows of int8 by key, found by their product with a query.

    Laws: a deleted key never comes back, and an upsert leaves nothing of the row before it; the
    scores are the exact integer products query·row; they fall, and equal ones are ordered by
    rising key; exactly min(top_k, number of keys that pass the filter) come back. Those are the
    best, of equals the ones of the smallest keys, except that an approximate index may take
    others for some of them. `rebuild` changes none of this. One thread at a time may write.
    """

    def upsert(self, keys: "npt.NDArray[np.int64]", rows: "npt.NDArray[np.int8]") -> None:
        """Add or replace rows int8[n, dimension] by key int64[n].

        Raises:
            ValueError: A key is given twice, or the shapes do not fit.
        """
        ...

    def delete(self, keys: "npt.NDArray[np.int64]") -> None:
        """Delete keys; unknown ones are ignored."""
        ...

    def search(
        self,
        query: "npt.NDArray[np.int8]",
        top_k: int,
        filter: "Callable[[npt.NDArray[np.int64]], npt.NDArray[np.bool_]] | None" = None,  # noqa: A002  the word of the project
    ) -> VectorMatches:
        """Return the keys whose rows have the largest products with `query` int8[dimension].

        `filter` tells of keys int64[m] which may come back, bool[m]; it may be asked of any key
        that was ever there, several times, and must answer the same.

        Raises:
            ValueError: `top_k` is below 1.
        """
        ...

    def rebuild(self) -> None:
        """Rebuild the index from its present rows, and free the memory of the others."""
        ...

    def __len__(self) -> int:
        """Return the number of keys."""
        ...


OnText = Callable[[str], None]
"""Is called with each piece of an answer as it comes."""

IsCancelled = Callable[[], bool]
"""Says whether whoever asked took it back."""


@runtime_checkable
class ChatModel(Protocol):
    """A language model that answers.

    Laws: it raises nothing but `ModelError` and its kind; it never answers later than `timeout_s`
    by more than a moment; it is safe to use from several threads.
    """

    @property
    def name(self) -> str:
        """The model's name, for receipts and replies."""
        ...

    def complete(
        self,
        request: "ModelRequest",
        *,
        on_text: OnText | None = None,
        is_cancelled: IsCancelled | None = None,
    ) -> "ModelReply":
        """Return the answer to one request; with `on_text`, stream it there as well.

        `is_cancelled` is asked between pieces; where it says yes, what came so far is returned.

        Raises:
            ModelError: The endpoint failed or answered what can not be read.
            ModelTimeout: It did not answer in time.
        """
        ...

    def close(self) -> None:
        """Close the connections; the model must not be used afterwards."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """A model that reads a question together with each passage that may answer it.

    Laws: there is one finite score a text, in the order of the texts, on any scale: higher fits
    better; a text's score depends on it and the question alone; it never answers later than
    `timeout_s` by more than a moment, and raises nothing but `ModelError` and its kind; it is safe
    to use from several threads.
    """

    @property
    def name(self) -> str:
        """The model's name, for explanations."""
        ...

    def score(self, question: str, texts: Sequence[str], *, timeout_s: float) -> Sequence[float]:
        """Return float[len(texts)]: how well each text answers the question.

        Raises:
            ModelError: The model failed or answered what cannot be read.
            ModelTimeout: It did not answer in time.
        """
        ...

    def close(self) -> None:
        """Close the connections; the model must not be used afterwards."""
        ...


@runtime_checkable
class WorkingMemory(Protocol):
    """Short-lived values of a space, JSON-able.

    Laws: a value is gone `ttl_s` after its last put; what was put is what is got; no space sees
    another's; nothing of it is durable.
    """

    def get(self, space: str, key: str) -> Any | None:
        """Return the value of a key; None if there is none, or it has expired."""
        ...

    def put(self, space: str, key: str, value: Any, *, ttl_s: float) -> None:
        """Store a JSON-able value for `ttl_s` seconds, replacing any other."""
        ...

    def put_new(self, space: str, key: str, value: Any, *, ttl_s: float) -> bool:
        """Store a value only if there is none; return whether it was stored (one of many wins)."""
        ...

    def delete(self, space: str, key: str) -> bool:
        """Delete the value of a key; return whether there was one."""
        ...

    def clear(self, space: str) -> int:
        """Delete everything of an erased space; return the number of values."""
        ...
