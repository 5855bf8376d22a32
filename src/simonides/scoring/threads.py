"""Thread order: which passage comes before which in a chat, a mail thread, a document.

A thread is a session's items in order of time, position and id; an item without a session is a
thread of its own, whose chunks follow each other. Knows arrays of positions; who builds them is
not known here.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True, kw_only=True)
class Threads:
    """Thread order. Positions are places in that order, slots are places in the columns.

    items: int32[i] item slots in order; chunks: int32[c] chunk slots in order;
    item_starts: int64[i] first position of each item's chunks; thread_starts: int64[t];
    follows: bool[c], whether the chunk before it belongs to the same thread.
    """

    items: npt.NDArray[np.int32]
    chunks: npt.NDArray[np.int32]
    item_starts: npt.NDArray[np.int64]
    thread_starts: npt.NDArray[np.int64]
    follows: npt.NDArray[np.bool_]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        arrays = (self.items, self.chunks, self.item_starts, self.thread_starts, self.follows)
        return sum(array.nbytes for array in arrays)

    def best(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return for each chunk in order the largest of `values` (float64[c]) in its thread."""
        sizes = np.diff(self.thread_starts, append=len(values))
        return np.repeat(np.maximum.reduceat(values, self.thread_starts), sizes)

    def before(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return for each chunk the value of the one before it in its thread, 0 for the first."""
        moved = np.zeros_like(values)
        np.multiply(values[:-1], self.follows[1:], out=moved[1:])
        return moved

    def after(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return for each chunk the value of the one after it in its thread, 0 for the last."""
        moved = np.zeros_like(values)
        np.multiply(values[1:], self.follows[1:], out=moved[:-1])
        return moved

    def per_item(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return float64[i]: the largest value among each item's chunks, items in order."""
        return np.asarray(np.maximum.reduceat(values, self.item_starts))
