"""Dates and years in figures: 2023-05-25, 25/05/2023, 2023-05, 2022, the 1990s, 2019-2021.

Knows which figures are dates. Must not know names of months or days.
"""

from datetime import UTC, datetime

from simonides.text.dates.found import FoundDate, match_once
from simonides.text.dates.reader import DateReader, TokenSort, full_year, pair, year_number
from simonides.text.dates.words import DECADES, NUMBERED, Grain
from simonides.text.word_patterns import lazy_pattern

_ISO = lazy_pattern(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})")
_ISO_SLASHED = lazy_pattern(r"([0-9]{4})/([0-9]{1,2})/([0-9]{1,2})")
_ISO_MONTH = lazy_pattern(r"([0-9]{4})[-/]([0-9]{2})")
_MONTH_YEAR = lazy_pattern(r"([0-9]{1,2})/([0-9]{4})")
_FIGURES = lazy_pattern(r"([0-9]{1,2})([/.-])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})")
_CLOCK = lazy_pattern(r"([0-9]{1,2}):([0-9]{2})(?::[0-9]{2})?")
_DECADE = lazy_pattern(r"((?:1[0-9]|20)?[0-9]0)s")
_YEAR_CUES = frozenset({"in", "since", "until", "till", "before", "after", "during", "year", "by"})
_DECADE_CUES = frozenset({"the", "early", "mid", "late", "'", "-"})
ABSOLUTE_WORDS = DECADES.keys() | {"'", "year"}
"""The words that `absolute` reads from; figures are the other way."""
_HOURS, _MINUTES = 24, 60
_YEAR_MIN, _YEAR_MAX = 1900, 2099
"""A bare number in this range is a year."""
_CUED_MIN, _CUED_MAX = 1500, 2199
"""A number in this range is one after a preposition, as in "in 1850"."""


def absolute(reader: DateReader, index: int) -> FoundDate | None:
    """Return the date, month, year or decade that figures at `index` name."""
    token = reader.token(index)
    if token.sort is TokenSort.STAMP:
        return _stamp(reader, index)
    if token.sort is TokenSort.NUMBER:
        return _date(reader, index) or _month(reader, index) or _years(reader, index)
    if token.word == "'" or token.word in DECADES:
        return _decade(reader, index)
    if token.word == "year" and year_number(reader, index + 1, low=1000, high=2999):
        return _years(reader, index + 1)
    return None


def _stamp(reader: DateReader, index: int) -> FoundDate | None:
    """Return the clock hour of an ISO date-time; without an offset it is local."""
    try:
        moment = datetime.fromisoformat(reader.token(index).text.upper().replace(",", "."))
        if moment.utcoffset() is None:
            moment = moment.replace(tzinfo=reader.calendar.zone)
        moment = moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return match_once(index + 1, reader.calendar.hour_of(moment))


def _date(reader: DateReader, index: int) -> FoundDate | None:
    word = reader.word(index)
    match = _ISO.fullmatch(word) or _ISO_SLASHED.fullmatch(word)
    if match:
        year, month, day = (int(part) for part in match.groups())
        return _iso_date(reader, index, year=year, month=month, day=day)
    match = _FIGURES.fullmatch(word)
    if match is None or (len(match[4]) == 2 and match[2] != "/"):  # noqa: PLR2004  5.6.23 is a version
        return None
    one, other, year = int(match[1]), int(match[3]), int(match[4])
    if len(match[4]) == 2:  # noqa: PLR2004  digits
        year = full_year(year, this_year=reader.calendar.now.year)
    calendar = reader.calendar
    by_day, by_month = calendar.date(year, other, one), calendar.date(year, one, other)
    span = (by_day or by_month) if reader.day_first else (by_month or by_day)
    return match_once(index + 1, span) if span else None


def _iso_date(
    reader: DateReader, index: int, *, year: int, month: int, day: int
) -> FoundDate | None:
    span = reader.calendar.date(year, month, day)
    if span is None or span.since is None:
        return None
    match = _CLOCK.fullmatch(reader.word(index + 1))
    if match and int(match[1]) < _HOURS and int(match[2]) < _MINUTES:
        start = reader.calendar.clock(
            reader.calendar.day_of(span.since), hours=int(match[1]), minutes=int(match[2])
        )
        return match_once(index + 2, reader.calendar.hour_of(start))
    return match_once(index + 1, span)


def _month(reader: DateReader, index: int) -> FoundDate | None:
    word = reader.word(index)
    match, reverse = _ISO_MONTH.fullmatch(word), _MONTH_YEAR.fullmatch(word)
    if match:
        year, month = int(match[1]), int(match[2])
    elif reverse:
        year, month = int(reverse[2]), int(reverse[1])
    else:
        return None
    if not (1 <= month <= 12 and _YEAR_MIN <= year <= _YEAR_MAX):  # noqa: PLR2004  months
        return None
    return match_once(index + 1, reader.calendar.months(year * 12 + month - 1, grain=Grain.MONTH))


def _years(reader: DateReader, index: int) -> FoundDate | None:
    both = pair(reader.word(index))
    if both and both[0] >= _YEAR_MIN and both[1] <= _YEAR_MAX:
        count = 12 * (both[1] - both[0] + 1)
        return match_once(index + 1, reader.calendar.months(both[0] * 12, count))
    decade = _decade(reader, index)
    if decade:
        return decade
    cued = reader.word(index - 1) in _YEAR_CUES
    low, high = (_CUED_MIN, _CUED_MAX) if cued else (_YEAR_MIN, _YEAR_MAX)
    year = year_number(reader, index, low=low, high=high)
    if year is None or _is_number_of(reader, index):
        return None
    return match_once(index + 1, reader.calendar.months(year * 12, 12, grain=Grain.YEAR))


def _is_number_of(reader: DateReader, index: int) -> bool:
    """Return whether the number is part of a telephone number, a room, a price or the like."""
    neighbours = (reader.token(index - 1), reader.token(index + 1))
    if any(token.sort is TokenSort.NUMBER and not _CLOCK.match(token.word) for token in neighbours):
        return True
    return reader.word(index - 1) in NUMBERED


def _decade(reader: DateReader, index: int) -> FoundDate | None:
    """Match a decade: the 1990s, '90s, the 90s, the nineties; 00s to 20s are of this century."""
    stop = index + 1
    if reader.word(index) == "'":
        index, stop = index + 1, stop + 1
    word, cued = reader.word(index), reader.word(index - 1) in _DECADE_CUES
    match = _DECADE.fullmatch(word)
    first = DECADES.get(word) if cued else None
    if match and len(match[1]) > 2:  # noqa: PLR2004  digits
        first = int(match[1])
    elif match and cued:
        first = int(match[1]) + (2000 if int(match[1]) <= 20 else 1900)  # noqa: PLR2004  2020s
    if first is None:
        return None
    return match_once(stop, reader.calendar.months(first * 12, 120))
