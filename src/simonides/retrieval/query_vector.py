"""The vector of a question, or the reason why there is none.

Must not know what is found with it.
"""

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simonides.errors import EmbedderError
from simonides.index.index_view import IndexView
from simonides.model.answer import Mode, Query
from simonides.ports.foreign_models import check_vectors, model_failure
from simonides.ports.models import Embedder
from simonides.text.clean import without_folders


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryVector:
    """The question's vector, or None with the reason, and the time it took."""

    vector: npt.NDArray[np.float32] | None = None
    why_not: str = ""
    took_ms: float = 0.0


def embed_question(query: Query, *, view: IndexView, embedder: Embedder | None) -> QueryVector:
    """Return the vector of a question, if it needs one and the space has vectors.

    Raises:
        EmbedderError: Mode vector, and the embedder failed.
    """
    dimension = view.vectors.dimension
    if query.mode is Mode.TEXT or embedder is None or not dimension:
        return QueryVector(why_not="the space holds no vectors")
    if view.waiting_count == view.chunks_alive > 0:
        return QueryVector(why_not=f"all {view.waiting_count:,} chunks wait for their vectors")
    started = time.perf_counter()
    try:
        vector = embedder.embed_query(query.text)
        if getattr(vector, "shape", ()) != (dimension,) or not np.isfinite(vector).all():
            vector = check_vectors(vector, (dimension,), embedder.identity.model)
    except EmbedderError as error:
        if query.mode is Mode.VECTOR:
            raise
        return _without(error, started)
    except Exception as failure:
        wrapped = model_failure(EmbedderError, embedder.identity.model, failure)
        if query.mode is Mode.VECTOR:
            raise wrapped from failure
        return _without(wrapped, started)
    return QueryVector(vector=vector, took_ms=ms_since(started))


def _without(error: EmbedderError, started: float) -> QueryVector:
    why_not = f"the embedder failed: {without_folders(str(error))}"
    return QueryVector(why_not=why_not, took_ms=ms_since(started))


def ms_since(started: float) -> float:
    """Return the milliseconds since a reading of `time.perf_counter`."""
    return 1000.0 * (time.perf_counter() - started)
