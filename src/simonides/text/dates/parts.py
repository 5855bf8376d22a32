"""Parts of a stretch of time, and what lies beside it: thirds, the second Monday, two days before.

Counts days on the calendar. Must not know how any of it is said.
"""

from simonides.text.dates.calendar import Span, week_of
from simonides.text.dates.found import Cycle
from simonides.text.dates.reader import Reader
from simonides.text.dates.words import UNITS, WEEKDAYS, Grain, Unit

LAST = -1
"""The number of the last one."""


def part(reader: Reader, span: Span, *, which: int, parts: int) -> Span | None:
    """Return one of `parts` about equal parts of the days (of a year: the months) of `span`."""
    first, count = reader.calendar.whole_days(span)
    if count < parts:
        return None
    if span.grain is Grain.YEAR:
        month = Cycle.MONTHLY.index(first)
        return reader.calendar.months(month + 12 * which // parts, 12 // parts)
    start, stop = count * which // parts, count * (which + 1) // parts
    return reader.calendar.days(first + start, stop - start)


def nth(reader: Reader, span: Span, *, number: int, many: int, kind: str) -> Span | None:
    """Return the `number`th day, week, half or weekday (`kind`) of a span, `many` together."""
    if kind == "half":
        which = number - 1
        return part(reader, span, which=which, parts=2) if which in (0, 1) else None
    first, count = reader.calendar.whole_days(span)
    if kind in WEEKDAYS or kind == "weekend":
        return _nth_weekly(reader, first, count, number=number, kind=kind)
    unit = UNITS[kind]
    size = unit.size * many
    start = count - size if number == LAST else unit.size * (number - 1)
    if not 0 <= start < count:
        return None
    grain = unit.grain if many == 1 else Grain.SPAN
    return reader.calendar.days(first + start, min(size, count - start), grain=grain)


def _nth_weekly(reader: Reader, first: int, count: int, *, number: int, kind: str) -> Span | None:
    offset = WEEKDAYS.get(kind, 5)
    start = first + (offset - (first - 1) % 7) % 7
    turns = (first + count - 1 - start) // 7 + 1
    turn = turns - 1 if number == LAST else number - 1
    if not 0 <= turn < turns:
        return None
    day = start + 7 * turn
    return reader.calendar.day(day) if kind in WEEKDAYS else reader.calendar.weekend(week_of(day))


def beside(reader: Reader, span: Span, *, count: int, unit: Unit, before: bool) -> Span:
    """Return the unit that begins `count` units before `span`, or ends that long after it."""
    calendar = reader.calendar
    first, days = calendar.whole_days(span)
    edge, side = (first, -count) if before else (first + days, count - 1)
    start = calendar.shifted(edge, side, unit)
    stop = calendar.shifted(edge, side + 1, unit)
    grain = Grain.DAY if unit.size == 1 and unit.step == "day" else Grain.SPAN
    return calendar.days(start, stop - start, grain=grain)
