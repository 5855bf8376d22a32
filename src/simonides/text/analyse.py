"""Tokenising and analysis: from a text to its index terms, and from a question to its query terms.

The one analysis for every backend. Knows words, identifiers, numbers, scripts without spaces, stop
words and stems; must not know documents, statistics or scores.

A piece is a run of letters and digits, with what glues it to the next run: `alpha-123`,
`sarah@example.com`, `https://example.com/a?b=c`, `1,500.00`, `snake_case`, `c++`, `don't`.
"""

import functools
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Protocol, cast

import Stemmer

from simonides.text import terms
from simonides.text.accents import with_digraphs, with_umlauts, without_accents
from simonides.text.compounds import COMPOUNDING, last_words
from simonides.text.function_words import quiet_words, without_function_words
from simonides.text.language import CUT_AT_CHARS, STEMMERS
from simonides.text.stopwords import LISTED, stop_words
from simonides.text.terms import MemoTable, clear_tables
from simonides.text.unicode_script import EMOJI, UNSPACED, UNSPACED_CHAR, fold, marks
from simonides.text.vocabulary import SPACED, word_set
from simonides.text.word_patterns import lazy_pattern

_URL_CHARS = r"[a-z0-9_\-.~:/?#@!$&*+,;=%]"
_GLUE = r"(?:[-.,@/:'+&]|_+)"
_ELISION = lazy_pattern(
    r"(?:[cdjlmnst]|qu|gl|un|all|dall|dell|nell|sull|coll|quell|bell|sant|jusqu|lorsqu|puisqu|quoiqu)'"
    r"(?=\w{2})"
)
"""French, Italian and Catalan words that lose their last letter before a vowel."""
_GROUPED = lazy_pattern(r"(\d{1,3}(?:,\d{3})+)(?:\.(\d+))?|(\d{1,3}(?:\.\d{3})+),(\d+)")
_NUMBER = lazy_pattern(r"\d+(?:[.,]\d+)*")
_DIGITS_ONLY = lazy_pattern(r"[\d:.,/+-]+")
_HARD_GLUE = lazy_pattern(r"[-_@/:+&]+")
_SOFT_GLUE = lazy_pattern(r"[.,]")
_PARTED = lazy_pattern(r"[^\W_]+(?:(?:[-/]|_+)[^\W_]+)+")
_DATE = lazy_pattern(r"\d{4}-\d\d-\d\d")
_NOT_WHOLE = lazy_pattern(r"[,:+]|^\D[^/]*/[^/]*$")


def pieces(folded: str) -> list[str]:
    """Return the tokens of a folded text, in order. None of them holds white space."""
    pattern = _ascii_pattern() if folded.isascii() else _unicode_pattern()
    return pattern.findall(folded)


def forms(piece: str) -> tuple[str, ...]:
    """Return the index terms of one folded token, each once: the whole first, if it is a unit.

    A script without spaces gives its pairs of characters (a single one where it stands alone); an
    address, key, version, number or compound gives itself and its parts; `and/or` only its parts.
    A number with thousands separators also gives its plain value: `1,500.00` → `1500`; what has
    letters and digits, or many digits, also itself without separators: "kx-4031-f" → "kx4031f".
    """
    if not piece.isascii() and UNSPACED_CHAR.match(piece):
        return tuple(pairs(piece))
    if "://" in piece:
        return _once(_url_forms(piece))
    piece = _without_elision(piece.removesuffix("'s"))
    if piece.endswith(("#", "++")):
        return _once(_forms_with_suffix(piece))
    if piece.isalnum():
        return (piece,)
    return _once(_compound_forms(piece))


def pairs(run: str) -> list[str]:
    """Return the overlapping character bigrams of a run; a single character stands alone."""
    if len(run) < 2:  # noqa: PLR2004  a pair has two
        return [run]
    return [run[i : i + 2] for i in range(len(run) - 1)]


def _without_elision(piece: str) -> str:
    elided = _ELISION.match(piece)
    return piece[elided.end() :] if elided else piece


def _once(found: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(form for form in found if form))


