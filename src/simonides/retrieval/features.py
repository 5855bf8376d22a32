"""The features of all items for one question: what the default score is the sum of.

Reads the lanes' arrays and the plan; the arithmetic is that of `scoring.ranking`. Must not know
what the weights are.
"""

from collections.abc import Callable, Iterator

import numpy as np

from simonides.index.facets import author_key
from simonides.index.index_view import IndexView
from simonides.model.answer import Plan
from simonides.model.item import Kind
from simonides.model.times import microseconds
from simonides.retrieval.evidence import (
    NOT_AUTHORS,
    VECTOR_WAITING,
    Bools,
    Evidence,
    Floats,
    PlannedQuery,
)
from simonides.scoring.expected import expected_cosine
from simonides.scoring.importance import decayed_importances
from simonides.scoring.ranking import (
    APART,
    FEATURES,
    FULL_WORDS,
    NEIGHBOUR_MEANING,
    NEIGHBOUR_WORDS,
    OTHER_PART,
    Feature,
    no_detail,
)
from simonides.text.questions import asks_assistant

NEUTRAL_IMPORTANCE = 0.5
"""Importance that neither helps nor hurts: the default of a memory."""

OWN_WORDS = "your own words"
"""Where the part `people` comes from that stands for what the owner said."""

HOUR_US = 3_600_000_000


def features_of(
    asked: PlannedQuery, evidence: Evidence, view: IndexView, *, spread: float
) -> dict[str, Feature]:
    """Return by name the features that some item has, in the order of `FEATURES`.

    `spread` is that of the cosines of unlike texts by the space's embedder.
    """
    rows = dict(_Features(asked, evidence, view, spread).rows())
    found = {name: rows[name] for name in FEATURES}
    return {
        name: Feature(name=name, values=values, detail=detail)
        for name, (values, detail) in found.items()
        if values is not None
    }


Row = tuple[Floats | None, Callable[[int], str]]


