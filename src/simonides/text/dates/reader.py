"""A text as tokens: words, numbers and marks, with the calendar that it is read by.

Knows where a token stands, what it touches and what it counts. Must not know dates.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from simonides.text.dates.calendar import Calendar
from simonides.text.dates.tense import Tense
from simonides.text.dates.words import COUNTED, NUMBERS, ORDINALS, VAGUE
from simonides.text.word_patterns import lazy_pattern

_CHUNK = lazy_pattern(r"\S++")
_OPAQUE = lazy_pattern(r"://|@|\\|\bwww\.|\w_\w")
"""Addresses, paths and identifiers: a date inside them is part of a name."""
_TOKEN = lazy_pattern(
    r"""
    (?P<stamp>[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?
        (?:[Zz]|[+-][0-9]{2}:?[0-9]{2})?(?![\w]))
    | (?P<number>[0-9]++(?:[.:/\u2013-][0-9]++|,[0-9]{3}(?![0-9]))*[^\W_]*+)
    | (?P<word>[^\W_]++)
    | (?P<mark>['\u2019](?:s\b)?|[^\s])
    """,
    re.VERBOSE,
)
"""The group within `number` is not possessive: Python 3.11.2 loses its place in one that fails.
Nothing stands behind it that could fail, so it is never gone back into."""
_ALIKE = {"\u2019": "'", "\u2019s": "'s", "\u2013": "-"}
_JOINTS = frozenset("-/._&+\\")
_BEFORE = frozenset("$€£¥#@")
_AFTER = frozenset("%€$£°")


class TokenSort(StrEnum):
    """The sort of a token, by its characters: a group of `_TOKEN`, or an opaque run."""

    STAMP = "stamp"
    NUMBER = "number"
    WORD = "word"
    MARK = "mark"
    OPAQUE = "opaque"


class Token(NamedTuple):
    """A word, number or mark: `word` in small letters, `joined` where no space precedes it."""

    sort: TokenSort
    text: str
    word: str
    start: int
    stop: int
    joined: bool


NOTHING = Token(TokenSort.MARK, "", "", 0, 0, joined=False)
"""What stands before the first and after the last token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DateReader:
    """The tokens of a text, with the calendar and tense that its dates are read by.

    A text that leaves the tense open is read twice, once by each.
    """

    tokens: tuple[Token, ...]
    calendar: Calendar
    tense: Tense
    day_first: bool

    def token(self, index: int) -> Token:
        """Return the token at `index`, or `NOTHING` outside the text."""
        return self.tokens[index] if 0 <= index < len(self.tokens) else NOTHING

    def word(self, index: int) -> str:
        """Return the lower-case form of the token at `index`, empty outside the text."""
        return self.tokens[index].word if 0 <= index < len(self.tokens) else ""

    def words(self, index: int, *wanted: str) -> bool:
        """Return whether the tokens from `index` on are these."""
        found = self.tokens[index : index + len(wanted)]
        return tuple(token.word for token in found) == wanted

    def has_figures(self, index: int) -> bool:
        """Return whether the token at `index` begins with a digit."""
        return self.token(index).sort in (TokenSort.NUMBER, TokenSort.STAMP)

    def is_capital(self, index: int) -> bool:
        """Return whether the token at `index` begins with a capital letter."""
        return self.token(index).text[:1].isupper()

    def stands_free(self, start: int, stop: int) -> bool:
        """Return whether the tokens [start, stop) are no part of a longer name or number."""
        before, after = self.token(start - 1), self.token(stop)
        if self.token(start).joined and (
            before.word in _BEFORE or (before.word in _JOINTS and before.joined)
        ):
            return False
        if not after.joined:
            return True
        tied = after.word in _JOINTS and self.token(stop + 1).joined
        return not (tied or after.word in _AFTER)


def tokenise(text: str) -> tuple[Token, ...]:
    """Return the tokens of `text` in order, in linear time."""
    tokens: list[Token] = []
    for chunk in _CHUNK.finditer(text):
        whole, start = chunk[0], chunk.start()
        if _OPAQUE.search(whole):
            tokens.append(Token(TokenSort.OPAQUE, whole, whole, start, chunk.end(), joined=False))
            continue
        for match in _TOKEN.finditer(whole):
            sort = TokenSort(match.lastgroup or "mark")
            word = _ALIKE.get(match[0]) or match[0].lower()
            tokens.append(
                Token(sort, match[0], word, start + match.start(), start + match.end(),
                      joined=match.start() > 0)
            )  # fmt: skip
    return tuple(tokens)


_DIGITS_MAX = 12
"""A count with more digits is read as ten to this power: the calendar ends long before."""
_PLAIN = lazy_pattern(r"[0-9]++")
_PAIR = lazy_pattern(r"([0-9]{1,4})[-\u2013]([0-9]{1,4})")
_ORDINAL = lazy_pattern(r"([0-9]{1,2})(?:st|nd|rd|th)")


COUNTS = frozenset({"a", "an", "couple", *NUMBERS, *VAGUE})
"""Words that a count begins with; digits are the other way."""


class Amount(NamedTuple):
    """A count between `low` and `high`, written by the tokens up to `stop`."""

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
    """Return the value of an ordinal: 5 for `5th` and for `fifth`; None for other words."""
    match = _ORDINAL.fullmatch(word)
    return int(match[1]) if match else ORDINALS.get(word)


def amount(reader: DateReader, index: int) -> Amount | None:
    """Return the count at `index`: digits, `2-3`, number words, `a couple of`, `a few`."""
    word = reader.word(index)
    both = pair(word)
    if both and both[0]:
        return Amount(index + 1, *both)
    value = NUMBERS.get(word) or plain(word)
    if value:
        return _or_more(reader, index + 1, value)
    if word in ("a", "an"):
        return _vague(reader, index + 1) or Amount(index + 1, 1, 1)
    return _vague(reader, index)


def _or_more(reader: DateReader, index: int, value: int) -> Amount:
    """Return the count before `index`, with "or three" or "to three" that follows it."""
    other = 0
    if reader.word(index) in ("or", "to"):
        other = NUMBERS.get(reader.word(index + 1)) or plain(reader.word(index + 1)) or 0
    return Amount(index + 2, value, other) if other > value else Amount(index, value, value)


def _vague(reader: DateReader, index: int) -> Amount | None:
    """Return the vague count at `index`: `couple (of)`, `few`, `several`."""
    word = reader.word(index)
    if word == "couple":
        return Amount(index + 1 + (reader.word(index + 1) == "of"), 2, 2)
    return Amount(index + 1, *VAGUE[word]) if word in VAGUE else None


def year_number(reader: DateReader, index: int, *, low: int, high: int) -> int | None:
    """Return the four-digit year at `index` if it lies in [low, high] and is no count."""
    token = reader.token(index)
    if token.sort is not TokenSort.NUMBER or len(token.word) != 4:  # noqa: PLR2004  digits of a year
        return None
    value = plain(token.word)
    counts = reader.word(index + 1) in COUNTED
    return value if value is not None and low <= value <= high and not counts else None


def full_year(two_digits: int, *, this_year: int) -> int:
    """Return the year that two digits mean: at most 20 years ahead, else in the past century."""
    latest = this_year + 20
    return latest - (latest - two_digits) % 100


def day_number(reader: DateReader, index: int) -> int | None:
    """Return the day of a month at `index`, 5 or 5th, if it is no count."""
    word = reader.word(index)
    value = plain(word)
    if value is None:
        value = ordinal(word) if word[:1].isdigit() else None
    elif len(word) > 2 or reader.word(index + 1) in COUNTED:  # noqa: PLR2004  digits of a day
        return None
    return value if value is not None and 1 <= value <= 31 else None  # noqa: PLR2004  days
