"""Quantisation of float vectors to int8, and the centred cosine from integers.

Knows numbers only. All sums are exact integers, so that neither order nor threads leave a trace.
"""

import numpy as np
import numpy.typing as npt

QUANTISER = "fixed-int8/1"
"""The name stored with vectors made here."""

INT8_LARGEST = 127


def scale(dimension: int) -> float:
    """Return s = 512·√(dimension/384): at 384 dimensions one value in 10⁶ saturates (measured)."""
    return float(512.0 * np.sqrt(dimension / 384.0))


def quantise(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.int8]:
    """Return int8 of the same shape: clip(rint(s·x), -127, 127). NaN becomes 0."""
    scaled = np.rint(_finite(vectors) * scale(vectors.shape[-1]))
    return _as_int8(scaled)


PRIOR_ROWS = 32
"""Rows of zeros that are averaged in: the mean of three texts says nothing about a space, and
taking it away would take away what they mean. Over a few hundred rows it no longer shows."""


MEAN_CHUNKS_MAX = 8
"""So many chunks of an item count in the mean of a space, its first ones: a long file of much the
same lines would be most of the mean, and all that is unlike that file would then look alike. Our
own choice: few texts have more, so that the figures of docs/explanation/ranking.md stay."""


def rounded_mean(total: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int8]:
    """Return the rounded quotient total / (count + 32) of an exact sum."""
    mean: npt.NDArray[np.int8] = np.rint(total / (count + PRIOR_ROWS)).astype(np.int8)
    return mean


def centred_query(
    query: npt.NDArray[np.float32], mean: npt.NDArray[np.int8]
) -> npt.NDArray[np.int8]:
    """Return int8 of a query from which the space's mean is subtracted, on the vectors' scale."""
    moved = np.rint(_finite(query) * scale(query.shape[-1]) - mean)
    return _as_int8(moved)


def _finite(values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the values of unit vectors without NaN (0) and infinities (±1)."""
    return np.nan_to_num(values, nan=0.0, posinf=1.0, neginf=-1.0)


def _as_int8(values: npt.NDArray[np.floating]) -> npt.NDArray[np.int8]:
    clipped: npt.NDArray[np.int8] = np.clip(values, -INT8_LARGEST, INT8_LARGEST).astype(np.int8)
    return clipped
