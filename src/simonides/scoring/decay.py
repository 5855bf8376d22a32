"""How importance fades with age. Knows one formula; the clock is an argument."""

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
