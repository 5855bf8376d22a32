"""Times: parsed from user input, and as whole microseconds since 1970."""

import os
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from simonides.errors import InvalidInput
from simonides.model.bounds import show_value

TimeLike = datetime | date | str
"""A time as it may be given: a datetime, a date (its midnight), or either as ISO 8601 text."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(when: datetime, *, field: str = "time") -> int:
    """Return exact microseconds since 1970 (negative before), for the years 1 to 9999.

    Raises:
        InvalidInput: `when`, the value of `field`, has no time zone.
    """
    if when.utcoffset() is None:
        raise InvalidInput(field, "needs a time zone")
    return (when - _EPOCH) // _MICROSECOND


def moment(us: int) -> datetime:
    """Return the aware UTC time of `us` microseconds since 1970."""
    return _EPOCH + us * _MICROSECOND


def in_zone(when: datetime, timezone: str) -> datetime:
    """Return `when` in a zone; a naive one is read as being there. Empty: the machine's own."""
    if not timezone:
        return _in_own_zone(when)
    zone = ZoneInfo(timezone)
    return when.replace(tzinfo=zone) if when.tzinfo is None else when.astimezone(zone)


def show_in_zone(when: datetime, timezone: str) -> datetime:
    """Return `when` in a zone; in UTC if the year there is not 1 to 9999."""
    try:
        return in_zone(when, timezone)
    except OverflowError:
        return when.astimezone(UTC)


def _in_own_zone(when: datetime) -> datetime:
    """Return `when` in the machine's zone; where that has no rules so far off, as in 1970."""
    try:
        return when.astimezone()
    except (OverflowError, OSError, ValueError):
        if when.tzinfo is not None:
            raise
        return when.replace(tzinfo=_EPOCH.astimezone().tzinfo)


def read_time(value: Any, *, name: str, timezone: str) -> datetime:
    """Return the aware time of a datetime, a date or an ISO text; a naive one is in `timezone`.

    Raises:
        InvalidInput: It is none; the message names `name` (the flag or field).
    """
    try:
        return in_zone(_parse(value), timezone)
    except KeyError:
        raise InvalidInput("timezone", f"no time zone is called {timezone!r}") from None
    except (TypeError, ValueError, OverflowError, OSError):
        problem = f"{show_value(value)} is no date; write 2026-03-12 or 2026-03-12T09:00:00+01:00"
        raise InvalidInput(name, problem) from None


def _parse(value: Any) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001  the zone comes after
    return datetime.fromisoformat(value.strip() if isinstance(value, str) else value)


def utc(when: Any, *, field: str) -> datetime:
    """Return an aware time as UTC.

    Raises:
        InvalidInput: It is no time, has no zone, or lies outside the years 1 to 9999.
    """
    if not isinstance(when, datetime):
        raise InvalidInput(field, f"must be a datetime, got {show_value(when)}")
    if when.utcoffset() is None:
        raise InvalidInput(field, "needs a time zone, for example 2026-11-21T09:00:00+00:00")
    try:
        return when.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(field, f"{when} lies outside the years 1 to 9999 in UTC") from None


def as_time(value: Any, *, field: str, timezone: str | None = None) -> datetime:
    """Return a time, a date or an ISO text as aware UTC.

    What has no zone is in `timezone`, unless given that of the environment (`SIMONIDES_TIMEZONE`)
    or else the machine's: a record that is made by itself knows no settings.

    Raises:
        InvalidInput: It is no time, or lies outside the years 1 to 9999.
    """
    if isinstance(value, datetime) and value.utcoffset() is not None:
        return utc(value, field=field)
    zone = os.environ.get("SIMONIDES_TIMEZONE", "") if timezone is None else timezone
    return utc(read_time(value, name=field, timezone=zone), field=field)
