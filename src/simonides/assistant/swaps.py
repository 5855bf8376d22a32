"""Follow-ups that change one part of the question before: "and Tom?", "and in April?".

The person or the time that such a message names takes the place of the one that was asked about,
so that nothing else has to know of two questions. Must not know where names are kept.
"""

from collections.abc import Callable, Container
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import NamedTuple

from simonides.entities.directory import Words, proper_words
from simonides.text.analyse import words
from simonides.text.dates import DateMatch, find_ranges
from simonides.text.language import language_asked
from simonides.text.questions import Span, lower, role_of_name
from simonides.text.stopwords import stop_words
from simonides.text.vocabulary import LANGUAGES, SPACED, list_pattern, word_set
from simonides.text.word_patterns import lazy_pattern

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
        if len(asked) != 1 or len(said) != 1:
            return question, rest
        span = _with_cue(question, asked[0])
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


@cache
def _quiet_words() -> frozenset[str]:
    """Return the words of all languages that say nothing beside a name or a time."""
    return frozenset().union(*map(stop_words, SPACED)) - word_set("question_words")
