"""The `fused` score: a sum of named parts on fixed scales, every part from the item's own merits.

For a passage:   own = lexical + semantic + phrase + author + owner + people + time + direction
                       + when + length
                 threaded = own + session·(best own in its thread)
                 total = threaded + before·(threaded of the passage before it) + after·(… after it)
For an item:     the total of its best passage + importance + source.

Nothing is standardised within a question, so a score does not depend on the limit, the filter or
the other hits (law 12). Knows arrays; where they come from is not known here.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simonides.model.answer import Contribution
from simonides.scoring.threads import Threads

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What each part is worth. Measured on development data; see docs/explanation/ranking.md.

    `lexical` multiplies BM25 over its ideal, `semantic` the centred cosine, `phrase` the share of
    quoted phrases held to the letter, `author` and `people` a 1 for being named, `owner` a 1 for
    the owner's own words where the question speaks in the first person, `time` an agreement in
    [0, 1], `direction` a nearness in [0, 1] to the end of time that is asked for, `when` a 1 for a
    passage with a date where a time is asked for, `length` a share min(1, words / 12).
    `importance` and `source` are bounded adjustments: they reorder near-ties and cannot swamp
    relevance.
    """

    lexical: float = 0.50
    semantic: float = 0.30
    phrase: float = 0.20
    author: float = 0.07
    owner: float = 0.10
    people: float = 0.05
    time: float = 0.10
    direction: float = 0.10
    when: float = 0.04
    length: float = 0.06
    session: float = 0.35
    before: float = 0.05
    after: float = 0.15
    importance: float = 0.04
    source: float = 0.05


WEIGHTS = Weights()

FULL_WORDS = 12
"""A passage of this many words says enough; shorter ones ("Thanks!") count in proportion."""


def _no_detail(_: int) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of `own`: values per chunk slot, or per item slot, times a weight.

    `detail` says in words where the value of a slot comes from.
    """

    name: str
    weight: float
    values: Floats
    per_item: bool = False
    detail: Callable[[int], str] = _no_detail


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """Scores of all items of a space, in thread order, and what they are made of.

    own, threaded, total: float64[c] by position; items: float64[i].
    """

    parts: tuple[Part, ...]
    adjustments: tuple[Part, ...]
    weights: Weights
    threads: Threads
    chunk_items: npt.NDArray[np.int32]
    own: Floats
    threaded: Floats
    total: Floats
    items: Floats

    def best_position(self, rank: int) -> int:
        """Return the position of the best passage of the item at place `rank` of the order."""
        starts = self.threads.item_starts
        first = int(starts[rank])
        stop = int(starts[rank + 1]) if rank + 1 < len(starts) else len(self.total)
        return first + int(np.argmax(self.total[first:stop]))

    def contributions(self, rank: int) -> tuple[Contribution, ...]:
        """Return the parts of one item's score, which add up to it in this order."""
        position = self.best_position(rank)
        found = [
            *self._parts(self.parts, position),
            *self._from_thread(position),
            *self._parts(self.adjustments, position),
        ]
        return tuple(part for part in found if part.value != 0.0)

    def _parts(self, parts: tuple[Part, ...], position: int) -> list[Contribution]:
        chunk = int(self.threads.chunks[position])
        item = int(self.chunk_items[chunk])
        return [_contribution(part, item if part.per_item else chunk) for part in parts]

    def _from_thread(self, position: int) -> list[Contribution]:
        follows, weights = self.threads.follows, self.weights
        before = self.threaded[position - 1] if follows[position] else 0.0
        is_last = position + 1 == len(follows) or not follows[position + 1]
        after = 0.0 if is_last else self.threaded[position + 1]
        best = self._thread_best(position)
        return [
            Contribution(
                name="session", value=float(weights.session * best), detail="the best of its thread"
            ),
            Contribution(
                name="before", value=float(weights.before * before), detail="what comes before it"
            ),
            Contribution(
                name="after", value=float(weights.after * after), detail="what comes after it"
            ),
        ]

    def _thread_best(self, position: int) -> float:
        starts = self.threads.thread_starts
        thread = int(np.searchsorted(starts, position, side="right")) - 1
        stop = int(starts[thread + 1]) if thread + 1 < len(starts) else len(self.own)
        return float(self.own[int(starts[thread]) : stop].max())


def _contribution(part: Part, slot: int) -> Contribution:
    value = float(part.weight * part.values[slot])
    return Contribution(name=part.name, value=value, detail=part.detail(slot) if value else "")


def relevance(
    parts: tuple[Part, ...],
    *,
    adjustments: tuple[Part, ...],
    threads: Threads,
    chunk_items: npt.NDArray[np.int32],
    weights: Weights = WEIGHTS,
) -> Relevance:
    """Return the scores of every item that is in `threads`; there must be at least one."""
    chunks = threads.chunks
    items_of_chunks = chunk_items[chunks]
    own = np.zeros(len(chunks))
    for part in parts:
        own += part.weight * part.values[items_of_chunks if part.per_item else chunks]
    threaded = own + weights.session * threads.best(own)
    total = threaded + weights.before * threads.before(threaded)
    total += weights.after * threads.after(threaded)
    items = threads.per_item(total)
    for part in adjustments:
        items += part.weight * part.values[threads.items]
    return Relevance(
        parts=parts,
        adjustments=adjustments,
        weights=weights,
        threads=threads,
        chunk_items=chunk_items,
        own=own,
        threaded=threaded,
        total=total,
        items=items,
    )