def _url_forms(piece: str) -> list[str]:
    rest = piece.split("://", 1)[1].removeprefix("www.").rstrip(".,;:!?*_-/")
    host = re.split(r"[/?#]", rest, maxsplit=1)[0]
    return [rest, *_compound_forms(host), *re.findall(r"[^\W_]+", rest[len(host) :])]


def _forms_with_suffix(piece: str) -> list[str]:
    """Return `c++`, `c#` whole; `notepad++` also without; `heading#` only without."""
    name = piece.rstrip("+#")
    if len(name) == 1:
        return [piece]
    return ([piece] if piece.endswith("++") else []) + _compound_forms(name)


def _compound_forms(piece: str) -> list[str]:
    parts = _HARD_GLUE.split(piece)
    found = [piece] if _is_unit(piece) else []
    if len(parts) == 2 and len(parts[0]) <= 2 and piece == "-".join(parts) and not _digits(piece):  # noqa: PLR2004  e-mail, re-embed
        found.append("".join(parts))
    for part in parts:
        found += _forms_with_dots(part)
    return [*found, *_without_separators(piece)]


_MIXED_CHARS_MIN, _DIGITS_MIN, _DIGITS_MAX = 3, 5, 15
"""How long what is written together is ("b52", "90703"); telephone numbers have 15 digits at most
(E.164)."""


def _without_separators(piece: str) -> list[str]:
    """Return an identifier or a long number without what parts it; nothing for other compounds."""
    if not _digits(piece) or not _PARTED.fullmatch(piece) or _DATE.fullmatch(piece):
        return []
    joined = "".join(filter(str.isalnum, piece))
    least = _DIGITS_MIN if joined.isdecimal() else _MIXED_CHARS_MIN
    return [joined] if least <= len(joined) <= _STEMMED_CHARS_MAX else []


def _is_unit(piece: str) -> bool:
    """Return whether a token is a term as a whole: not `and/or`, `this,that`, `note:this`."""
    if "@" in piece or _NUMBER.fullmatch(piece) or _DIGITS_ONLY.fullmatch(piece):
        return True
    return not _NOT_WHOLE.search(piece)


def _digits(piece: str) -> bool:
    return any(c.isdigit() for c in piece)


def _forms_with_dots(part: str) -> list[str]:
    grouped = _GROUPED.fullmatch(part)
    if grouped:
        return [part, *_plain_values(grouped)]
    whole = [part] if "," not in part or _NUMBER.fullmatch(part) else []
    return whole + _SOFT_GLUE.split(part)


def _plain_values(grouped: re.Match[str]) -> list[str]:
    """Return a grouped number without its separators: with and without its fraction, if any."""
    integer = _SOFT_GLUE.sub("", grouped[1] or grouped[3])
    fraction = grouped[2] or grouped[4]
    return [f"{integer}.{fraction}", integer] if fraction else [integer]


@functools.cache
def _ascii_pattern() -> re.Pattern[str]:
    return lazy_pattern(_piece_pattern("[a-z0-9]+"))


@functools.cache
def _unicode_pattern() -> re.Pattern[str]:
    spaced = _piece_pattern(_unicode_word())
    return lazy_pattern(f"[{UNSPACED}]+|{spaced}|{EMOJI}")


def _unicode_word() -> str:
    letter = rf"[^\W_{UNSPACED}]"
    return f"{letter}+(?:[{marks()}]+{letter}*)*"


def _piece_pattern(word: str) -> str:
    """Return the token pattern: an URL, or words joined by one mark each, `++` or `#`."""
    return rf"{word}(?:://{_URL_CHARS}+|(?:{_GLUE}{word})*(?:\+\+|#)?)"


@functools.cache
def _word_pattern(*, plain: bool) -> re.Pattern[str]:
    word = "[a-z0-9]+" if plain else _unicode_word()
    unspaced = "" if plain else f"[{UNSPACED}]+|"
    return lazy_pattern(f"{unspaced}{word}(?:'{word})?")


