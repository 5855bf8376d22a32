"""Two fits by Newton steps: weights that rank by a listwise softmax, and a logistic curve over it.

Pure: arrays in, numbers out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

RIDGE = 0.02
"""Of the squared distance to the weights before, on standardised columns: a feature of which the
data say nothing keeps its weight."""

MUST_NOT_COUNTS = 2.0
"""How often an item that must not stand before the evidence counts beside it."""

STEPS_MAX = 60
STEP_LEAST = 1e-9
HALVINGS_MAX = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The candidates of one question: float64[n, features], what answers, what must not rank.

    `importance` is how much the question counts.
    """

    rows: Floats
    answers: npt.NDArray[np.bool_]
    must_not: npt.NDArray[np.bool_]
    importance: float


def fit_listwise(lists: Sequence[Listed], *, before: Floats) -> Floats:
    """Return the weights under which each question's answers are likeliest among its candidates.

    The loss is the cross-entropy of a softmax over each list, spread evenly over its answers, plus
    `RIDGE`/2 · |weights - before|² (both on columns of unit spread). Lists without an answer say
    nothing of the order and are left out.
    """
    informative = _Lists([one for one in lists if one.answers.any()])
    start = before * informative.spread
    weights, loss = start.copy(), informative.loss(start, start)
    for _ in range(STEPS_MAX):
        step = informative.step(weights, start)
        for _ in range(HALVINGS_MAX):
            better = informative.loss(weights - step, start)
            if better <= loss:
                break
            step = step / 2.0
        else:
            break
        gained, weights, loss = loss - better, weights - step, better
        if gained < STEP_LEAST:
            break
    return np.asarray(weights / informative.spread)


class _Lists:
    """All lists beneath each other, on columns of unit spread."""

    def __init__(self, lists: Sequence[Listed]) -> None:
        rows = np.concatenate([one.rows for one in lists])
        self.spread = rows.std(axis=0) + STEP_LEAST
        self._rows = rows / self.spread
        sizes = [len(one.rows) for one in lists]
        self._list = np.repeat(np.arange(len(lists)), sizes)
        self._starts = np.cumsum([0, *sizes[:-1]])
        self._wanted = np.concatenate([one.answers / one.answers.sum() for one in lists])
        self._offset = np.concatenate(
            [np.where(one.must_not & ~one.answers, np.log(MUST_NOT_COUNTS), 0.0) for one in lists]
        )
        share = np.array([one.importance for one in lists])
        self._share = share / share.sum()

    def _softmax(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return the probability of each row in its list, and the log of each list's sum."""
        logits = self._rows @ weights + self._offset
        top = np.maximum.reduceat(logits, self._starts)
        raised = np.exp(logits - top[self._list])
        sums = np.add.reduceat(raised, self._starts)
        return raised / sums[self._list], top + np.log(sums)

    def loss(self, weights: Floats, before: Floats) -> float:
        """Return the loss of weights."""
        _, logs = self._softmax(weights)
        found = np.add.reduceat(self._wanted * (self._rows @ weights), self._starts)
        moved = weights - before
        return float(self._share @ (logs - found) + RIDGE / 2.0 * moved @ moved)

    def step(self, weights: Floats, before: Floats) -> Floats:
        """Return the Newton step from weights."""
        likely, _ = self._softmax(weights)
        share = self._share[self._list]
        slope = self._rows.T @ (share * (likely - self._wanted)) + RIDGE * (weights - before)
        means = np.add.reduceat(likely[:, None] * self._rows, self._starts, axis=0)
        bend = (self._rows * (share * likely)[:, None]).T @ self._rows
        bend -= (means * self._share[:, None]).T @ means
        return np.linalg.solve(bend + RIDGE * np.eye(len(weights)), slope)


PENALTY = 1e-3
"""Of the squared weights of the logistic curve, on standardised columns."""


def fit_logistic(rows: Floats, labels: Floats, importance: Floats) -> tuple[Floats, float]:
    """Return weights and intercept of least weighted cross-entropy; no weight is negative.

    rows: float64[n, columns]; labels: 0 or 1; importance: how much each row counts.
    """
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + STEP_LEAST
    standard = np.column_stack([np.ones(len(rows)), (rows - mean) / spread])
    share = importance / importance.sum()
    base = float(share @ labels)
    weights = np.zeros(standard.shape[1])
    weights[0] = np.log(base / (1.0 - base))
    for _ in range(STEPS_MAX):
        better = _step(weights, standard, labels, share)
        moved = float(np.abs(better - weights).max())
        weights = better
        if moved < STEP_LEAST:
            break
    real = weights[1:] / spread
    return np.asarray(real), float(weights[0] - real @ mean)


def _step(weights: Floats, rows: Floats, labels: Floats, share: Floats) -> Floats:
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
