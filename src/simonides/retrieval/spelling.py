"""A question in English with its slips of the keys corrected: "calibraton" is "calibration".

A word that no item has is taken for a word of time or of a list, or for one that items have, where
these differ by one slip. Only in English: other languages bend their words more, so that one that
items have is often a slip from another form of it. Must not know what a question asks for.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice

import numpy as np

from simonides.index.index_view import IndexView
from simonides.text.analyse import keys_by_run, query_terms, term_of
from simonides.text.dates.relative import DAYS
from simonides.text.dates.words import MONTHS, UNITS, WEEKDAYS
from simonides.text.slips import SLIP_CHARS_MIN, is_common_word, one_slip_away
from simonides.text.terms import KEY_BYTES
from simonides.text.unicode_script import fold
from simonides.text.vocabulary import word_set
from simonides.text.word_patterns import lazy_pattern

_QUOTED = r"\"[^\"\n]*\"|\u201c[^\u201d\n]*\u201d"
_QUOTED_OR_WORD = lazy_pattern(
    rf"{_QUOTED}|(?<![\w@#./:'\u2019+-])([^\W\d_]{{{SLIP_CHARS_MIN},}})(?![\w@/:+-]|\.\w)"
)
"""What is quoted is meant as it stands; a word in an address or an identifier, too."""
WORDS_MAX = 8
"""So many words that no item has are looked at: a text that is pasted in is no question, and each
takes 2 ms. Our own choice."""
_LISTS = "overdue unanswered answer reply replied tasks appointment appointments meeting meetings"
_STEERING = frozenset({*MONTHS, *WEEKDAYS, *UNITS, *DAYS, "weekend", *_LISTS.split()})
"""Words of times and lists, by which a question is read whatever items hold."""


def correct_spelling(
    text: str, *, languages: Sequence[str], view: IndexView
) -> tuple[str, tuple[str, ...]]:
    """Return a question with words that no item has corrected, and a note on each of them.

    `languages` are those of the items. What lacks nothing but an apostrophe ("hasnt") gets it.
    """
    text = _CONTRACTION.sub(lambda found: _contractions().get(found[0].lower(), found[0]), text)
    notes: list[str] = []
    parts: list[str] = []
    done = 0
    for match in islice(_unheld(text, view), WORDS_MAX):
        word = match[1]
        meant = _find_meant(fold(word), languages, view)
        if meant:
            parts += [text[done : match.start()], meant]
            done = match.end()
            notes.append(f'no item has "{word}"; searched "{meant}" instead')
    return "".join([*parts, text[done:]]), tuple(notes)


@cache
def _contractions() -> dict[str, str]:
    return {one.replace("'", ""): one for one in word_set("contractions", languages=("en",))}


def _unheld(text: str, view: IndexView) -> Iterator[re.Match[str]]:
    """Yield the words of a question that no item has, but not those that nobody looks for."""
    known = keys_by_run("en")
    for match in _QUOTED_OR_WORD.finditer(text):
        keys = b"" if match[1] is None else known[match[1]]  # none of "about"
        if keys and not _count(keys, view):
            yield match


_CONTRACTION = lazy_pattern(
    lambda: (
        rf"{_QUOTED}|(?<![\w'\u2019@./-])(?:{'|'.join(sorted(_contractions()))})(?![\w'\u2019@/-])"
    ),
    re.IGNORECASE,
)


def _count(keys: bytes, view: IndexView) -> int:
    """Return how many present chunks hold the word whose keys these are: its first term."""
    docs, alive = view.terms.find(int.from_bytes(keys[:KEY_BYTES], "little"))[0], view.chunk_alive
    return len(docs) if alive is None else int(np.count_nonzero(alive[docs]))


def _find_meant(word: str, languages: Sequence[str], view: IndexView) -> str:
    """Return the word that a folded one is taken for; empty where it may be right as it is."""
    terms = query_terms(word, ("en", *languages))
    typed = (key.to_bytes(KEY_BYTES, "little") for one in terms for key in one.keys)
    if word in _STEERING or any(_count(key, view) for key in typed):
        return ""
    stems = {word, word.removesuffix("s"), term_of(word, "en")}
    near = one_slip_away(word)
    named = [one for one in near if one in _STEERING]
    known = keys_by_run("en")
    held = {one: _count(known[one], view) for one in near if known[one]}
    common = {one: is_common_word(one) for one, count in held.items() if count}
    alike = {one: _ending(one) == _ending(word) for one in common}
    fits = [one for one in common if common[one] or alike[one]]
    if not (named or fits) or any(map(is_common_word, stems)):
        return ""
    return named[0] if named else min(fits, key=lambda one: (not alike[one], -held[one], one))


def _ending(word: str) -> str:
    """Return the letters that the stemmer cuts from a word; those it makes alike may not exist."""
    stem = term_of(word, "en")
    return word.removeprefix(stem)
