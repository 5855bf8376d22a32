"""Times and recurrence rules in words, as the content of an event says them.

Must not know events.
"""

from collections.abc import Iterable, Sequence
from datetime import date, datetime

from simonides.text.recurrence import Frequency, Rule, Skip

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip

_UNITS = ("year", "month", "week", "day", "hour")
_WHICH = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last"}
_WORKDAYS = tuple((0, day) for day in range(5))


_SKIPS = {
    Skip.OMIT: "",
    Skip.BACKWARD: ", else on the last day of a month without that day",
    Skip.FORWARD: ", else on the day after a month without that day",
}


def day_in_words(when: date | datetime) -> str:
    """Return `Thursday 5 March 2026`."""
    return f"{WEEKDAYS[when.weekday()]} {when.day} {MONTHS[when.month - 1]} {when.year}"


def time_in_words(when: date | datetime) -> str:
    """Return `Thursday 5 March 2026, 10:00`; of a day the day alone."""
    if not isinstance(when, datetime):
        return day_in_words(when)
    return f"{day_in_words(when)}, {when:%H:%M}"


def span_in_words(start: date | datetime, end: date | datetime, *, zone: str = "") -> str:
    """Return `Thursday 5 March 2026, 10:00-11:00 (Europe/London)`, with an en dash.

    Of days the end is the last of them, and they are said to be all day long.
    """
    place = f" ({zone})" if zone else ""
    if not isinstance(start, datetime) or not isinstance(end, datetime):
        last = f" to {day_in_words(end)}" if end > start else ""
        return f"{day_in_words(start)}{last} (all day)"
    if end <= start:
        return f"{time_in_words(start)}{place}"
    if end.date() == start.date():
        return f"{time_in_words(start)}–{end:%H:%M}{place}"  # noqa: RUF001  an en dash
    return f"{time_in_words(start)} to {time_in_words(end)}{place}"


def rule_in_words(rule: Rule, start: date | datetime, *, last: date | None = None) -> str:
    """Return `every 2 weeks on Tuesday until Tuesday 30 June 2026`; `last` is the rule's end."""
    often = _often(rule, start) + _SKIPS[rule.skip]
    if last is not None:
        return f"{often} until {day_in_words(last)}"
    if rule.count is not None:
        return f"{often}, {rule.count:,} times" if rule.count > 1 else f"{often}, once"
    return often


def _often(rule: Rule, start: date | datetime) -> str:
    frequency, by = rule.frequency, rule.by
    unit = _UNITS[frequency]
    every = f"every {rule.interval:,} {unit}s" if rule.interval > 1 else f"every {unit}"
    if frequency >= Frequency.WEEKLY:
        days = rule.days
        if frequency is Frequency.WEEKLY and not days:
            days = ((0, start.weekday()),)
        if days and rule.interval == 1 and frequency is not Frequency.HOURLY:
            every = f"every {_weekdays(days)}"
        elif days:
            every += f" on {_weekdays(days)}"
        return every + (f" in {_months(by['BYMONTH'])}" if "BYMONTH" in by else "")
    months = _months(by.get("BYMONTH", (start.month,)))
    days_of = _days_of(rule, start)
    if frequency is Frequency.MONTHLY:
        return f"{every} on {days_of}" + (f" in {months}" if "BYMONTH" in by else "")
    if "BYWEEKNO" in by:
        return f"{every} in week {join_words(str(one) for one in by['BYWEEKNO'])} on {days_of}"
    if "BYYEARDAY" in by:
        return f"{every} on day {join_words(str(one) for one in by['BYYEARDAY'])}"
    in_months = "BYMONTH" in by or not rule.days
    return f"{every} on {days_of}" + (f" of {months}" if in_months else " of the year")


def _days_of(rule: Rule, start: date | datetime) -> str:
    """Return which days of a month or year: `the third Thursday`, `the 1st and the last day`."""
    month_days = rule.by.get("BYMONTHDAY", () if rule.days else (start.day,))
    numbers = join_words(f"the {_ordinal(day)}" for day in month_days)
    if not rule.days:
        return numbers
    if "BYSETPOS" in rule.by:
        which = join_words(_which(at) for at in rule.by["BYSETPOS"])
        days = f"the {which} {_weekdays(rule.days, either='or')}"
    else:
        days = join_words(
            f"the {_which(nth)} {WEEKDAYS[day]}" if nth else f"every {WEEKDAYS[day]}"
            for nth, day in rule.days
        )
    return f"{days} that is {numbers}" if numbers else days


def _weekdays(days: Sequence[tuple[int, int]], *, either: str = "and") -> str:
    if tuple(days) == _WORKDAYS:
        return "weekday"
    return join_words((WEEKDAYS[day] for _, day in days), either)


def _months(numbers: Iterable[int]) -> str:
    return join_words(MONTHS[number - 1] for number in numbers)


def _which(number: int) -> str:
    if number in _WHICH:
        return _WHICH[number]
    return f"{_ordinal(-number)} last" if number < 0 else _ordinal(number)


def _ordinal(number: int) -> str:
    """Return `1st`, `22nd`, `last day` or `2nd last day`."""
    if number < 0:
        return "last day" if number == -1 else f"{_ordinal(-number)} last day"
    teen = number // 10 % 10 == 1
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def join_words(words: Iterable[str], last: str = "and") -> str:
    """Return `one, two and three`."""
    *first, end = list(words) or [""]
    return f"{', '.join(first)} {last} {end}" if first else end
