"""The named rolling time filters of a search.

Knows the six names. Must not know a question's free text (that is the plan's), nor
a clock: `now` is an argument.
"""

from datetime import datetime, timedelta
from enum import StrEnum

from simonides.errors import InvalidInput
from simonides.model.answer import TimeRange
from simonides.model.times import in_zone


class NamedTime(StrEnum):
    """The rolling time filters of the seeds."""

    TODAY = "today"
    YESTERDAY = "yesterday"
    LAST_WEEK = "last_week"
    LAST_MONTH = "last_month"
    LAST_3_MONTHS = "last_3_months"
    LAST_6_MONTHS = "last_6_months"


DAYS = {
    NamedTime.LAST_WEEK: 7,
    NamedTime.LAST_MONTH: 30,
    NamedTime.LAST_3_MONTHS: 90,
    NamedTime.LAST_6_MONTHS: 180,
}
"""Days back from now (the seeds' numbers)."""

_TICK = timedelta(microseconds=1)
"""The unit of kept times: `now` itself is inside a range that ends with it, as in the seeds."""


def named_range(name: NamedTime, *, now: datetime, timezone: str) -> TimeRange:
    """Return the range of a named filter: whole days back from `now`, `now` included.

    `today` begins at the user's midnight; `yesterday` is the calendar day before it.

    Raises:
        InvalidInput: The range leaves the years 1 to 9999.
    """
    try:
        since, until = _ends(name, now, timezone)
    except OverflowError:
        raise InvalidInput("now", f"{now} has no {name} in the years 1 to 9999") from None
    return TimeRange(since=since, until=until, text=name)


def _ends(name: NamedTime, now: datetime, timezone: str) -> tuple[datetime, datetime]:
    day = in_zone(now, timezone).replace(tzinfo=None, hour=0, minute=0, second=0, microsecond=0)
    midnight = in_zone(day, timezone)  # without a zone first: clocks may have been set since then
    if name is NamedTime.YESTERDAY:
        return in_zone(day - timedelta(days=1), timezone), midnight
    since = midnight if name is NamedTime.TODAY else now - timedelta(days=DAYS[name])
    return since, now + _TICK
