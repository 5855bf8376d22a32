"""Importance of an item: its decay with age, and its gain by usage.

Being found is no usage. Knows two formulas; the clock is an argument. Must not know items.
"""

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

IMPORTANCE_FLOOR = 0.05
"""Nothing kept fades below this (the seeds' DecayConfig)."""


def decayed_importance(
    base: float, *, half_life_hours: float | None, age_hours: float, floor: float = IMPORTANCE_FLOOR
) -> float:
    """Return base·2^(-age/half-life), clamped to [floor, 1].

    `base` is clamped to [0, 1]; a missing half-life means no decay, 0 means the floor at once;
    a negative age counts as 0.
    """
    half_life = np.nan if half_life_hours is None else half_life_hours
    faded = decayed_importances(
        np.array([base]), half_life_hours=np.array([half_life]), age_hours=np.array([age_hours]),
        floor=floor,
    )  # fmt: skip
    return float(faded[0])


def decayed_importances(
    base: Floats, *, half_life_hours: Floats, age_hours: Floats, floor: float = IMPORTANCE_FLOOR
) -> Floats:
    """Return `decayed_importance` of every row; NaN in `half_life_hours` means no decay."""
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.exp2(-np.maximum(age_hours, 0.0) / half_life_hours)
    factor = np.where(np.isnan(half_life_hours), 1.0, factor)
    factor = np.where(half_life_hours == 0.0, 0.0, factor)
    return np.clip(np.clip(base, 0.0, 1.0) * factor, floor, 1.0)


AGE_WEIGHT, FREQUENCY_WEIGHT, RECENCY_WEIGHT = 0.3, 0.4, 0.3
"""The seeds' weights (ImportanceScorer)."""

AGE_E_FOLDING_HOURS = 168.0
"""Hours after which newness is worth 1/e: a week. The seeds call it a half-life, which it is not:
that would be 116 hours."""

RECENCY_E_FOLDING_HOURS = 24.0
"""Hours after which the last engagement is worth 1/e (the seeds')."""

FREQUENCY_LOG_MAX = 5.0
"""Engagement counts in full from e^5 - 1 times on: 147.4 (the seeds')."""


def engagement_importance(
    age_hours: float, count: int, since_last_hours: float | None = None
) -> float:
    """Return the importance of an item, in [0, 1]: higher is more.

    With age = e^(-age_hours/168), frequency = min(1, ln(count + 1)/5) and
    recency = e^(-since_last_hours/24), or 0 where the last time is not known:

        importance = max(age, 0.3·age + 0.4·frequency + 0.3·recency), or age alone if count is 0

    The seeds have the sum alone. It can not pass 0.3 without engagement, so that `full` (0.6) is
    out of reach where none was ever noted. Here the weights that nothing speaks for go to the age,
    0.3·age/0.3, and engagement only ever adds to it: without `max` the first engagement with a new
    item would make it less important. So it never rises with age or with the time since the last
    engagement, and never falls with their count.

    Args:
        age_hours: Time since it happened, or since it was stored. Negative counts as 0.
        count: How often there was engagement. Negative counts as 0.
        since_last_hours: Time since the last one. Negative counts as 0.

    Raises:
        ValueError: A time is NaN.
    """
    age = _left_after(age_hours, AGE_E_FOLDING_HOURS)
    if count <= 0:
        return age
    frequency = min(1.0, math.log1p(count) / FREQUENCY_LOG_MAX)
    recency = 0.0
    if since_last_hours is not None:
        recency = _left_after(since_last_hours, RECENCY_E_FOLDING_HOURS)
    engaged = AGE_WEIGHT * age + FREQUENCY_WEIGHT * frequency + RECENCY_WEIGHT * recency
    return min(1.0, max(age, engaged))


def _left_after(hours: float, e_folding_hours: float) -> float:
    """Return e^(-hours/e_folding_hours), 1 for the future."""
    if math.isnan(hours):
        raise ValueError("hours must be a number, got NaN")
    return math.exp(-max(0.0, hours) / e_folding_hours)
