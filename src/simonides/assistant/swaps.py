"""Follow-ups that change one part of the question before: "and Tom?", "and the week after?".

The person or the time that such a message names takes the place of the one that was asked about,
so that nothing else has to know of two questions. Must not know where names are kept.
"""

import re
from collections.abc import Callable, Container
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import NamedTuple

from simonides.entities.directory import Words, proper_words
from simonides.text.analyse import words
from simonides.text.dates import DateMatch, find_ranges
from simonides.text.dates.calendar import Calendar, TimeSpan, calendar
from simonides.text.dates.words import Grain
from simonides.text.language import language_asked
from simonides.text.questions import Span, lower, role_of_name
from simonides.text.stopwords import stop_words
from simonides.text.vocabulary import LANGUAGES, SPACED, list_pattern, word_file, word_set
from simonides.text.word_patterns import alternatives, lazy_pattern

FindPeople = Callable[[str, Container[str]], set[Words]]
"""Finds the words by which a text names people; of everyday words only those that are proper."""

_OPENER = lazy_pattern(
    lambda: (
        rf"\W*(?:(?:{'|'.join(sorted(word_set('connectives', languages=SPACED)))}"
        rf"|{list_pattern('what_about')})(?!\w)\W*)+"
    )
)
"""With what a message begins that goes on from the one before: "and", "what about"."""
_CUE = lazy_pattern(lambda: rf"(?<!\w)(?:{list_pattern('before_time')})\s+\Z")
_WORD = lazy_pattern(r"[^\W_]+")
_UNITS = ("", "day", "week", "month", "quarter", "year")
"""What is counted in from the time asked for; nothing: in what that is one of itself."""


class _Person(NamedTuple):
    """Where a text names its only person, and in which role."""

    span: Span
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Swaps:
    """What tells times and people: the clock, the user's zone, and who is known."""

    now: datetime
    timezone: str
    find_people: FindPeople

    def swap(self, message: str, question: str) -> str:
        """Return the question with what a message names in its place; empty if it says more."""
        opener = _OPENER.match(lower(message))
        if opener is None:
            return ""
        rest = message[opener.end() :].strip(" ?!.\u00a0\u202f")
        changed, rest = self._swap_time(rest, question)
        changed, rest = self._swap_person(rest, changed)
        says_more = not _quiet_words().issuperset(words(rest))
        return "" if says_more or changed == question else changed

    def _swap_time(self, rest: str, question: str) -> tuple[str, str]:
        """Return the question with a message's time for its own, and what else is said."""
        asked, said = self._find_times(question), self._find_times(rest)
        if len(asked) != 1:
            return question, rest
        span = _with_cue(question, asked[0])
        if dates := _count_from(asked[0], rest, calendar(self.now, self.timezone)):
            return _replace(question, span, dates), ""
        if len(said) != 1:
            return question, rest
        start, stop = _with_cue(rest, said[0])
        return _replace(question, span, rest[start:stop]), _replace(rest, (start, stop), "")

    def _find_times(self, text: str) -> tuple[DateMatch, ...]:
        return find_ranges(text, now=self.now, timezone=self.timezone)

    def _swap_person(self, rest: str, question: str) -> tuple[str, str]:
        """Return the question with a message's person for its own, and what else is said."""
        said = self._find_person(rest, proper=words(rest)) if rest else None
        asked = self._find_person(question, proper=proper_words(question)) if said else None
        if said is None or asked is None or said.role not in ("", asked.role):
            return question, rest
        name = rest[slice(*said.span)]
        return _replace(question, asked.span, name), _replace(rest, said.span, "")

    def _find_person(self, text: str, *, proper: Container[str]) -> _Person | None:
        """Return the only person whom a text names."""
        runs = self.find_people(text, proper)
        spans = [one.span() for one in _WORD.finditer(text) for _ in words(one[0])]
        spoken = tuple(word for one in _WORD.findall(text) for word in words(one))
        found = [
            (start, start + len(run))
            for run in runs
            for start in range(len(spoken))
            if spoken[start : start + len(run)] == run
        ]
        if len(found) != 1:
            return None
        [(start, stop)] = found
        role = role_of_name(spoken, start, stop, language=language_asked(text, LANGUAGES))
        return _Person((spans[start][0], spans[stop - 1][1]), role)


def _replace(text: str, span: Span, by: str) -> str:
    return f"{text[: span[0]]}{by}{text[span[1] :]}"


def _with_cue(text: str, time: DateMatch) -> Span:
    """Return where a time stands with the word before it: "in April"."""
    cue = _CUE.search(lower(text)[: time.start])
    return (cue.start() if cue else time.start), time.stop


def _count_from(asked: DateMatch, rest: str, known: Calendar) -> str:
    """Return the days that a message counts from the time asked for; empty if it does not."""
    for table, is_after in (("time_after", True), ("time_before", False)):
        for unit in _UNITS:
            if _relative_pattern(table, unit).fullmatch(lower(rest)):
                return _days_beside(asked, unit, known, is_after=is_after)
    return ""


@cache
def _relative_pattern(table: str, unit: str) -> re.Pattern[str]:
    """Return the pattern of a table's phrases with a unit, or of those without one."""
    found = [
        alternatives(phrase).replace("{unit}", f"(?:{file.get('unit', {}).get(unit, unit)})")
        for file in map(word_file, SPACED)
        for phrase in file["words"].get(table, "").split()
        if ("{unit}" in phrase) == bool(unit)
    ]
    return re.compile("|".join(found))


def _days_beside(asked: DateMatch, unit: str, known: Calendar, *, is_after: bool) -> str:
    """Return the days of the unit before or after a time, as every language writes them."""
    first, count = known.whole_days(TimeSpan(since=asked.range.since, until=asked.range.until))
    grain = Grain(unit) if unit else _grain_of(first, count, known)
    if not count:
        return ""
    if grain is Grain.SPAN:
        return _write_days(first + count if is_after else first - count, count)
    edge = first + count - 1 if is_after else first
    start, length = known.whole_days(known.holding(edge, grain))
    beside = known.holding(start + length if is_after else start - 1, grain)
    return _write_days(*known.whole_days(beside))


def _grain_of(first: int, count: int, known: Calendar) -> Grain:
    """Return the unit of the calendar that some days are one of."""
    grains = (Grain.DAY, Grain.WEEK, Grain.MONTH, Grain.QUARTER, Grain.YEAR)
    whole = (one for one in grains if known.whole_days(known.holding(first, one)) == (first, count))
    return next(whole, Grain.SPAN)


def _write_days(first: int, count: int) -> str:
    days = dict.fromkeys((date.fromordinal(first), date.fromordinal(first + count - 1)))
    return " - ".join(map(str, days))


@cache
def _quiet_words() -> frozenset[str]:
    """Return the words of all languages that say nothing beside a name or a time."""
    return frozenset().union(*map(stop_words, SPACED)) - word_set("question_words")
