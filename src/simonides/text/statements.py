"""What people say of themselves, and which matter of their life it is about.

"I live in Hamburg", "Ich bin nach Berlin gezogen", "my new phone number": two such statements of
one matter cannot both hold, and the later one does. Knows words, a table for each language; must
not know what is kept.
"""

import re
from collections.abc import Iterator
from functools import cache

from simonides.text.language import language_asked
from simonides.text.questions import plain
from simonides.text.sentences import sentences
from simonides.text.vocabulary import LANGUAGES, UNSPACED, word_file, word_set, words_pattern
from simonides.text.word_patterns import alternatives, lazy_pattern

_CHANGED = lazy_pattern(lambda: words_pattern("own_change"), re.IGNORECASE)
_FACT = lazy_pattern(lambda: words_pattern("own_facts"), re.IGNORECASE)
_WORD = lazy_pattern(r"[^\W\d_]+(?:'[^\W\d_]+)?")

_DROPPING = ("es", "it", "pl", "pt", "tr", "ja")
"""Languages whose verbs say who speaks, without a pronoun: "vivo en Madrid"."""
_NAMING = tuple(one for one in LANGUAGES if one not in _DROPPING)

STATEMENT_CHARS_MAX = 300
"""A longer sentence says more than one thing."""


def matter_of(text: str) -> str:
    """Return the matter that a statement in the first person is of (`home`, `work`), or ""."""
    said = plain(text)
    for tables in (_matters(_DROPPING), _matters(_NAMING) if _is_own(said) else {}):
        for name, pattern in tables.items():
            if pattern.search(said):
                return name
    return ""


def tells_own_change(text: str) -> bool:
    """Return whether a text in the first person says that something became otherwise."""
    said = plain(text)
    return (_is_own(said) or bool(matter_of(text))) and _CHANGED.search(said) is not None


def own_statements(text: str) -> Iterator[str]:
    """Yield the sentences of a text that plainly state something of who wrote it.

    None that asks, that supposes ("if I moved to Berlin") or that is longer than 300 characters.
    """
    for start, stop in sentences(text):
        sentence = text[start:stop].strip()
        said = plain(sentence)
        if len(sentence) > STATEMENT_CHARS_MAX or said.endswith(("?", "\uff1f")):
            continue
        if _states(said) and not _is_supposed(said):
            yield sentence


def _states(said: str) -> bool:
    return bool(matter_of(said)) or (_is_own(said) and _FACT.search(said) is not None)


def _is_supposed(said: str) -> bool:
    """Return whether a text only supposes: "if I moved"; by its language, which "se" is in many."""
    return _suppositions(language_asked(said, LANGUAGES)).search(said) is not None


@cache
def _suppositions(language: str) -> re.Pattern[str]:
    return lazy_pattern(lambda: words_pattern("supposed", languages=(language,)), re.IGNORECASE)


def _is_own(said: str) -> bool:
    """Return whether a text speaks of the one who says it."""
    spoken = set(_WORD.findall(said.casefold()))
    spoken |= {one[: one.index("'") + 1] for one in spoken if "'" in one}  # j'habite
    if not spoken.isdisjoint(word_set("first_person")):
        return True
    return any(word in said for word in word_set("first_person", languages=UNSPACED))


@cache
def _matters(languages: tuple[str, ...]) -> dict[str, re.Pattern[str]]:
    """Return a pattern by matter, of what says it in one of some languages."""
    names = dict.fromkeys(name for one in languages for name in word_file(one)["matter"])
    return {name: re.compile(_words_of(languages, name), re.IGNORECASE) for name in names}


def _words_of(languages: tuple[str, ...], name: str) -> str:
    parts = []
    for language in languages:
        words = alternatives(word_file(language)["matter"].get(name, "(?!)"))
        parts.append(words if language in UNSPACED else rf"(?<![\w-])(?:{words})(?![\w-])")
    return "|".join(parts)
