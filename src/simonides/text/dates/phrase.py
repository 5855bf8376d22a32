"""One expression of time, from its first word to its last: the end of May, Friday last week.

Puts the small rules together: the longest that fits at a word wins, and what follows may
narrow it. Must not know ranges with two ends.
"""

from collections.abc import Callable

from simonides.text.dates.absolute import absolute
from simonides.text.dates.calendar import Span, week_of
from simonides.text.dates.found import Cycle, Found, fixed, settled, span_of
from simonides.text.dates.number import amount, ordinal
from simonides.text.dates.reader import Reader
from simonides.text.dates.relative import distance, relative
from simonides.text.dates.weekly import monthly, of_week, weekly
from simonides.text.dates.words import PARTS_OF_DAY, SINGULAR, UNITS, WEEKDAYS, Grain, Unit
from simonides.text.dates.yearly import yearly

_NESTED_MAX = 2
"""How many parts of parts are read: the end of the first week of May."""
_THIRDS = {
    "early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2,
}  # fmt: skip
_BARE_THIRDS = frozenset({"early", "mid", "late"})
_HALVES = {"first": 0, "second": 1}
_WHOLE_UNITS = frozenset({"week", "month", "quarter", "year"})
_JOINTS = frozenset({"in", "on", "at", "during"})
_LAST = -1
_DAILY = frozenset(word for word, unit in UNITS.items() if unit.step == "day")
_PIECES = _DAILY | WEEKDAYS.keys() | {"half", "weekend"}
_Change = Callable[[Span], Span | None]


def phrase(reader: Reader, index: int, *, nested: int = 0, cued: bool = False) -> Found | None:
    """Return the longest expression of time at `index`, if there is one."""
    start = index + (reader.word(index) == "the")
    finds = [
        _portion(reader, start, nested=nested),
        _week_of(reader, start, nested=nested),
        _offset(reader, start, nested=nested),
        absolute(reader, start),
        relative(reader, start),
        _weekday(reader, start),
        yearly(reader, start, cued=cued),
        monthly(reader, start),
    ]
    found = max(filter(None, finds), key=lambda one: one.stop, default=None)
    return _narrowed(reader, found, nested=nested) if found else None


def _weekday(reader: Reader, index: int) -> Found | None:
    """Return a weekday or weekend; a date that follows says which: Friday, 26 May 2023."""
    found = weekly(reader, index)
    if found is None or found.grain is not Grain.DAY or found.stop != index + 1:
        return found
    after = index + 1 + (reader.word(index + 1) == ",")
    after += reader.word(after) == "the"
    for rule in (absolute, yearly, monthly):
        dated = rule(reader, after)
        if dated and dated.grain is Grain.DAY:
            return dated
    return found


def _portion(reader: Reader, index: int, *, nested: int) -> Found | None:
    """Early May, the end of last month, the first week of April, the last Friday of 2022."""
    if nested >= _NESTED_MAX:
        return None
    return _third(reader, index, nested=nested) or _ordered(reader, index, nested=nested)


def _third(reader: Reader, index: int, *, nested: int) -> Found | None:
    word = reader.word(index)
    if word not in _THIRDS:
        return None
    after = index + 1 + (reader.word(index + 1) in ("-", "of"))
    if word not in _BARE_THIRDS and reader.word(index + 1) != "of":
        return None
    whole = _whole(reader, after, nested=nested)
    if whole is None or whole.grain in (Grain.HOUR, Grain.DAY, Grain.WEEKEND):
        return None
    return _mapped(whole, lambda span: part(reader, span, which=_THIRDS[word], parts=3))


def _whole(reader: Reader, index: int, *, nested: int) -> Found | None:
    """Return what a part is taken of; "the month" is the current one."""
    start = index + (reader.word(index) == "the")
    found = phrase(reader, index, nested=nested + 1, cued=True)
    if found is None and reader.word(start) in _WHOLE_UNITS and start > index:
        unit = SINGULAR[reader.word(start)]
        return fixed(start + 1, reader.calendar.around(0, unit))
    return found


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


def _ordered(reader: Reader, index: int, *, nested: int) -> Found | None:
    """The first week of April, the last 3 days of May, the second Monday in June."""
    word = reader.word(index)
    number = _LAST if word == "last" else ordinal(word)
    if number is None:
        return None
    count = amount(reader, index + 1) if word in ("first", "last") else None
    named = count.stop if count else index + 1
    kind = reader.word(named)
    if reader.word(named + 1) not in ("of", "in"):
        return None
    if kind not in _PIECES:
        return None
    whole = _whole(reader, named + 2, nested=nested)
    if whole is None:
        return None
    many = count.high if count else 1
    return _mapped(whole, lambda span: _nth(reader, span, number=number, many=many, kind=kind))


