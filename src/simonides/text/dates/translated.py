"""Times in other languages, as the English that the grammar reads.

"letzte Woche", "avant vendredi", "来週の木曜": the file of each language has words of time, for
each phrase what that is in English, and the words that open or close a stretch of time. Every file
whose words a text has is read. Nothing here depends on a clock, nor on one language.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from simonides.text import vocabulary
from simonides.text.dates.words import MONTHS, RELATIVES, UNITS
from simonides.text.stopwords import stop_words
from simonides.text.unicode_script import UNSPACED_CHAR
from simonides.text.word_patterns import lazy_pattern

LANGUAGES = tuple(one for one in vocabulary.LANGUAGES if one != "en")

_SLOT = re.compile(r"\{(\w+?)\}")
_FIGURES = {
    "d": r"[12][0-9]|3[01]|0?[1-9]", "year": r"[12][0-9]{3}", "w": r"[1-5]?[0-9]",
    "mm": r"1[0-2]|0?[1-9]", "era": r"(?:令和|平成|昭和)[0-9元]{1,2}",
}  # fmt: skip
"""Slots that are figures everywhere: a day, a year, a week, a month, a year of a reign in Japan."""

_SLOTS = frozenset("day bareday month unit number side part season third".split())
"""Tables of words that stand in phrases."""

_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
"""The year before the first of each reign."""

_MONTH_NAMES = tuple(MONTHS)

_WORD = lazy_pattern(r"[^\W\d_]+")
_NO_WORD = re.compile(r"\{\w+\}|\\\w|\[[^]]*\]")
"""What stands in a pattern for other than its letters."""
_SURE = re.compile(r"([^\W\d_]+?)(?=[^\W\d_][?*]|(?![^\W\d_]))")
"""The letters of a word in a pattern, without one that may lack."""
_BEGINNINGS = (4, 5)
"""So many first letters of a word say that a phrase with it may be there; one of four is whole."""

_REACH = 24
"""Characters before or after a time in which the word that opens or closes a stretch stands."""
_CUE = lazy_pattern(r"\A(?:in|on) ")
"""What English says before a time, and not after another preposition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignTime:
    """A time at the characters [start, stop) of a text, in English; `is_bare` without a cue."""

    english: str
    start: int
    stop: int
    language: str
    is_bare: bool = False


