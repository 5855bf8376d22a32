"""Recurrence rules of calendars (RFC 5545, section 3.3.10): read, and expanded between two times.

Works on wall-clock times without a zone: a meeting at ten is at ten in summer and in winter. Must
not know zones, events or items. The rules are expanded here because the libraries for it have no
bounds: `dateutil.rrule` looks for a day that never comes, such as 30 February, until the year 9999
(3 s), and goes through every occurrence from the first one on, whatever is asked for.
"""

import re
from calendar import isleap, monthrange
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from enum import Enum, IntEnum
from itertools import count, islice, product
from math import prod

from simonides.errors import InvalidInput
from simonides.text.word_patterns import lazy_pattern

STEPS_MAX = 50_000
"""Days and hours of one rule that are looked at: 136 years of days."""

TIMES_A_DAY_MAX = 100
"""Most times that a rule may name within one of its days."""

NUMBER_MAX = 10**9
"""Largest INTERVAL and COUNT that are read; no calendar means more."""

_RULE_CHARS_MAX = 4_000
"""Longest rule: one that names all days of a year has 1,400 characters."""

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_DAY = lazy_pattern(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)", re.ASCII)
_WHEN = lazy_pattern(
    r"(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:\.\d{1,9})?)?(Z)?)?",
    re.ASCII | re.IGNORECASE,
)
_HIGHEST = {
    "BYMONTH": 12,
    "BYMONTHDAY": -31,
    "BYYEARDAY": -366,
    "BYWEEKNO": -53,
    "BYSETPOS": -366,
    "BYHOUR": 23,
    "BYMINUTE": 59,
    "BYSECOND": 60,
}
"""The parts of a rule that are lists of numbers, with the highest; negative: counts from the end,
too."""

_GREGORIAN = ("GREGORIAN", "GREGORY", "ISO8601")
"""Names of the only calendar whose rules are expanded (RSCALE, RFC 7529)."""

_CLOCK = ("BYHOUR", "BYMINUTE", "BYSECOND")
_LAST_DAY = date.max.toordinal()


class Frequency(IntEnum):
    """How often a rule comes round, the longest period first."""

    YEARLY = 0
    MONTHLY = 1
    WEEKLY = 2
    DAILY = 3
    HOURLY = 4


class Skip(Enum):
    """Where a rule puts a day of the month in months that do not have it (RFC 7529).

    It leaves the day out, or takes the last day of the month, or the day after it.
    """

    OMIT = "OMIT"
    BACKWARD = "BACKWARD"
    FORWARD = "FORWARD"


class TooLong(InvalidInput):
    """A rule goes on longer than is looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One RRULE. `until` is a date, or a time that is aware or naive, as it is written.

    `by` holds the lists of numbers by name, `days` the weekdays from 0 for Monday, each after
    which one of them is meant in the month or year (-1: the last; 0: every one).
    """

    frequency: Frequency
    interval: int = 1
    count: int | None = None
    until: date | datetime | None = None
    by: Mapping[str, tuple[int, ...]]
    days: tuple[tuple[int, int], ...] = ()
    week_start: int = 0
    skip: Skip = Skip.OMIT


def read_when(text: str) -> date | datetime:
    """Return the date or time that `20260305`, `20260305T100000` or `20260305T100000Z` says.

    Raises:
        InvalidInput: It is none.
    """
    match = _WHEN.fullmatch(text.strip())
    if match is None:
        raise InvalidInput("time", f"{text[:40]!r} is none")
    try:
        day = date(int(match[1]), int(match[2]), int(match[3]))
        if match[4] is None:
            return day
        clock = time(int(match[4]), int(match[5]), min(int(match[6] or 0), 59))
        return datetime.combine(day, clock, tzinfo=UTC if match[7] else None)
    except ValueError:
        raise InvalidInput("time", f"{text[:40]!r} is none") from None


