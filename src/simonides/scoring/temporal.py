"""The fit of an item's time to the time of a question. Times are microseconds since 1970."""

import numpy as np
import numpy.typing as npt

from simonides.model.answer import Direction

Floats = npt.NDArray[np.float64]

UNDATED = np.iinfo(np.int64).min
"""Stands for no time in a column of microseconds."""

DAY_US = 86_400_000_000

GRADES = ((8, 1.0), (31, 0.6), (93, 0.4), (36_600_000, 0.2))
"""(longest range in days, agreement of what lies inside): the finer a question's time, the more
it says. A month .6 and a year .2 are measured (docs/explanation/ranking.md)."""

AFTERMATH, AFTERMATH_DAYS = 0.2, 31
"""Agreement of what was written in the month after: people write about things later (measured)."""


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
    inside = dated & (happened_us >= low) & (happened_us < high)
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
