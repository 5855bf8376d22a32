"""The words by which questions steer: a file for each language in `text/languages`.

A table of words has a name that all files share (`due`, `requests`). Words are patterns, `_` stands
for white space in one. Where a script is written without spaces, a word is found inside of others.
What a phrase says in English is read by the grammar of dates. What mail programs and people write
around the words of a mail is in `mail.json`, for all languages. The files are JSON, which is read
20 times as fast as TOML. Must not know what a word is looked up for.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from simonides.text.accents import typed_plain, with_digraphs
from simonides.text.word_patterns import alternatives

SPACED = ("en", "de", "es", "fr", "it", "nl", "pl", "pt", "ru", "tr")
UNSPACED = ("ja", "ko", "zh")
LANGUAGES = (*SPACED, *UNSPACED)
"""Those with a file (ISO 639-1)."""


_TYPED = {"de": with_digraphs, "pl": typed_plain, "ru": typed_plain, "tr": typed_plain}
"""How languages are typed without the keys for their marks: "maerz", "piatek", "еще"."""


@cache
def word_file(name: str) -> Mapping[str, Any]:
    """Return the tables in a file of words: that of a language (`en`), or `mail`, `months`.

    In languages that are typed without their marks, words also stand so.
    """
    text = files("simonides.text.languages").joinpath(f"{name}.json").read_text("utf-8")
    tables: dict[str, Any] = json.loads(text)
    if name not in _TYPED:
        return tables
    return {table: dict(_also_typed(table, words, name)) for table, words in tables.items()}


def typed_in(language: str, words: Iterable[str]) -> frozenset[str]:
    """Return words of a language, also as they are typed without the keys for its marks."""
    typed = _TYPED.get(language)
    return frozenset(words) if typed is None else frozenset(words) | {*map(typed, words)}


def _also_typed(table: str, words: Mapping[str, str], language: str) -> Iterator[tuple[str, str]]:
    """Yield the words of a table, with those of them that are typed without marks."""
    typed = _TYPED[language]
    mark = " " if table in ("words", "matter", "name", "ordinal") else "|"
    for name, listed in words.items():
        if table in ("phrase", "bare"):
            yield from dict.fromkeys((name, typed(name)), listed).items()
        else:
            yield name, mark.join(dict.fromkeys((listed, typed(listed))))


def list_pattern(name: str, *, languages: tuple[str, ...] = SPACED) -> str:
    """Return a pattern of the words of a table, in all languages with spaces; no edges."""
    return "|".join(filter(None, map(alternatives, _tables(name, languages))))


def words_pattern(name: str, *, languages: tuple[str, ...] = LANGUAGES) -> str:
    """Return a pattern of the words of a table as they stand in texts of some languages.

    One that nothing matches where these have no such words.
    """
    spaced = tuple(one for one in languages if one in SPACED)
    inside = tuple(one for one in languages if one in UNSPACED)
    apart = "|".join(
        filter(None, (list_pattern(name, languages=spaced), *patterns(name, languages=spaced)))
    )
    whole = rf"(?<![\w-])(?:{apart})(?![\w-])" if apart else ""
    joined = (whole, list_pattern(name, languages=inside), *patterns(name, languages=inside))
    return "|".join(filter(None, joined)) or "(?!)"


def numbers() -> Iterator[str]:
    """Yield the patterns of the numbers in words of all languages but English."""
    for language in LANGUAGES:
        yield from word_file(language).get("number", {}).values()


def patterns(name: str, *, languages: tuple[str, ...] = LANGUAGES) -> Iterator[str]:
    """Yield the patterns of a name that are more than lists of words, one a language."""
    for language in languages:
        pattern = word_file(language).get("pattern", {}).get(name, "")
        if pattern:
            yield pattern


def mail_words(name: str) -> str:
    """Return a pattern of what programs and people write into mails, in many languages."""
    return "|".join(word_file("mail")[name])


@cache
def word_set(name: str, *, languages: tuple[str, ...] = LANGUAGES) -> frozenset[str]:
    """Return the words of a table that holds no patterns; a language without a file has none."""
    return frozenset(word for table in _tables(name, languages) for word in table.split())


def _tables(name: str, languages: tuple[str, ...]) -> Iterator[str]:
    for language in languages:
        if language in LANGUAGES:
            yield word_file(language)["words"].get(name, "")
