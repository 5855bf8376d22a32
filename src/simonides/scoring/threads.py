"""Items in the order of their threads, and what stands before and after each.

A thread is a session's items in order of time, position and id; an item without a session is a
thread of its own. Knows arrays; where they come from is not known here.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadOrder:
    """The present items in thread order; a place is a position in that order.

    items: int32[i] item slots by place; follows: bool[i], whether the item at the place before
    belongs to the same thread.
    """

    items: npt.NDArray[np.int32]
    follows: npt.NDArray[np.bool_]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.items.nbytes + self.follows.nbytes

    def before(self, values: Floats) -> Floats:
        """Return by place the value of the previous item in its thread, 0 for the first."""
        moved = np.zeros_like(values)
        np.multiply(values[:-1], self.follows[1:], out=moved[1:])
        return moved

    def after(self, values: Floats) -> Floats:
        """Return by place the value of the next item in its thread, 0 for the last."""
        moved = np.zeros_like(values)
        np.multiply(values[1:], self.follows[1:], out=moved[:-1])
        return moved


def best_by_owner(values: Floats, owners: npt.NDArray[np.int32], *, count: int) -> Floats:
    """Return float64[count]: the largest of `values` of each owner, -inf for one without any."""
    best = np.full(count, -np.inf)
    np.maximum.at(best, owners, values)
    return best
