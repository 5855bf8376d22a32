"""Months and days of a month by name: in March, May 5, the fifth of May, 1-3 June.

Knows when a word such as `may` is a month. Which year is meant is said elsewhere.
"""

from collections.abc import Callable

from simonides.text.dates.calendar import Span
from simonides.text.dates.found import Cycle, FoundDate
from simonides.text.dates.number import day_number, ordinal, pair
from simonides.text.dates.reader import Reader, Sort
from simonides.text.dates.words import (
    DATE_PREPOSITIONS,
    DETERMINERS,
    MONTHS,
    MONTHS_ALONE,
    MONTHS_NAMELY,
    WORDS_TOO,
    Grain,
)
from simonides.text.dates.year import past, year_after

_NAMES_GO_ON = frozenset({"on", "for", "of", "to", "against"})
_SUBJECTS = frozenset({"i", "we", "you", "he", "she", "it", "they", "this", "that", "who", "to"})
_JOINING = frozenset({"and", "or", "to", "through", "until", "till", "-", "&", ","})


def month(reader: Reader, index: int, *, cued: bool) -> FoundDate | None:
    """Return a month, or a day or days of one, at `index`.

    `cued` says that the words before make a month of a word that could be another.
    """
    return (
        _month_and_day(reader, index)
        or _day_and_month(reader, index)
        or _month(reader, index, cued=cued)
    )


def _days_of(reader: Reader, month: int, first: int, last: int) -> Callable[[int], Span | None]:
    calendar = reader.calendar

    def at(year: int) -> Span | None:
        start, end = calendar.date(year, month, first), calendar.date(year, month, last)
        if start is None or end is None or first == last:
            return start if first == last else None
        return Span(since=start.since, until=end.until)

    return at


def dated(reader: Reader, stop: int, *, month: int, first: int, last: int) -> FoundDate | None:
    """Return the days `first` to `last` of a month, every year; None where no year has them."""
    at = _days_of(reader, month, first, last)
    if at(2000) is None:  # a leap year has every date that a year can have
        return None
    grain = Grain.DAY if first == last else Grain.SPAN
    return FoundDate(stop=stop, at=at, cycle=Cycle.YEARLY, grain=grain)


def _month_and_day(reader: Reader, index: int) -> FoundDate | None:
    """May 5, May 5th, May the 5th, May fifth (with a capital), May 1-3, May-5."""
    month = MONTHS.get(reader.word(index))
    if month is None or _is_verb(reader, index):
        return None
    after = past(reader, index + 1, ".")
    after = past(reader, after, "-", "/") if reader.token(after).joined else after
    after = past(reader, after, "the")
    both = _day_pair(reader, after)
    if both:
        return dated(reader, after + 1, month=month, first=both[0], last=both[1])
    day = day_number(reader, after)
    if day is None and reader.is_capital(index):
        day = ordinal(reader.word(after))
    return dated(reader, after + 1, month=month, first=day, last=day) if day else None


def _is_verb(reader: Reader, index: int) -> bool:
    """Return whether the word is what someone does: I may, we march."""
    return reader.token(index).text in WORDS_TOO and reader.word(index - 1) in _SUBJECTS


def _day_and_month(reader: Reader, index: int) -> FoundDate | None:
    """5 May, 5th of May, fifth of May, 1-3 May, 5-May-2023."""
    both = _day_pair(reader, index)
    day = day_number(reader, index)
    after = index + 1
    if day is None and both is None:
        day = ordinal(reader.word(index))
        if day is None or reader.word(after) != "of":
            return None
    after = past(reader, after, "of", "-", "/")
    month = MONTHS.get(reader.word(after))
    if month is None or (reader.token(after).text == "may" and reader.word(after - 1) != "of"):
        return None
    first, last = both or (day or 0, day or 0)
    short = len(reader.word(after)) <= len("sept")
    stop = past(reader, after + 1, ".") if short else after + 1
    return dated(reader, stop, month=month, first=first, last=last)


def _day_pair(reader: Reader, index: int) -> tuple[int, int] | None:
    both = pair(reader.word(index))
    return both if both and both[0] >= 1 and both[1] <= 31 else None  # noqa: PLR2004  days


def _month(reader: Reader, index: int, *, cued: bool) -> FoundDate | None:
    number = MONTHS.get(reader.word(index))
    if number is None or reader.token(index).sort is not Sort.WORD:
        return None
    after = index + 1
    if reader.word(after) == "." and len(reader.word(index)) <= len("sept"):
        after += reader.token(after + 1).word != ""
    found = FoundDate(
        stop=after,
        at=lambda year: reader.calendar.months(year * 12 + number - 1, grain=Grain.MONTH),
        cycle=Cycle.YEARLY,
        grain=Grain.MONTH,
    )
    sure = cued or _is_month(reader, index) or year_after(reader, after)
    return found if sure else None


def _is_month(reader: Reader, index: int) -> bool:
    """Return whether the word at `index` means the month: `in march` does, `we march` does not."""
    word, before = reader.word(index), reader.word(index - 1)
    if word in MONTHS_ALONE or before in DATE_PREPOSITIONS - {"this", "last", "next"}:
        return True
    if before == "" and reader.word(index + 1) in ("", "?", "."):
        return True
    if not reader.is_capital(index):
        return False
    if _touches_month(reader, index):
        return True
    named = word in MONTHS_NAMELY and before in DETERMINERS
    return named and reader.word(index + 1) not in _NAMES_GO_ON


def _touches_month(reader: Reader, index: int) -> bool:
    """Return whether another month stands just before or after a joining word: June or July."""
    before = reader.word(index - 1) in _JOINING and reader.word(index - 2) in MONTHS
    return before or (reader.word(index + 1) in _JOINING and reader.word(index + 2) in MONTHS)