def words(text: str) -> list[str]:
    """Return the surface words of a text, folded, in order: for counting and matching names.

    Possessive 's is taken off; scripts without spaces give their pairs of characters; compounds
    and identifiers give their parts only. Nothing is stopped or stemmed.
    """
    folded = fold(text)
    plain = folded.isascii()
    found: list[str] = _word_pattern(plain=plain).findall(folded)
    bare = [word.removesuffix("'s") for word in found]
    if plain or not UNSPACED_CHAR.search(folded):
        return bare
    return [
        form for word in bare for form in (pairs(word) if UNSPACED_CHAR.match(word) else (word,))
    ]


_STEMMED_CHARS_MAX = 64
_NOT_STEMMED = frozenset("0123456789@./_:,+#&?=%")


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802  PyStemmer's name


class _OwnStemmers(threading.local):
    """One set of stemmers per thread: Snowball's objects keep state while they work."""

    def __init__(self) -> None:
        self.by_name: dict[str, _Stemmer] = {}

    def stem(self, word: str, name: str) -> str:
        stemmer = self.by_name.get(name)
        if stemmer is None:
            stemmer = cast("_Stemmer", Stemmer.Stemmer(name, 0))
            self.by_name[name] = stemmer
        return stemmer.stemWord(word)


_STEMMERS = _OwnStemmers()


def analyse(text: str, language: str = "en") -> list[str]:
    """Return the terms under which a text is indexed, in order, repeated as often as they occur.

    Folded (NFKC, no letter case), stop words left out, words stemmed, with accents as they are and
    without; scripts without spaces as pairs of characters; identifiers, numbers and compounds
    whole, in parts and without separators; compounds written as one word also as their last words
    ("mietvertrag" as "vertrag"); emoji kept.
    `language` is an ISO 639-1 code; one without a stemmer or a stop list goes without.
    """
    table, runs = _terms_of(_choose_known(language)), text.split()
    return [*chain.from_iterable(map(table.__getitem__, runs)), *join_numbers(runs)]


def term_keys(runs: Iterable[str], language: str = "en") -> bytes:
    """Return the keys of the terms that `analyse` finds in runs without white space, for packing.

    Eight bytes a term (`terms.term_key`, little endian), in order, as often as they occur.
    """
    runs = list(runs)
    joined = b"".join(map(terms.key_bytes, join_numbers(runs)))
    return b"".join(map(_keys_of(_choose_known(language)).__getitem__, runs)) + joined


def keys_by_run(language: str) -> Mapping[str, bytes]:
    """Return by run the keys of its terms, as `term_keys` has them; none of a stop word."""
    return _keys_of(_choose_known(language))


_NUMBER_GROUPS_MAX = 6
"""More groups of digits in a row are a table, not one number."""

_NUMBER_DIGITS_MIN = 6
_PREFIX = lazy_pattern(r"[(\[]?([a-z]{2,5})")
_GROUP = lazy_pattern(r"[(\[]?(\+?)(?=[0-9(])([0-9()./-]*[0-9])[)\],.;:]*")


def join_numbers(runs: Sequence[str]) -> list[str]:
    """Return the numbers that a text writes in groups, as one: "+47 912 34 567", "MSKU 907032-3".

    Groups of digits in a row, of 6 to 15 digits together, without a country code as well, and with
    the letters before them.
    """
    groups = list(map(_GROUPS.__getitem__, runs))
    if not any(groups):
        return []
    found: list[str] = []
    row: list[str] = []
    for at, digits in enumerate(chain(groups, [""])):
        row += [digits] * bool(digits)
        if row and (not digits or runs[at][-1] in _ENDS):
            first = at - len(row) + bool(digits)
            found += _join(row, before=runs[first - 1] if first else "")
            row = []
    return found


_ENDS = ",.;:"
"""Behind these no number goes on."""


def _join(row: Sequence[str], *, before: str) -> list[str]:
    """Return the groups of a number together, with the letters of the run before as well."""
    whole = "".join(row).lstrip("+")
    is_number = _NUMBER_DIGITS_MIN <= len(whole) <= _DIGITS_MAX
    if not is_number or len(row) > _NUMBER_GROUPS_MAX:
        return []
    prefix = None if row[0].startswith("+") else _PREFIX.fullmatch(fold(before))
    found = [f"{prefix[1]}{whole}"] if prefix else []
    if len(row) > 1:
        found.append(whole)
        rest = "".join(row[1:])
        if row[0].startswith("+") and len(rest) >= _NUMBER_DIGITS_MIN:
            found.append(rest)
    return found


