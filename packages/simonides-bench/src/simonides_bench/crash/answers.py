"""Whether a space answers as the model says: each word finds its item, and a dead word nothing."""

import random
from collections.abc import Iterator, Sequence

from simonides.api.memory import Memory
from simonides.model.answer import Mode
from simonides_bench.crash import words
from simonides_bench.crash.judge import Fault, Wrong
from simonides_bench.crash.state import State

Answers = tuple[tuple[str, tuple[tuple[str, float], ...]], ...]
"""Each question with the ids and scores that it got."""

ALIVE_ASKED, DEAD_ASKED = 3, 2
"""Words asked for in one look, of items that are there and of versions that are not."""


def wrong_answers(memory: Memory, states: Sequence[State], draw: random.Random) -> Iterator[Fault]:
    """Yield what searches find that they should not, or do not find that they should.

    One question names words of items that are there and of versions that are not; one is shared
    by all items; one is asked by vector, which may leave out what is far from it.
    """
    alive = {word: one for state in states for one, word in state.words.items()}
    dead = sorted(set().union(*(state.dead_words for state in states)) - set(alive))
    named = _some(sorted(alive), ALIVE_ASKED, draw)
    asked = [*named, *_some(dead, DEAD_ASKED, draw)]
    if asked:
        yield from _compare(memory, " ".join(asked), wanted={alive[word] for word in named})
    yield from _compare(memory, words.COMMON, wanted=set(alive.values()))
    near = memory.search(words.COMMON, limit=len(alive) + 1, mode=Mode.VECTOR)
    for one in sorted({hit.item.id for hit in near.hits} - set(alive.values())):
        yield Fault(wrong=Wrong.RESURRECTED, seen=f"search by vector finds {one}")


def _compare(memory: Memory, question: str, *, wanted: set[str]) -> Iterator[Fault]:
    result = memory.search(question, limit=len(wanted) + 5, mode=Mode.TEXT)
    found = {hit.item.id for hit in result.hits}
    for one in sorted(wanted - found):
        yield Fault(wrong=Wrong.LOST, seen=f"search for {question!r} lacks {one}")
    for one in sorted(found - wanted):
        yield Fault(wrong=Wrong.RESURRECTED, seen=f"search for {question!r} finds {one}")


def _some(of: Sequence[str], count: int, draw: random.Random) -> list[str]:
    return draw.sample(of, min(count, len(of)))


def answers(memory: Memory, questions: Sequence[str]) -> Answers:
    """Return what a few questions get, to the last bit of the scores."""
    return tuple(
        (one, tuple((hit.item.id, hit.score) for hit in memory.search(one, limit=20).hits))
        for one in questions
    )
