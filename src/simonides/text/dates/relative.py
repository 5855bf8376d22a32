"""Times by their distance from now: yesterday, last week, 3 months ago, in two days.

Knows whole units and rolling stretches. Must not know names of days or months.
"""

from simonides.text.dates.calendar import TimeSpan
from simonides.text.dates.found import FoundDate, match_once
from simonides.text.dates.reader import (
    COUNTS,
    Amount,
    DateReader,
    TokenSort,
    amount,
)
from simonides.text.dates.tense import Tense
from simonides.text.dates.words import (
    CALENDAR_UNITS,
    HALVES,
    PARTS_OF_DAY,
    PLURAL,
    RELATIVES,
    SINGULAR,
    UNITS,
    VAGUE,
    Grain,
    Unit,
)

DAYS = {"today": 0, "yesterday": -1, "tomorrow": 1}
_FURTHER_DAYS = {("before", "yesterday"): -2, ("after", "tomorrow"): 2}
_WITHIN = frozenset({"in", "within", "over", "during", "for", "throughout"})
TO_DATE = frozenset({"week", "month", "quarter", "year"})
_PART_WORDS = frozenset({"so", "earlier", "later"})
_WHOLE = frozenset(
    {"tonight", "overnight", "day", "ytd", "in", "within", "half", "recent", "other", "same",
     }
)  # fmt: skip
RELATIVE_WORDS = DAYS.keys() | RELATIVES.keys() | COUNTS | TO_DATE | _PART_WORDS | _WHOLE
"""The words that `relative` reads from; digits are the other way."""
_OTHER_DAYS = 7
"""So many days before today are "the other day"."""


def relative(reader: DateReader, index: int) -> FoundDate | None:
    """Return the longest expression at `index` that is relative to now."""
    rules = (
        day_word, _unit_by_order, _ago, _ahead, _beyond, _to_date, _part_of_this, _same_time,
    )  # fmt: skip
    finds = [found for rule in rules if (found := rule(reader, index))]
    return max(finds, key=lambda found: found.stop, default=None)


def day_word(reader: DateReader, index: int) -> FoundDate | None:
    """Match today, the other day, the day before yesterday, this morning, last night."""
    word, following, calendar = reader.word(index), reader.word(index + 1), reader.calendar
    if word in DAYS:
        return match_once(index + 1, calendar.day(calendar.today + DAYS[word]))
    if word == "other" and following == "day" and reader.word(index - 1) == "the":
        return match_once(index + 2, calendar.days(calendar.today - _OTHER_DAYS, _OTHER_DAYS))
    away = _FURTHER_DAYS.get((following, reader.word(index + 2)), 0) if word == "day" else 0
    if away:
        return match_once(index + 3, calendar.day(calendar.today + away))
    return _part_of_day(reader, index)


def _part_of_day(reader: DateReader, index: int) -> FoundDate | None:
    """Match this morning, tonight, last night; overnight is the last or the next one."""
    word, following, calendar = reader.word(index), reader.word(index + 1), reader.calendar
    if word == "this" and following in PARTS_OF_DAY:
        return match_once(index + 2, calendar.hours(calendar.today, *PARTS_OF_DAY[following]))
    is_last = word == "last" and following == "night"
    if not is_last and word not in ("tonight", "overnight"):
        return None
    is_behind = is_last or (word == "overnight" and reader.tense is Tense.PAST)
    day = calendar.today - is_behind
    return match_once(index + 1 + is_last, calendar.hours(day, *PARTS_OF_DAY["night"]))


def direction(reader: DateReader, index: int) -> tuple[int, int, str] | None:
    """Return (stop, -1 | 0 | 1, word) for `last`, `this`, `next` and similar words."""
    first, second = reader.word(index), reader.word(index + 1)
    if first == "this" and second in ("past", "coming"):
        return index + 2, RELATIVES[second], second
    return (index + 1, RELATIVES[first], first) if first in RELATIVES else None


