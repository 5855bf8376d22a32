"""What every scorer hands back: a score per item, whether it was found, and why."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simonides.model.answer import Contribution
from simonides.retrieval.evidence import Evidence
from simonides.view.view import View

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Scores by item slot.

    values: float64[items]; found: bool[items], by at least one lane; `contributions(slot)` add up
    to the value in their order; `best_chunk(slot)` is the chunk slot that speaks for the item.
    """

    values: Floats
    found: Bools
    contributions: Callable[[int], tuple[Contribution, ...]]
    best_chunk: Callable[[int], int]


def lanes_of(evidence: Evidence, view: View) -> dict[str, Bools]:
    """Return {lane: bool[items]}: which items each lane found."""
    found = {}
    if evidence.semantic is not None:
        found["semantic"] = any_chunk(evidence.semantic > 0.0, view)
    if evidence.matching is not None:
        found["lexical"] = any_chunk(evidence.matching > 0, view)
    if evidence.mentions is not None:
        found["entity"] = evidence.mentions > 0.0
    timed = [v > 0.0 for v in (evidence.agreement, evidence.nearness) if v is not None]
    if timed:
        found["temporal"] = np.logical_or.reduce(timed)
    if evidence.keywords is not None:
        found["keyword"] = evidence.keywords > 0.0
    return found


def any_chunk(chunks: Bools, view: View) -> Bools:
    """Return bool[items]: whether any chunk of the item is marked."""
    items = np.zeros(view.item_count, dtype=bool)
    items[view.chunk_items[chunks]] = True
    return items


def best_per_item(chunks: Floats, view: View) -> Floats:
    """Return float64[items]: the largest value among the item's chunks; -inf without chunks."""
    best = np.full(view.item_count, -np.inf)
    np.maximum.at(best, view.chunk_items, chunks)
    return best


def best_chunk_by(chunks: Floats | None, view: View) -> Callable[[int], int]:
    """Return a function from item slot to the slot of its (first) chunk of largest value."""

    def best(slot: int) -> int:
        first = int(np.searchsorted(view.chunk_items, slot, side="left"))
        stop = int(np.searchsorted(view.chunk_items, slot, side="right"))
        return first if chunks is None else first + int(np.argmax(chunks[first:stop]))

    return best
