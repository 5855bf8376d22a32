"""Times said by their distance from now: yesterday, last week, 3 months ago, in two days.

Knows whole units and rolling stretches. Must not know names of months or days.
"""

from simonides.text.dates.calendar import Span
from simonides.text.dates.found import FoundDate, fixed
from simonides.text.dates.reader import COUNTS, Amount, Reader, Sort, Tense, amount
from simonides.text.dates.words import (
    CALENDAR_UNITS,
    PARTS_OF_DAY,
    RELATIVES,
    SINGULAR,
    UNITS,
    Unit,
)

_DAYS = {"today": 0, "yesterday": -1, "tomorrow": 1}
_FURTHER_DAYS = {("before", "yesterday"): -2, ("after", "tomorrow"): 2}
_WITHIN = frozenset({"in", "within", "over", "during", "for", "throughout"})
_TO_DATE = frozenset({"week", "month", "quarter", "year"})
_PART_WORDS = frozenset({"so", "earlier", "later"})
_WHOLE = frozenset({"tonight", "day", "ytd", "in"})
RELATIVE_WORDS = _DAYS.keys() | RELATIVES.keys() | COUNTS | _TO_DATE | _PART_WORDS | _WHOLE
"""The words that `relative` reads from; digits are the other way."""


def relative(reader: Reader, index: int) -> FoundDate | None:
    """Return the longest expression at `index` that names a time by its distance from now."""
    rules = (_day_word, _unit_by_order, _ago, _ahead, _beyond, _to_date, _part_of_this)
    finds = [found for rule in rules if (found := rule(reader, index))]
    return max(finds, key=lambda found: found.stop, default=None)


def _day_word(reader: Reader, index: int) -> FoundDate | None:
    """Today, tonight, last night, this morning, the day before yesterday."""
    word, following, calendar = reader.word(index), reader.word(index + 1), reader.calendar
    if word in _DAYS:
        return fixed(index + 1, calendar.day(calendar.today + _DAYS[word]))
    if word == "tonight":
        return fixed(index + 1, calendar.hours(calendar.today, *PARTS_OF_DAY["night"]))
    if word == "last" and following == "night":
        return fixed(index + 2, calendar.hours(calendar.today - 1, *PARTS_OF_DAY["night"]))
    if word == "this" and following in PARTS_OF_DAY:
        return fixed(index + 2, calendar.hours(calendar.today, *PARTS_OF_DAY[following]))
    away = _FURTHER_DAYS.get((following, reader.word(index + 2)), 0) if word == "day" else 0
    return fixed(index + 3, calendar.day(calendar.today + away)) if away else None


def direction(reader: Reader, index: int) -> tuple[int, int, str] | None:
    """Return (stop, -1 | 0 | 1, word) for `last`, `this`, `next` and their like."""
    first, second = reader.word(index), reader.word(index + 1)
    if first == "this" and second in ("past", "coming"):
        return index + 2, RELATIVES[second], second
    return (index + 1, RELATIVES[first], first) if first in RELATIVES else None


def _unit_by_order(reader: Reader, index: int) -> FoundDate | None:
    """Last week (the calendar one), past week and last 3 weeks (rolling), next month."""
    match = direction(reader, index)
    if match is None:
        return None
    after, side, word = match
    count = amount(reader, after) if reader.word(after) not in ("a", "an") else None
    if count and side:
        return _rolling(reader, count, side)
    unit = SINGULAR.get(reader.word(after))
    if unit is None:
        return None
    if word in ("past", "coming") or _is_stretch(reader, index, word=word):
        return fixed(after + 1, reader.calendar.rolling(side, unit))
    if reader.word(after) not in CALENDAR_UNITS or (unit.step == "hour" and side):
        return None
    return fixed(after + 1, reader.calendar.around(side, unit))


def _is_stretch(reader: Reader, index: int, *, word: str) -> bool:
    """Return whether "the last week" is the seven days up to now, as in "in the last week"."""
    within = reader.word(index - 1) == "the" and reader.word(index - 2) in _WITHIN
    return word in ("last", "next") and within


def _rolling(reader: Reader, count: Amount, side: int) -> FoundDate | None:
    unit = UNITS.get(reader.word(count.stop))
    if unit is None:
        return None
    return fixed(count.stop + 1, reader.calendar.rolling(side * count.high, unit))