def _group_of(run: str) -> str:
    """Return the digits of a run that is a group of them, with the sign of a country code."""
    match = _GROUP.fullmatch(fold(run)) if len(run) <= 2 * _DIGITS_MAX else None
    return match[1] + "".join(filter(str.isdecimal, match[2])) if match else ""


_GROUPS: MemoTable[str] = MemoTable(_group_of)


def _choose_known(language: str) -> str:
    """Return a language that has a stemmer or a stop list, or the fallback language."""
    return language if language in STEMMERS or language in LISTED else ""


@functools.cache
def _terms_of(language: str) -> MemoTable[tuple[str, ...]]:
    return MemoTable(lambda run: _terms_in(run, language))


@functools.cache
def _keys_of(language: str) -> MemoTable[bytes]:
    return MemoTable(lambda run: b"".join(map(terms.key_bytes, _terms_in(run, language))))


def _terms_in(run: str, language: str) -> tuple[str, ...]:
    return tuple(
        term_of(form, language)
        for piece in pieces(fold(run))
        for kept in _forms_to_keep(piece, language)
        for word in (kept, *(last_words(kept) if language in COMPOUNDING else ()))
        for form in (word, *_plainly_typed(word))
    )


def _plainly_typed(form: str) -> tuple[str, ...]:
    """Return a form as somebody types it who has no keys for its accents; none without any."""
    if form.isascii() or UNSPACED_CHAR.match(form):
        return ()
    plain = without_accents(form)
    return () if plain == form else (plain,)


def _forms_to_keep(piece: str, language: str) -> tuple[str, ...]:
    stopped = stop_words(language)
    if piece in stopped:
        return ()
    return tuple(form for form in forms(piece) if form not in stopped)


def term_of(form: str, language: str) -> str:
    """Return the stem of a folded word; an identifier, a number or a pair stays as it is."""
    name, chars = STEMMERS.get(language), CUT_AT_CHARS.get(language)
    if not (name or chars) or len(form) > _STEMMED_CHARS_MAX:
        return form
    if not form.isascii() and UNSPACED_CHAR.match(form):
        return form
    if not _NOT_STEMMED.isdisjoint(form):
        return form
    return _STEMMERS.stem(form, name) if name else form[:chars]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryTerm:
    """One term of a question, with its keys in the index.

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
    for form in _forms_to_ask(text, languages[0]):
        spoken = [language for language in languages if form not in stop_words(language)]
        typed = (form, *_plainly_typed(form), *_words_of_amounts().get(form, ()))
        if "de" in languages:
            typed += (with_digraphs(form), with_umlauts(form))
        keys = dict.fromkeys(
            terms.term_key(term_of(one, language)) for one in typed for language in spoken
        )
        fresh = tuple(key for key in keys if key not in seen)
        if fresh:
            seen.update(fresh)
            found.append(QueryTerm(text=form, keys=fresh))
    return tuple(found)


@functools.cache
def _words_of_amounts() -> dict[str, tuple[str, ...]]:
    """Return by word for spending ("spent") those by which tables head amounts: "amount".

    Their rows say "Bakery | 4.20", and none of them that it was spent.
    """
    found: dict[str, set[str]] = {}
    for one in SPACED:
        for spent in word_set("spent", languages=(one,)):
            found.setdefault(spent, set()).update(word_set("amounts", languages=(one,)))
    return {spent: tuple(sorted(amounts)) for spent, amounts in found.items()}


def _forms_to_ask(text: str, language: str) -> dict[str, None]:
    said = pieces(without_function_words(fold(text)))
    kept = chain.from_iterable(_forms_to_keep(piece, language) for piece in said)
    quiet = quiet_words(language)
    asked = (one for one in kept if not quiet.issuperset(one.split("-")))  # "ai-je", "est-ce"
    return dict.fromkeys(chain(asked, join_numbers(text.split())))


def clear_caches() -> None:
    """Clear the word caches of this process, as erasure requires; only speed is lost."""
    clear_tables()
