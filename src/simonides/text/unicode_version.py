"""The one version of Unicode for all analysis, on every Python.

Each Python brings its own Unicode: 3.11 has 14.0, 3.12 has 15.0, 3.13 has 15.1, 3.14 has 16.0. A
letter that a later one added would be a word under one Python and none under another, so that two
machines would keep different terms of the same text. Analysis follows Unicode `UNICODE_VERSION`
everywhere: what that leaves open is open, even where the Python at hand knows better. What it
assigns does not change: normalisation and case folding are stable by Unicode's own policy, and of
the categories up to 17.0 two differ (see `is_lower`; U+1171E is a mark before and after).

Knows code points. Must not know words, scripts or languages. The table is made by
`scripts/unicode_table.py`. The modules `regex` (grapheme clusters) and `toktok` (tokens) have
tables of their own, which are as fixed as their versions in `pyproject.toml`.
"""

import functools
import re
import sys
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import TYPE_CHECKING

from simonides.text.word_patterns import lazy_pattern

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PLACEHOLDER = "\uffff"
"""Stands for a character that is open: a noncharacter is no letter, mark or blank in any Unicode.
"""

_TABLE = files(__package__).joinpath("unicode_open.txt").read_text("ascii")
"""Runs of open code points: how far each begins behind the one before, how long it is; base 36."""


def _runs() -> Iterator[tuple[int, int]]:
    """Yield (first, last) of each run of open code points, in order."""
    numbers, stop = iter(int(one, 36) for one in _TABLE.split()), 0
    for gap, length in zip(numbers, numbers, strict=True):
        first, stop = stop + gap, stop + gap + length
        yield first, stop - 1


OPEN_RUNS = tuple(_runs())
"""(First, last) of each run of code points to which Unicode `UNICODE_VERSION` assigns nothing."""

_BASIC_PLANE_LAST = 0xFFFF


def _inside(runs: Iterator[tuple[int, int]]) -> str:
    """Return the inside of a character class."""
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in runs)


_BASIC = _inside(run for run in OPEN_RUNS if run[1] <= _BASIC_PLANE_LAST)
_SUSPECT = lazy_pattern(f"[{_BASIC}\\U00010000-\\U0010ffff]")
"""What is open, or lies beyond the basic plane: one look in a table for each character of a text.

A pattern of all the runs beyond it would try hundreds of them in turn at every character."""


@functools.lru_cache(maxsize=1 << 12)
def is_open(character: str) -> bool:
    """Return whether a character is unassigned in Unicode `UNICODE_VERSION`."""
    point = ord(character)
    at = bisect_right(OPEN_RUNS, (point, sys.maxunicode)) - 1
    return at >= 0 and point <= OPEN_RUNS[at][1]


_LONG_CHARS = 256
"""From so many characters on, a table of numpy's is faster than a pattern (2 to 3 times)."""
_ASCII = bytes(range(128))
_SLICE_CHARS = 1 << 16


_NONE: frozenset[str] = frozenset()


def _open_in(text: str) -> frozenset[str]:
    """Return the open characters of a text."""
    if text.isascii():
        return _NONE
    if len(text) >= _LONG_CHARS:  # mostly ASCII, which is taken out ten times as fast as looked at
        others = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
        text = others.decode("utf-8", "surrogatepass")
        if len(text) >= _LONG_CHARS:
            return _open_in_long(text)
    if not _SUSPECT.search(text):
        return _NONE
    return frozenset(filter(is_open, set(_SUSPECT.findall(text))))


def _open_in_long(text: str) -> frozenset[str]:
    import numpy as np  # heavy: 100 ms

    found: set[str] = set()
    for start in range(0, len(text), _SLICE_CHARS):
        part = text[start : start + _SLICE_CHARS].encode("utf-32-le", "surrogatepass")
        points = np.frombuffer(part, dtype="<u4")
        if bool(np.any(_open_points()[points])):
            found.update(filter(is_open, part.decode("utf-32-le", "surrogatepass")))
    return frozenset(found)


@functools.cache
def _open_points() -> "npt.NDArray[np.bool_]":
    """Return bool[code points]: which are open."""
    import numpy as np  # heavy: 100 ms

    points = np.zeros(sys.maxunicode + 1, dtype=np.bool_)
    for first, last in OPEN_RUNS:
        points[first : last + 1] = True
    return points


def mask(text: str) -> str:
    """Return the text with `PLACEHOLDER` for each unassigned character.

    Places stay as they are. A text without any is returned itself.
    """
    for character in _open_in(text):
        text = text.replace(character, PLACEHOLDER)
    return text


def lower_in_place(text: str) -> str:
    """Return the text in small letters, each of which stands where its letter stood."""
    return text.replace("\u0130", "i").lower()  # in small letters, İ has two characters


def fold(text: str) -> str:
    """Return the text in NFKC and without letter case; open characters stay as they are."""
    if text.isascii():
        return text.casefold()
    return _around_open(nfkc_casefold, text)


def fold_case(text: str) -> str:
    """Return the text without letter case; open characters stay as they are."""
    return text.casefold() if text.isascii() else _around_open(str.casefold, text)


def nfkc_casefold(text: str) -> str:
    """Return a text without open characters in NFKC and without letter case."""
    return unicodedata.normalize("NFKC", text).casefold()


def _around_open(change: Callable[[str], str], text: str) -> str:
    """Return the text changed, except for its open characters: nothing composes with these."""
    kept = _open_in(text)
    if not kept:
        return change(text)
    runs = re.split(f"([{''.join(map(re.escape, sorted(kept)))}])", text)
    return "".join(run if run in kept else change(run) for run in runs)


def is_lower(character: str) -> bool:
    """Return whether a character is a small letter; U+0295 is one until Unicode 16.0."""
    return character.islower() or character == "\u0295"
