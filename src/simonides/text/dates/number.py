"""Numbers, quantities and years as they are written.

Knows what a token can count. Must not know dates.
"""

import re
from typing import NamedTuple

from simonides.text.dates.reader import Reader, Sort
from simonides.text.dates.words import COUNTED, NUMBERS, ORDINALS, VAGUE

_DIGITS_MAX = 12
"""A count with more digits is read as ten to this power: the calendar ends long before."""
_PLAIN = re.compile(r"[0-9]++")
_PAIR = re.compile(r"([0-9]{1,4})[-\u2013]([0-9]{1,4})")
_ORDINAL = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)")


COUNTS = frozenset({"a", "an", "couple", *NUMBERS, *VAGUE})
"""Words that a count begins with; digits are the other way."""


class Amount(NamedTuple):
    """A count between `low` and `high`, said by the tokens up to `stop`."""

    stop: int
    low: int
    high: int


def plain(word: str) -> int | None:
    """Return the number that `word` writes in digits, if it does."""
    if not _PLAIN.fullmatch(word):
        return None
    return int(word) if len(word) <= _DIGITS_MAX else 10**_DIGITS_MAX


def pair(word: str) -> tuple[int, int] | None:
    """Return the rising pair of numbers in `2-3`, if `word` is one."""
    match = _PAIR.fullmatch(word)
    if not match:
        return None
    low, high = int(match[1]), int(match[2])
    return (low, high) if low < high else None


def ordinal(word: str) -> int | None:
    """Return 5 for `5th` and for `fifth`, None for what is no ordinal."""
    match = _ORDINAL.fullmatch(word)
    return int(match[1]) if match else ORDINALS.get(word)


def amount(reader: Reader, index: int) -> Amount | None:
    """Return the count said at `index`: digits, `2-3`, number words, `a couple of`, `a few`."""
    word = reader.word(index)
    both = pair(word)
    if both and both[0]:
        return Amount(index + 1, *both)
    value = NUMBERS.get(word) or plain(word)
    if value:
        return Amount(index + 1, value, value)
    if word in ("a", "an"):
        return _vague(reader, index + 1) or Amount(index + 1, 1, 1)
    return _vague(reader, index)


def _vague(reader: Reader, index: int) -> Amount | None:
    """Return the vague count at `index`: `couple (of)`, `few`, `several`."""
    word = reader.word(index)
    if word == "couple":
        return Amount(index + 1 + (reader.word(index + 1) == "of"), 2, 2)
    return Amount(index + 1, *VAGUE[word]) if word in VAGUE else None


def year_number(reader: Reader, index: int, *, low: int, high: int) -> int | None:
    """Return the year in four digits at `index` if it lies in [low, high] and counts nothing."""
    token = reader.token(index)
    if token.sort is not Sort.NUMBER or len(token.word) != 4:  # noqa: PLR2004  digits of a year
        return None
    value = plain(token.word)
    counts = reader.word(index + 1) in COUNTED
    return value if value is not None and low <= value <= high and not counts else None


def full_year(two_digits: int, *, this_year: int) -> int:
    """Return the year that two digits mean: at most 20 years ahead, else in the past century."""
    latest = this_year + 20
    return latest - (latest - two_digits) % 100


def day_number(reader: Reader, index: int) -> int | None:
    """Return the day of a month at `index`: 5 or 5th, if it counts nothing."""
    word = reader.word(index)
    value = plain(word)
    if value is None:
        value = ordinal(word) if word[:1].isdigit() else None
    elif len(word) > 2 or reader.word(index + 1) in COUNTED:  # noqa: PLR2004  digits of a day
        return None
    return value if value is not None and 1 <= value <= 31 else None  # noqa: PLR2004  days
