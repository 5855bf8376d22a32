"""Quarters, halves, seasons and holidays: Q3, H1, last summer, Christmas Eve.

Knows when such a word is a time. Which year is meant is said elsewhere.
"""

import re

from simonides.text.dates.found import Cycle, FoundDate, fixed
from simonides.text.dates.month import dated
from simonides.text.dates.number import ordinal, year_number
from simonides.text.dates.reader import Reader
from simonides.text.dates.words import (
    BLOCKED_NOUNS,
    DATE_PREPOSITIONS,
    DETERMINERS,
    HOLIDAYS,
    ORDINALS,
    SEASONS,
    Grain,
)
from simonides.text.dates.year import past, year_after

_QUARTER = re.compile(r"q([1-4])")
_HALF = re.compile(r"h([12])")
_YEAR_QUARTER = re.compile(r"([0-9]{4})-?q([1-4])")
_HOLIDAY_WORDS_MAX = max(map(len, HOLIDAYS))
_HOLIDAY_FIRST = frozenset(words[0] for words in HOLIDAYS)
_SEASON_CUES = frozenset({"in", "during", "since", "until", "till", "by", "over", "of", "through"})
_EDGES = frozenset({"before", "after"})
_CODES = frozenset({"q1", "q2", "q3", "q4", "h1", "h2"})
SEASON_WORDS = SEASONS.keys() | ORDINALS.keys() | _HOLIDAY_FIRST | _CODES
"""The words that `season` reads from; figures are the other way."""


def season(reader: Reader, index: int, *, cued: bool) -> FoundDate | None:
    """Return a quarter, half, season or holiday at `index`; `cued` as for months."""
    return (
        _quarter_or_half(reader, index)
        or _season(reader, index, cued=cued)
        or _holiday(reader, index)
    )


def _quarter_or_half(reader: Reader, index: int) -> FoundDate | None:
    """Q3, third quarter, H1, first half of 2024 (the half only with a year or a preposition)."""
    word, calendar = reader.word(index), reader.calendar
    quarter, half = _QUARTER.fullmatch(word), _HALF.fullmatch(word)
    number, stop = 0, index + 1
    if quarter and reader.is_capital(index):
        number = int(quarter[1])
    elif reader.word(index + 1) == "quarter":
        number, stop = ordinal(word) or 0, index + 2
    if 1 <= number <= 4:  # noqa: PLR2004  quarters of a year
        return FoundDate(
            stop=stop,
            at=lambda year: calendar.months(year * 12 + 3 * number - 3, 3, grain=Grain.QUARTER),
            cycle=Cycle.YEARLY,
            grain=Grain.QUARTER,
        )
    if half and reader.is_capital(index):
        first = 6 * int(half[1]) - 6
        return FoundDate(
            stop=stop,
            at=lambda year: calendar.months(year * 12 + first, 6),
            cycle=Cycle.YEARLY,
            grain=Grain.SPAN,
        )
    return None


def _season(reader: Reader, index: int, *, cued: bool) -> FoundDate | None:
    """Summer 2023, in the summer; a winter bears the year in which it begins."""
    month = SEASONS.get(reader.word(index))
    if month is None or reader.word(index + 1) in BLOCKED_NOUNS:
        return None
    if not (cued or _is_season(reader, index) or year_after(reader, index + 1)):
        return None
    return FoundDate(
        stop=index + 1,
        at=lambda year: reader.calendar.months(year * 12 + month - 1, 3, grain=Grain.SEASON),
        cycle=Cycle.YEARLY,
        grain=Grain.SEASON,
    )


def _is_season(reader: Reader, index: int) -> bool:
    article = reader.word(index - 1) in DETERMINERS
    before = reader.word(index - 1 - article)
    if reader.word(index) == "fall" and reader.word(index + 1) == "of":
        return False
    if before in _EDGES:
        return reader.word(index) != "fall"
    return before in _SEASON_CUES and (article or reader.word(index) != "fall" or before == "in")


def _holiday(reader: Reader, index: int) -> FoundDate | None:
    if reader.word(index) not in _HOLIDAY_FIRST:
        return None
    for length in range(_HOLIDAY_WORDS_MAX, 0, -1):
        words = tuple(reader.word(index + k) for k in range(length))
        if words in HOLIDAYS and reader.word(index + length) not in BLOCKED_NOUNS:
            month, day = HOLIDAYS[words]
            return dated(reader, index + length, month=month, first=day, last=day)
    return None


def stands_alone(reader: Reader, index: int, found: FoundDate) -> bool:
    """Return whether a thing without a year is one: not `H1` in a page, not a game's quarter."""
    if _HALF.fullmatch(reader.word(index)):
        return reader.word(index - 1) in DATE_PREPOSITIONS
    if found.grain is Grain.QUARTER and found.stop == index + 2:
        return reader.word(index - 1) == "the" and reader.word(found.stop) != "of"
    return True


def year_first(reader: Reader, index: int) -> FoundDate | None:
    """2022 Q3, 2022Q3, 2022-Q3."""
    match = _YEAR_QUARTER.fullmatch(reader.word(index))
    if match:
        year, quarter, stop = int(match[1]), int(match[2]), index + 1
    else:
        said = year_number(reader, index, low=1900, high=2099)
        after = past(reader, index + 1, "-", "/")
        named = _QUARTER.fullmatch(reader.word(after))
        if said is None or named is None:
            return None
        year, quarter, stop = said, int(named[1]), after + 1
    first = year * 12 + 3 * quarter - 3
    return fixed(stop, reader.calendar.months(first, 3, grain=Grain.QUARTER))
