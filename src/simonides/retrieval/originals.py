"""Originals first: what was made from items never ranks above them (law 14).

An answer that only quotes is no hit, nor is a question that was put to the assistant in the same
words. An answer of a model, and the question before it, rank below what the answer was made of; a
mail that forwards another ranks below that. So a score may depend on the items that one was made
from, never on what else is asked for. Knows scores by slot; must not know how they were made.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from simonides.index.index_view import IndexView
from simonides.model.answer import Contribution, Query
from simonides.model.chat_role import ChatRole
from simonides.model.item import Item, Kind
from simonides.model.metadata_keys import CITED_KEY, CONTEXT_KEY, QUOTES_KEY
from simonides.ports.space import Reader
from simonides.retrieval.best import best_slots
from simonides.retrieval.scores import Scores, best_passages
from simonides.text.mail import is_forward_mark
from simonides.text.questions import is_question
from simonides.text.similarity import likeness
from simonides.text.word_patterns import lazy_pattern

Passage = tuple[Item, slice]
"""An item, and the span of its passage that fits the question best."""

MARGIN = 1e-6
"""By how much what was made from an item ranks below it."""

FORWARDED_MAX = 30
"""Mails of a thread that are looked at, from a forward back."""

FORWARD_CHARS_MAX = 3_000
"""Characters from a mail's beginning among which a forwarded mail begins."""

LIKENESS_MIN = 0.8
"""How much of a mail another repeats that is a copy of it (as in a brief: `likeness_max`)."""

_WORDS = lazy_pattern(r"\w+")


def wording(text: str) -> str:
    """Return the words without punctuation: a repeated question may lack its question mark."""
    return " ".join(_WORDS.findall(text.casefold()))


def rank(
    query: Query,
    scores: Scores,
    allowed: npt.NDArray[np.bool_],
    *,
    view: IndexView,
    reader: Reader,
) -> tuple[list[int], dict[int, Passage], Scores]:
    """Return the best slots, their items with the best passage, and the scores, originals first.

    Only what comes among the best is looked at, and what it was made from: a score can only be
    lowered by that, so nothing else can come before. Echoes of the question are taken out of
    `allowed`. Who asks for items by their ids gets them.
    """
    look = _Originals(
        question=wording(query.text), scores=scores, view=view, reader=reader
    )  # fmt: skip
    values = scores.values.copy()
    found: dict[int, Passage] = {}
    while True:
        slots = best_slots(values, allowed, limit=query.limit, view=view, reader=reader)
        new = [slot for slot in slots if slot not in found]
        found |= zip(new, reader.passages(best_passages(new, scores, view)), strict=True)
        is_settled = True
        for slot in new:
            value = look.value(slot, found[slot][0])
            is_echo = not query.filter.ids and look.is_echo(slot, found[slot][0])
            if is_echo or value != values[slot]:
                is_settled = False
                values[slot] = value
                is_low = query.min_score is not None and value < query.min_score
                allowed[slot] = not (is_echo or is_low)
        if is_settled:
            return slots, found, look.lowest()


