"""A logistic regression in which no weight is negative. Pure: arrays in, numbers out."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

PENALTY = 1e-3
"""Of the squared weights on standardised columns: keeps a column that is always 0 at 0."""

STEPS_MAX = 100
STEP_LEAST = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """The logit of a row is intercept + row · weights."""

    intercept: float
    weights: Floats

    def logits(self, rows: Floats) -> Floats:
        """Return the logit of each row."""
        return np.asarray(rows @ self.weights + self.intercept)


def fit(rows: Floats, labels: Floats, importance: Floats) -> Fitted:
    """Return the weights (0 or more) of least weighted cross-entropy, by projected Newton steps.

    rows: float64[n, columns]; labels: 0 or 1; importance: how much each row counts.
    """
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + STEP_LEAST
    standard = np.column_stack([np.ones(len(rows)), (rows - mean) / spread])
    share = importance / importance.sum()
    base = float(share @ labels)
    weights = np.zeros(standard.shape[1])
    weights[0] = np.log(base / (1.0 - base))
    for _ in range(STEPS_MAX):
        better = _stepped(weights, standard, labels, share)
        moved = float(np.abs(better - weights).max())
        weights = better
        if moved < STEP_LEAST:
            break
    real = weights[1:] / spread
    return Fitted(intercept=float(weights[0] - real @ mean), weights=real)


def _stepped(weights: Floats, rows: Floats, labels: Floats, share: Floats) -> Floats:
    """Return the weights after one Newton step; those that would fall below 0 stay there."""
    probable = 1.0 / (1.0 + np.exp(-(rows @ weights)))
    penalty = np.full(len(weights), PENALTY)
    penalty[0] = 0.0
    slope = rows.T @ (share * (probable - labels)) + penalty * weights
    bend = (rows * (share * probable * (1.0 - probable))[:, None]).T @ rows + np.diag(
        penalty + STEP_LEAST
    )
    free = (weights > 0.0) | (slope < 0.0)
    free[0] = True
    step = np.zeros(len(weights))
    step[free] = np.linalg.solve(bend[np.ix_(free, free)], slope[free])
    better = weights - step
    better[1:] = np.maximum(better[1:], 0.0)
    return np.asarray(better)


def area(above: Floats, below: Floats) -> float:
    """Return how likely one of `above` exceeds one of `below`, ties by half; both not empty."""
    pairs = above[:, None] - below[None, :]
    return float((pairs > 0).mean() + (pairs == 0).mean() / 2)
