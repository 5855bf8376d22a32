"""Times by their distance from now, weekdays and days of a month.

Yesterday, last week, 3 months ago, in two days; Friday, the weekend, the 5th. Knows whole units,
rolling stretches, and which Friday another word selects. Must not know names of months.
"""

from simonides.text.dates.calendar import TimeSpan
from simonides.text.dates.found import Cycle, FoundDate, fixed, resolve
from simonides.text.dates.reader import (
    COUNTS,
    Amount,
    DateReader,
    Tense,
    TokenSort,
    amount,
    day_number,
    ordinal,
)
from simonides.text.dates.words import (
    BLOCKED_BEFORE_WEEKDAY,
    CALENDAR_UNITS,
    PARTS_OF_DAY,
    RELATIVES,
    SINGULAR,
    UNITS,
    WEEKDAYS,
    WHICH,
    WORDS_TOO,
    Grain,
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


def relative(reader: DateReader, index: int) -> FoundDate | None:
    """Return the longest expression at `index` that is relative to now."""
    rules = (_day_word, _unit_by_order, _ago, _ahead, _beyond, _to_date, _part_of_this)
    finds = [found for rule in rules if (found := rule(reader, index))]
    return max(finds, key=lambda found: found.stop, default=None)


def _day_word(reader: DateReader, index: int) -> FoundDate | None:
    """Match today, tonight, last night, this morning, the day before yesterday."""
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


def direction(reader: DateReader, index: int) -> tuple[int, int, str] | None:
    """Return (stop, -1 | 0 | 1, word) for `last`, `this`, `next` and similar words."""
    first, second = reader.word(index), reader.word(index + 1)
    if first == "this" and second in ("past", "coming"):
        return index + 2, RELATIVES[second], second
    return (index + 1, RELATIVES[first], first) if first in RELATIVES else None


def _unit_by_order(reader: DateReader, index: int) -> FoundDate | None:
    """Match last week (the calendar one), past week and last 3 weeks (rolling), next month."""
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


def _is_stretch(reader: DateReader, index: int, *, word: str) -> bool:
    """Return whether "the last week" is the seven days up to now, as in "in the last week"."""
    within = reader.word(index - 1) == "the" and reader.word(index - 2) in _WITHIN
    return word in ("last", "next") and within


def _rolling(reader: DateReader, count: Amount, side: int) -> FoundDate | None:
    unit = UNITS.get(reader.word(count.stop))
    if unit is None:
        return None
    return fixed(count.stop + 1, reader.calendar.rolling(side * count.high, unit))


def _apart(reader: DateReader, count: Amount, unit: Unit, side: int) -> TimeSpan:
    """Return the calendar unit that lies `count` away; a vague count gives several of them."""
    near = reader.calendar.around(side * count.low, unit)
    if count.low == count.high:
        return near
    far = reader.calendar.around(side * count.high, unit)
    first, last = (far, near) if side < 0 else (near, far)
    return TimeSpan(since=first.since, until=last.until)


def _counted_unit(reader: DateReader, index: int) -> tuple[int, Amount, Unit] | None:
    count = amount(reader, index)
    unit = UNITS.get(reader.word(count.stop)) if count else None
    return (count.stop + 1, count, unit) if count and unit else None


def _ago(reader: DateReader, index: int) -> FoundDate | None:
    """Match two weeks ago, a couple of days ago, 3 days from now."""
    match = _counted_unit(reader, index)
    if match is None:
        return None
    after, count, unit = match
    if reader.word(after) == "ago":
        return fixed(after + 1, _apart(reader, count, unit, -1))
    if reader.word(after) == "from" and reader.word(after + 1) in ("now", "today"):
        return fixed(after + 2, _apart(reader, count, unit, 1))
    return None


def _ahead(reader: DateReader, index: int) -> FoundDate | None:
    """Match in two weeks; in a text about the past that is a duration, and no date."""
    match = _counted_unit(reader, index + 1) if reader.word(index) == "in" else None
    if match is None or reader.tense is Tense.PAST:
        return None
    after, count, unit = match
    if reader.word(after) in ("ago", "from"):
        return None
    after += 2 if reader.words(after, "'", "time") or reader.words(after, "'s", "time") else 0
    return fixed(after, _apart(reader, count, unit, 1))


def _beyond(reader: DateReader, index: int) -> FoundDate | None:
    """Match the week before last, the month after next."""
    unit = SINGULAR.get(reader.word(index))
    if unit is None or reader.word(index) not in _TO_DATE:
        return None
    if reader.words(index + 1, "before", "last"):
        return fixed(index + 3, reader.calendar.around(-2, unit))
    if reader.words(index + 1, "after", "next"):
        return fixed(index + 3, reader.calendar.around(2, unit))
    return None


def _to_date(reader: DateReader, index: int) -> FoundDate | None:
    """Match year to date, YTD."""
    if reader.token(index).text == "YTD":
        return _so_far(reader, index + 1, "year")
    word = reader.word(index)
    after = index + 1
    dashes = reader.word(after) == "-"
    parts = ("-", "to", "-", "date") if dashes else ("to", "date")
    if word in _TO_DATE and reader.words(after, *parts):
        return _so_far(reader, after + len(parts), word)
    return None


def _part_of_this(reader: DateReader, index: int) -> FoundDate | None:
    """Match so far this year, earlier today, later this week."""
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
    return fixed(after, TimeSpan(since=reader.calendar.now, until=whole.until))


def _so_far(reader: DateReader, stop: int, named: str) -> FoundDate:
    unit = SINGULAR.get(named, SINGULAR["day"])
    whole = reader.calendar.around(0, unit)
    return fixed(stop, TimeSpan(since=whole.since, until=reader.calendar.now))


def distance(reader: DateReader, index: int) -> tuple[int, int, Unit] | None:
    """Return (stop, count, unit) for `two days`, `the day` or `a few weeks` at `index`."""
    match = _counted_unit(reader, index)
    if match and reader.token(index).sort is not TokenSort.MARK:
        after, count, unit = match
        return after, count.low, unit
    one = SINGULAR.get(reader.word(index))
    if one and reader.word(index - 1) == "the":
        return index + 1, 1, one
    return None


_SHORT_CUES = frozenset(
    {"on", "last", "next", "this", "since", "until", "till", "before", "after", "and", "to", "-"}
)
_WEEKEND_CUES = frozenset({"the", "this", "over", "at", "on"})
_DAY_CUES = frozenset(
    {"", "on", "since", "until", "till", "by", "before", "after", "from", "to", "between", "and",
     "through"}
)  # fmt: skip
WEEKLY_WORDS = WEEKDAYS.keys() | RELATIVES.keys() | {"weekend"}
"""The words that `weekly` reads from."""
_GOES_ON = frozenset(
    {"and", "or", "to", "at", "in", "until", "till", "through", "with", "did", "was", "were",
     "about", "for", "i", "we", "from", "what", "who", "where", "why", "how", "which", "of"}
)  # fmt: skip
"""Words that may follow "the 5th" when it is a day; any other makes it the 5th of something."""


def weekly(reader: DateReader, index: int) -> FoundDate | None:
    """Return a weekday or weekend at `index`, with the words that select one of them."""
    match = direction(reader, index)
    found = _bare(reader, match[0] if match else index, cued=bool(match))
    if found is None:
        return None
    if reader.words(found.stop, "before", "last") and not match:
        return _turns_away(reader, found.until(found.stop + 2), -2)
    if reader.words(found.stop, "after", "next") and not match:
        return _turns_away(reader, found.until(found.stop + 2), 2)
    if match:
        return resolve(reader, found, WHICH[match[1]])
    return _in_week(reader, found) or found


def _bare(reader: DateReader, index: int, *, cued: bool) -> FoundDate | None:
    word, calendar = reader.word(index), reader.calendar
    if word == "weekend" and (cued or _is_weekend(reader, index)):
        return FoundDate(
            stop=index + 1, at=calendar.weekend, cycle=Cycle.WEEKLY, grain=Grain.WEEKEND
        )
    if word not in WEEKDAYS or not _is_weekday(reader, index, cued=cued):
        return None
    day = WEEKDAYS[word]
    short_stop = reader.word(index + 1) == "." and len(word) <= len("thurs")
    return FoundDate(
        stop=index + 1 + (short_stop and reader.word(index + 2) != ""),
        at=lambda week: calendar.day(week * 7 + 1 + day),
        cycle=Cycle.WEEKLY,
        grain=Grain.DAY,
    )


def _is_weekend(reader: DateReader, index: int) -> bool:
    beyond = reader.word(index + 1) in ("before", "after")
    return beyond or reader.word(index - 1) in _WEEKEND_CUES


def _is_weekday(reader: DateReader, index: int, *, cued: bool) -> bool:
    """Return whether the word is a day: `on Sat` is, `sat down` and `every Friday` are not."""
    word, before = reader.word(index), reader.word(index - 1)
    if before in BLOCKED_BEFORE_WEEKDAY or reader.token(index).text in WORDS_TOO:
        return False
    if word.endswith("day"):
        return True
    alone = before == "" and reader.word(index + 1) in ("", "?", ".", ",")
    return cued or alone or before in _SHORT_CUES


def _turns_away(reader: DateReader, found: FoundDate, turns: int) -> FoundDate | None:
    """Return the weekend before last: two occurrences away, `last` being one."""
    here = Cycle.WEEKLY.index(reader.calendar.today)
    last = resolve(reader, found, WHICH[-1])
    span = last.at(0) if last else None
    if turns < 0 and span and span.since:
        here = Cycle.WEEKLY.index(reader.calendar.day_of(span.since)) + 1
    span = found.at(here + turns)
    return fixed(found.stop, span) if span else None


def _in_week(reader: DateReader, found: FoundDate) -> FoundDate | None:
    """Match Friday last week, Friday of the week before last, Friday two weeks ago."""
    index = found.stop + (reader.word(found.stop) == ",")
    index += reader.word(index) in ("of", "in")
    index += reader.word(index) == "the"
    week = relative(reader, index)
    if week is None or week.grain is not Grain.WEEK:
        return None
    return of_week(reader, found.until(week.stop), week.at(0))


def of_week(reader: DateReader, found: FoundDate, week: TimeSpan | None) -> FoundDate | None:
    """Return the occurrence of a weekly match that lies in `week`."""
    if week is None or week.since is None:
        return None
    span = found.at(Cycle.WEEKLY.index(reader.calendar.day_of(week.since)))
    return fixed(found.stop, span) if span else None


def monthly(reader: DateReader, index: int) -> FoundDate | None:
    """Return "the 5th" at `index` (the number), with "of last month" if that follows."""
    day = ordinal(reader.word(index)) if reader.word(index - 1) == "the" else None
    if day is None:
        return None
    found = _nth_day(reader, index + 1, day=day)
    of_month = _of_month(reader, index + 1)
    if of_month:
        span = found.at(of_month[0])
        return fixed(of_month[1], span) if span else None
    in_digits = reader.word(index)[:1].isdigit()
    free = reader.token(index + 1).sort is not TokenSort.WORD or reader.word(index + 1) in _GOES_ON
    if not (in_digits and free and reader.word(index + 1) != "of"):
        return None
    return found if reader.word(index - 2) in _DAY_CUES else None


def numbered_day(reader: DateReader, index: int) -> FoundDate | None:
    """Return a day of the month given by its number alone, as in "from 5 to 12 May"."""
    index += reader.word(index) == "the"
    day = day_number(reader, index)
    return _nth_day(reader, index + 1, day=day) if day else None


def _nth_day(reader: DateReader, stop: int, *, day: int) -> FoundDate:
    def at(month: int) -> TimeSpan | None:
        return reader.calendar.date(month // 12, month % 12 + 1, day)

    return FoundDate(stop=stop, at=at, cycle=Cycle.MONTHLY, grain=Grain.DAY)


def _of_month(reader: DateReader, index: int) -> tuple[int, int] | None:
    """Return (month, stop) of `of last month`, `of the month`."""
    if reader.word(index) != "of":
        return None
    here = Cycle.MONTHLY.index(reader.calendar.today)
    if reader.words(index + 1, "the", "month"):
        return here, index + 3
    match = direction(reader, index + 1)
    if match and reader.word(match[0]) == "month":
        return here + match[1], match[0] + 1
    return None
