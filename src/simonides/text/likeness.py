"""Whether two texts say the same: quoted mail, the same document twice.

Compares runs of words themselves: no two share a number by accident, and neither a hash nor the
order of a set reaches an outcome. Must not know items or which of two texts matters.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain, repeat

from simonides.text.script import UNSPACED, fold

Shingle = tuple[str, str, str, str]
"""Words in a row that are compared as one: four (Manning, Raghavan and Schütze 2008, 19.6: typical
for near-duplicates)."""

WORDS_MIN = 8
"""Texts of fewer words are like no others but those of the same words: five runs at least."""

_GAPS = {code: " " for code in range(128) if not chr(code).isalnum()}
_WORD = re.compile(f"[{UNSPACED}]|[^\\W_{UNSPACED}]+")


def folded_words(text: str) -> tuple[str, ...]:
    """Return the runs of letters and digits of a text, folded, in order.

    A script without spaces gives its characters. Coarser than `analyse.words` and several times as
    fast: good enough to compare by.
    """
    folded = fold(text)
    if folded.isascii():
        return tuple(folded.translate(_GAPS).split())
    return tuple(_WORD.findall(folded))


def shingles(text: str) -> tuple[Shingle, ...]:
    """Return the runs of four folded words of a text, in order; empty for fewer words."""
    return _shingles(folded_words(text))


def likeness(a: str, b: str) -> float:
    """Return how much of one of two texts the other holds, the larger of both ways, in [0, 1].

    The share of a text in another is that of its shingles, counted as often as they occur, which
    stand in the other; 0 where it has a number that the other has not:

        likeness = max(share of a in b, share of b in a)

    So a short text inside a much longer one is wholly like it (Broder's containment, 1997). A
    number is a word with a digit: two notices that differ in a sum or a date alone do not say the
    same. Texts of fewer than eight words are 1 like those of the same words and 0 like all others;
    texts without any, those of the same characters. Symmetric.
    """
    one, other = _Said.by(a), _Said.by(b)
    if one.is_short or other.is_short:
        return float(one.words == other.words)
    return max(one.share_in(other), other.share_in(one))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """What is compared of a text: its words, or what it holds in their place, and its shingles."""

    words: tuple[str, ...]
    shingles: tuple[Shingle, ...]

    @classmethod
    def by(cls, text: str) -> "_Said":
        words = folded_words(text)
        return cls(words=words or (text.strip(),), shingles=_shingles(words))

    @property
    def is_short(self) -> bool:
        return len(self.words) < WORDS_MIN

    def has_other_numbers(self, than: "_Said") -> bool:
        """Return whether there is a number here which the other text does not have."""
        numbers = frozenset(word for word in self.words if not word.isalpha())
        return not numbers.issubset(than.words)

    def share_in(self, other: "_Said") -> float:
        if self.has_other_numbers(other):
            return 0.0
        held = frozenset(other.shingles)
        return sum(map(held.__contains__, self.shingles)) / len(self.shingles)


@dataclass(slots=True)
class Seen:
    """Texts in the order they were added, to be asked whether one of them tells another already.

    Asking takes time by the length of the text asked about, not by how many were added, as long
    as few of its shingles are shared.
    """

    _ids: list[str] = field(default_factory=list)
    _told: list[_Said] = field(default_factory=list)
    _by_words: dict[tuple[str, ...], int] = field(default_factory=dict)
    _by_shingle: dict[Shingle, tuple[int, ...]] = field(default_factory=dict)
    _latest: tuple[str, _Said] | None = None
    _new: _Said | None = None

    def add(self, id: str, text: str) -> None:  # noqa: A002  the word of every record here
        """Add a text under an id. The same id may stand for several texts."""
        said = self._said(text)
        number = len(self._ids)
        self._ids.append(id)
        self._told.append(said)
        if said.is_short:
            self._by_words.setdefault(said.words, number)
            return
        index = self._by_shingle
        shared = () if self._is_new(said) else said.shingles
        before = {shingle: index[shingle] for shingle in shared if shingle in index}
        index.update(zip(said.shingles, repeat((number,))))
        index.update((shingle, (*numbers, number)) for shingle, numbers in before.items())
        self._new = None

    def like(self, text: str, *, likeness_min: float) -> str:
        """Return the id of the first text added that tells this one, empty if none does.

        That is one which holds at least `likeness_min` of it and all of its numbers, as for
        `likeness`, but this way round only: a text that holds an earlier one and says more is not
        told by it. Texts of fewer than eight words are told by the same words only; what shares
        nothing is never told, whatever `likeness_min`.
        """
        said = self._said(text)
        if said.is_short:
            number = self._by_words.get(said.words)
            return "" if number is None else self._ids[number]
        if self._is_new(said):
            return ""
        index = self._by_shingle
        shared = Counter(chain.from_iterable(index.get(one, ()) for one in said.shingles))
        for number in sorted(shared):
            is_told = shared[number] / len(said.shingles) >= likeness_min
            if is_told and not said.has_other_numbers(self._told[number]):
                return self._ids[number]
        return ""

    def _is_new(self, said: _Said) -> bool:
        """Return whether no text added shares anything with this one: so it is with most texts."""
        if self._new is not said and self._by_shingle.keys().isdisjoint(said.shingles):
            self._new = said
        return self._new is said

    def _said(self, text: str) -> _Said:
        """Return what the text says; who asks about one mostly adds it next."""
        if self._latest is None or self._latest[0] != text:
            self._latest = (text, _Said.by(text))
        return self._latest[1]


def _shingles(words: tuple[str, ...]) -> tuple[Shingle, ...]:
    return tuple(zip(words, words[1:], words[2:], words[3:], strict=False))