def parse_rule(text: str) -> Rule:
    """Return the rule that `FREQ=WEEKLY;BYDAY=TU` says.

    Raises:
        InvalidInput: It is malformed, repeats by the minute or second, or counts by a calendar
            other than the Gregorian one.
    """
    if len(text) > _RULE_CHARS_MAX:
        raise InvalidInput("RRULE", f"is longer than {_RULE_CHARS_MAX:,} characters")
    pairs = (one.partition("=") for one in text.upper().split(";"))
    parts = {name.strip(): value.strip() for name, _, value in pairs if value.strip()}
    ends = read_when(parts["UNTIL"]) if "UNTIL" in parts else None
    by = {name: _numbers(parts[name], name) for name in _HIGHEST if name in parts}
    if prod(len(by.get(name, "1")) for name in _CLOCK) > TIMES_A_DAY_MAX:
        raise InvalidInput("RRULE", f"names more than {TIMES_A_DAY_MAX} times a day")
    return Rule(
        frequency=_frequency(parts.get("FREQ", "")),
        interval=_number(parts, "INTERVAL") or 1,
        count=_number(parts, "COUNT") if ends is None else None,
        until=ends,
        by=by,
        days=tuple(sorted({_day(one) for one in parts.get("BYDAY", "").split(",") if one})),
        week_start=_DAYS.index(parts["WKST"]) if parts.get("WKST") in _DAYS else 0,
        skip=_skip(parts),
    )


def _skip(parts: Mapping[str, str]) -> Skip:
    """Return the place that a rule gives to days that a month does not have.

    Raises:
        InvalidInput: It is not known, or the rule counts by another calendar.
    """
    scale, name = parts.get("RSCALE", _GREGORIAN[0]), parts.get("SKIP", Skip.OMIT.value)
    if scale not in _GREGORIAN:
        raise InvalidInput("RRULE", f"counts by the calendar {scale[:20]!r}; that is not expanded")
    if name not in Skip.__members__:
        raise InvalidInput("RRULE", f"SKIP can not be {name[:20]!r}")
    if name != Skip.OMIT.value and parts.keys() & {"BYYEARDAY", "BYWEEKNO"}:
        raise InvalidInput("RRULE", "skips days of the year or weeks; that is not expanded")
    return Skip[name]


def _frequency(name: str) -> Frequency:
    if name in ("MINUTELY", "SECONDLY"):
        raise InvalidInput("RRULE", f"repeats {name.lower()}; that is not expanded")
    try:
        return Frequency[name]
    except KeyError:
        raise InvalidInput("RRULE", f"has no frequency {name[:20]!r}") from None


def _number(parts: Mapping[str, str], name: str) -> int | None:
    text = parts.get(name, "1" if name == "INTERVAL" else "")
    if not text:
        return None
    number = int(text) if re.fullmatch(r"\d{1,10}", text, re.ASCII) else 0
    if not 1 <= number <= NUMBER_MAX:
        raise InvalidInput("RRULE", f"{name} must be 1 to {NUMBER_MAX:,}, got {text[:20]!r}")
    return number


def _numbers(text: str, name: str) -> tuple[int, ...]:
    highest = _HIGHEST[name]
    low = 0 if name in _CLOCK else 1
    found = set()
    for one in text.split(","):
        number = int(one) if re.fullmatch(r"[+-]?\d{1,3}", one.strip(), re.ASCII) else 1_000
        if not low <= (abs(number) if highest < 0 else number) <= abs(highest):
            raise InvalidInput("RRULE", f"{name} can not be {one[:20]!r}")
        found.add(number)
    return tuple(sorted(found))


def _day(text: str) -> tuple[int, int]:
    match = _DAY.fullmatch(text.strip())
    if match is None:
        raise InvalidInput("RRULE", f"BYDAY can not be {text[:20]!r}")
    return int(match[1] or 0), _DAYS.index(match[2])