@dataclass(slots=True, kw_only=True)
class _Originals:
    """What the items of one search were made from, and the scores that they have for it.

    A score depends on the item and on what it was made from alone: in whatever order they are
    looked at, and whatever the filter lets pass, it is the same (law 12).
    """

    question: str
    scores: Scores
    view: IndexView
    reader: Reader
    lowered: dict[int, Contribution] = field(default_factory=dict)
    _values: dict[int, float] = field(default_factory=dict)
    _is_message: npt.NDArray[np.bool_] = field(init=False)
    _keys: npt.NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        """Look up once which items are messages, and the keys of all."""
        self._is_message = self.view.of_kind(Kind.MESSAGE)
        self._keys = self.view.items.keys.rows(self.view.item_count)

    def value(self, slot: int, item: Item | None = None) -> float:
        """Return the score of an item: its own, or just below that of what it was made from.

        What an item was made from was there before it, so that no way leads back to it.
        """
        if slot not in self._values:
            own = float(self.scores.values[slot])
            self._values[slot] = own  # damaged metadata may name what came later
            limit, detail = self._limit(slot, item or self._item(slot))
            if limit is not None and own >= limit:
                self._values[slot] = below = limit - MARGIN
                change = below - own  # exact, so that what was made from one item has one score
                self.lowered[slot] = Contribution(name="derived", value=change, detail=detail)
        return self._values[slot]

    def _item(self, slot: int) -> Item:
        key = int(self._keys[slot])
        return self.reader.items([key])[key]

    def is_echo(self, slot: int, item: Item) -> bool:
        """Return whether an item only quotes, or asks in the question's own words."""
        if item.kind is not Kind.MESSAGE:
            return False
        if item.metadata.get(QUOTES_KEY):
            return True
        asks = is_speaker(item, ChatRole.USER) and is_question(item.content)
        return asks and wording(item.content) == self.question and self._is_with_assistant(slot)

    def lowest(self) -> Scores:
        """Return the scores with what was lowered."""
        if not self.lowered:
            return self.scores
        gains = np.zeros(len(self.scores.values))
        for slot, part in self.lowered.items():
            gains[slot] = part.value
        return self.scores.with_gains(gains, self.lowered.__getitem__)

    def _limit(self, slot: int, item: Item) -> tuple[float | None, str]:
        """Return the score that an item has to rank below, and why."""
        if item.kind is Kind.EMAIL:
            return self._limit_of_forward(slot, item), "forwards another mail"
        role = role_of(item)
        if role is ChatRole.ASSISTANT:
            return self._limit_of_answer(item), "answers from other items"
        answer = self._next(slot) if role is ChatRole.USER else None
        if answer is None or not is_question(item.content):
            return None, ""
        return self._limit_of_answer(answer), "asks what other items answer"

    def _limit_of_answer(self, answer: Item) -> float | None:
        """Return the least score of what an answer cites; else the best of its context."""
        cited = self._values_of(answer.metadata.get(CITED_KEY))
        if cited:
            return min(cited)
        return max(self._values_of(answer.metadata.get(CONTEXT_KEY)), default=None)

    def _values_of(self, ids: object) -> list[float]:
        """Return the scores of present items by their ids; messages may be made from others."""
        if not isinstance(ids, list | tuple):
            return []
        keys = self.reader.keys([one for one in ids if isinstance(one, str)])
        slots = self.view.item_slots(sorted(keys))
        is_message = self._is_message
        values = self.scores.values
        return [
            self.value(int(slot))
            for slot in slots
            if self.view.alive[slot] and not is_message[slot] and not math.isnan(values[slot])
        ]

    def _limit_of_forward(self, slot: int, item: Item) -> float | None:
        """Return the best score of the mails of its thread that a forward repeats."""
        head = item.content[:FORWARD_CHARS_MAX]
        before = list(self._before(slot)) if any(map(is_forward_mark, head.splitlines())) else []
        found = self.reader.items([int(self._keys[one]) for one in before])
        limits = [
            self.value(one, original)
            for one in before
            if _is_copied(original := found[int(self._keys[one])], item)
            and not math.isnan(self.scores.values[one])
        ]
        return max(limits, default=None)

    def _before(self, slot: int) -> Iterator[int]:
        """Yield the slots of the items before one in its thread, the nearest first."""
        threads = self.view.threads
        place = int(self.view.thread_places[slot])
        for at in range(place, max(place - FORWARDED_MAX, 0), -1):
            if not threads.follows[at]:
                return
            yield int(threads.items[at - 1])

    def _next(self, slot: int) -> Item | None:
        """Return the assistant's answer to a message: the next one of its session."""
        threads, after = self.view.threads, int(self.view.thread_places[slot]) + 1
        if after >= len(threads.items) or not threads.follows[after]:
            return None
        answer = self._item(int(threads.items[after]))
        return answer if is_speaker(answer, ChatRole.ASSISTANT) else None

    def _is_with_assistant(self, slot: int) -> bool:
        """Return whether a message was answered by an assistant, or waits for that."""
        threads, after = self.view.threads, int(self.view.thread_places[slot]) + 1
        is_last = after >= len(threads.items) or not threads.follows[after]
        return is_last or self._next(slot) is not None


def is_speaker(item: Item, role: ChatRole) -> bool:
    """Return whether a message was said in a role (`user`, `assistant`)."""
    return role_of(item) is role


_ROLES = {role.value: role for role in ChatRole}


def role_of(item: Item) -> ChatRole | None:
    """Return the role in a chat with an assistant that an item was said in; None for others."""
    author = item.author
    return None if author is None or author.address else _ROLES.get(author.name.casefold())


def _is_copied(original: Item, copy: Item) -> bool:
    is_shorter = len(original.content) < len(copy.content)
    return is_shorter and likeness(original.content, copy.content) >= LIKENESS_MIN
