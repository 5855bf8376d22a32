"""Times as people write them to a program: ISO dates, and the named rolling filters.

Knows ISO 8601 and the six names. Must not know a question's free text (that is the plan's), nor
a clock: `now` is an argument.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from simonides.errors import InvalidInput
from simonides.model.answer import TimeRange


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


def in_zone(when: datetime, timezone: str) -> datetime:
    """Return `when` in a zone; a naive one is read as being there. Empty: the machine's own."""
    if not timezone:
        return when.astimezone()
    zone = ZoneInfo(timezone)
    return when.replace(tzinfo=zone) if when.tzinfo is None else when.astimezone(zone)


def read_time(text: str, *, name: str, timezone: str) -> datetime:
    """Return the aware time that an ISO date or date-time says; naive ones are in `timezone`.

    Raises:
        InvalidInput: It is no ISO time; the message names `name` (the flag or field).
    """
    try:
        return in_zone(datetime.fromisoformat(text.strip()), timezone)
    except (ValueError, OverflowError, OSError):
        problem = f"{text!r} is no date; write 2026-03-12 or 2026-03-12T09:00:00+01:00"
        raise InvalidInput(name, problem) from None


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
