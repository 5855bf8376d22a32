"""What the model is trained on: questions, each with a text that answers it and some that do not.

Knows labels and what the untrained model takes for near. Must not know how weights are trained.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from people import Person, Question
from vectors import Embedded

NEAR_MAX = 6
"""So many of the nearest wrong items may stand against a question, one at a time."""

MUST_NOT_SHARE = 0.7
"""How often it is one that looks like the answer, where a question names such items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A question and a text that answers it; `fine` are the person's items that do no harm as well.

    `traps` are texts that look like the answer, `near` others that the question is near to.
    """

    person: str
    question: str
    item: str
    text: str
    fine: frozenset[str]
    traps: tuple[str, ...]
    near: tuple[str, ...]

    def against(self, draw: np.random.Generator) -> str:
        """Return a text that does not answer the question."""
        use_trap = bool(self.traps) and (not self.near or draw.random() < MUST_NOT_SHARE)
        texts = self.traps if use_trap else self.near
        return texts[draw.integers(len(texts))]


def pairs_of(person: Person, found: Embedded) -> list[Pair]:
    """Return a pair for each piece of evidence; `found` has vectors of the untrained model."""
    return [
        _pair(person, found, number=number, names=names)
        for number, one in enumerate(person.questions)
        for names in one.evidence
    ]


def _pair(person: Person, found: Embedded, *, number: int, names: Sequence[str]) -> Pair:
    one = person.questions[number]
    item = max(names, key=lambda name: float((found.items[name] @ found.answers[number]).max()))

    def best(name: str, vector: np.ndarray) -> str:
        """Return the chunk of an item that is nearest."""
        return person.items[name][int(np.argmax(found.items[name] @ vector))]

    asked = found.questions[number]
    return Pair(
        person=person.name,
        question=one.text,
        item=item,
        text=best(item, found.answers[number]),
        fine=one.fine,
        traps=tuple(best(name, asked) for name in one.must_not if name not in one.fine),
        near=tuple(best(name, asked) for name in _nearest(one, found, number=number)),
    )


def _nearest(one: Question, found: Embedded, *, number: int) -> list[str]:
    """Return the wrong items nearest to a question."""
    near = {
        name: float((rows @ found.questions[number]).max())
        for name, rows in found.items.items()
        if name not in one.fine and name not in one.must_not
    }
    return sorted(near, key=lambda name: -near[name])[:NEAR_MAX]
