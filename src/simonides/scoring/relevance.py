"""The `fused` score: a sum of named parts on fixed scales, each of the item alone.

For a passage:  passage  = lexical + semantic + when + length
For an item:    own      = its best passage + keyword + phrase + author + owner + people + time
                         + direction
                threaded = own + session · (best own in its thread)
                score    = threaded + before · (threaded of the item before it)
                         + after · (threaded of the item after it) + importance + source
               + conversation

A thread is a session's items in order of time, position and id; an item without a session is a
thread of its own. Nothing is standardised within a question, so a score does not depend on the
limit, the filter or the other hits (law 12). Knows arrays; where they come from is not known here.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from simonides.model.answer import Contribution

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Threads:
    """The present items in thread order; a place is a position in that order.

    items: int32[i] item slots by place; starts: int64[t] the first place of each thread;
    follows: bool[i], whether the item at the place before belongs to the same thread.
    """

    items: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    follows: npt.NDArray[np.bool_]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.items.nbytes + self.starts.nbytes + self.follows.nbytes

    def best(self, values: Floats) -> Floats:
        """Return by place the largest of `values` (float64[i] by place) in its thread."""
        sizes = np.diff(self.starts, append=len(values))
        return np.repeat(np.maximum.reduceat(values, self.starts), sizes)

    def before(self, values: Floats) -> Floats:
        """Return by place the value of the previous item in its thread, 0 for the first."""
        moved = np.zeros_like(values)
        np.multiply(values[:-1], self.follows[1:], out=moved[1:])
        return moved

    def after(self, values: Floats) -> Floats:
        """Return by place the value of the next item in its thread, 0 for the last."""
        moved = np.zeros_like(values)
        np.multiply(values[1:], self.follows[1:], out=moved[:-1])
        return moved


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The weight of each part. Measured on development data; see docs/explanation/ranking.md.

    `lexical` multiplies BM25 over its ideal, `semantic` the centred cosine, `keyword` the share of
    words found as parts of others (only where no whole word is found), `phrase` that of quoted
    phrases held to the letter, `author` and `people` a 1 for being named, `owner` a 1 for the
    owner's own words where the question speaks in the first person, `time` an agreement in [0, 1],
    `direction` a fit in [0, 1] less what fits and is nearer to the end of time that is asked for,
    `when` a 1 for a passage with a date where a time is asked for, `length` a share
    min(1, words / 12), `agenda` a 1 for what takes place or is due within the time asked for,
    `conditions` the share that is met of the time, the source and the people named, where a
    question has no other words, `cancelled` a 1 for an event that was, `namesake` a 1 for what has
    to do with another of the name that is asked for. `importance`, `source`
    and `conversation` (a 1 for messages of the session in which the question is asked) are bounded
    adjustments: they reorder near-ties and cannot swamp relevance.
    """

    lexical: float = 0.50
    semantic: float = 0.40
    keyword: float = 0.20
    phrase: float = 0.20
    author: float = 0.07
    owner: float = 0.10
    people: float = 0.05
    time: float = 0.10
    direction: float = 0.25
    when: float = 0.04
    length: float = 0.06
    session: float = 0.35
    before: float = 0.05
    after: float = 0.15
    importance: float = 0.04
    source: float = 0.10
    conversation: float = 0.05
    conditions: float = 0.40
    agenda: float = 0.30
    cancelled: float = -0.10
    namesake: float = -0.10


WEIGHTS = Weights()

FULL_WORDS = 12
"""A passage of this many words says enough; shorter ones ("Thanks!") count in proportion."""


