"""Holidays, with the date that they have in each year.

Knows rules such as "the fourth Thursday of November". Must not know months or years in words.
"""

from datetime import MAXYEAR, MINYEAR

from simonides.text.dates.calendar import TimeSpan, easter_sunday
from simonides.text.dates.found import Cycle, FoundDate, dated, nth, yearly_months
from simonides.text.dates.reader import DateReader
from simonides.text.dates.words import (
    BLOCKED_NOUNS,
    DATE_PREPOSITIONS,
    HOLIDAYS,
    WEEKDAYS,
    Grain,
    Holiday,
)

_HOLIDAY_WORDS_MAX = max(map(len, HOLIDAYS))
HOLIDAY_FIRST = frozenset(words[0] for words in HOLIDAYS)
_DAY_NAMES = tuple(WEEKDAYS)


def holiday(reader: DateReader, index: int) -> FoundDate | None:
    """Return a holiday at `index`: Christmas Eve, Good Friday, Thanksgiving, at New Year."""
    if reader.word(index) not in HOLIDAY_FIRST:
        return None
    for length in range(_HOLIDAY_WORDS_MAX, 0, -1):
        words = tuple(reader.word(index + k) for k in range(length))
        if words in HOLIDAYS and reader.word(index + length) not in BLOCKED_NOUNS:
            return _holiday_on(reader, index + length, HOLIDAYS[words])
    return _new_year(reader, index)


def _holiday_on(reader: DateReader, stop: int, kind: Holiday) -> FoundDate | None:
    """Return a holiday of every year, by its date or the rule that it moves by."""
    calendar = reader.calendar

    if isinstance(kind, tuple) and len(kind) == 2:  # noqa: PLR2004  month and day
        return dated(reader, stop, month=kind[0], first=kind[1], last=kind[1])

    def moving(year: int) -> TimeSpan | None:
        if not MINYEAR < year < MAXYEAR:
            return None
        if isinstance(kind, int):
            return calendar.day(easter_sunday(year) + kind)
        month, weekday, number, away = kind
        whole = calendar.months(year * 12 + month - 1)
        day = nth(reader, whole, number=number, many=1, kind=_DAY_NAMES[weekday])
        return calendar.day(calendar.whole_days(day)[0] + away) if day else None

    return FoundDate(stop=stop, at=moving, cycle=Cycle.YEARLY, grain=Grain.DAY)


def _new_year(reader: DateReader, index: int) -> FoundDate | None:
    """Match the first day of a year in "at New Year", its first month in "in the new year"."""
    if not reader.words(index, "new", "year") or reader.word(index + 2) in BLOCKED_NOUNS:
        return None
    before = reader.word(index - 1)
    if before == "the" and reader.word(index - 2) in DATE_PREPOSITIONS:
        return yearly_months(reader, index + 2, first=0, count=1, grain=Grain.MONTH)
    if before in DATE_PREPOSITIONS or before in ("at", "over"):
        return dated(reader, index + 2, month=1, first=1, last=1)
    return None