def occurrences(
    rule: Rule,
    start: datetime,
    *,
    since: datetime,
    until: datetime,
    last: datetime | None = None,
    steps: Iterator[int] | None = None,
) -> Iterator[datetime]:
    """Yield the occurrences in [since, until) by time; `start` is the first, whatever the rule is.

    All times are naive; `last` is the rule's own end in them. Each day that is looked at, and each
    occurrence, takes one of the `steps`, which several rules can share.

    Raises:
        TooLong: There are no more of them.
    """
    if since <= start < until:
        yield start
    whole, left = _complete(rule, start), rule.count
    first = 0 if left is not None else _first_period(whole, start, since)
    allowed, latest = iter(range(STEPS_MAX)) if steps is None else steps, start
    for number in count(first):
        begin = _period(whole, start, number)
        if begin is None or begin >= until or (last is not None and begin > last):
            return
        days = list(_days_in(whole, begin.date()))
        take(allowed, len(days))
        for when in _times_in(whole, begin, days):
            take(allowed, 1)
            if when <= latest:  # also a day that was put where the next month has one, too
                continue
            latest = when
            if left is not None:
                left -= 1
            if left == 0 or when >= until or (last is not None and when > last):
                return
            if when >= since:
                yield when


def take(steps: Iterator[int], number: int) -> None:
    """Take so many steps.

    Raises:
        TooLong: There are not as many left.
    """
    if sum(1 for _ in islice(steps, number)) < number:
        raise TooLong("RRULE", "goes on longer than is looked at")


def _complete(rule: Rule, start: datetime) -> Rule:
    """Return the rule with all that it takes from its start made explicit."""
    by, days = dict(rule.by), rule.days
    if not (days or by.keys() & {"BYWEEKNO", "BYYEARDAY", "BYMONTHDAY"}):
        if rule.frequency is Frequency.WEEKLY:
            days = ((0, start.weekday()),)
        elif rule.frequency < Frequency.WEEKLY:
            by["BYMONTHDAY"] = (start.day,)
            if rule.frequency is Frequency.YEARLY:
                by.setdefault("BYMONTH", (start.month,))
    if rule.frequency < Frequency.HOURLY:
        by.setdefault("BYHOUR", (start.hour,))
    by.setdefault("BYMINUTE", (start.minute,))
    by.setdefault("BYSECOND", (start.second,))
    return replace(rule, by=by, days=days)


