"""When an event is and how it repeats, as the metadata of its item say.

The readers of calendars write them. Must not know how rules are expanded, nor what is asked for.
"""

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from simonides.errors import InvalidInput
from simonides.model.item import Item
from simonides.model.metadata_keys import TIME_ZONE_KEY
from simonides.text.observed_zone import observed_zone
from simonides.text.series import Series, SeriesChange

RECURS, CHANGES = "_recurrence", "_recurrence_id"
"""The metadata keys of how a series repeats, and of which of its instances an item changes."""

DAY = timedelta(days=1)

DURATION_DAYS_MAX = 10_000
"""Most days of a duration that are counted by the clock; of a longer one each has 24 hours."""

Clock = Callable[[Item], tzinfo | None]
"""Returns the clock of an event's zone; None where its times are to keep the offsets they have."""

RuledZone = tuple[str, tuple[str, ...]]
"""The name and the rules of a zone that a calendar defines."""


def ruled_zone_of(item: Item) -> RuledZone | None:
    """Return the zone of an event; None where it has no rules of its own."""
    rules = item.metadata.get("_zone_rules")
    if not isinstance(rules, list | tuple) or not rules:
        return None
    return str(item.metadata.get(TIME_ZONE_KEY)), tuple(map(str, rules))


def clock_of(item: Item) -> tzinfo:
    """Return the clock of an event's zone, by its rules if it has some."""
    zone, name = ruled_zone_of(item), item.metadata.get(TIME_ZONE_KEY)
    try:
        if zone is not None:
            return observed_zone(*zone)
        return ZoneInfo(name) if isinstance(name, str) and name else UTC
    except (InvalidInput, KeyError, ValueError, OSError):
        return UTC


def known_clock_of(item: Item) -> tzinfo | None:
    """Return the clock of an event's zone; None where rules would have to be read for it.

    A single time is exact by its offset; rules take long, and only a series needs them.
    """
    return None if ruled_zone_of(item) else clock_of(item)


def series_of(item: Item, clock: Clock = clock_of) -> Series | None:
    """Return when an event takes place, as its metadata say; None where nothing does."""
    start = when_of(item, "starts_at", clock)
    if start is None:
        start = item.happened_at
    if start is None:
        return None
    lines = item.metadata.get(RECURS)
    is_list = isinstance(lines, list | tuple) and all(isinstance(one, str) for one in lines)
    kept = tuple(lines) if is_list and lines else ()
    days = item.metadata.get("_duration_days", 0)
    is_number = isinstance(days, int) and 0 < days <= DURATION_DAYS_MAX
    length = _length(item, start, clock)
    return Series(start=start, length=length, lines=kept, days=days if is_number else 0)


def changes_of(items: Iterable[Item], clock: Clock, event: Item | None) -> list[SeriesChange]:
    """Return the changes of instances of an event that these items tell of."""
    found = []
    for item in items:
        series, original = series_of(item, clock), when_of(item, CHANGES, clock)
        if series is not None and original is not None:
            goes_on = bool(item.metadata.get("_range"))
            one = SeriesChange(
                name=item.id, original=original, start=series.start, length=series.length,
                goes_on=goes_on, is_older=event is not None and _is_older(item, event),
            )  # fmt: skip
            found.append(one)
    return found


def _is_older(change: Item, event: Item) -> bool:
    """Return whether a change was made before the present state of its series.

    That some instance is cancelled stands, whichever is older.
    """
    return change.metadata.get("status") != "cancelled" and _revision(change) < _revision(event)


def _revision(item: Item) -> tuple[int, str]:
    """Return a number that counts the states of an event, and to the second when this was made."""
    number, made = item.metadata.get("_sequence", 0), item.metadata.get("_revised_at", "")
    second = made[: len("2026-03-05T10:00:00")] if isinstance(made, str) else ""
    return number if isinstance(number, int) else 0, second


def _length(item: Item, start: date | datetime, clock: Clock) -> timedelta:
    """Return how long an event lasts; of days, the last of them included."""
    end = when_of(item, "ends_at", clock)
    is_time = isinstance(start, datetime)
    if end is None or isinstance(end, datetime) != is_time:
        return timedelta() if is_time else DAY
    if isinstance(start, datetime) and isinstance(end, datetime) and start.tzinfo and end.tzinfo:
        start, end = start.astimezone(UTC), end.astimezone(UTC)  # by one clock, hours are missed
    try:
        return max(end - start, timedelta()) + (timedelta() if is_time else DAY)
    except TypeError:  # one has a zone and the other has none
        return timedelta()


def when_of(item: Item, name: str, clock: Clock) -> date | datetime | None:
    """Return a day, a time in the event's zone, or one without a zone; None where there is none."""
    text = item.metadata.get(name)
    if not isinstance(text, str):
        return None
    try:
        if len(text) == len("2026-03-05"):
            return date.fromisoformat(text)
        when = datetime.fromisoformat(text)
        zone = None if when.tzinfo is None else clock(item)
        return when if zone is None else when.astimezone(zone)
    except (ValueError, OverflowError):
        return None