def _unit_by_order(reader: DateReader, index: int) -> FoundDate | None:
    """Match last week (the calendar one), past week and last 3 weeks (rolling), next month."""
    is_recent = reader.word(index) == "recent"
    match = (index + 1, -1, "recent") if is_recent else direction(reader, index)
    if match is None:
        return None
    after, side, word = match
    count = amount(reader, after) if reader.word(after) not in ("a", "an") else None
    if reader.word(after) in PLURAL and side:
        count = Amount(after, *VAGUE["few"])
    if count and side:
        return _rolling(reader, count, side)
    unit = SINGULAR.get(reader.word(after))
    if unit is None or is_recent:
        return None
    is_rolling = word in ("past", "coming") or (unit is UNITS["hour"] and side)
    if is_rolling or unit is SINGULAR["fortnight"] or _is_stretch(reader, index, word=word):
        return match_once(after + 1, reader.calendar.rolling(side, unit)) if side else None
    if reader.word(after) not in CALENDAR_UNITS:
        return None
    return match_once(after + 1, reader.calendar.around(side, unit))


def _is_stretch(reader: DateReader, index: int, *, word: str) -> bool:
    """Return whether "the last week" is the seven days up to now, as in "in the last week"."""
    within = reader.word(index - 1) == "the" and reader.word(index - 2) in _WITHIN
    return word in ("last", "next") and within


def _rolling(reader: DateReader, count: Amount, side: int) -> FoundDate | None:
    unit = UNITS.get(reader.word(count.stop))
    if unit is None:
        return None
    return match_once(count.stop + 1, reader.calendar.rolling(side * count.high, unit))


def _apart(reader: DateReader, count: Amount, unit: Unit, side: int) -> TimeSpan:
    """Return the calendar unit that lies `count` away; a vague count gives several of them."""
    near = reader.calendar.around(side * count.low, unit)
    if count.low == count.high:
        return near
    far = reader.calendar.around(side * count.high, unit)
    first, last = (far, near) if side < 0 else (near, far)
    return TimeSpan(since=first.since, until=last.until)


def read_count(reader: DateReader, index: int) -> tuple[int, Amount, Unit] | None:
    """Return (stop, count, unit) of two weeks, a week or two, half a year, a year and a half."""
    if reader.word(index) == "half":
        return _halves(reader, index + 1)
    count = amount(reader, index)
    unit = UNITS.get(reader.word(count.stop)) if count else None
    if count is None or unit is None:
        return _halves(reader, index)
    after = count.stop + 1
    if reader.words(after, "and", "a", "half") and reader.word(count.stop) in HALVES:
        half, smaller = HALVES[reader.word(count.stop)]
        many = (2 * count.low + 1) * half
        return after + 3, Amount(after + 3, many, many), smaller
    if reader.words(after, "or", "two") and count.high == 1:
        return after + 2, Amount(after + 2, 1, 2), unit
    return after, count, unit


def _halves(reader: DateReader, index: int) -> tuple[int, Amount, Unit] | None:
    """Return (stop, count, unit) of half a year ("half" before `index`), one and a half years."""
    whole, after = 0, index
    if reader.word(index - 1) != "half":
        number = amount(reader, index)
        if number is None or not reader.words(number.stop, "and", "a", "half"):
            return None
        whole, after = number.low, number.stop + 3
    after += reader.word(after) in ("a", "an")
    named = reader.word(after).removesuffix("s")
    if named not in HALVES:
        return None
    half, smaller = HALVES[named]
    many = (2 * whole + 1) * half
    return after + 1, Amount(after + 1, many, many), smaller


def _ago(reader: DateReader, index: int) -> FoundDate | None:
    """Match two weeks ago, a couple of days ago, 3 days from now."""
    match = read_count(reader, index)
    if match is None:
        return None
    after, count, unit = match
    if reader.word(after) == "ago":
        return match_once(after + 1, _apart(reader, count, unit, -1))
    if reader.words(after, "from", "now"):
        return match_once(after + 2, _apart(reader, count, unit, 1))
    return None