def _no_detail(_: int) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorePart:
    """One part of a score: values by slot (of chunks or of items), times a weight.

    `detail` says in words where the value of a slot comes from.
    """

    name: str
    weight: float
    values: Floats
    detail: Callable[[int], str] = _no_detail

    def add_to(self, found: list[Contribution], slot: int) -> None:
        """Add this part's contribution to one slot, unless it is 0."""
        value = float(self.weight * self.values[slot])
        if value:
            found.append(Contribution(name=self.name, value=value, detail=self.detail(slot)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """All parts, each group in the order in which it is added.

    `of_chunks` by chunk slot; `of_items` and `adjustments` by item slot. `dependence`, by item
    slot, is how far in [0, 1] an item is to be read with its thread; None stands for 1 everywhere.
    """

    of_chunks: tuple[ScorePart, ...]
    of_items: tuple[ScorePart, ...] = ()
    adjustments: tuple[ScorePart, ...] = ()
    dependence: Floats | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """The scores of all items in `threads`, with their parts.

    passages: float64[c] by chunk slot; own, threaded and scores: float64[i] by place of the
    thread order; item_starts: int32 by item slot, the slot of its first chunk.
    """

    parts: Parts
    weights: Weights
    threads: Threads
    item_starts: npt.NDArray[np.int32]
    passages: Floats
    own: Floats
    threaded: Floats
    scores: Floats

    def best_chunk(self, item: int) -> int:
        """Return the slot of the (first) best passage of an item slot."""
        first = int(self.item_starts[item])
        is_last = item + 1 == len(self.item_starts)
        stop = len(self.passages) if is_last else int(self.item_starts[item + 1])
        return first + int(np.argmax(self.passages[first:stop]))

    def adjusted(self, part: ScorePart) -> "Relevance":
        """Return these scores with one more adjustment, which may be made of them."""
        parts = replace(self.parts, adjustments=(*self.parts.adjustments, part))
        scores = self.scores + part.weight * part.values[self.threads.items]
        return replace(self, parts=parts, scores=scores)

    def contributions(self, place: int) -> tuple[Contribution, ...]:
        """Return the parts of the score of the item at a place; their sum in order is the score."""
        item = int(self.threads.items[place])
        chunk = self.best_chunk(item)
        found: list[Contribution] = []
        for part in self.parts.of_chunks:
            part.add_to(found, chunk)
        for part in self.parts.of_items:
            part.add_to(found, item)
        self._add_thread(found, place)
        for part in self.parts.adjustments:
            part.add_to(found, item)
        return tuple(found)

    def _add_thread(self, found: list[Contribution], place: int) -> None:
        follows, weights = self.threads.follows, self.weights
        depends = self.parts.dependence
        share = 1.0 if depends is None else float(depends[self.threads.items[place]])
        before = share * self.threaded[place - 1] if follows[place] else 0.0
        is_last = place + 1 == len(follows) or not follows[place + 1]
        after = 0.0 if is_last else share * self.threaded[place + 1]
        best = self._thread_best(place)
        if depends is not None:
            best = best * share + (1.0 - share) * float(self.own[place])
        for name, weight, value, detail in (
            ("session", weights.session, best, "the best of its thread"),
            ("before", weights.before, before, "what comes before it"),
            ("after", weights.after, after, "what comes after it"),
        ):
            if weight * value:
                found.append(Contribution(name=name, value=float(weight * value), detail=detail))

    def _thread_best(self, place: int) -> float:
        starts = self.threads.starts
        thread = int(np.searchsorted(starts, place, side="right")) - 1
        stop = int(starts[thread + 1]) if thread + 1 < len(starts) else len(self.own)
        return float(self.own[int(starts[thread]) : stop].max())


def relevance(
    parts: Parts,
    *,
    threads: Threads,
    item_starts: npt.NDArray[np.int32],
    chunk_items: npt.NDArray[np.int32],
    weights: Weights = WEIGHTS,
) -> Relevance:
    """Return the scores of every item that is in `threads`; there must be at least one."""
    passages = _summed(parts.of_chunks)
    own = best_by_owner(passages, chunk_items, count=len(item_starts))[threads.items]
    for part in parts.of_items:
        _add(own, part.values[threads.items], weight=part.weight)
    share = None if parts.dependence is None else parts.dependence[threads.items]
    threaded = own.copy()
    _add(threaded, _shared(threads.best(own), own, share), weight=weights.session)
    scores = threaded.copy()
    _add(scores, _shared(threads.before(threaded), None, share), weight=weights.before)
    _add(scores, _shared(threads.after(threaded), None, share), weight=weights.after)
    for part in parts.adjustments:
        _add(scores, part.values[threads.items], weight=part.weight)
    return Relevance(
        parts=parts,
        weights=weights,
        threads=threads,
        item_starts=item_starts,
        passages=passages,
        own=own,
        threaded=threaded,
        scores=scores,
    )


def _shared(values: Floats, own: Floats | None, share: Floats | None) -> Floats:
    """Return of each value its share; the rest is that of `own`, or nothing."""
    if share is None:
        return values
    values *= share
    if own is not None:
        values += (1.0 - share) * own
    return values


def best_by_owner(values: Floats, owners: npt.NDArray[np.int32], *, count: int) -> Floats:
    """Return float64[count]: the largest of `values` of each owner, -inf for one without any."""
    best = np.full(count, -np.inf)
    np.maximum.at(best, owners, values)
    return best


def _summed(parts: tuple[ScorePart, ...]) -> Floats:
    """Return the weighted sum of parts of equal length, added in their order; at least one."""
    total = parts[0].weight * parts[0].values
    scaled = np.empty_like(total)
    for part in parts[1:]:
        total += np.multiply(part.values, part.weight, out=scaled)
    return total


def _add(total: Floats, values: Floats, *, weight: float) -> None:
    """Add weight·values to `total` in place; `values` is overwritten to save an array."""
    values *= weight
    total += values
