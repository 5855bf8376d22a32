"""Importance of an item, and the fit of its time to the time of a question.

Importance decays with age and grows by usage; being found is no usage. Times are microseconds since
1970; the clock is an argument. Must not know items.
"""

import math

import numpy as np
import numpy.typing as npt

from simonides.model.answer import Direction
from simonides.model.decay import DecayConfig

Floats = npt.NDArray[np.float64]

PLAIN_DECAY = DecayConfig()


def decayed_importance(
    base: float,
    *,
    half_life_hours: float | None,
    age_hours: float,
    config: DecayConfig = PLAIN_DECAY,
) -> float:
    """Return base·2^(-age/half-life), clamped to [floor, 1].

    `base` is clamped to [0, 1]. Without a half-life that of `config` holds, and without that one
    there is no decay; a half-life of 0 means the floor at once; a negative age counts as 0.
    """
    half_life = np.nan if half_life_hours is None else half_life_hours
    faded = decayed_importances(
        np.array([base]), half_life_hours=np.array([half_life]), age_hours=np.array([age_hours]),
        config=config,
    )  # fmt: skip
    return float(faded[0])


def decayed_importances(
    base: Floats, *, half_life_hours: Floats, age_hours: Floats, config: DecayConfig = PLAIN_DECAY
) -> Floats:
    """Return `decayed_importance` of every row; NaN in `half_life_hours` means none is stated."""
    if config.default_half_life_hours is not None:
        default = config.default_half_life_hours
        half_life_hours = np.where(np.isnan(half_life_hours), default, half_life_hours)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # 0 and all but 0
        factor = np.exp2(-np.maximum(age_hours, 0.0) / half_life_hours)
    factor = np.where(np.isnan(half_life_hours), 1.0, factor)
    factor = np.where(half_life_hours == 0.0, 0.0, factor)
    return np.clip(np.clip(base, 0.0, 1.0) * factor, config.floor, 1.0)


AGE_WEIGHT, FREQUENCY_WEIGHT, RECENCY_WEIGHT = 0.3, 0.4, 0.3
"""The designs' weights (ImportanceScorer)."""

AGE_E_FOLDING_HOURS = 168.0
"""Hours after which newness is worth 1/e: a week. The designs call it a half-life, which it is not:
that would be 116 hours."""

RECENCY_E_FOLDING_HOURS = 24.0
"""Hours after which the last engagement is worth 1/e (the designs')."""

FREQUENCY_LOG_MAX = 5.0
"""Engagement counts in full from e^5 - 1 times on: 147.4 (the designs')."""


def engagement_importance(
    age_hours: float, count: int, since_last_hours: float | None = None
) -> float:
    """Return the importance of an item, in [0, 1]: higher is more.

    With age = e^(-age_hours/168), frequency = min(1, ln(count + 1)/5) and
    recency = e^(-since_last_hours/24), or 0 where the last time is not known:

        importance = max(age, 0.3·age + 0.4·frequency + 0.3·recency), or age alone if count is 0

    The designs have the sum alone. It can not pass 0.3 without engagement, so that `full` (0.6) is
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
    age = _decay(age_hours, AGE_E_FOLDING_HOURS)
    if count <= 0:
        return age
    frequency = min(1.0, math.log1p(count) / FREQUENCY_LOG_MAX)
    recency = 0.0
    if since_last_hours is not None:
        recency = _decay(since_last_hours, RECENCY_E_FOLDING_HOURS)
    engaged = AGE_WEIGHT * age + FREQUENCY_WEIGHT * frequency + RECENCY_WEIGHT * recency
    return min(1.0, max(age, engaged))


def _decay(hours: float, e_folding_hours: float) -> float:
    """Return e^(-hours/e_folding_hours), 1 for the future."""
    if math.isnan(hours):
        raise ValueError("hours must be a number, got NaN")
    return math.exp(-max(0.0, hours) / e_folding_hours)


UNDATED = np.iinfo(np.int64).min
"""Stands for no time in a column of microseconds."""

DAY_US = 86_400_000_000

GRADES = ((8, 1.0), (31, 0.6), (93, 0.4), (36_600_000, 0.2))
"""(longest range in days, agreement of what lies inside): the finer a question's time, the more
it says. A month .6 and a year .2 are measured (docs/explanation/ranking.md)."""

AFTERMATH, AFTERMATH_DAYS = 0.2, 31
"""Agreement of what was written in the month after: people write about things later (measured)."""


def within(
    happened_us: npt.NDArray[np.int64], *, since: int | None, until: int | None
) -> npt.NDArray[np.bool_]:
    """Return bool[items]: whether each time lies in [since, until); an undated one does not."""
    inside: npt.NDArray[np.bool_] = happened_us != UNDATED
    if since is not None:
        inside = inside & (happened_us >= since)
    if until is not None:
        inside = inside & (happened_us < until)
    return inside


def time_agreement(
    happened_us: npt.NDArray[np.int64], *, since: int | None, until: int | None
) -> Floats:
    """Return float64[items] in [0, 1]: the fit of each item's time to [since, until).

    Inside: by the length of the range (open ranges count as the longest). Within the 31 days
    after its end: 0.2. Undated: 0.
    """
    dated = happened_us != UNDATED
    low = np.iinfo(np.int64).min + 1 if since is None else since
    high = np.iinfo(np.int64).max if until is None else until
    inside = within(happened_us, since=since, until=until)
    bounded = since is not None and until is not None
    days = (high - low) / DAY_US if bounded else GRADES[-1][0]
    grade = next(value for longest, value in GRADES if days <= longest)
    agreement = np.where(inside, grade, 0.0)
    if until is not None and grade > AFTERMATH:
        after = dated & (happened_us >= high) & (happened_us < high + AFTERMATH_DAYS * DAY_US)
        agreement[after] = AFTERMATH
    return agreement


NEARNESS_HALF_DAYS = 30.0
"""Days after which nearness to the newest, oldest or next is halved."""


def time_nearness(
    happened_us: npt.NDArray[np.int64], *, direction: Direction, now_us: int
) -> Floats:
    """Return float64[items] in [0, 1]: 2^(-distance/30 days) to the requested end of time.

    Newest: distance to now; oldest: to the first dated item; next: to now, of what lies ahead.
    Undated items, and for `next` past ones, have 0.
    """
    dated = happened_us != UNDATED
    if direction is Direction.OLDEST:
        reference = int(happened_us[dated].min()) if dated.any() else 0
    else:
        reference = now_us
    if direction is Direction.NEXT:
        dated = dated & (happened_us >= now_us)
    distance = np.abs(np.where(dated, happened_us, reference) - reference) / DAY_US
    return np.where(dated, np.exp2(-distance / NEARNESS_HALF_DAYS), 0.0)
