"""How float vectors become int8, and how a centred cosine is read from integers.

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
    scaled = np.rint(np.nan_to_num(vectors) * scale(vectors.shape[-1]))
    return _as_int8(scaled)


def rounded_mean(total: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int8]:
    """Return the rounded quotient of an exact sum; zeros when nothing was summed."""
    if count == 0:
        return np.zeros(total.shape, dtype=np.int8)
    return np.rint(total / count).astype(np.int8)


def centred_query(
    query: npt.NDArray[np.float32], mean: npt.NDArray[np.int8]
) -> npt.NDArray[np.int8]:
    """Return int8 of a query from which the space's mean is subtracted, on the vectors' scale."""
    moved = np.rint(np.nan_to_num(query) * scale(query.shape[-1]) - mean)
    return _as_int8(moved)


def _as_int8(values: npt.NDArray[np.floating]) -> npt.NDArray[np.int8]:
    clipped: npt.NDArray[np.int8] = np.clip(values, -INT8_LARGEST, INT8_LARGEST).astype(np.int8)
    return clipped
