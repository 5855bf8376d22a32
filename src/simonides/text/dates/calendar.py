"""The user's calendar: days, weeks, months and rolling stretches as UTC ranges.

A day is a local one, from midnight to midnight, so that it has 23 or 25 hours when clocks
change. Everything is clamped to the years 1 to 9999. Must not know any word.

Days are ordinals (`date.toordinal`; ordinal 1 is a Monday), weeks count from that Monday,
months are ``year * 12 + month - 1``.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from simonides.errors import InvalidInput
from simonides.text.dates.words import Grain, Unit

EARLIEST = datetime.min.replace(tzinfo=UTC)
LATEST = datetime.max.replace(tzinfo=UTC)
_DAY_LAST = date.max.toordinal()
_MONTH_FIRST, _MONTH_LAST = 12, 9999 * 12 + 11
_COUNT_MAX = 10**8
"""More hours than there are in 9999 years; larger counts mean the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSpan:
    """Half-open [since, until) in aware UTC; None is an open end."""

    since: datetime | None
    until: datetime | None
    grain: Grain = Grain.SPAN


_SOUTHERN = tuple(
    """
    Africa/Gaborone Africa/Harare Africa/Johannesburg Africa/Lusaka Africa/Maputo Africa/Maseru
    Africa/Mbabane Africa/Windhoek America/Argentina/ America/Asuncion America/Buenos_Aires
    America/Campo_Grande America/Coyhaique America/Cuiaba America/La_Paz America/Montevideo
    America/Punta_Arenas America/Santiago America/Sao_Paulo Antarctica/ Atlantic/Stanley Australia/
    Brazil/East Chile/Continental Indian/Mauritius Indian/Reunion NZ Pacific/Auckland
    Pacific/Chatham Pacific/Fiji Pacific/Norfolk Pacific/Noumea
    """.split()
)
"""The beginnings of the names of zones south of the tropics, or where people speak of southern
summers (of the coordinates in the list of zones of the tz database)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """The calendar of one time zone at one moment; `now` is aware UTC."""

    now: datetime
    zone: ZoneInfo

    @property
    def is_southern(self) -> bool:
        """Whether its zone lies south of the tropics, where summer begins in December."""
        return self.zone.key.startswith(_SOUTHERN)

    @property
    def today(self) -> int:
        """The ordinal of the local day that holds `now`."""
        return self.day_of(self.now)

    def day_of(self, moment: datetime) -> int:
        """Return the ordinal of the local day that holds `moment`."""
        try:
            return moment.astimezone(self.zone).toordinal()
        except (OverflowError, ValueError):
            return 1 if moment.year == 1 else _DAY_LAST

    def clock(self, day: int, *, hours: int = 0, minutes: int = 0) -> datetime:
        """Return the moment at which local clocks show `hours` and `minutes` on `day`.

        A time that clocks skip is the moment of the change; one that comes twice is its first.
        """
        day += hours // 24
        if day < 1:
            return EARLIEST
        if day > _DAY_LAST:
            return LATEST
        shown = time(hours % 24, minutes, tzinfo=self.zone)
        try:
            return datetime.combine(date.fromordinal(day), shown).astimezone(UTC)
        except (OverflowError, ValueError):
            return EARLIEST if day == 1 else LATEST

    def days(self, first: int, count: int = 1, *, grain: Grain = Grain.SPAN) -> TimeSpan:
        """Return `count` whole days from the day `first`."""
        first = _clamp(first, low=1, high=_DAY_LAST)
        return TimeSpan(since=self.clock(first), until=self.clock(first + count), grain=grain)

    def day(self, ordinal: int) -> TimeSpan:
        """Return one whole day."""
        return self.days(ordinal, grain=Grain.DAY)

    def date(self, year: int, month: int, day: int) -> TimeSpan | None:
        """Return one whole day by its date, or None if there is no such date."""
        try:
            return self.day(date(year, month, day).toordinal())
        except (ValueError, OverflowError):
            return None

    def hours(self, day: int, first: int, last: int) -> TimeSpan:
        """Return the local hours [first, last) of a day; `last` may pass midnight."""
        day = _clamp(day, low=1, high=_DAY_LAST)
        return TimeSpan(since=self.clock(day, hours=first), until=self.clock(day, hours=last))

    def hour_of(self, moment: datetime) -> TimeSpan:
        """Return the local clock hour that holds `moment`."""
        try:
            shown = moment.astimezone(self.zone)
        except (OverflowError, ValueError):
            shown = moment
        part = timedelta(minutes=shown.minute, seconds=shown.second, microseconds=shown.microsecond)
        since = _move(moment, -part)
        return TimeSpan(since=since, until=_move(since, timedelta(hours=1)), grain=Grain.HOUR)

    def week(self, index: int) -> TimeSpan:
        """Return a week, Monday first."""
        return self.days(index * 7 + 1, 7, grain=Grain.WEEK)

    def weekend(self, index: int) -> TimeSpan:
        """Return the Saturday and Sunday of a week."""
        return self.days(index * 7 + 6, 2, grain=Grain.WEEKEND)

    def months(self, first: int, count: int = 1, *, grain: Grain = Grain.SPAN) -> TimeSpan:
        """Return `count` whole months from the month `first`."""
        first = _clamp(first, low=_MONTH_FIRST, high=_MONTH_LAST)
        since, until = month_start(first), month_start(first + count)
        return TimeSpan(since=self.clock(since), until=self.clock(until), grain=grain)

    def holding(self, day: int, grain: Grain) -> TimeSpan:
        """Return the week, month, quarter or year that holds a day, or else the day."""
        day = _clamp(day, low=1, high=_DAY_LAST)
        month = month_of(day)
        match grain:
            case Grain.WEEK:
                return self.week(week_of(day))
            case Grain.MONTH:
                return self.months(month, grain=grain)
            case Grain.QUARTER:
                return self.months(month - month % 3, 3, grain=grain)
            case Grain.YEAR:
                return self.months(month - month % 12, 12, grain=grain)
        return self.day(day)

    def shift(self, day: int, count: int, unit: Unit) -> int:
        """Return the day `count` units of days or months later, at most the end of its month."""
        count = _clamp(count, low=-_COUNT_MAX, high=_COUNT_MAX) * unit.size
        if unit.step == "month":
            month = _clamp(month_of(day) + count, low=_MONTH_FIRST, high=_MONTH_LAST)
            within = min(day - month_start(month_of(day)), month_length(month) - 1)
            return month_start(month) + within
        return _clamp(day + count, low=1, high=_DAY_LAST)

    def around(self, count: int, unit: Unit) -> TimeSpan:
        """Return the calendar unit that holds the moment `count` units from now."""
        if unit.grain is Grain.HOUR:
            return self.hour_of(self.moment(count, unit))
        return self.holding(self.shift(self.today, count, unit), unit.grain)

    def moment(self, count: int, unit: Unit) -> datetime:
        """Return the moment `count` units from now: the same local time for days and longer."""
        count = _clamp(count, low=-_COUNT_MAX, high=_COUNT_MAX)
        if unit.step in ("minute", "hour"):
            return _move(self.now, timedelta(**{f"{unit.step}s": count}))
        day = self.shift(self.today, count, unit)
        try:
            shown = self.now.astimezone(self.zone).timetz()
            return datetime.combine(date.fromordinal(day), shown).astimezone(UTC)
        except (OverflowError, ValueError):
            return EARLIEST if count < 0 else LATEST

    def rolling(self, count: int, unit: Unit) -> TimeSpan:
        """Return the stretch of `count` units that ends now, or that begins now if positive."""
        other = self.moment(count, unit)
        since, until = (other, self.now) if count < 0 else (self.now, other)
        return TimeSpan(since=since, until=until)

    def whole_days(self, span: TimeSpan) -> tuple[int, int]:
        """Return the first day of a closed span and how many days it has; 0 if it is open."""
        if span.since is None or span.until is None:
            return self.today, 0
        first = self.day_of(span.since)
        after = _DAY_LAST + 1 if span.until == LATEST else self.day_of(span.until)
        return first, after - first


def calendar(now: datetime, timezone: str) -> Calendar:
    """Return the calendar of an IANA time zone as seen from `now`, which must be aware.

    Raises:
        InvalidInput: The zone is unknown, or `now` has none.
    """
    if now.utcoffset() is None:
        raise InvalidInput("now", "needs a time zone, for example 2026-11-21T09:00:00+00:00")
    return Calendar(now=now.astimezone(UTC), zone=_zone(timezone))


@lru_cache(maxsize=64)
def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise InvalidInput(
            "timezone", f"knows no {name!r}; use an IANA name such as Europe/Berlin"
        ) from None


def easter_sunday(year: int) -> int:
    """Return the day of the western Easter Sunday of a year, by the Gregorian computus.

    The anonymous algorithm of 1876 (Nature), as in Meeus, Astronomical Algorithms, chapter 8.
    """
    golden, century, of_century = year % 19, year // 100, year % 100
    leaps, rest = divmod(century, 4)
    moved = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - leaps - moved + 15) % 30
    weekday = (32 + 2 * rest + 2 * (of_century // 4) - epact - of_century % 4) % 7
    late = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * late + 114, 31)
    return date(year, month, day + 1).toordinal()


def weekday_of(day: int) -> int:
    """Return the weekday of a day, 0 for Monday."""
    return (day - 1) % 7


def week_of(day: int) -> int:
    """Return the number of the week that holds a day."""
    return (day - 1) // 7


def month_of(day: int) -> int:
    """Return the number of the month that holds a day."""
    shown = date.fromordinal(day)
    return shown.year * 12 + shown.month - 1


def month_start(month: int) -> int:
    """Return the first day of a month; past the last year, the day after the last."""
    if month > _MONTH_LAST:
        return _DAY_LAST + 1
    return date(month // 12, month % 12 + 1, 1).toordinal()


def month_length(month: int) -> int:
    """Return how many days a month has."""
    return month_start(month + 1) - month_start(month)


def _clamp(value: int, *, low: int, high: int) -> int:
    return max(low, min(high, value))


def _move(moment: datetime, by: timedelta) -> datetime:
    try:
        return moment + by
    except OverflowError:
        return EARLIEST if by < timedelta(0) else LATEST
