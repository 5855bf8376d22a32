"""Language detection by stop words and scripts, and the languages that have a stemmer.

Cheap and deterministic: looks at the head of the text, and prefers to say nothing new (the
default) when the signs are weak. Must not know how texts are indexed.
"""

import functools
import sys
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from simonides.text.function_words import quiet_words
from simonides.text.stopwords import LISTED, stop_words
from simonides.text.terms import MemoTable
from simonides.text.unicode_script import fold
from simonides.text.vocabulary import word_set
from simonides.text.word_patterns import lazy_pattern

STEMMERS = dict(
    pair.split(":")
    for pair in """
    ar:arabic ca:catalan cs:czech da:danish de:german el:greek en:english eo:esperanto
    es:spanish et:estonian eu:basque fa:persian fi:finnish fr:french ga:irish hi:hindi
    hu:hungarian hy:armenian id:indonesian it:italian lt:lithuanian ne:nepali nl:dutch
    no:norwegian pl:polish pt:portuguese ro:romanian ru:russian sr:serbian st:sesotho sv:swedish
    ta:tamil yi:yiddish
    """.split()
)
"""ISO 639-1 code → Snowball's name. A language without a stemmer is indexed as it is written."""
CUT_AT_CHARS = {"tr": 5}
"""ISO 639-1 code → how many first letters of a word are its term. Five find in Turkish what a
lemmatiser does (Can et al., "Information retrieval on Turkish texts", JASIST 59, 2008), where
Snowball makes "ça" of "çanta" (bag) and "çanta" of its plural."""

_HEAD_WORDS = 400
_HEAD_CHARS = 4_000
_WORDS_MIN = 6
"""Fewer words are not enough: "was" is English and German, "die" is a German article."""
_SHARE_MIN = 0.12
"""Running text has 30 to 50 % stop words of its own language, and under 10 % of a foreign one."""
_DISTINCT_MIN = 2
"""One alone may be a name: "tom" is a stop word in Czech."""
_MARGIN = 1.25
"""The winner's score over the next one's; Danish and Norwegian lie 1.4 apart on a paragraph."""
_MARGIN_SHORT, _MARGIN_LONG = 2.0, 1.5
"""How many stop words another language must have for each one of English: "to" is Polish, too."""
_ENGLISH = LISTED.index("en")
_SCRIPT_SHARE_MIN = 0.3
_CLAIM = 1_000
"""What a stop word counts, shared out among the languages that have it; whole, to be exact."""

_CLAIM_BYTES = array("I").itemsize
"""What all words of a head can claim, 400 times 1,000, fits into four bytes."""
_ANY_WORD = "\0"
"""The mark of all words that are no stop word anywhere."""
_COMMON_FIRST = ("en", *LISTED)
"""The order of marks: the first 255 are in Latin-1, whose characters Python never makes anew."""