def _nth(reader: Reader, span: Span, *, number: int, many: int, kind: str) -> Span | None:
    if kind == "half":
        which = number - 1
        return part(reader, span, which=which, parts=2) if which in (0, 1) else None
    first, count = reader.calendar.whole_days(span)
    if kind in WEEKDAYS or kind == "weekend":
        return _nth_weekly(reader, first, count, number=number, kind=kind)
    unit = UNITS[kind]
    size = unit.size * many
    start = count - size if number == _LAST else unit.size * (number - 1)
    if not 0 <= start < count:
        return None
    grain = unit.grain if many == 1 else Grain.SPAN
    return reader.calendar.days(first + start, min(size, count - start), grain=grain)


def _nth_weekly(
    reader: Reader, first: int, count: int, *, number: int, kind: str
) -> Span | None:
    offset = WEEKDAYS.get(kind, 5)
    start = first + (offset - (first - 1) % 7) % 7
    turns = (first + count - 1 - start) // 7 + 1
    turn = turns - 1 if number == _LAST else number - 1
    if not 0 <= turn < turns:
        return None
    day = start + 7 * turn
    return reader.calendar.day(day) if kind in WEEKDAYS else reader.calendar.weekend(week_of(day))


def _mapped(found: Found, change: _Change) -> Found | None:
    """Return `found` with every turn changed, or None where the change is impossible."""

    def at(turn: int) -> Span | None:
        span = found.at(turn)
        return change(span) if span else None

    if found.cycle is Cycle.FIXED:
        span = at(0)
        return fixed(found.stop, span) if span else None
    return Found(stop=found.stop, at=at, cycle=found.cycle, grain=Grain.SPAN)


def _week_of(reader: Reader, index: int, *, nested: int) -> Found | None:
    """The week of 5 May, the month of March."""
    word = reader.word(index)
    if word not in ("week", "weekend", "month") or reader.word(index + 1) != "of":
        return None
    if nested >= _NESTED_MAX:
        return None
    whole = phrase(reader, index + 2, nested=nested + 1, cued=True)
    span = span_of(reader, whole) if whole else None
    if whole is None or span is None or span.since is None:
        return None
    day = reader.calendar.day_of(span.since)
    if word == "month":
        return whole if span.grain is Grain.MONTH else None
    if span.grain is not Grain.DAY:
        return None
    week = week_of(day)
    held = reader.calendar.week(week) if word == "week" else reader.calendar.weekend(week)
    return fixed(whole.stop, held)


def _offset(reader: Reader, index: int, *, nested: int) -> Found | None:
    """Two days before Christmas, the week after 5 May."""
    said = distance(reader, index)
    if said is None or nested >= _NESTED_MAX:
        return None
    after, count, unit = said
    side = reader.word(after)
    if side not in ("before", "after") or unit.step in ("minute", "hour"):
        return None
    edge = phrase(reader, after + 1, nested=nested + 1, cued=True)
    span = span_of(reader, edge) if edge else None
    if edge is None or span is None or span.since is None or span.until is None:
        return None
    return fixed(edge.stop, _beside(reader, span, count=count, unit=unit, before=side == "before"))


def _beside(reader: Reader, span: Span, *, count: int, unit: Unit, before: bool) -> Span:
    """Return the unit that begins `count` units before `span`, or ends that long after it."""
    calendar = reader.calendar
    first, days = calendar.whole_days(span)
    edge, side = (first, -count) if before else (first + days, count - 1)
    start = calendar.shifted(edge, side, unit)
    stop = calendar.shifted(edge, side + 1, unit)
    grain = Grain.DAY if unit.size == 1 and unit.step == "day" else Grain.SPAN
    return calendar.days(start, stop - start, grain=grain)


def _narrowed(reader: Reader, found: Found, *, nested: int) -> Found:
    """Return `found` made smaller by what follows: last year in May, last week on Tuesday."""
    after = found.stop + (reader.word(found.stop) == ",")
    joined = reader.word(after) in _JOINTS
    after += joined
    smaller: Found | None = None
    if found.grain is Grain.YEAR:
        smaller = _in_year(reader, found, after, nested=nested)
    elif found.grain is Grain.WEEK and found.cycle is Cycle.FIXED:
        day = weekly(reader, after)
        if day and day.cycle is Cycle.WEEKLY:
            smaller = of_week(reader, day, found.at(0))
    elif found.grain is Grain.DAY and reader.word(found.stop) in PARTS_OF_DAY:
        return _in_day(reader, found)
    return smaller or found


def _in_year(reader: Reader, found: Found, index: int, *, nested: int) -> Found | None:
    start = index + (reader.word(index) == "the")
    named = _portion(reader, start, nested=nested + 1) or yearly(reader, start)
    span = found.at(0)
    if named is None or named.cycle is not Cycle.YEARLY or span is None or span.since is None:
        return None
    inner = named.at(Cycle.YEARLY.index(reader.calendar.day_of(span.since)))
    return fixed(named.stop, inner) if inner else None


def _in_day(reader: Reader, found: Found) -> Found:
    one = settled(reader, found)
    span = one.at(0) if one else None
    if span is None or span.since is None:
        return found
    first, last = PARTS_OF_DAY[reader.word(found.stop)]
    day = reader.calendar.day_of(span.since)
    return fixed(found.stop + 1, reader.calendar.hours(day, first, last))
