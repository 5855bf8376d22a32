"""One expression of time, from first to last word: the end of May, Friday last week.

Puts the small rules together: the longest that fits at a word wins, and what follows may
narrow it. Must not know ranges with two ends.
"""

from collections.abc import Callable

from simonides.text.dates.absolute import ABSOLUTE_WORDS, absolute
from simonides.text.dates.calendar import TimeSpan, week_of
from simonides.text.dates.found import (
    LAST,
    Cycle,
    FoundDate,
    match_once,
    nth,
    offset_from,
    on_weekday,
    part,
    span_of,
)
from simonides.text.dates.reader import COUNTS, DateReader, amount, ordinal
from simonides.text.dates.relative import RELATIVE_WORDS, distance, relative
from simonides.text.dates.weekly import (
    AWAY_WORDS,
    WEEKLY_WORDS,
    day_away,
    end_of_unit,
    ends_day,
    monthly,
    of_week,
    read_numbered_day,
    weekly,
)
from simonides.text.dates.words import (
    ORDINALS,
    PARTS_OF_DAY,
    SINGULAR,
    UNITS,
    WEEKDAYS,
    Grain,
)
from simonides.text.dates.yearly import YEARLY_WORDS, yearly

_NESTED_MAX = 2
"""How many parts of parts are read: the end of the first week of May."""
_THIRDS = {
    "early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2,
}  # fmt: skip
_BARE_THIRDS = frozenset({"early", "mid", "late"})
_WHOLE_UNITS = frozenset({"week", "month", "quarter", "year"})
_JOINTS = frozenset({"in", "on", "at", "during", "'s"})
_OF_WEEK = frozenset({"of", "commencing", "beginning", "starting"})
_DAILY = frozenset(word for word, unit in UNITS.items() if unit.step == "day")
_PIECES = _DAILY | WEEKDAYS.keys() | {"half", "weekend"}
_NESTED_WORDS = (
    _THIRDS.keys() | ORDINALS.keys() | COUNTS | SINGULAR.keys() | {"weekend", "last", "w"}
)
PHRASE_WORDS = (
    _NESTED_WORDS
    | ABSOLUTE_WORDS
    | RELATIVE_WORDS
    | WEEKLY_WORDS
    | AWAY_WORDS
    | YEARLY_WORDS
    | {"the"}
)
"""The words that an expression of time begins with; figures are the other way."""
_Change = Callable[[TimeSpan], TimeSpan | None]


def phrase(
    reader: DateReader, index: int, *, nested: int = 0, cued: bool = False
) -> FoundDate | None:
    """Return the longest expression of time at `index`, if there is one."""
    start = index + (reader.word(index) == "the")
    finds = _read_nested(reader, start, nested) + _simple(reader, start, cued=cued)
    found = max(finds, key=lambda one: one.stop, default=None)
    return _narrow(reader, found, nested=nested) if found else None


def _read_nested(reader: DateReader, index: int, nested: int) -> list[FoundDate]:
    """Return the matches of rules that contain another expression of time."""
    word, figures = reader.word(index), reader.has_figures(index)
    if nested >= _NESTED_MAX or not (figures or word in _NESTED_WORDS):
        return []
    finds = (rule(reader, index, nested=nested) for rule in (_portion, _week_of, _offset))
    return [found for found in finds if found]


def _simple(reader: DateReader, index: int, *, cued: bool) -> list[FoundDate]:
    """Return the matches of rules without an inner expression of time."""
    word, figures = reader.word(index), reader.has_figures(index)
    finds = (
        absolute(reader, index) if figures or word in ABSOLUTE_WORDS else None,
        relative(reader, index) if figures or word in RELATIVE_WORDS else None,
        day_away(reader, index) if figures or word in AWAY_WORDS else None,
        end_of_unit(reader, index) if word in AWAY_WORDS else None,
        _weekday(reader, index) if word in WEEKLY_WORDS else None,
        yearly(reader, index, cued=cued) if figures or word in YEARLY_WORDS else None,
        monthly(reader, index) if figures or word in ORDINALS else None,
    )
    return [found for found in finds if found]


def _weekday(reader: DateReader, index: int) -> FoundDate | None:
    """Return a weekday or weekend, with the date after it: Friday, 26 May 2023; Friday 26."""
    found = weekly(reader, index)
    if found is None or found.grain is not Grain.DAY or found.stop != index + 1:
        return found
    after = index + 1 + (reader.word(index + 1) == ",")
    after += reader.word(after) == "the"
    weekday = WEEKDAYS[reader.word(index)]
    for rule in (absolute, yearly, monthly):
        dated = rule(reader, after)
        if dated and dated.grain is Grain.DAY:
            return on_weekday(reader, dated, weekday) or dated
    numbered = read_numbered_day(reader, after) if ends_day(reader, after + 1) else None
    return (numbered and on_weekday(reader, numbered, weekday)) or found


def _portion(reader: DateReader, index: int, *, nested: int) -> FoundDate | None:
    """Match a part: early May, the end of last month, the last Friday of 2022."""
    return _third(reader, index, nested=nested) or _read_ordinal(reader, index, nested=nested)


