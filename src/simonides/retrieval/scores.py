"""What every scorer hands back: a score per item, and why."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simonides.index.index_view import IndexView
from simonides.model.answer import Contribution

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Scores by item slot.

    values: float64[items], NaN for what does not rank; `contributions(slot)` add up to the value
    in their order; `best_chunk(slot)` is the chunk slot that speaks for the item.
    """

    values: Floats
    contributions: Callable[[int], tuple[Contribution, ...]]
    best_chunk: Callable[[int], int]


def best_chunk_by(chunks: Floats | None, view: IndexView) -> Callable[[int], int]:
    """Return a function from item slot to the slot of its (first) chunk of largest value."""

    def best(slot: int) -> int:
        first = int(view.item_starts[slot])
        stop = int(np.searchsorted(view.chunk_items, slot, side="right"))
        return first if chunks is None else first + int(np.argmax(chunks[first:stop]))

    return best
