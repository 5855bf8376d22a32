"""Thread order: which item comes before which in a chat or a mail thread.

A thread is a session's items in order of time, position and id; an item without a session is a
thread of its own. Knows arrays of places; who builds them is not known here.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Threads:
    """The present items in thread order; a place is a position in that order.

    items: int32[i] item slots by place; starts: int64[t] the first place of each thread;
    follows: bool[i], whether the item at the place before belongs to the same thread.
    """

    items: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    follows: npt.NDArray[np.bool_]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.items.nbytes + self.starts.nbytes + self.follows.nbytes

    def best(self, values: Floats) -> Floats:
        """Return by place the largest of `values` (float64[i] by place) in its thread."""
        sizes = np.diff(self.starts, append=len(values))
        return np.repeat(np.maximum.reduceat(values, self.starts), sizes)

    def before(self, values: Floats) -> Floats:
        """Return by place the value of the item before it in its thread, 0 for the first."""
        moved = np.zeros_like(values)
        np.multiply(values[:-1], self.follows[1:], out=moved[1:])
        return moved

    def after(self, values: Floats) -> Floats:
        """Return by place the value of the item after it in its thread, 0 for the last."""
        moved = np.zeros_like(values)
        np.multiply(values[1:], self.follows[1:], out=moved[:-1])
        return moved
