"""Near-duplicate detection: quoted mail, the same document twice.

Compares runs of words themselves: no two share a number by accident, and neither a hash nor the
order of a set reaches an outcome. Must not know items or which of two texts matters.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from simonides.text.unicode_script import UNSPACED, fold
from simonides.text.word_patterns import lazy_pattern

SHINGLE_WORDS = 4
"""Words in a row that are compared as one (Manning, Raghavan and Schütze 2008, 19.6: typical for
near-duplicates)."""

Shingle = tuple[str, str, str, str]

WORDS_MIN = 8
"""Texts of fewer words are like no others but those of the same words: five runs at least."""

_PLAIN = bytes(ord(chr(n).lower()) if n < 128 and chr(n).isalnum() else 32 for n in range(256))  # noqa: PLR2004  ASCII
"""What a byte of ASCII text is folded to: a letter or digit, or a blank for all else."""
_WORD = lazy_pattern(f"[{UNSPACED}]|[^\\W_{UNSPACED}]+")


def fold_words(text: str) -> tuple[str, ...]:
    """Return the runs of letters and digits of a text, folded, in order.

    A script without spaces gives its characters. Coarser than `analyse.words` and several times as
    fast: good enough to compare by.
    """
    folded = text if text.isascii() else fold(text)
    if folded.isascii():
        return tuple(folded.encode().translate(_PLAIN).decode().split())
    return tuple(_WORD.findall(folded))


def likeness(a: str, b: str) -> float:
    """Return the containment of one text in the other, the larger of both ways, in [0, 1].

    The share of a text in another is that of its shingles, counted as often as they occur, which
    stand in the other; 0 where it has a number that the other has not:

        likeness = max(share of a in b, share of b in a)

    So a short text inside a much longer one is wholly like it (Broder's containment, 1997). A
    number is a word with a digit: two notices that differ in a sum or a date alone do not say the
    same. Texts of fewer than eight words are 1 like those of the same words and 0 like all others;
    texts without any, those of the same characters. Symmetric.
    """
    one, other = _Words.by(a), _Words.by(b)
    if one.is_short or other.is_short:
        return float(one.words == other.words)
    return max(one.share_in(other), other.share_in(one))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """The words of a text for comparison, or its characters if it has no words."""

    words: tuple[str, ...]
    is_short: bool
    shingles: tuple[Shingle, ...]

    @classmethod
    def by(cls, text: str) -> "_Words":
        words = fold_words(text) or (text.strip(),)
        is_short = len(words) < WORDS_MIN
        return cls(words=words, is_short=is_short, shingles=() if is_short else _shingles(words))

    def has_other_numbers(self, than: "_Words") -> bool:
        """Return whether this text has a number that the other text does not have."""
        numbers = frozenset(word for word in self.words if not word.isalpha())
        return not numbers.issubset(than.words)

    def share_in(self, other: "_Words") -> float:
        """Return the share of this text in another; 0 if that lacks one of its numbers."""
        if self.has_other_numbers(other):
            return 0.0
        return _share(self.shingles, frozenset(other.shingles))

    def first_shingles(self, likeness_min: float) -> tuple[Shingle, ...]:
        """Return the first shingles: a text with none of them has too few of all to match.

        So many that the others, if they are all held, are a share below `likeness_min`.
        """
        count = len(self.words) - SHINGLE_WORDS + 1
        most_missing = int((1.0 - likeness_min) * count)
        return self.shingles[: most_missing + 2]


@dataclass(slots=True)
class DuplicateDetector:
    """Near-duplicate detection among texts, in the order they were added.

    Asking takes time by the length of the text asked about, not by how many were added, as long as
    little of it is contained in earlier ones; for most texts a few shingles show that.
    """

    _ids: list[str] = field(default_factory=list)
    _texts: list[_Words] = field(default_factory=list)
    _by_words: dict[tuple[str, ...], int] = field(default_factory=dict)
    _held: list[frozenset[Shingle]] = field(default_factory=list)
    _any: set[Shingle] = field(default_factory=set)
    _latest: tuple[str, _Words] | None = None

    def add(self, id: str, text: str) -> None:  # noqa: A002  the word of every record here
        """Add a text under an id. The same id may have several texts."""
        words = self._words_of(text)
        if words.is_short:
            self._by_words.setdefault(words.words, len(self._ids))
        held = frozenset(words.shingles)
        self._any.update(held)
        self._held.append(held)
        self._ids.append(id)
        self._texts.append(words)

    def find_duplicate(self, text: str, *, likeness_min: float) -> str:
        """Return the id of the first added text that contains this one; empty if none does.

        That is one which holds at least `likeness_min` of it and all of its numbers, as for
        `likeness`, but this way round only: a text that holds an earlier one and says more is not
        found by it. Texts of fewer than eight words are found by the same words only; what shares
        nothing is never found, whatever `likeness_min`.
        """
        words = self._words_of(text)
        if words.is_short:
            number = self._by_words.get(words.words)
            return "" if number is None else self._ids[number]
        first = words.first_shingles(likeness_min)
        if self._any.isdisjoint(first):
            return ""
        own = words.shingles
        if _share(own, self._any) < likeness_min:
            return ""
        for number, held in enumerate(self._held):
            share = 0.0 if held.isdisjoint(first) else _share(own, held)
            is_covered = share > 0.0 and share >= likeness_min
            if is_covered and not words.has_other_numbers(self._texts[number]):
                return self._ids[number]
        return ""

    def _words_of(self, text: str) -> _Words:
        """Return the words of a text; the latest are cached."""
        if self._latest is None or self._latest[0] != text:
            self._latest = (text, _Words.by(text))
        return self._latest[1]


def _share(own: Sequence[Shingle], held: AbstractSet[Shingle]) -> float:
    """Return the share of the shingles, as often as they occur, that the other text has."""
    return sum(map(held.__contains__, own)) / len(own)


def _shingles(words: tuple[str, ...]) -> tuple[Shingle, ...]:
    return tuple(zip(words, words[1:], words[2:], words[3:], strict=False))