def _third(reader: DateReader, index: int, *, nested: int) -> FoundDate | None:
    word = reader.word(index)
    if word not in _THIRDS or reader.word(index - 1) == "how":  # how late may I practise
        return None
    after = index + 1 + (reader.word(index + 1) in ("-", "of"))
    if word not in _BARE_THIRDS and reader.word(index + 1) != "of":
        return None
    if reader.words(after, "day") and reader.word(after - 1) == "of":
        return match_once(after + 1, reader.calendar.day(reader.calendar.today))
    whole = _whole(reader, after, nested=nested)
    if whole is None or whole.grain in (Grain.HOUR, Grain.DAY, Grain.WEEKEND):
        return None
    return _map(whole, lambda span: part(reader, span, which=_THIRDS[word], parts=3))


def _whole(reader: DateReader, index: int, *, nested: int) -> FoundDate | None:
    """Return the expression that a part belongs to; "the month" is the current one."""
    start = index + (reader.word(index) == "the")
    found = phrase(reader, index, nested=nested + 1, cued=True)
    is_named = start > index or reader.word(index - 1) == "of"
    if found is None and reader.word(start) in _WHOLE_UNITS and is_named:
        unit = SINGULAR[reader.word(start)]
        return match_once(start + 1, reader.calendar.around(0, unit))
    return found


def _read_ordinal(reader: DateReader, index: int, *, nested: int) -> FoundDate | None:
    """Match the first week of April, the last 3 days of May, the second Monday in June."""
    word = reader.word(index)
    number = LAST if word == "last" else ordinal(word)
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
    return _map(whole, lambda span: nth(reader, span, number=number, many=many, kind=kind))


def _map(found: FoundDate, change: _Change) -> FoundDate | None:
    """Return `found` with every occurrence changed, or None if the change is impossible."""

    def at(turn: int) -> TimeSpan | None:
        span = found.at(turn)
        return change(span) if span else None

    mapped = FoundDate(stop=found.stop, at=at, cycle=found.cycle, grain=Grain.SPAN)
    return mapped.only(0) if found.cycle is Cycle.FIXED else mapped


def _week_of(reader: DateReader, index: int, *, nested: int) -> FoundDate | None:
    """Match the week of 5 May, the week commencing 5 May, w/c 5 May, the month of March."""
    word, after = reader.word(index), index + 2
    if reader.words(index, "w", "/", "c"):
        word, after = "week", index + 3
    elif word not in ("week", "weekend", "month") or reader.word(index + 1) not in _OF_WEEK:
        return None
    whole = phrase(reader, after, nested=nested + 1, cued=True)
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
    return match_once(whole.stop, held)


def _offset(reader: DateReader, index: int, *, nested: int) -> FoundDate | None:
    """Match two days before Christmas, the week after 5 May."""
    match = distance(reader, index)
    if match is None:
        return None
    after, count, unit = match
    side = reader.word(after)
    if side not in ("before", "after") or unit.step in ("minute", "hour"):
        return None
    edge = phrase(reader, after + 1, nested=nested + 1, cued=True)
    span = span_of(reader, edge) if edge else None
    if edge is None or span is None or span.since is None or span.until is None:
        return None
    return match_once(
        edge.stop, offset_from(reader, span, count=count, unit=unit, before=side == "before")
    )


def _narrow(reader: DateReader, found: FoundDate, *, nested: int) -> FoundDate:
    """Return a match narrowed by the words after it: last year in May, last week on Tuesday."""
    after = found.stop + (reader.word(found.stop) == ",")
    joined = reader.word(after) in _JOINTS
    after += joined
    smaller: FoundDate | None = None
    if found.grain is Grain.YEAR:
        smaller = _in_year(reader, found, after, nested=nested)
    elif found.grain is Grain.WEEK and found.cycle is Cycle.FIXED:
        day = weekly(reader, after)
        if day and day.cycle is Cycle.WEEKLY:
            smaller = of_week(reader, day, found.at(0))
    elif found.grain is Grain.DAY and reader.word(found.stop) in PARTS_OF_DAY:
        return _in_day(reader, found)
    return smaller or found


def _in_year(reader: DateReader, found: FoundDate, index: int, *, nested: int) -> FoundDate | None:
    start = index + (reader.word(index) == "the")
    inner = _portion(reader, start, nested=nested + 1) if nested + 1 < _NESTED_MAX else None
    named = inner or yearly(reader, start, cued=True)
    span = found.at(0)
    if named is None or named.cycle is not Cycle.YEARLY or span is None or span.since is None:
        return None
    return named.only(Cycle.YEARLY.index(reader.calendar.day_of(span.since)))


def _in_day(reader: DateReader, found: FoundDate) -> FoundDate:
    span = span_of(reader, found)
    if span is None or span.since is None:
        return found
    first, last = PARTS_OF_DAY[reader.word(found.stop)]
    day = reader.calendar.day_of(span.since)
    return match_once(found.stop + 1, reader.calendar.hours(day, first, last))
