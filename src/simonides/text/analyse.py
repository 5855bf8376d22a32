"""From a text to the terms under which it is found, and from a question to what it asks for.

The one analysis for every backend. Knows stop words and stems; must not know documents,
statistics or scores.
"""

import functools
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Protocol, cast

from simonides.text import terms
from simonides.text.language import STEMMERS
from simonides.text.memo_table import MemoTable, clear_tables
from simonides.text.stopwords import LISTED, stop_words
from simonides.text.tokenizer import forms, pieces, words
from simonides.text.unicode_script import UNSPACED_CHAR, fold

__all__ = ["QueryTerm", "analyse", "clear_caches", "query_terms", "term_keys", "words"]

_STEMMED_CHARS_MAX = 64
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


def analyse(text: str, language: str = "en") -> list[str]:
    """Return the terms under which a text is indexed, in order, repeated as often as they occur.

    Folded (NFKC, no letter case), stop words left out, words stemmed; scripts without spaces as
    pairs of characters; identifiers, numbers and compounds whole and in parts; emoji kept.
    `language` is an ISO 639-1 code; one without a stemmer or a stop list goes without.
    """
    said = _terms_of(_known(language))
    return list(chain.from_iterable(map(said.__getitem__, text.split())))


def term_keys(runs: Iterable[str], language: str = "en") -> bytes:
    """Return the keys of the terms that `analyse` finds in runs without white space, for packing.

    Eight bytes a term (`terms.term_key`, little endian), in order, as often as they occur.
    """
    return b"".join(map(_keys_of(_known(language)).__getitem__, runs))


def _known(language: str) -> str:
    """Return a language that has a stemmer or a stop list, or the one that stands for the rest."""
    return language if language in STEMMERS or language in LISTED else ""


@functools.cache
def _terms_of(language: str) -> MemoTable[tuple[str, ...]]:
    return MemoTable(lambda run: _terms_in(run, language))


@functools.cache
def _keys_of(language: str) -> MemoTable[bytes]:
    return MemoTable(lambda run: b"".join(map(terms.key_bytes, _terms_in(run, language))))


def _terms_in(run: str, language: str) -> tuple[str, ...]:
    return tuple(
        _term(form, language)
        for piece in pieces(fold(run))
        for form in _kept_forms(piece, language)
    )


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
    clear_tables()
