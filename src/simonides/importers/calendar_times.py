"""Times of calendar components: starts, ends, durations and recurrence lines, with their zones.

Must not know items.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from simonides.errors import InvalidInput
from simonides.importers.calendar_components import Properties, Property
from simonides.importers.calendar_zones import UTC_ZONE, Zone, Zones
from simonides.text.recurrence import Rule, parse_rule, read_when
from simonides.text.series import day_meant

DATES_MAX = 5_000
"""Most exceptions, and most further dates, of one event; ten years of days are 3,650."""

_DURATION = re.compile(
    r"([+-])?P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?",
    re.ASCII | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """A day, or a time: aware, in its zone; or naive: floating (RFC 5545)."""

    value: date | datetime
    zone: Zone | None = None

    @property
    def is_day(self) -> bool:
        """Whether it is a whole day."""
        return not isinstance(self.value, datetime)

    @property
    def text(self) -> str:
        """A day as 2026-03-05, a time as ISO 8601 in UTC, a floating one without an offset."""
        value = self.value
        if isinstance(value, datetime) and value.tzinfo is not None:
            value = value.astimezone(UTC)
        return value.isoformat()

    @property
    def compact(self) -> str:
        """The same as `20260305T100000Z`, as recurrence lines and ids are written."""
        text = self.text.replace("-", "").replace(":", "")
        return text.removesuffix("+0000") + ("Z" if text.endswith("+0000") else "")

    def by_clock_of(self, other: "When") -> "When":
        """Return the moment by the clock of another one, where both have one that reaches it."""
        value, clock = self.value, getattr(other.value, "tzinfo", None)
        if clock is None or not isinstance(value, datetime) or value.tzinfo is None:
            return self
        try:
            return When(value=value.astimezone(clock), zone=other.zone)
        except OverflowError:  # the last hours of the year 9999, further east
            return self

    def plus(self, span: timedelta) -> "When":
        """Return the moment that is later by `span`: of days by whole ones, else by the clock.

        Raises:
            OverflowError: It is past the last year that there is.
        """
        value = self.value
        if isinstance(value, datetime) and value.tzinfo is not None:
            moved: date = (value.astimezone(UTC) + span).astimezone(value.tzinfo)
        else:
            moved = value + (span if isinstance(value, datetime) else timedelta(days=span.days))
        return When(value=moved, zone=self.zone)

    def days_later(self, days: timedelta) -> "When":
        """Return the moment at the same time by the clock some whole days later."""
        value = self.value
        if isinstance(value, datetime) and value.tzinfo is not None:
            wall = value.replace(tzinfo=None) + days
            return When(value=wall.replace(tzinfo=value.tzinfo), zone=self.zone)
        return self.plus(days)

    def at_midnight_of(self, other: "When") -> "When":
        """Return the day that begins then, where the other one is a day; else the moment.

        In UTC it may as well be a time of a series whose other instances are no whole days.
        """
        value = self.value
        if not (isinstance(value, datetime) and other.is_day) or value.time() != time():
            return self
        return self if self.zone == UTC_ZONE else When(value=value.date())


def when_of(one: Property, zones: Zones) -> When:
    """Return the time of a property.

    Raises:
        InvalidInput: It is none.
    """
    return _when(one.value, one.params.get("TZID", ""), zones)


def _when(text: str, zone_name: str, zones: Zones) -> When:
    value = read_when(text)
    if not isinstance(value, datetime):
        return When(value=value)
    if value.tzinfo is not None:
        return When(value=_inside(value), zone=UTC_ZONE)
    zone = zones.of_time(zone_name)
    if zone is None:
        return When(value=value)
    return When(value=_inside(value.replace(tzinfo=zone.clock)), zone=zone)


def _inside(value: datetime) -> datetime:
    """Return a time that every zone can tell.

    Raises:
        InvalidInput: It is at the very end of the years 1 to 9999.
    """
    try:
        value.astimezone(UTC)
    except OverflowError:
        raise InvalidInput("time", f"{value:%Y-%m-%d} lies outside the years 1 to 9999") from None
    return value


def end_of(properties: Properties, start: When, zones: Zones) -> When:
    """Return the end: DTEND, or start and DURATION, else a day or no time after the start.

    Of days it is the first that is not in it any more. An end before the start is none.
    """
    end = start.plus(timedelta(days=1)) if start.is_day else start
    try:
        if "DURATION" in properties:
            days, clock = _days_and_clock(properties["DURATION"][0].value)
            end = start.days_later(days).plus(clock)
        if "DTEND" in properties:
            end = when_of(properties["DTEND"][0], zones)
        if end.is_day == start.is_day and end.value > start.value:
            return end
    except (InvalidInput, TypeError, OverflowError):  # one is aware and the other is not
        pass
    return start.plus(timedelta(days=1)) if start.is_day else start


def days_of_duration(properties: Properties) -> int:
    """Return the whole days of the DURATION that says the end of an event; 0 for none.

    Each time of a series lasts that many days by the clock (RFC 5545, 3.8.5.3).
    """
    if "DTEND" in properties or "DURATION" not in properties:
        return 0
    try:
        return max(_days_and_clock(properties["DURATION"][0].value)[0].days, 0)
    except InvalidInput:
        return 0


def _days_and_clock(text: str) -> tuple[timedelta, timedelta]:
    """Return the days of a duration, which are nominal, and its hours, which are exact.

    So a week ends at the same time by the clock, also where that was changed (RFC 5545, 3.3.6).

    Raises:
        InvalidInput: It is none.
    """
    match = _DURATION.fullmatch(text.strip())
    if match is None or not any(match.groups()[1:]):
        raise InvalidInput("duration", f"{text[:40]!r} is none")
    weeks, days, hours, minutes, seconds = (int(one or 0) for one in match.groups()[1:])
    sign = -1 if match[1] == "-" else 1
    clock = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return sign * timedelta(weeks=weeks, days=days), sign * clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """How an event repeats: its rules, its exceptions and its further dates.

    `lines` say all of it, their times in UTC, as days, or without an offset; `problem` what could
    not be read.
    """

    rules: tuple[Rule, ...] = ()
    without: tuple[When, ...] = ()
    further: tuple[When, ...] = ()
    lines: tuple[str, ...] = ()
    problem: str = ""


def recurrence_of(properties: Properties, start: When | None, zones: Zones) -> Recurrence:
    """Return how an event repeats; what is malformed is left out and named.

    Dates take the form of the start: days where it is a day, its zone where they have none.
    """
    rules, lines, problems = [], [], []
    for one in properties.get("RRULE", ()):
        try:
            rules.append(parse_rule(one.line))
            lines.append(f"RRULE:{one.line.upper()}")
        except InvalidInput as error:
            problems.append(str(error))
    listed: dict[str, list[When]] = {}
    for name in ("EXDATE", "RDATE"):
        found: list[When] = []
        for when, rest in _read_list(properties.get(name, ()), start, zones):
            if when is None or len(found) >= DATES_MAX:
                problems.append(rest if when is None else f"{name} has more than {DATES_MAX:,}")
                break
            found.append(when)
            lines.append(f"{name}:{when.compact}{rest}")
        listed[name] = found
    return Recurrence(
        rules=tuple(rules),
        without=tuple(listed["EXDATE"]),
        further=tuple(listed["RDATE"]),
        lines=tuple(lines),
        problem="; ".join(problems),
    )


def _read_list(
    properties: Sequence[Property], start: When | None, zones: Zones
) -> Iterator[tuple[When | None, str]]:
    """Yield (time, `/` and the seconds it lasts where it says so), or (None, what is wrong)."""
    for one in properties:
        for text in one.value.split(",")[: DATES_MAX + 1]:
            begin, _, end = text.partition("/")
            try:
                when = _when(begin, one.params.get("TZID", ""), zones)
                rest = f"/{_seconds(when, end, one, zones)}" if end else ""
                yield _with_form_of(when, start), rest
            except (InvalidInput, TypeError, OverflowError) as error:
                yield None, str(error)


def _with_form_of(when: When, start: When | None) -> When:
    """Return a time in the form of the start."""
    if start is None or not isinstance(when.value, datetime):
        return when
    if start.is_day:
        return When(value=day_meant(when.value))
    if when.value.tzinfo is None and start.zone is not None:
        return When(value=when.value.replace(tzinfo=start.zone.clock), zone=start.zone)
    return when


def _seconds(start: When, end: str, one: Property, zones: Zones) -> int:
    if end.strip().upper().startswith(("P", "+P", "-P")):
        return max(0, int(sum(_days_and_clock(end), timedelta()).total_seconds()))
    last = _when(end, one.params.get("TZID", ""), zones)
    if not isinstance(last.value, datetime) or not isinstance(start.value, datetime):
        raise InvalidInput("period", f"{end[:40]!r} is no time")
    return max(0, int((last.value - start.value).total_seconds()))
