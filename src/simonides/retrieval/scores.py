"""The scores of all items of a question, with contributions that add up to each.

What every scorer makes, and what the passes over it change. Must not know how it is made.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from simonides.index.index_view import IndexView
from simonides.model.answer import Contribution
from simonides.retrieval.evidence import Evidence

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Scores by item slot.

    values: float64[items], NaN for what does not rank; `contributions(slot)` add up to the value
    in their order; `best_chunk(slot)` is the chunk slot that speaks for the item; `stands_for` are
    the slots of what an item replaces.
    """

    values: Floats
    contributions: Callable[[int], tuple[Contribution, ...]]
    best_chunk: Callable[[int], int]
    stands_for: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    def with_gains(self, gains: Floats, part: Callable[[int], Contribution]) -> "Scores":
        """Return the scores with these gains (float64[items]), each a contribution more."""

        def contributions(slot: int) -> tuple[Contribution, ...]:
            more = (part(slot),) if gains[slot] else ()
            return (*self.contributions(slot), *more)

        return replace(self, values=self.values + gains, contributions=contributions)


def best_chunk_by(chunks: Floats | None, view: IndexView) -> Callable[[int], int]:
    """Return a function from item slot to its (first) chunk slot of largest value."""

    def best(slot: int) -> int:
        first, stop = int(view.item_starts[slot]), int(view.item_stops[slot])
        if chunks is None or stop == first + 1:
            return first
        return first + int(np.argmax(chunks[first:stop]))

    return best


def passage_fit(evidence: Evidence) -> Floats | None:
    """Return float64[chunks]: how well each passage fits by itself, by words and meaning."""
    given = [v for v in (evidence.lexical, evidence.semantic) if v is not None]
    return np.asarray(np.add.reduce(given)) if given else None
