"""When an event is and how it repeats, as the metadata of its item say.

The readers of calendars write them. Must not know how rules are expanded, nor what is asked for.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from simonides.errors import InvalidInput
from simonides.model.item import Item
from simonides.text.observed_zone import observed_zone
from simonides.text.series import Change, Series

RECURS, CHANGES = "_recurrence", "_recurrence_id"
"""The metadata keys of how a series repeats, and of which of its instances an item changes."""

DAY = timedelta(days=1)


def series_of(item: Item) -> Series | None:
    """Return when an event takes place, as its metadata say; None where nothing does."""
    start = when_of(item, "starts_at")
    if start is None:
        start = item.happened_at
    if start is None:
        return None
    lines = item.metadata.get(RECURS)
    is_list = isinstance(lines, list | tuple) and all(isinstance(one, str) for one in lines)
    return Series(
        start=start, length=_length(item, start), lines=tuple(lines) if is_list and lines else ()
    )


def changes_of(items: Iterable[Item]) -> list[Change]:
    """Return the changes of instances that these items tell of."""
    found = []
    for item in items:
        series, original = series_of(item), when_of(item, CHANGES)
        if series is not None and original is not None:
            goes_on = bool(item.metadata.get("_range"))
            one = Change(
                name=item.id, original=original, start=series.start, length=series.length,
                goes_on=goes_on,
            )  # fmt: skip
            found.append(one)
    return found


def _length(item: Item, start: date | datetime) -> timedelta:
    """Return how long an event lasts; of days, the last of them included."""
    end = when_of(item, "ends_at")
    is_time = isinstance(start, datetime)
    if end is None or isinstance(end, datetime) != is_time:
        return timedelta() if is_time else DAY
    try:
        return max(end - start, timedelta()) + (timedelta() if is_time else DAY)
    except TypeError:  # one has a zone and the other has none
        return timedelta()


def when_of(item: Item, name: str) -> date | datetime | None:
    """Return a day, a time in the event's zone, or one without a zone; None where there is none."""
    text = item.metadata.get(name)
    if not isinstance(text, str):
        return None
    try:
        if len(text) == len("2026-03-05"):
            return date.fromisoformat(text)
        when = datetime.fromisoformat(text)
        return when if when.tzinfo is None else when.astimezone(_clock(item))
    except (ValueError, OverflowError):
        return None


def _clock(item: Item) -> tzinfo:
    name, rules = item.metadata.get("time_zone"), item.metadata.get("_zone_rules")
    try:
        if isinstance(rules, list | tuple) and rules:
            return observed_zone(str(name), tuple(map(str, rules)))
        return ZoneInfo(name) if isinstance(name, str) and name else UTC
    except (InvalidInput, KeyError, ValueError, OSError):
        return UTC
