"""Times in other languages, as the English that the grammar reads.

"letzte Woche", "la semana pasada", "avant-hier", "来週の木曜": the file of each language has words
of time and, for each phrase, what that is in English. Every file whose words a
text has is read. Nothing here depends on a clock, nor on one language.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from simonides.text import vocabulary
from simonides.text.dates.words import RELATIVES, UNITS
from simonides.text.stopwords import stop_words
from simonides.text.unicode_script import UNSPACED_CHAR
from simonides.text.word_patterns import lazy_pattern

LANGUAGES = tuple(one for one in vocabulary.LANGUAGES if one != "en")

_SLOT = re.compile(r"\{(\w+?)\}")
_FIGURES = {"d": r"[0-3]?[0-9]", "year": r"[12][0-9]{3}", "era": r"(?:令和|平成|昭和)[0-9元]{1,2}"}
"""Slots that are figures everywhere: a day of a month, a year, a year of a Japanese reign."""

_SLOTS = frozenset("day bareday month unit number side part season".split())
"""Tables of words that stand in phrases."""

_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
"""The year before the first of each reign."""

_WORD = lazy_pattern(r"[^\W\d_]+")
_PREFIX_CHARS = 4
"""So many first letters of a word say that a phrase with it may be there."""


def foreign_times(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the English of each foreign time in a text, and its characters [start, stop)."""
    text = text.replace("\u2019", "'")  # as many characters as before
    begun = frozenset(word[:_PREFIX_CHARS] for word in _WORD.findall(text.casefold()))
    is_unspaced = not text.isascii() and UNSPACED_CHAR.search(text) is not None
    for language in LANGUAGES:
        own = _vocabulary(language)
        if not begun.isdisjoint(own.prefixes) if own.prefixes else is_unspaced:
            yield from own.found(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Vocabulary:
    """The words and phrases of one language.

    `slots` are, by slot and English word, the pattern of what says it; `english` is that of each
    phrase, and `pattern` has a group `p<number>` for each. `prefixes` begin the words of which a
    text must have one; none of a language without spaces.
    """

    slots: Mapping[str, Mapping[str, str]]
    english: tuple[str, ...]
    pattern: re.Pattern[str]
    prefixes: frozenset[str]

    def found(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Yield the English of each phrase in a text, and its characters [start, stop)."""
        for match in self.pattern.finditer(text):
            english = self._translated(match, int((match.lastgroup or "p0")[1:]))
            if english.casefold() not in match[0].casefold():  # "in August 2023" is English
                yield english, match.start(), match.end()

    def _translated(self, match: re.Match[str], number: int) -> str:
        """Return the English of a phrase, with the English of what stands in its slots."""

        def filled(slot: re.Match[str]) -> str:
            said = match[f"{slot[1]}_{number}"]
            return "" if said is None else self._said(slot[1].rstrip("2"), said)

        return " ".join(_SLOT.sub(filled, self.english[number]).split())

    def _said(self, slot: str, said: str) -> str:
        if slot == "era":
            return str(_ERAS[said[:2]] + (1 if said[2:] == "元" else int(said[2:])))
        if slot in _FIGURES or said.isdecimal():
            return str(int(said))
        words = self.slots["number" if slot == "n" else slot]
        english = next(one for one, pattern in words.items() if _fits(pattern, said))
        return english.capitalize() if slot == "month" else english  # "may" is a verb


@cache
def _fits(pattern: str, said: str) -> bool:
    return re.fullmatch(pattern, said, re.IGNORECASE) is not None


@cache
def _vocabulary(language: str) -> _Vocabulary:
    """Return the vocabulary in the file of a language."""
    told = vocabulary.language_file(language)
    is_spaced, phrases = language in vocabulary.SPACED, told["phrase"]
    slots = {name: told[name] for name in told.keys() & _SLOTS}
    ordered = sorted(phrases.items(), key=lambda one: _weight(one[0]), reverse=True)
    parts = "|".join(_pattern(phrase, n, slots) for n, (phrase, _) in enumerate(ordered))
    edged = rf"(?<![\w-])(?:{parts})(?![\w-])" if is_spaced else parts
    words = [*phrases, *(one for slot in slots.values() for one in slot.values())]
    return _Vocabulary(
        slots=slots,
        english=tuple(english for _, english in ordered),
        pattern=lazy_pattern(edged, re.IGNORECASE),
        prefixes=frozenset(_prefixes(words)) if is_spaced else frozenset(),
    )


def _weight(phrase: str) -> tuple[int, int]:
    """Return a key that puts longer phrases first: by slots, then by letters."""
    return len(_SLOT.findall(phrase)), len(phrase)


def _pattern(phrase: str, number: int, slots: Mapping[str, Mapping[str, str]]) -> str:
    """Return the pattern of a phrase, with a group for itself and each of its slots."""
    met: list[str] = []

    def group(slot: re.Match[str]) -> str:
        name = slot[1] + ("2" if slot[1] in met else "")
        met.append(slot[1])
        return f"(?P<{name}_{number}>{_alternatives(slot[1], slots)})"

    spaced = phrase.replace(" ?", r"\s*").replace(" ", r"\s+")
    return f"(?P<p{number}>{_SLOT.sub(group, spaced)})"


def _alternatives(slot: str, slots: Mapping[str, Mapping[str, str]]) -> str:
    if slot == "n":
        return "[0-9]{1,3}|" + _alternatives("number", slots)
    given = _FIGURES.get(slot) or "|".join(slots[slot].values())
    return given.replace(" ", r"\s+")


def _prefixes(patterns: Iterable[str]) -> Iterator[str]:
    """Yield the first letters of the words in patterns."""
    for pattern in patterns:
        plain = re.sub(r"\{\w+\}|\\\w|\[[^]]*\]", " ", pattern.casefold())
        words = (word for word in _WORD.findall(plain) if len(word) > 1)
        yield from (word[:_PREFIX_CHARS] for word in words if word not in _english())


@cache
def _english() -> frozenset[str]:
    """Return words of English, which say nothing of another language."""
    return stop_words("en") | {"weekend", "week", *RELATIVES, *UNITS}
