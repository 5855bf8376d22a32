"""Streams: endless sequences of operations, drawn from a seed, each on ids of its own.

The same seed gives the same operations in every process, so that a parent knows what its child
was about to do when it was killed. Must not know how operations are done.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from simonides_bench.crash import words
from simonides_bench.crash.operation import (
    Add,
    Ask,
    BuildSurrogates,
    Close,
    Compact,
    DeleteBackground,
    Erase,
    Forget,
    KeepReceipt,
    Operation,
    PutBackground,
    RecordUsage,
    Restore,
    Update,
)
from simonides_bench.crash.state import State

_WORDS_EACH = 100_000
"""Words that one stream may use before it came upon those of the next."""

_NEW_WORD = {"": 8, words.LONG: 1}
"""How often a new text is short or long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a stream draws from: `number` tells streams of one space apart.

    `alone` says that it may close the memory, and erase, which takes other streams' receipts.
    `bulky` makes every third text fill many pages.
    """

    number: int
    seed: int
    alone: bool = False
    bulky: bool = False

    @property
    def name(self) -> str:
        """How its ids begin; also the name of its collection of backgrounds."""
        return f"s{self.number}"


class Stream:
    """Draws operations one after the other and keeps the state after each."""

    def __init__(self, plan: Plan, *, begin: State | None = None) -> None:
        self.plan = plan
        self.states = [begin or State()]
        self._random = random.Random(f"{plan.seed} {plan.number}")  # noqa: S311  a trial, no secret
        self._words = 0
        self._ids = len(self.states[0].present)

    def __iter__(self) -> Iterator[Operation]:
        return self

    def __next__(self) -> Operation:
        """Return the next operation and note the state that it leads to."""
        operation = self._draw()
        self.states.append(operation.after(self.states[-1]))
        return operation

    def state(self, count: int) -> State:
        """Return the state after `count` operations, drawing those that were not drawn yet."""
        while len(self.states) <= count:
            next(self)
        return self.states[count]

    def _draw(self) -> Operation:
        now, draw = self.states[-1], self._random
        if len(now.present) < 2:  # noqa: PLR2004  there is nothing to change yet
            return self._add()
        choices: dict[Callable[[], Operation], int] = {
            self._add: 5,
            self._replace: 3,
            self._update: 3,
            self._forget: 2,
            self._record_usage: 2,
            self._put_background: 2,
            lambda: Ask(word=self._present_word()): 2,
            lambda: KeepReceipt(word=self._present_word()): 1,
            BuildSurrogates: 1,
        }
        if now.backgrounds:
            choices[self._delete_background] = 1
        if self._find_forgotten():
            choices[self._revive] = 1
            choices[self._restore] = 1
        if self.plan.alone:
            choices |= {Close: 2, Compact: 1, self._erase: 1}
        [chosen] = draw.choices(list(choices), weights=list(choices.values()))
        return chosen()

    def _add(self) -> Operation:
        count = self._random.choice((1, 1, 1, 3, 5))
        return Add(pairs=tuple((self._new_id(), self._new_word()) for _ in range(count)))

    def _replace(self) -> Operation:
        return Add(pairs=tuple((one, self._new_word()) for one in self._some(2)))

    def _update(self) -> Operation:
        return Update(item_id=self._some(1)[0], word=self._new_word())

    def _forget(self) -> Operation:
        return Forget(ids=self._some(2))

    def _revive(self) -> Operation:
        return Add(pairs=((self._random.choice(self._find_forgotten()), self._new_word()),))

    def _restore(self) -> Operation:
        one = self._random.choice(self._find_forgotten())
        archive = self.states[-1].archive
        last = max(number for name, number in archive if name == one)
        return Restore(item_id=one, word=archive[one, last])

    def _erase(self) -> Operation:
        there = sorted({*self.states[-1].present, *self._find_forgotten()})
        return Erase(ids=(self._random.choice(there),))

    def _record_usage(self) -> Operation:
        return RecordUsage(ids=self._some(3))

    def _put_background(self) -> Operation:
        return PutBackground(collection=self.plan.name, word=self._new_word(plain=True))

    def _delete_background(self) -> Operation:
        word = self._random.choice(sorted(self.states[-1].backgrounds))
        return DeleteBackground(collection=self.plan.name, word=word)

    def _some(self, count_max: int) -> tuple[str, ...]:
        """Return one or more ids of present items, each once."""
        there = sorted(self.states[-1].present)
        count = self._random.randint(1, min(count_max, len(there)))
        return tuple(self._random.sample(there, count))

    def _find_forgotten(self) -> list[str]:
        """Return the ids of items that an explicit add brings back."""
        now = self.states[-1]
        return sorted({one for one, _ in now.archive} - set(now.present))

    def _present_word(self) -> str:
        return self.states[-1].present[self._some(1)[0]].word

    def _new_id(self) -> str:
        self._ids += 1
        return f"{self.plan.name}-{self._ids}"

    def _new_word(self, *, plain: bool = False) -> str:
        self._words += 1
        [lead] = self._random.choices(list(_NEW_WORD), weights=list(_NEW_WORD.values()))
        if self.plan.bulky and self._words % 3 == 0:
            lead = words.BULKY
        number = self.plan.number * _WORDS_EACH + self._words
        return words.word(number, lead="" if plain else lead)