def _first_period(rule: Rule, start: datetime, since: datetime) -> int:
    """Return the number of the period that `since` lies in, or of the one before."""
    if since <= start:
        return 0
    if rule.frequency is Frequency.YEARLY:
        passed = since.year - start.year
    elif rule.frequency is Frequency.MONTHLY:
        passed = 12 * (since.year - start.year) + since.month - start.month
    elif rule.frequency is Frequency.HOURLY:
        passed = (since - start) // timedelta(hours=1)
    else:
        days = (since.date() - start.date()).days
        passed = days // 7 if rule.frequency is Frequency.WEEKLY else days
    return max(0, passed // rule.interval - 1)


def _period(rule: Rule, start: datetime, number: int) -> datetime | None:
    """Return the first moment of a period; None after the last year that there is."""
    steps = number * rule.interval
    midnight = datetime.combine(start.date(), time())
    try:
        if rule.frequency is Frequency.YEARLY:
            return datetime(start.year + steps, 1, 1)  # noqa: DTZ001  wall-clock times
        if rule.frequency is Frequency.MONTHLY:
            years, month = divmod(start.month - 1 + steps, 12)
            return datetime(start.year + years, month + 1, 1)  # noqa: DTZ001  as above
        if rule.frequency is Frequency.WEEKLY:
            into_week = (start.weekday() - rule.week_start) % 7
            return midnight + timedelta(days=7 * steps - into_week)
        if rule.frequency is Frequency.DAILY:
            return midnight + timedelta(days=steps)
        return start.replace(minute=0, second=0) + timedelta(hours=steps)
    except (ValueError, OverflowError):
        return None


def _times_in(rule: Rule, begin: datetime, candidates: Sequence[date]) -> Sequence[datetime]:
    """Return the occurrences of the period that begins then, by time, on some of its days."""
    hours = (begin.hour,) if rule.frequency is Frequency.HOURLY else rule.by["BYHOUR"]
    if begin.hour not in rule.by.get("BYHOUR", hours) and rule.frequency is Frequency.HOURLY:
        return ()
    clocks = [
        time(hour, minute, min(second, 59))
        for hour, minute, second in product(hours, rule.by["BYMINUTE"], rule.by["BYSECOND"])
    ]
    days = [day for day in candidates if _fits(rule, day)]
    if rule.skip is not Skip.OMIT and rule.frequency <= Frequency.MONTHLY:
        days = sorted({*days, *_put_off(rule, candidates)})
    positions = rule.by.get("BYSETPOS")
    if positions is None:
        return [datetime.combine(day, clock) for day in days for clock in clocks]
    total = len(days) * len(clocks)
    places = sorted({at - 1 if at > 0 else total + at for at in positions})
    return [
        datetime.combine(days[at // len(clocks)], clocks[at % len(clocks)])
        for at in places
        if 0 <= at < total
    ]


def _days_in(rule: Rule, first: date) -> Iterator[date]:
    """Yield the days of a period that may fit: of a year those of the months of the rule."""
    if rule.frequency >= Frequency.DAILY:
        yield first
    elif rule.frequency is Frequency.WEEKLY:
        number = first.toordinal()
        yield from map(date.fromordinal, range(number, min(number + 7, _LAST_DAY + 1)))
    else:
        is_year = rule.frequency is Frequency.YEARLY
        months = rule.by.get("BYMONTH", range(1, 13)) if is_year else (first.month,)
        for month in months:
            days = monthrange(first.year, month)[1]
            yield from (date(first.year, month, day) for day in range(1, days + 1))


def _put_off(rule: Rule, candidates: Sequence[date]) -> Iterator[date]:
    """Yield the days that stand for those which the months of the candidates do not have."""
    highest = max(rule.by.get("BYMONTHDAY", (0,)))
    for day in candidates:
        is_last = day.day == monthrange(day.year, day.month)[1]
        if is_last and day.day < highest and day.month in rule.by.get("BYMONTH", (day.month,)):
            put = day if rule.skip is Skip.BACKWARD else day + timedelta(days=1)
            if _is_on_weekday(rule, put):
                yield put


def _fits(rule: Rule, day: date) -> bool:
    """Return whether a day is one of those that the rule names."""
    by = rule.by
    if day.month not in by.get("BYMONTH", (day.month,)):
        return False
    month_days = monthrange(day.year, day.month)[1]
    if not _is_wanted(by.get("BYMONTHDAY"), day.day, month_days):
        return False
    year_day, year_days = day.timetuple().tm_yday, 365 + isleap(day.year)
    if not _is_wanted(by.get("BYYEARDAY"), year_day, year_days):
        return False
    if "BYWEEKNO" in by and not _is_wanted(by["BYWEEKNO"], *_week(day, rule.week_start)):
        return False
    return _is_on_weekday(rule, day)


def _is_on_weekday(rule: Rule, day: date) -> bool:
    """Return whether a day is on one of the weekdays that the rule names."""
    if not rule.days:
        return True
    year_day, year_days = day.timetuple().tm_yday, 365 + isleap(day.year)
    month_days = monthrange(day.year, day.month)[1]
    in_month = rule.frequency is Frequency.MONTHLY or "BYMONTH" in rule.by
    place, length = (day.day, month_days) if in_month else (year_day, year_days)
    return any(
        weekday == day.weekday()
        and (not which or rule.frequency > Frequency.MONTHLY or _is_nth(which, place, length))
        for which, weekday in rule.days
    )


def _is_wanted(wanted: Sequence[int] | None, number: int, highest: int) -> bool:
    """Return whether a number is among those wanted, which may count from the end."""
    return wanted is None or number in wanted or number - highest - 1 in wanted


def _is_nth(which: int, place: int, length: int) -> bool:
    """Return whether a day is the `which`th of its weekday; -1 is the last."""
    nth = (place - 1) // 7 + 1 if which > 0 else -((length - place) // 7 + 1)
    return nth == which


def _week(day: date, week_start: int) -> tuple[int, int]:
    """Return the number of the day's week, and of the last week of that week's year."""
    middle = day.toordinal() - (day.weekday() - week_start) % 7 + 3
    if middle > _LAST_DAY:
        return 53, 53
    year = date.fromordinal(middle).year
    first = date(year, 1, 1).toordinal()
    into = (middle - first) % 7
    return (middle - first) // 7 + 1, (364 + isleap(year) - into) // 7 + 1
