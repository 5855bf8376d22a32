"""The words by which texts name some days, in eleven languages: what to look for, to be read then.

Must not know what the words mean where they stand: "8 December" may be of any year.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import NamedTuple

from simonides.text.dates.words import MONTHS, WEEKDAYS
from simonides.text.recurrence_words import MONTHS as MONTHS_IN_ORDER
from simonides.text.recurrence_words import WEEKDAYS as WEEKDAYS_IN_ORDER
from simonides.text.vocabulary import SPACED, word_file

REACH_CHARS = 28
"""Characters before and after such words in which the rest of a date stands."""

PIECES_MAX, PIECE_CHARS_MAX = 4, 160
"""So many pieces of a text are read, each so long: a text of nothing but dates takes no longer."""


class DayNames(NamedTuple):
    """The words of some days: `months` or `weekdays` beside `numbers`, or `dates` in figures.

    `near` are words that name a day only for who writes in the days before it: "tomorrow", and
    the weekdays by themselves.
    """

    months: frozenset[str]
    weekdays: frozenset[str]
    numbers: frozenset[str]
    dates: frozenset[str]
    near: frozenset[str]

    def pieces(self, text: str) -> Iterator[str]:
        """Yield the first pieces of a text that name such a day, with what stands around it."""
        spans: list[list[int]] = []
        for match in _pattern(self).finditer(text):
            start, stop = _before_word(text, match.start()), match.end() + REACH_CHARS
            if spans and start <= spans[-1][1] and stop - spans[-1][0] <= PIECE_CHARS_MAX:
                spans[-1][1] = stop
            elif len(spans) == PIECES_MAX:
                break
            else:
                spans.append([start, stop])
        yield from (text[start:stop] for start, stop in spans)


def _before_word(text: str, at: int) -> int:
    """Return where the first whole word within reach before `at` begins.

    Half of one may be a verb: the "a" of "ira" is of the past.
    """
    first = at - REACH_CHARS
    if first <= 0:
        return 0
    gap = text.find(" ", first - 1, at)
    return at if gap < 0 else gap + 1


@lru_cache(maxsize=32)
def names_of_days(first: date, last: date) -> DayNames:
    """Return the words of the days from the first to the last, which are of a month at most."""
    days = [first + timedelta(days=one) for one in range((last - first).days + 1)]
    months = {name for one in days for name in _month_names(one.month)}
    weekdays = {name for one in days for name in _weekday_names(one.weekday())}
    return DayNames(
        months=frozenset(months),
        weekdays=frozenset(weekdays),
        numbers=frozenset(number for one in days for number in _numbers(one.day)),
        dates=frozenset(figures for one in days for figures in _figures(one)),
        near=frozenset(weekdays | _words_for("phrase", "tomorrow") | {"tomorrow"}),
    )


@lru_cache(maxsize=32)
def _pattern(names: DayNames) -> re.Pattern[str]:
    """Return the pattern of a day and its month, in either order, and of what names a day alone."""
    words = (names.months, names.weekdays, names.numbers, names.dates | names.near)
    months, weekdays, numbers, alone = map(_any_of, words)
    month, number = rf"(?:(?<!\w){months}(?!\w)|月)", rf"(?<!\d){numbers}(?!\d)"
    return re.compile(
        rf"{number}[^\n]{{0,12}}?{month}|{month}[^\n]{{0,6}}?{number}|(?<!\w){alone}(?!\w)"
        rf"|(?<!\w){weekdays}(?!\w)[^\n]{{0,6}}?{number}",
        re.IGNORECASE,
    )


def _any_of(words: frozenset[str]) -> str:
    every = map(re.escape, sorted(words, key=lambda one: (-len(one), one)))
    return rf"(?:{'|'.join(every)})" if words else "(?!)"


@cache
def _month_names(month: int) -> frozenset[str]:
    english = {name for name, number in MONTHS.items() if number == month}
    foreign = word_file("months")["foreign"][month - 1].split()
    return frozenset(english | {*foreign} | _words_for("month", MONTHS_IN_ORDER[month - 1].lower()))


@cache
def _weekday_names(weekday: int) -> frozenset[str]:
    english = {name for name, number in WEEKDAYS.items() if number == weekday}
    return frozenset(english | _words_for("day", WEEKDAYS_IN_ORDER[weekday].lower()))


def _words_for(table: str, english: str) -> set[str]:
    """Return the words for something English in languages with spaces, out of their patterns."""
    files = [word_file(language).get(table, {}) for language in SPACED]
    if table == "phrase":
        patterns: Iterable[str] = (p for one in files for p, said in one.items() if said == english)
    else:
        patterns = (one[english] for one in files if english in one)
    return {word for pattern in patterns for word in _words_of(pattern)}


_UNSAID = re.compile(r"\(\?[^()]*\)\??|\w\?|\\.")
"""What stands in a pattern beside the letters of a word: conditions, and letters that may lack."""


def _words_of(pattern: str) -> list[str]:
    return [word for one in pattern.split("|") if len(word := _UNSAID.sub("", one)) > 1]


def _numbers(day: int) -> tuple[str, ...]:
    last = {1: "st", 2: "nd", 3: "rd"}.get(day % 10 if day not in (11, 12, 13) else 0, "th")
    return str(day), f"{day:02}", f"{day}{last}"


def _figures(day: date) -> Iterator[str]:
    yield day.isoformat()
    yield f"{day:%d-%m-%Y}"
    for first, second in ((day.day, day.month), (day.month, day.day)):
        for mark in "./":
            for figures in (f"{first}{mark}{second}", f"{first:02}{mark}{second:02}"):
                yield from (figures, f"{figures}{mark}{day.year}", f"{figures}{mark}{day:%y}")