class _Features:
    """The values of each feature by item slot; None where no item has it."""

    def __init__(
        self, asked: PlannedQuery, evidence: Evidence, view: IndexView, spread: float
    ) -> None:
        self._asked, self._evidence, self._view = asked, evidence, view
        self._words = _words(asked.plan, evidence, view)
        self._sizes = view.item_stops - view.item_starts
        self._best, self._mean = self._meaning(spread)
        self._is_message = view.of_kind(Kind.MESSAGE)

    def rows(self) -> Iterator[tuple[str, Row]]:
        """Yield each feature's name, its values, and where the value of a slot comes from."""
        plan, evidence = self._asked.plan, self._evidence
        people = ", ".join(one.partition(":")[2].lstrip("~") for one in plan.people)
        before, after = self._neighbours()
        yield "passage", (self._best, self._waiting)
        yield "meaning", (self._mean, self._waiting)
        yield "words", (self._words, evidence.words_of)
        yield "length", (self._lengths(), no_detail)
        yield "people", (self._people(), lambda _: people or OWN_WORDS)
        yield "when", (self._when(), lambda _: "it names a time")
        yield "time", (self._time(), lambda _: _time_words(plan))
        yield "source", (evidence.pointed, lambda _: ", ".join((*plan.kinds, *plan.sources)))
        yield "before", (before, lambda _: "what was said before fits")
        yield "after", (after, lambda _: "what was said next fits")
        yield "assistant", (self._assistant(), lambda _: "said by an assistant")
        yield "message", (self._is_message.astype(np.float64), no_detail)
        yield "cancelled", (_as_floats(evidence.cancelled), lambda _: "it was cancelled")
        yield "namesake", (_as_floats(evidence.namesakes), lambda _: "another of that name")
        yield "importance", (self._importance(), no_detail)
        yield "conversation", (self._conversation(), lambda _: "this session")

    def _meaning(self, spread: float) -> tuple[Floats, Floats]:
        """Return the best and the mean cosine of each item's passages, in spreads.

        Without vectors, what their words let expect.
        """
        cosines, view = self._evidence.semantic, self._view
        if cosines is None:
            cosines = expected_cosine(self._lexical())
        sums = np.bincount(view.chunk_items, cosines, minlength=view.item_count)
        return view.best_chunk_values(cosines) / spread, sums / (spread * self._sizes)

    def _lexical(self) -> Floats:
        """Return the lexical score of each chunk, which is no more than its item's words are."""
        lexical = self._evidence.lexical
        if lexical is None:
            return np.zeros(self._view.chunk_count)
        return np.minimum(lexical, self._words[self._view.chunk_items])

    def _waiting(self, slot: int) -> str:
        first = int(self._view.item_starts[slot])
        waiting = self._evidence.waiting
        if waiting is None or not waiting[first : first + int(self._sizes[slot])].any():
            return ""
        return VECTOR_WAITING

    def _lengths(self) -> Floats:
        full = np.where(self._is_message, FULL_WORDS, 1)
        return np.asarray(np.minimum(self._view.item_words / full, 1.0))

    def _people(self) -> Floats | None:
        evidence = self._evidence
        part = None if evidence.people is None else OTHER_PART * evidence.people
        given = [v for v in (evidence.authors, evidence.owner, part) if v is not None]
        return np.maximum.reduce(given) if given else None

    def _when(self) -> Floats | None:
        if not self._asked.plan.asks_when:
            return None
        dated = self._view.chunks.dated.rows(self._view.chunk_count)
        return self._view.any_chunk(dated).astype(np.float64)

    def _time(self) -> Floats | None:
        given = [v for v in (self._evidence.agreement, self._evidence.takes_place) if v is not None]
        return np.maximum.reduce(given) if given else None

    def _neighbours(self) -> tuple[Floats, Floats]:
        """Return how well the items before and after each fit, within its thread."""
        fit = NEIGHBOUR_MEANING * self._best + NEIGHBOUR_WORDS * self._words
        threads, count = self._view.threads, self._view.item_count
        by_place = fit[threads.items]
        before, after = np.zeros(count), np.zeros(count)
        before[threads.items] = threads.before(by_place)
        after[threads.items] = threads.after(by_place)
        leans = np.where(self._is_message, 1.0, APART)
        return before * leans, after * leans

    def _assistant(self) -> Floats | None:
        if not self._is_message.any() or asks_assistant(self._asked.query.text):
            return None
        said = self._view.having(map(author_key, self._view.names.matching("assistant")))
        return (said & self._is_message).astype(np.float64)

    def _importance(self) -> Floats | None:
        """Return decayed importance less the neutral ½; 0 for items without it."""
        items, count = self._view.items, self._view.item_count
        base = items.importance.rows(count)
        has = ~np.isnan(base)
        if not has.any():
            return None
        age_us = microseconds(self._asked.query.now) - items.stored.rows(count)[has]
        values = np.zeros(count)
        values[has] = decayed_importances(
            base[has],
            half_life_hours=items.half_life.rows(count)[has],
            age_hours=age_us / HOUR_US,
            config=self._asked.decay,
        ) - NEUTRAL_IMPORTANCE  # fmt: skip
        return values

    def _conversation(self) -> Floats | None:
        session = self._asked.query.session_id
        if not session:
            return None
        own = self._view.having_codes("session", [session])
        return (own & self._is_message).astype(np.float64)


def _as_floats(mask: Bools | None) -> Floats | None:
    return None if mask is None else mask.astype(np.float64)


def _time_words(plan: Plan) -> str:
    return plan.time.text if plan.time else ""


def _words(plan: Plan, evidence: Evidence, view: IndexView) -> Floats:
    """Return the share of the question's words in each item, weighed by how rare they are.

    Who wrote an item is one of its words, but not for a question that asks for another part of
    theirs. Where no whole word is found anywhere, the share of those found as parts of others; a
    phrase that is quoted and not there takes its share away.
    """
    held, total = np.zeros(view.item_count), 0.0
    is_apart = bool(plan.people) and plan.role in NOT_AUTHORS
    authored = view.having(map(author_key, plan.people)) if is_apart else None
    for text, idf, marked in evidence.words:
        total += idf
        own = marked
        if authored is not None and evidence.is_called(text):
            own = marked & ~authored
        held += idf * own
    share = held / total if total else held
    if evidence.keywords is not None:
        share = np.maximum(share, evidence.keywords)
    return share if evidence.phrases is None else share * evidence.phrases
