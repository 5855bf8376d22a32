"""Names in the cases of a language, and in Latin letters: "Pawła" is Paweł, "Игорем" is Игорь.

Knows the endings of each language (table `name`: those of the other cases, by that of the
nominative) and how its letters are spelt (`latin`); must not know whose names there are.
"""

from collections.abc import Iterator, Mapping
from functools import cache

from simonides.text.vocabulary import LANGUAGES, word_file

_STEM_CHARS_MIN = 2
"""What is left of a name without its ending: "Ewy" of Ewa. Our own choice."""


@cache
def has_cases(language: str) -> bool:
    """Return whether names have endings for cases in a language."""
    return bool(_endings(language))


@cache
def has_possessive_alone(language: str) -> bool:
    """Return whether the only other case of a name is whose something is: "annas", "Judiths"."""
    return set(_endings(language)) == {"s"}


def spellings(word: str, *, language: str) -> Iterator[str]:
    """Yield a folded word, the names of which it may be another case, and these in Latin letters.

    The last where names of the language are written so, too: "Rustam" beside other letters.
    """
    forms = (word, *_nominatives(word, language=language))
    yield from forms
    for letters in _latin(language):
        yield from (one.translate(letters) for one in forms)


@cache
def _latin(language: str) -> tuple[dict[int, str], ...]:
    """Return the usual ways in which names of a language are spelt in Latin letters, if any."""
    table = _table("latin", language)
    ways = {letter: spelt.split() or [""] for letter, spelt in table.items()}
    count = max(map(len, ways.values()), default=0)
    return tuple(
        {ord(letter): spelt[min(way, len(spelt) - 1)] for letter, spelt in ways.items()}
        for way in range(count)
    )


def _nominatives(word: str, *, language: str) -> Iterator[str]:
    """Yield what a folded word may be the other case of, by its longest ending first.

    Nothing in a language whose names have one form.
    """
    endings = _endings(language)
    for size in range(min(max(map(len, endings), default=0), len(word) - _STEM_CHARS_MIN), 0, -1):
        for nominative in endings.get(word[-size:], ()):
            yield word[:-size] + nominative


@cache
def _endings(language: str) -> dict[str, tuple[str, ...]]:
    """Return by ending of another case the endings of the nominatives that it may be of."""
    found: dict[str, tuple[str, ...]] = {}
    for nominative, others in _table("name", language).items():
        for other in others.split():
            found[other] = (*found.get(other, ()), nominative)
    return found


def _table(name: str, language: str) -> Mapping[str, str]:
    return word_file(language).get(name, {}) if language in LANGUAGES else {}
