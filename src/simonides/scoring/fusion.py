"""Reciprocal rank fusion: Σ w/(k + rank), ranks from 1, k = 60 (Cormack, Clarke, Buettcher 2009).

Items of equal value in a lane share a rank, so that order never depends on ids or on who wrote
first. Ranks are over the whole space: a filter does not change them (law 12).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

RRF_K = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """The values of one lane: float64[items], higher is better, NaN for not found."""

    name: str
    weight: float
    values: npt.NDArray[np.float64]


def ranks(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return float64[items]: 1 + the number of strictly better ones; infinity for not found."""
    found = ~np.isnan(values)
    rising = np.sort(values[found])
    placed = np.full(len(values), np.inf)
    placed[found] = 1.0 + len(rising) - np.searchsorted(rising, values[found], side="right")
    return placed


def rank_shares(lane: Lane, *, k: int = RRF_K) -> npt.NDArray[np.float64]:
    """Return float64[items]: the lane's w/(k + rank), 0 for not found."""
    shares: npt.NDArray[np.float64] = lane.weight / (k + ranks(lane.values))
    return shares