def _ahead(reader: DateReader, index: int) -> FoundDate | None:
    """Match in two weeks; in a text about the past that is a duration, and no date."""
    word = reader.word(index)
    match = read_count(reader, index + 1) if word in ("in", "within") else None
    if match is None or reader.tense is Tense.PAST:
        return None
    after, count, unit = match
    if reader.word(after) in ("ago", "from", "of"):
        return None
    if word == "within":
        return match_once(after, reader.calendar.rolling(count.high, unit))
    after += 2 if reader.words(after, "'", "time") or reader.words(after, "'s", "time") else 0
    return match_once(after, _apart(reader, count, unit, 1))


def _beyond(reader: DateReader, index: int) -> FoundDate | None:
    """Match the week before last, the month after next."""
    unit = SINGULAR.get(reader.word(index))
    if unit is None or reader.word(index) not in TO_DATE:
        return None
    if reader.words(index + 1, "before", "last"):
        return match_once(index + 3, reader.calendar.around(-2, unit))
    if reader.words(index + 1, "after", "next"):
        return match_once(index + 3, reader.calendar.around(2, unit))
    return None


def _to_date(reader: DateReader, index: int) -> FoundDate | None:
    """Match year to date, YTD."""
    if reader.token(index).text == "YTD":
        return _so_far(reader, index + 1, "year")
    word = reader.word(index)
    after = index + 1
    dashes = reader.word(after) == "-"
    parts = ("-", "to", "-", "date") if dashes else ("to", "date")
    if word in TO_DATE and reader.words(after, *parts):
        return _so_far(reader, after + len(parts), word)
    return None


def _part_of_this(reader: DateReader, index: int) -> FoundDate | None:
    """Match so far this year, earlier today, later this week, later in the month."""
    word = reader.word(index)
    if reader.words(index, "so", "far"):
        index, word = index + 1, "earlier"
    if word not in ("earlier", "later"):
        return None
    named = reader.word(index + 1)
    after = index + 2
    in_the = reader.words(index + 1, "in", "the")
    if (named == "this" or in_the) and reader.word(after + in_the) in TO_DATE:
        named, after = reader.word(after + in_the), after + 1 + in_the
    elif named != "today":
        return None
    if word == "earlier":
        return _so_far(reader, after, named)
    unit = SINGULAR.get(named, SINGULAR["day"])
    whole = reader.calendar.around(0, unit)
    return match_once(after, TimeSpan(since=reader.calendar.now, until=whole.until))


def _so_far(reader: DateReader, stop: int, named: str) -> FoundDate:
    unit = SINGULAR.get(named, SINGULAR["day"])
    whole = reader.calendar.around(0, unit)
    return match_once(stop, TimeSpan(since=whole.since, until=reader.calendar.now))


def _same_time(reader: DateReader, index: int) -> FoundDate | None:
    """Match this time last year (its month), this day last year, this time tomorrow."""
    if reader.word(index) not in ("this", "same") or reader.word(index + 1) not in ("time", "day"):
        return None
    after = index + 2
    if reader.word(after) in ("yesterday", "tomorrow"):
        return day_word(reader, after)
    match = direction(reader, after)
    unit = SINGULAR.get(reader.word(match[0])) if match else None
    if match is None or unit is None or not match[1] or unit.step in ("minute", "hour"):
        return None
    day = reader.calendar.shift(reader.calendar.today, match[1], unit)
    is_year = unit.grain is Grain.YEAR and reader.word(index + 1) == "time"
    grain = Grain.MONTH if is_year else Grain.DAY
    return match_once(match[0] + 1, reader.calendar.holding(day, grain))


def distance(reader: DateReader, index: int) -> tuple[int, int, Unit] | None:
    """Return (stop, count, unit) for `two days`, `the day` or `a few weeks` at `index`."""
    match = read_count(reader, index)
    if match and reader.token(index).sort is not TokenSort.MARK:
        after, count, unit = match
        return after, count.low, unit
    one = SINGULAR.get(reader.word(index))
    if one and reader.word(index - 1) == "the":
        return index + 1, 1, one
    return None