_WORD = lazy_pattern(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_APART = str.maketrans({chr(c): " " for c in range(128) if not chr(c).isalpha() and c != ord("'")})
"""In ASCII, what is between words as `_WORD` has them; the apostrophe may be in one."""
_NOT_INSIDE = lazy_pattern(r"'(?:(?<![a-z]')|(?![a-z]))")
_SCRIPTS = {
    "kana": "\u3041-\u30ff",
    "han": "\u3400-\u4dbf\u4e00-\u9fff",
    "ko": "\u1100-\u11ff\uac00-\ud7a3",
    "th": "\u0e01-\u0e5b",
    "el": "\u0370-\u03ff\u1f00-\u1fff",
    "cyrillic": "\u0400-\u04ff",
    "arabic": "\u0600-\u06ff",
    "he": "\u0590-\u05ff",
    "hy": "\u0530-\u058f",
    "ka": "\u10a0-\u10ff",
    "hi": "\u0900-\u097f",
    "ta": "\u0b80-\u0bff",
    "bn": "\u0980-\u09ff",
}
_NOT_LATIN = lazy_pattern("[\u0370-\u1fff\u3041-\u9fff\uac00-\ud7ff]+")
_ANY_SCRIPT = lazy_pattern("|".join(f"([{chars}])" for chars in _SCRIPTS.values()))
_SCRIPT_NAMES = tuple(_SCRIPTS)
_KEY_LETTERS = {
    "cyrillic": (("sr", "ђјљњћџ"), ("uk", "іїєґ"), ("ru", "")),
    "arabic": (("fa", "پچژگی"), ("ar", "")),
}
"""Letters that only one of the languages of a script has; the last one is the rest."""


def detect(text: str, *, default: str = "en", runs: Sequence[str] | None = None) -> str:
    """Return the ISO 639-1 code of the text's language, or `default` if the evidence is weak.

    The script decides where it can (kana → ja, Hangul → ko, Cyrillic → ru, uk or sr, …), at any
    length. Among languages in Latin letters it takes at least six words, stop words of the winner
    among one in eight of them, and a clear margin over the next. At most 400 words are read.
    `runs` are `text.split()`, where the caller has them.
    """
    head = text[:_HEAD_CHARS]
    if head.isascii():
        own = head.split() if runs is None or len(text) > _HEAD_CHARS else runs
        return _by_stop_words(own, plain=True) or default
    head = fold(head)
    return _by_script(head) or _by_stop_words(head.split(), plain=head.isascii()) or default


def is_english(text: str, *, default: str = "en") -> bool:
    """Return whether a text, however short, is to be read as English.

    It is not where its script is not Latin, or where stop words of another language, at least two
    of them, clearly outnumber those of English (where there is none, one said twice will do); nor,
    without any of English, where a word that is no name has letters that English lacks. What shows
    nothing ("LANT-8") is in `default`.
    """
    head = text[:_HEAD_CHARS]
    if not head.isascii() and _by_script(fold(head)):
        return False
    written = _WORD.findall(head)[:_HEAD_WORDS]
    words = [fold(word) for word in written]
    known = _languages_of()
    own = [known.get(word, ()) for word in words]
    english = sum(_ENGLISH in languages for languages in own)
    hits = Counter(one for languages in own for one in languages if one != _ENGLISH)
    best = max(hits, key=lambda one: (hits[one], -one), default=_ENGLISH)
    distinct = {word for word, languages in zip(words, own, strict=True) if best in languages}
    margin = _MARGIN_SHORT if len(words) < _WORDS_MIN else _MARGIN_LONG
    is_clear = len(distinct) >= _DISTINCT_MIN or (not english and hits[best] >= _DISTINCT_MIN)
    if is_clear and hits[best] > margin * english:
        return False
    marked = [word for word in written if not word.isascii()]
    if not english and (2 * len(marked) > len(words) or any(one[0].islower() for one in marked)):
        return False
    return bool(english) or default == "en"


def language_asked(question: str, among: Sequence[str]) -> str:
    """Return the language of a question, however short: one of `among`, which has the usual first.

    That of its script where it is not Latin, else the one with the most stop words and words that
    ask in it; the usual one where none has more.
    """
    head = fold(question[:_HEAD_CHARS])
    if not head.isascii() and (by_script := _by_script(head)):
        return by_script
    if len({*among}) == 1:
        return among[0]
    words = {*_WORD.findall(head)}
    parts = [part for word in words for part in word.split("'")[1:]]
    words.update(part for part in parts if len(part) > 1)  # not of "m'a"
    shared = [len(words & _asking_words(one)) for one in among]
    return among[shared.index(max(shared))]


def speaks_rather(text: str, language: str, *, than: str) -> bool:
    """Return whether a text clearly has more stop words of a language than of another.

    Words in capitals do not count, they may be names. Another script than Latin is clear.
    """
    head = text[:_HEAD_CHARS]
    if _by_script(fold(head)):
        return True
    words = {fold(word) for word in _WORD.findall(head) if not word[0].isupper()}
    own, others = (len(words & stop_words(one)) for one in (language, than))
    return own >= _DISTINCT_MIN and own > _MARGIN_LONG * others


@functools.cache
def _asking_words(language: str) -> frozenset[str]:
    """Return the words of a question that say nothing, and those by which it asks: "quanto"."""
    return quiet_words(language) | word_set("question_words", languages=(language,))


def _by_script(head: str) -> str:
    """Return the language of the script of most letters, or an empty text for Latin."""
    foreign = "".join(_NOT_LATIN.findall(head))
    counts = Counter(_SCRIPT_NAMES[(m.lastindex or 1) - 1] for m in _ANY_SCRIPT.finditer(foreign))
    if not counts:
        return ""
    letters = sum(map(str.isalpha, head))
    if counts.total() < _SCRIPT_SHARE_MIN * letters:
        return ""
    if counts["kana"] + counts["han"] >= max(counts.values()):
        return "ja" if counts["kana"] else "zh"
    script = min(counts, key=lambda name: (-counts[name], name))
    for language, letters_of in _KEY_LETTERS.get(script, ()):
        if not letters_of or any(letter in head for letter in letters_of):
            return language
    return script


def _by_stop_words(runs: Sequence[str], *, plain: bool) -> str:
    """Return the language with clearly the most stop words, or an empty text."""
    line = "".join(map(_mark_table(plain=plain).__getitem__, runs))[:_HEAD_WORDS]
    if len(line) < _WORDS_MIN or len(line) - line.count(_ANY_WORD) < _SHARE_MIN * len(line):
        return ""
    owners = _owners()
    distinct = set(line)  # a name said thrice is no better sign than said once
    scores = _scores(sum(map(owners.claims.__getitem__, distinct)))
    second, best = sorted(scores)[-2:]
    if best < max(1, _MARGIN * second):
        return ""
    winner = scores.index(best)
    own = distinct & owners.marks_of[winner]
    hits = sum(map(line.count, own))
    return LISTED[winner] if len(own) >= _DISTINCT_MIN and hits >= _SHARE_MIN * len(line) else ""


@functools.cache
def _mark_table(*, plain: bool) -> MemoTable[str]:
    """Return the table from a run to the marks of its words: of a stop word, or `_ANY_WORD`."""
    found = _words if plain else _WORD.findall
    marks = _owners().marks
    return MemoTable(lambda run: "".join(marks.get(word, _ANY_WORD) for word in found(run)))


def _words(run: str) -> list[str]:
    """Return the words of a plain run by splitting: three times as fast as `_WORD`.

    There `rock'n'roll` is one word, not two.
    """
    return _NOT_INSIDE.sub(" ", run.lower()).translate(_APART).split()


def _scores(claims: int) -> list[int]:
    """Return the sum of the shares of each language, in the order of `LISTED`."""
    return array("I", claims.to_bytes(_CLAIM_BYTES * len(LISTED), sys.byteorder)).tolist()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Owners:
    """The languages of each stop word.

    `marks` gives each word a character of its own. `claims` says by mark what the word counts for
    each language, in fields of one number: adding these counts for all languages at once.
    `marks_of` has the marks of each language's words.
    """

    marks: dict[str, str]
    claims: dict[str, int]
    marks_of: tuple[frozenset[str], ...]


@functools.cache
def _owners() -> _Owners:
    owners = _languages_of()
    marks = {word: chr(number) for number, word in enumerate(owners, start=ord(_ANY_WORD) + 1)}
    claims = {marks[word]: _claims(own) for word, own in owners.items()}
    return _Owners(
        marks=marks,
        claims={_ANY_WORD: 0, **claims},
        marks_of=tuple(frozenset(map(marks.__getitem__, stop_words(code))) for code in LISTED),
    )


@functools.cache
def _languages_of() -> dict[str, list[int]]:
    """Return the places in `LISTED` of each stop word's languages, in the order of marks."""
    found = {word: list[int]() for code in _COMMON_FIRST for word in sorted(stop_words(code))}
    for n, code in enumerate(LISTED):
        for word in stop_words(code):
            found[word].append(n)
    return found


def _claims(languages: Sequence[int]) -> int:
    """Return one number whose fields hold the share of each language of a word."""
    shares = array("I", bytes(_CLAIM_BYTES * len(LISTED)))
    for n in languages:
        shares[n] = _CLAIM // len(languages)
    return int.from_bytes(shares.tobytes(), sys.byteorder)
