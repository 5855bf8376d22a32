"""The errors of models that anybody may have written: whatever fails there is an error of ours.

Loads NumPy. Must not know any adapter.
"""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from simonides.errors import EmbedderError, ModelError, SimonidesError
from simonides.ports.models import Embedder

E = TypeVar("E", EmbedderError, ModelError)


def model_failure(kind: type[E], name: str, failure: Exception) -> E:
    """Return an error that names the model and says in one line what it raised."""
    first = next(iter(str(failure).strip().splitlines()), "")
    raised = type(failure).__name__
    return kind(f"{name} failed: {raised}: {first}" if first else f"{name} failed: {raised}")


def embed_texts(texts: Sequence[str], embedder: Embedder) -> npt.NDArray[np.float32]:
    """Return float32[len(texts), dimension], the vectors of texts.

    Raises:
        EmbedderError: The model failed, or gave something else.
    """
    identity = embedder.identity
    try:
        given = embedder.embed(texts)
    except SimonidesError:
        raise
    except Exception as failure:
        raise model_failure(EmbedderError, identity.model, failure) from failure
    return check_vectors(given, (len(texts), identity.dimension), identity.model)


def check_vectors(given: object, shape: tuple[int, ...], model: str) -> npt.NDArray[np.float32]:
    """Return the vectors that an embedder gave as finite float32 of that shape.

    Raises:
        EmbedderError: It is something else; says what, and what must be given.
    """
    try:
        rows = np.asarray(given, dtype=np.float32)
    except (TypeError, ValueError):
        what = f"{type(given).__name__}, which is no array of numbers"
    else:
        if given is not None and rows.shape == shape and np.isfinite(rows).all():
            return rows
        what = "numbers that are not finite" if rows.shape == shape else f"the shape {rows.shape}"
        what = "None" if given is None else what
    raise EmbedderError(f"{model} gave {what}; it must give finite float32 of the shape {shape}")
