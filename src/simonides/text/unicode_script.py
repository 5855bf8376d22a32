"""Characters: scripts written without spaces, folding, and grapheme boundaries.

Knows Unicode (grapheme clusters by Annex 29, through `apsw.unicode`, which has no part in the
database). Must not know words, stop lists or languages.
"""

import functools
import unicodedata
from itertools import chain, compress

from simonides.text import unicode_version
from simonides.text.unicode_version import mask, nfkc_casefold
from simonides.text.word_patterns import lazy_pattern

UNSPACED = (
    "\u0e01-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17d3\u3005-\u3007\u3021-\u3029\u3031-\u3035"
    "\u303b\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff"
)
"""Inside of a character class: Thai, Lao, Burmese, Khmer, Hangul, kana and Han.

Hangul is written with spaces, but its particles stick to the word, so that pairs of characters
find more than whole words do.
"""

HAN = "\u3005\u3400-\u4dbf\u4e00-\u9fff"
"""Inside of a character class: the characters that Japanese and Chinese share, and their mark of
repetition."""

HANGUL = "\uac00-\ud7a3"
"""Inside of a character class: the syllables of Korean."""

UNSPACED_CHAR = lazy_pattern(f"[{UNSPACED}]")

EMOJI = (
    "(?:[\U0001f1e6-\U0001f1ff]{2}|[\u203c\u2049\u231a\u231b\u23e9-\u23f3\u2600-\u27bf\u2b50\u2b55"
    "\U0001f000-\U0001f3fa\U0001f400-\U0001faff])"
)
"""One emoji: a flag's two letters, or one pictograph without its joiners and skin tones."""

_APOSTROPHES = "\u2018\u2019\u201b\u02bc\u2032"
_JOINERS = "\u00ad\u200d\u2060\ufeff\ufe0e\ufe0f"
_DOT_ABOVE = "\u0307"
"""Folding writes the Turkish capital İ as i with a dot above; small i has its dot already."""


def fold(text: str) -> str:
    """Return the text in NFKC and without letter case, apostrophes straight, joiners taken out.

    A character that Unicode left open when its version was fixed becomes a placeholder, so that it
    is no letter under any Python; those of known blocks (Han, emoji) stay.
    """
    if text.isascii():
        return text.lower()
    plain = mask(text)
    folded = nfkc_casefold(text) if plain is text else unicode_version.fold(_restore(text, plain))
    for mark in _APOSTROPHES:
        folded = folded.replace(mark, "'")
    for mark in _JOINERS + _DOT_ABOVE:
        folded = folded.replace(mark, "")
    return folded


_KEPT_WHERE_OPEN = lazy_pattern(f"[{UNSPACED}]|{EMOJI}")


def _restore(text: str, plain: str) -> str:
    """Return a masked text with the open characters of known blocks (Han, emoji) restored."""
    return "".join(
        was if now != was and _KEPT_WHERE_OPEN.fullmatch(was) else now
        for was, now in zip(text, plain, strict=True)
    )


_MARKED = (range(0x300, 0x3400), range(0xA000, 0xAC00), range(0xF900, 0x1F000))
"""Where marks are looked for: between lie Han, Hangul, halves of characters and private use."""


@functools.cache
def marks() -> str:
    """Return the inside of a character class of all combining marks."""
    points = [*chain.from_iterable(_MARKED)]
    kinds = map(unicodedata.category, map(chr, points))
    found = [*compress(points, map({"Mn", "Mc", "Me"}.__contains__, kinds))]
    found += range(0xE0100, 0xE01F0)
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in _runs(found))


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    """Return (first, last) of each run of consecutive numbers."""
    runs: list[tuple[int, int]] = []
    for n in numbers:
        if runs and runs[-1][1] == n - 1:
            runs[-1] = (runs[-1][0], n)
        else:
            runs.append((n, n))
    return runs


SURROGATE = lazy_pattern("[\ud800-\udfff]")
"""Half a character."""


def without_surrogates(text: str) -> str:
    """Return the text with every lone surrogate as U+FFFD; the halves of a pair are joined."""
    if text.isascii() or not SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def encodable(text: str) -> str:
    """Return the text with every lone surrogate, which no model or encoder takes, as "?"."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


GRAPHEME_CHARS_MAX = 64
"""A longer cluster, a letter buried under marks, may be torn; the longest emoji has 15."""
_LOOK_BACK_MAX = 512


def boundary(text: str, position: int, *, floor: int = 0) -> int:
    """Return the last grapheme end in [floor, position], at best `position`.

    `floor` must be such a place itself. Returns `floor` if there is no other, and `position` where
    a single grapheme would have to be longer than 64 characters. Looks back 512 characters at most.
    """
    if _is_plain(text, position):
        return position
    from apsw.unicode import grapheme_next_break  # 13 ms: apsw itself comes along

    start = max(floor, _restart(text, position, floor))
    around = text[start : position + 1]  # a cluster that goes on beyond is cut there
    last = following = 0
    while start + following <= position:
        last, following = following, grapheme_next_break(around, following)
    torn = position - start - last > GRAPHEME_CHARS_MAX
    return position if torn else start + last


def _is_plain(text: str, position: int) -> bool:
    """Return whether the place is an end of the text, or lies between two ASCII characters."""
    if position <= 0 or position >= len(text):
        return True
    before, after = text[position - 1], text[position]
    return before.isascii() and after.isascii() and (before, after) != ("\r", "\n")


def _restart(text: str, position: int, floor: int) -> int:
    """Return a place before `position` that is a boundary, or far enough back."""
    for place in range(position - 1, max(floor, position - 4 * GRAPHEME_CHARS_MAX), -1):
        if _is_plain(text, place):
            return place
    # An even distance from the floor, because the letters of flags go in pairs.
    return max(floor, position - _LOOK_BACK_MAX - (position - floor) % 2)