def _apart(reader: Reader, count: Amount, unit: Unit, side: int) -> Span:
    """Return the calendar unit that lies `count` away; a vague count gives a stretch of them."""
    near = reader.calendar.around(side * count.low, unit)
    if count.low == count.high:
        return near
    far = reader.calendar.around(side * count.high, unit)
    first, last = (far, near) if side < 0 else (near, far)
    return Span(since=first.since, until=last.until)


def _counted_unit(reader: Reader, index: int) -> tuple[int, Amount, Unit] | None:
    count = amount(reader, index)
    unit = UNITS.get(reader.word(count.stop)) if count else None
    return (count.stop + 1, count, unit) if count and unit else None


def _ago(reader: Reader, index: int) -> FoundDate | None:
    """Two weeks ago; a couple of days ago; 3 days from now."""
    match = _counted_unit(reader, index)
    if match is None:
        return None
    after, count, unit = match
    if reader.word(after) == "ago":
        return fixed(after + 1, _apart(reader, count, unit, -1))
    if reader.word(after) == "from" and reader.word(after + 1) in ("now", "today"):
        return fixed(after + 2, _apart(reader, count, unit, 1))
    return None


def _ahead(reader: Reader, index: int) -> FoundDate | None:
    """In two weeks; in a text about the past that is a duration, and no date."""
    match = _counted_unit(reader, index + 1) if reader.word(index) == "in" else None
    if match is None or reader.tense is Tense.PAST:
        return None
    after, count, unit = match
    if reader.word(after) in ("ago", "from"):
        return None
    after += 2 if reader.words(after, "'", "time") or reader.words(after, "'s", "time") else 0
    return fixed(after, _apart(reader, count, unit, 1))


def _beyond(reader: Reader, index: int) -> FoundDate | None:
    """The week before last, the month after next."""
    unit = SINGULAR.get(reader.word(index))
    if unit is None or reader.word(index) not in _TO_DATE:
        return None
    if reader.words(index + 1, "before", "last"):
        return fixed(index + 3, reader.calendar.around(-2, unit))
    if reader.words(index + 1, "after", "next"):
        return fixed(index + 3, reader.calendar.around(2, unit))
    return None


def _to_date(reader: Reader, index: int) -> FoundDate | None:
    """Year to date, YTD."""
    if reader.token(index).text == "YTD":
        return _so_far(reader, index + 1, "year")
    word = reader.word(index)
    after = index + 1
    dashes = reader.word(after) == "-"
    parts = ("-", "to", "-", "date") if dashes else ("to", "date")
    if word in _TO_DATE and reader.words(after, *parts):
        return _so_far(reader, after + len(parts), word)
    return None


def _part_of_this(reader: Reader, index: int) -> FoundDate | None:
    """So far this year, earlier today, later this week."""
    word = reader.word(index)
    if reader.words(index, "so", "far"):
        index, word = index + 1, "earlier"
    if word not in ("earlier", "later"):
        return None
    named = reader.word(index + 1)
    after = index + 2
    if named == "this" and reader.word(after) in _TO_DATE:
        named, after = reader.word(after), after + 1
    elif named != "today":
        return None
    if word == "earlier":
        return _so_far(reader, after, named)
    unit = SINGULAR.get(named, SINGULAR["day"])
    whole = reader.calendar.around(0, unit)
    return fixed(after, Span(since=reader.calendar.now, until=whole.until))


def _so_far(reader: Reader, stop: int, named: str) -> FoundDate:
    unit = SINGULAR.get(named, SINGULAR["day"])
    whole = reader.calendar.around(0, unit)
    return fixed(stop, Span(since=whole.since, until=reader.calendar.now))


def distance(reader: Reader, index: int) -> tuple[int, int, Unit] | None:
    """Return (stop, count, unit) for `two days`, `the day` or `a few weeks` at `index`."""
    match = _counted_unit(reader, index)
    if match and reader.token(index).sort is not Sort.MARK:
        after, count, unit = match
        return after, count.low, unit
    one = SINGULAR.get(reader.word(index))
    if one and reader.word(index - 1) == "the":
        return index + 1, 1, one
    return None
