"""The scores of all items of a question, with contributions that add up to each.

What every scorer makes, and what the passes over it change. Must not know how it is made.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from simonides.index.index_view import IndexView
from simonides.model.answer import Contribution
from simonides.retrieval.evidence import Evidence

Floats = npt.NDArray[np.float64]
Slots = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Scores by item slot.

    values: float64[items], NaN for what does not rank; `contributions(slot)` add up to the value
    in their order; `best_chunks(slots)` are the chunk slots that speak for items; `stands_for` are
    the slots of what an item replaces.
    """

    values: Floats
    contributions: Callable[[int], tuple[Contribution, ...]]
    best_chunks: Callable[[Slots], Slots]
    stands_for: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    def with_gains(self, gains: Floats, part: Callable[[int], Contribution]) -> "Scores":
        """Return the scores with these gains (float64[items]), each a contribution more."""

        def contributions(slot: int) -> tuple[Contribution, ...]:
            more = (part(slot),) if gains[slot] else ()
            return (*self.contributions(slot), *more)

        return replace(self, values=self.values + gains, contributions=contributions)


def best_chunks_by(chunks: Floats | None, view: IndexView) -> Callable[[Slots], Slots]:
    """Return a function from item slots to their (first) chunk slots of largest value."""

    def best(slots: Slots) -> Slots:
        first, stop = view.item_starts[slots].astype(np.intp), view.item_stops[slots]
        if chunks is not None:
            for at in (stop - first > 1).nonzero()[0].tolist():
                first[at] += chunks[first[at] : stop[at]].argmax()
        return first

    return best


def best_passages(slots: Sequence[int], scores: Scores, view: IndexView) -> list[tuple[int, int]]:
    """Return the key of each item, and the ordinal of the chunk that speaks for it."""
    return view.places(scores.best_chunks(np.array(slots, dtype=np.intp)))


def passage_fit(evidence: Evidence) -> Floats | None:
    """Return float64[chunks]: how well each passage fits by itself, by words and meaning."""
    given = [v for v in (evidence.lexical, evidence.semantic) if v is not None]
    return np.asarray(np.add.reduce(given)) if given else None
