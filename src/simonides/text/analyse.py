"""From a text to the terms under which it is found, and from a question to what it asks for.

The one analysis for every backend. Knows stop words and stems; must not know documents,
statistics or scores.
"""

import functools
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Protocol, cast

from simonides.text import terms
from simonides.text.language import STEMMERS
from simonides.text.pieces import forms, pieces, words
from simonides.text.script import UNSPACED_CHAR, fold
from simonides.text.stopwords import stop_words

__all__ = ["QueryTerm", "analyse", "clear_caches", "query_terms", "words"]

_STEMMED_CHARS_MAX = 64
_CACHED_RUNS_MAX = 1 << 16
_CACHED_CHARS_MAX = 40
_NOT_STEMMED = frozenset("0123456789@./_:,+#&?=%")


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802  PyStemmer's name


class _OwnStemmers(threading.local):
    """One set of stemmers a thread: Snowball's objects hold their state while they work."""

    def __init__(self) -> None:
        self.by_name: dict[str, _Stemmer] = {}

    def stem(self, word: str, name: str) -> str:
        stemmer = self.by_name.get(name)
        if stemmer is None:
            import Stemmer

            stemmer = cast("_Stemmer", Stemmer.Stemmer(name, 0))
            self.by_name[name] = stemmer
        return stemmer.stemWord(word)


_STEMMERS = _OwnStemmers()


class _Terms(dict[str, tuple[str, ...]]):
    """Run of text without white space → its terms in one language; emptied when it is full.

    Most runs are words with a comma at most, seen before: looking them up is five times as fast
    as folding the text and cutting it into pieces.
    """

    def __init__(self, language: str) -> None:
        super().__init__()
        self.language = language

    def __missing__(self, run: str) -> tuple[str, ...]:
        language = self.language
        found = tuple(
            _term(form, language)
            for piece in pieces(fold(run))
            for form in _kept_forms(piece, language)
        )
        if len(run) <= _CACHED_CHARS_MAX:
            if len(self) >= _CACHED_RUNS_MAX:
                self.clear()
            self[run] = found
        return found


@functools.cache
def _terms_of(language: str) -> _Terms:
    return _Terms(language)


def analyse(text: str, language: str = "en") -> list[str]:
    """Return the terms under which a text is indexed, in order, repeated as often as they occur.

    Folded (NFKC, no letter case), stop words left out, words stemmed; scripts without spaces as
    pairs of characters; identifiers, numbers and compounds whole and in parts; emoji kept.
    `language` is an ISO 639-1 code; one without a stemmer or a stop list goes without.
    """
    return list(chain.from_iterable(map(_terms_of(language).__getitem__, text.split())))


def _kept_forms(piece: str, language: str) -> tuple[str, ...]:
    stopped = stop_words(language)
    if piece in stopped:
        return ()
    return tuple(form for form in forms(piece) if form not in stopped)


def _term(form: str, language: str) -> str:
    """Return the stem of a word; an identifier, a number or a pair stays as it is."""
    name = STEMMERS.get(language)
    if name is None or len(form) > _STEMMED_CHARS_MAX or UNSPACED_CHAR.match(form):
        return form
    if not _NOT_STEMMED.isdisjoint(form):
        return form
    return _STEMMERS.stem(form, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryTerm:
    """One thing that a question asks for.

    `text` is the word as the question has it, folded; `keys` are the keys of its terms, one a
    language that stems it differently: an item that has any of them has the term.
    """

    text: str
    keys: tuple[int, ...]


def query_terms(text: str, languages: Sequence[str]) -> tuple[QueryTerm, ...]:
    """Return the distinct terms of a question in order of first occurrence; may be empty.

    `languages` are those of the items that may answer, the question's own first: its stop words
    are left out, and a language in which the word is a stop word gives it no key. No key belongs
    to two terms.
    """
    found: list[QueryTerm] = []
    seen: set[int] = set()
    for form in _asked_forms(text, languages[0]):
        spoken = [language for language in languages if form not in stop_words(language)]
        keys = dict.fromkeys(terms.term_key(_term(form, language)) for language in spoken)
        fresh = tuple(key for key in keys if key not in seen)
        if fresh:
            seen.update(fresh)
            found.append(QueryTerm(text=form, keys=fresh))
    return tuple(found)


def _asked_forms(text: str, language: str) -> dict[str, None]:
    return dict.fromkeys(chain.from_iterable(_kept_forms(p, language) for p in pieces(fold(text))))


def clear_caches() -> None:
    """Forget the words seen by this process, as erasing asks; nothing but speed is lost."""
    _terms_of.cache_clear()
    terms.clear_cache()
