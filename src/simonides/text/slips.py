"""Words that are one slip of the keys from another: a letter left out, typed twice, or swapped.

Of Damerau's four slips ("A technique for computer detection and correction of spelling errors",
1964) the fourth, another letter, is left out: it makes too many other words ("rungs", "rings").
Must not know which words there are.
"""

from collections.abc import Iterator
from string import ascii_lowercase

from simonides.text.accents import without_accents
from simonides.text.tokens import count

SLIP_CHARS_MIN, SLIP_CHARS_MAX = 5, 20
"""Shorter words are one letter from too many others; longer ones are no single words."""


def one_slip_away(word: str) -> tuple[str, ...]:
    """Return the words one slip from a folded word, without accents; their first letter is its own.

    Hardly anybody misses the first one. None for a word of other letters than those of English, or
    one that is too short or too long.
    """
    plain = without_accents(word)
    is_one = SLIP_CHARS_MIN <= len(plain) <= SLIP_CHARS_MAX and set(ascii_lowercase) >= set(plain)
    return tuple(dict.fromkeys(one for one in _slips(plain) if one != plain)) if is_one else ()


def _slips(word: str) -> Iterator[str]:
    for at in range(1, len(word) + 1):
        head, tail = word[:at], word[at:]
        yield from (head + letter + tail for letter in ascii_lowercase)
        if tail[:1] == head[-1]:
            yield head + tail[1:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]


def is_common_word(word: str) -> bool:
    """Return whether a word is so common that models have one token for it: "horse", no "huose"."""
    return count(f" {word}") == 1