def foreign_times(text: str) -> Iterator[ForeignTime]:
    """Yield the times that a text names in languages other than English, each in English."""
    text = text.replace("\u2019", "'")  # as many characters as before
    spoken = _WORD.findall(text.casefold())
    begun = frozenset(word[:size] for word in spoken for size in _BEGINNINGS)
    is_unspaced = not text.isascii() and UNSPACED_CHAR.search(text) is not None
    for language in LANGUAGES:
        own = _vocabulary(language)
        if not begun.isdisjoint(own.prefixes) if own.prefixes else is_unspaced:
            yield from own.find(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Vocabulary:
    """The words and phrases of one language.

    `slots` are, by slot and English word, the pattern of what says it; `english` is that of each
    phrase, of which the first `bare_from` are times by themselves, and `pattern` has a group
    `p<number>` for each. `before` and `after` are what stands beside a time that opens or closes a
    stretch, by its English; `joints` what stands between its ends, with and without a word before.
    `prefixes` begin the words of which a text must have one; none of a language without spaces.
    """

    language: str
    slots: Mapping[str, Mapping[str, str]]
    english: tuple[str, ...]
    bare_from: int
    pattern: re.Pattern[str]
    before: Mapping[str, re.Pattern[str]]
    after: Mapping[str, re.Pattern[str]]
    joints: Mapping[str, re.Pattern[str]]
    prefixes: frozenset[str]

    def find(self, text: str) -> Iterator[ForeignTime]:
        """Yield the times in a text; of what English says the same way, nothing."""
        times = [self._time(match) for match in self.pattern.finditer(text)]
        at = 0
        while at < len(times):
            both = self._join(text, times[at], times[at + 1]) if times[at + 1 :] else None
            one = both or self._bound(text, times[at])
            at += 2 if both else 1
            said = text[one.start : one.stop].casefold()
            if not one.is_bare and not _holds(said, one.english.casefold()):
                yield one

    def _time(self, match: re.Match[str]) -> ForeignTime:
        number = int((match.lastgroup or "p0")[1:])
        return ForeignTime(
            english=self._translate(match, number),
            start=match.start(),
            stop=match.end(),
            language=self.language,
            is_bare=number >= self.bare_from,
        )

    def _join(self, text: str, one: ForeignTime, other: ForeignTime) -> ForeignTime | None:
        """Return the stretch between two times, if the words around them make them its ends."""
        between = text[one.stop : other.start]
        lead = self.joints["lead"].search(text, max(0, one.start - _REACH), one.start)
        closes = self.joints["close"].match(text, other.stop, other.stop + _REACH)
        needs_lead = not self.joints["to"].fullmatch(between)
        if needs_lead and not (self.joints["and"].fullmatch(between) and (lead or closes)):
            return None
        english = f"from {_CUE.sub('', one.english)} to {_CUE.sub('', other.english)}"
        start = lead.start() if lead else one.start
        stop = closes.end() if closes else other.stop
        return replace(one, english=english, start=start, stop=stop, is_bare=False)

    def _bound(self, text: str, one: ForeignTime) -> ForeignTime:
        """Return a time with what opens or closes a stretch at it: bis Freitag, 金曜日まで."""
        plain = _CUE.sub("", one.english)
        for english, pattern in self.before.items():
            match = pattern.search(text, max(0, one.start - _REACH), one.start)
            if match:
                said = english.format(time=plain)
                start = one.start if said == plain else match.start()
                return replace(one, english=said, start=start, is_bare=False)
        for english, pattern in self.after.items():
            match = pattern.match(text, one.stop, one.stop + _REACH)
            if match:
                said = english.format(time=plain)
                return replace(one, english=said, stop=match.end(), is_bare=False)
        return one

    def _translate(self, match: re.Match[str], number: int) -> str:
        """Return the English of a phrase, with the English of what stands in its slots."""

        def fill_in(slot: re.Match[str]) -> str:
            said = match[f"{slot[1]}_{number}"]
            return "" if said is None else self._say(slot[1].rstrip("2"), said)

        return " ".join(_SLOT.sub(fill_in, self.english[number]).split())

    def _say(self, slot: str, said: str) -> str:
        if slot == "era":
            return str(_ERAS[said[:2]] + (1 if said[2:] == "元" else int(said[2:])))
        if slot == "mm":
            return _MONTH_NAMES[int(said) - 1].capitalize()
        if slot in _FIGURES or said.isdecimal():
            return str(int(said))
        words = self.slots["number" if slot == "n" else slot]
        english = next(one for one, pattern in words.items() if _fits(pattern, said))
        return english.capitalize() if slot == "month" else english  # "may" is a verb


def _holds(said: str, english: str) -> bool:
    """Return whether English stands in a text by whole words: "May" not in "maio"."""
    before, found, after = said.partition(english)
    return bool(found) and not (before[-1:].isalnum() or after[:1].isalnum())


@cache
def _fits(pattern: str, said: str) -> bool:
    return re.fullmatch(pattern.replace(" ", r"\s+"), said, re.IGNORECASE) is not None


@cache
def _vocabulary(language: str) -> _Vocabulary:
    """Return the vocabulary in the file of a language."""
    vocabulary_file = vocabulary.word_file(language)
    is_spaced = language in vocabulary.SPACED
    slots = {name: vocabulary_file[name] for name in vocabulary_file.keys() & _SLOTS}
    ordered = [
        one
        for name in ("phrase", "bare")
        for one in sorted(vocabulary_file.get(name, {}).items(), key=_weight, reverse=True)
    ]

    def source() -> str:
        parts = "|".join(_pattern(phrase, n, slots) for n, (phrase, _) in enumerate(ordered))
        return rf"(?<![\w-])(?:{parts})(?![\w-])" if is_spaced else parts

    ends = r"(?<![\w-])(?:{})\s*\Z" if is_spaced else r"(?:{})\Z"
    words = [*vocabulary_file["phrase"], *(one for slot in slots.values() for one in slot.values())]
    return _Vocabulary(
        language=language,
        slots=slots,
        english=tuple(english for _, english in ordered),
        bare_from=len(vocabulary_file["phrase"]),
        pattern=lazy_pattern(source, re.IGNORECASE),
        before=_between(vocabulary_file.get("before", {}), ends),
        after=_between(vocabulary_file.get("after", {}), r"(?:{})"),
        joints={
            "lead": _joint(vocabulary_file, "lead", ends),
            "to": _joint(vocabulary_file, "to", r"\s*(?:{})\s*"),
            "and": _joint(vocabulary_file, "and", r"\s*(?:{})\s*"),
            "close": _joint(vocabulary_file, "close", r"\s*(?:{})"),
        },
        prefixes=frozenset(_prefixes(words)) if is_spaced else frozenset(),
    )


def _between(table: Mapping[str, str], form: str) -> dict[str, re.Pattern[str]]:
    return {english: _space_out(form, words) for english, words in table.items()}


def _joint(
    vocabulary_file: Mapping[str, Mapping[str, str]], name: str, form: str
) -> re.Pattern[str]:
    return _space_out(form, vocabulary_file.get("joint", {}).get(name) or "(?!)")


def _space_out(form: str, words: str) -> re.Pattern[str]:
    return lazy_pattern(form.format(words.replace(" ", r"\s+")), re.IGNORECASE)


def _weight(one: tuple[str, str]) -> tuple[int, int]:
    """Return a key that puts longer phrases first: by slots, then by letters."""
    return len(_SLOT.findall(one[0])), len(one[0])


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
    """Yield the first letters of the words in patterns; none of words that are English, too."""
    for pattern in patterns:
        plain = _NO_WORD.sub(" ", pattern.casefold())
        words = [word for word in _SURE.findall(plain) if word not in _english()]
        long = [word for word in words if len(word) > 1]
        yield from (word[: _BEGINNINGS[-1]] for word in long or words[:1])


@cache
def _english() -> frozenset[str]:
    """Return words of English, which say nothing of another language; "am 12.10." is German."""
    return (stop_words("en") | {"weekend", "week", *RELATIVES, *UNITS}) - {"am"}
