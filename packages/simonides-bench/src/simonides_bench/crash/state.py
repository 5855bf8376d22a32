"""What a space should hold, in plain Python: the model beside the engine.

Knows what each operation of a trial changes. Must not know how anything is kept.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple


class Kept(NamedTuple):
    """One present version: its number, its word, and the number of the write that made it."""

    version: int
    word: str
    write: int


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What one stream of operations has made of a space.

    `present` by id; `archive` the words of earlier versions by (id, version); `engaged` how often
    by id; `erased_words` what was erased; `backgrounds` the words of snapshots that show,
    `hidden` of those that do not.
    """

    present: Mapping[str, Kept] = field(default_factory=dict)
    archive: Mapping[tuple[str, int], str] = field(default_factory=dict)
    engaged: Mapping[str, int] = field(default_factory=dict)
    erased_words: frozenset[str] = frozenset()
    backgrounds: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()
    writes: int = 0

    def put(self, pairs: Iterable[tuple[str, str]]) -> "State":
        """Return the state after items were added or replaced by (id, word) in one write."""
        present, archive = dict(self.present), dict(self.archive)
        for one, word in pairs:
            old = present.get(one)
            if old is not None and old.word == word:
                continue
            if old is not None:
                archive[one, old.version] = old.word
            last = max((n for name, n in archive if name == one), default=0)
            present[one] = Kept(last + 1, word, self.writes + 1)
        return replace(self, present=present, archive=archive, writes=self.writes + 1)

    def without(self, ids: Iterable[str]) -> "State":
        """Return the state after items were forgotten."""
        present, archive = dict(self.present), dict(self.archive)
        for one in ids:
            old = present.pop(one, None)
            if old is not None:
                archive[one, old.version] = old.word
        return replace(self, present=present, archive=archive, writes=self.writes + 1)

    def erase(self, ids: Iterable[str]) -> "State":
        """Return the state after items were erased: nothing of them is left, no version either."""
        gone = set(ids)
        return replace(
            self,
            present={one: kept for one, kept in self.present.items() if one not in gone},
            archive={pair: word for pair, word in self.archive.items() if pair[0] not in gone},
            engaged={one: count for one, count in self.engaged.items() if one not in gone},
            erased_words=self.erased_words | self._words_of(gone),
            writes=self.writes + 1,
        )

    def _words_of(self, ids: set[str]) -> frozenset[str]:
        present = {kept.word for one, kept in self.present.items() if one in ids}
        return frozenset(present | {word for (one, _), word in self.archive.items() if one in ids})

    def engaging(self, ids: Iterable[str]) -> "State":
        """Return the state after present items were used."""
        engaged = dict(self.engaged)
        for one in ids:
            if one in self.present:
                engaged[one] = engaged.get(one, 0) + 1
        return replace(self, engaged=engaged, writes=self.writes + 1)

    def showing(self, word: str) -> "State":
        """Return the state after a snapshot was put."""
        shown = self.backgrounds | {word}
        return replace(self, backgrounds=shown, writes=self.writes + 1)

    def hiding(self, word: str) -> "State":
        """Return the state after a snapshot was deleted."""
        shown, hidden = self.backgrounds - {word}, self.hidden | {word}
        return replace(self, backgrounds=shown, hidden=hidden, writes=self.writes + 1)

    @property
    def words(self) -> dict[str, str]:
        """The words of the present by id."""
        return {one: kept.word for one, kept in self.present.items()}

    @property
    def dead_words(self) -> set[str]:
        """The words that no search may find."""
        return {*self.archive.values(), *self.erased_words} - set(self.words.values())
