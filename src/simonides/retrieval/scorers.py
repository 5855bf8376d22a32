"""The three named scorers: `fused` (the default), `classic` (the seed's formula) and `rrf`.

Each makes scores of what the lanes found, with contributions that add up to them. Knows the arrays
of an `IndexView`; the arithmetic is that of `scoring`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from simonides.index.index_view import IndexView
from simonides.model.answer import Contribution, Direction, Explanation, Plan
from simonides.model.item import Kind
from simonides.model.times import microseconds
from simonides.retrieval.by_time import conditions, ordered_by_time
from simonides.retrieval.evidence import Bools, Evidence, PlannedQuery
from simonides.scoring.expected import expected_plain_cosine
from simonides.scoring.formulas import (
    EPISODIC_MESSAGES,
    EPISODIC_SESSIONS,
    SEMANTIC_UNKNOWN,
    ClassicSignals,
    Lane,
    classic_parts,
    episodic,
    rank_shares,
)
from simonides.scoring.importance import DAY_US, UNDATED, decayed_importances
from simonides.scoring.relevance import FULL_WORDS, WEIGHTS, Parts, ScorePart, relevance

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Scores by item slot.

    values: float64[items], NaN for what does not rank; `contributions(slot)` add up to the value
    in their order; `best_chunk(slot)` is the chunk slot that speaks for the item; `stands_for` are
    the slots of what an item replaces.
    """

    values: Floats
    contributions: Callable[[int], tuple[Contribution, ...]]
    best_chunk: Callable[[int], int]
    stands_for: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    def moved(self, by: Contribution) -> "Scores":
        """Return scores that all have one more contribution, the same: their order stays."""
        return replace(
            self,
            values=self.values + by.value,
            contributions=lambda slot: (*self.contributions(slot), by),
        )


def best_chunk_by(chunks: Floats | None, view: IndexView) -> Callable[[int], int]:
    """Return a function from item slot to its (first) chunk slot of largest value."""

    def best(slot: int) -> int:
        first = int(view.item_starts[slot])
        stop = int(np.searchsorted(view.chunk_items, slot, side="right"))
        return first if chunks is None else first + int(np.argmax(chunks[first:stop]))

    return best


TEMPORAL_SIMILARITY = 0.9
"""What the seed takes for the similarity of an item that is among the newest of a named source."""


def classic_scores(asked: PlannedQuery, evidence: Evidence, view: IndexView) -> Scores:
    """Return the classic scores of all items in the lanes' results."""
    formula = _Formula(asked, evidence, view)
    values = np.full(view.item_count, np.nan)
    for slot in np.flatnonzero(evidence.found(view)):
        parts = formula.contributions(int(slot))
        if parts:
            values[slot] = Explanation(contributions=parts, lanes=()).score
    return Scores(
        values=values,
        contributions=formula.contributions,
        best_chunk=best_chunk_by(
            formula.cosines if formula.cosines is not None else evidence.lexical, view
        ),
    )


class _Formula:
    """The classic formula over one item's signals, read from arrays."""

    def __init__(self, asked: PlannedQuery, evidence: Evidence, view: IndexView) -> None:
        self._asked, self._evidence, self._view = asked, evidence, view
        self.cosines = _plain_cosines(evidence, view)
        self._similarity = None if self.cosines is None else view.best_chunk_values(self.cosines)
        self._text_rank = _text_rank(evidence, view)
        self._days = _whole_days(asked, view)
        self._remembered = _remembered(view)
        self._newest = _asked_for_as_newest(asked, evidence, view)

    def contributions(self, slot: int) -> tuple[Contribution, ...]:
        """Return the parts of one item's score; none for a message out of episodic reach."""
        if self._text("kind", slot) == Kind.MESSAGE:
            return self._episodic(slot)
        entities = self._evidence.mentions
        parts = classic_parts(
            ClassicSignals(
                semantic=self._semantic(slot),
                days=self._age(slot),
                entities=0 if entities is None else int(entities[slot]),
                entity_explicit=bool(self._asked.query.filter.entities),
                source=self._text("source", slot),
                source_explicit=self._text("source", slot) in self._explicit_sources(),
                text_rank=float(self._text_rank[slot]),
            )
        )
        details = {"semantic": self._waiting(slot)}
        return tuple(
            Contribution(name=n, value=v, detail=details.get(n, "")) for n, v in parts if v != 0.0
        )

    def _explicit_sources(self) -> tuple[str, ...]:
        return (*self._asked.plan.sources, *self._asked.query.filter.sources)

    def _episodic(self, slot: int) -> tuple[Contribution, ...]:
        if self._similarity is None or not self._remembered[slot]:
            return ()
        session = self._text("session", slot)
        value = episodic(
            float(self._similarity[slot]),
            same_session=bool(session) and session == self._asked.query.session_id,
            days=self._age(slot),
        )
        if value is None:
            return ()
        return (Contribution(name="episodic", value=value, detail=self._waiting(slot)),)

    def _waiting(self, slot: int) -> str:
        """Return the detail of a similarity that stands for a vector that is not made yet."""
        if self.cosines is None or self._evidence.waiting is None:
            return ""
        return self._evidence.meaning_of(best_chunk_by(self.cosines, self._view)(slot))

    def _semantic(self, slot: int) -> float:
        similarity = self._similarity_of(slot)
        if self._fits_the_time(slot):
            similarity = max(similarity, SEMANTIC_UNKNOWN)
        return max(similarity, TEMPORAL_SIMILARITY) if self._newest[slot] else similarity

    def _similarity_of(self, slot: int) -> float:
        if self._similarity is not None and (
            self._evidence.lanes["semantic"][slot] or self._waiting(slot)
        ):
            return float(self._similarity[slot])
        if self._evidence.keywords is not None and self._evidence.keywords[slot] > 0.0:
            return float(self._evidence.keywords[slot])
        if self._similarity is not None and self._found_only_by_time(slot):
            return max(0.0, float(self._similarity[slot]))
        return SEMANTIC_UNKNOWN

    def _fits_the_time(self, slot: int) -> bool:
        """Return whether an item is of a person who is named and lies in the time that is named.

        Its similarity then counts no less than an unknown one: few words are left to be alike.
        """
        lanes, within = self._evidence.lanes, self._evidence.within
        is_of_person = "entity" in lanes and bool(lanes["entity"][slot])
        return is_of_person and within is not None and bool(within[slot])

    def _found_only_by_time(self, slot: int) -> bool:
        found_by = {name for name, items in self._evidence.lanes.items() if items[slot]}
        return found_by == {"temporal"}

    def _age(self, slot: int) -> int | None:
        return None if self._days[slot] < 0 else int(self._days[slot])

    def _text(self, column: str, slot: int) -> str:
        codes = self._view.items.codes[column]
        return codes.values[int(codes.column.rows(self._view.item_count)[slot])] or ""


def _asked_for_as_newest(asked: PlannedQuery, evidence: Evidence, view: IndexView) -> Bools:
    """Return the dated items of the sources and kinds of which the question wants the newest.

    The seed fetches these by their time alone and gives them one similarity, so that their age
    decides among them.
    """
    if asked.plan.direction is not Direction.NEWEST or evidence.pointed is None:
        return np.zeros(view.item_count, dtype=bool)
    dated = view.items.happened.rows(view.item_count) != UNDATED
    return np.asarray(dated & (evidence.pointed > 0.0))


def _plain_cosines(evidence: Evidence, view: IndexView) -> Floats | None:
    """Return float64[chunks]: plain cosines, or what words let expect of those waited for."""
    if evidence.query_vector is None:
        return None
    cosines = view.cosines(evidence.query_vector)
    if evidence.waiting is not None:
        words = np.zeros(view.chunk_count) if evidence.lexical is None else evidence.lexical
        cosines[evidence.waiting] = expected_plain_cosine(words[evidence.waiting])
    return cosines


def _text_rank(evidence: Evidence, view: IndexView) -> Floats:
    """Return float64[items]: best of matching lexemes / (distinct lexemes + 1) over its chunks."""
    if evidence.matching is None:
        return np.zeros(view.item_count)
    distinct = view.chunks.distinct.rows(view.chunk_count).astype(np.float64)
    ranks = view.best_chunk_values(evidence.matching / (distinct + 1.0))
    return np.maximum(ranks, 0.0)


def _whole_days(asked: PlannedQuery, view: IndexView) -> npt.NDArray[np.int64]:
    """Return int64[items]: whole days of age, 0 for the future, -1 undated."""
    happened = view.items.happened.rows(view.item_count)
    dated = happened != UNDATED
    age_us = microseconds(asked.query.now) - np.where(dated, happened, 0)
    return np.where(dated, np.maximum(age_us // DAY_US, 0), -1)


def _remembered(view: IndexView) -> Bools:
    """Return the messages in episodic reach: the last 20 of each of the last 10 sessions."""
    items, count = view.items, view.item_count
    is_message = view.alive & items.codes["kind"].holding([Kind.MESSAGE], count=count)
    slots = np.flatnonzero(is_message)
    columns = (items.ids, items.position, items.happened)
    slots = slots[np.lexsort([column.rows(count)[slots] for column in columns])[::-1]]
    sessions = items.codes["session"].column.rows(count)
    newest: dict[int, list[int]] = {}
    for slot in slots:
        newest.setdefault(int(sessions[slot]), []).append(int(slot))
    reach = np.zeros(count, dtype=bool)
    for last in list(newest.values())[:EPISODIC_SESSIONS]:
        reach[last[:EPISODIC_MESSAGES]] = True
    return reach


EXPLAINING = frozenset({"how", "why", "explain", "describe", "relate", "compare"})
FACTUAL = frozenset({"what", "who", "which", "where", "when", "define"})
RRF_WEIGHTS = {"explaining": (0.3, 0.7), "factual": (0.7, 0.3), "exploring": (0.4, 0.5)}
"""(lexical, semantic) by kind of question, as in the seed's classifier. Its temporal row is not
taken over: it let the newest items outrank everything that was asked for."""

ENTITY_WEIGHT, TEMPORAL_WEIGHT, KEYWORD_WEIGHT, PHRASE_WEIGHT = 0.2, 0.2, 0.2, 0.2


def kind_of_question(words: tuple[str, ...]) -> str:
    """Return `explaining`, `factual` or `exploring` by the question's words, matched whole."""
    if EXPLAINING.intersection(words):
        return "explaining"
    return "factual" if FACTUAL.intersection(words[:2]) else "exploring"


def rrf_scores(asked: PlannedQuery, evidence: Evidence, view: IndexView) -> Scores:
    """Return the reciprocal rank fusion of all present items."""
    lanes = _lanes(asked, evidence, view)
    shares = {lane.name: rank_shares(lane) for lane in lanes}
    values = np.zeros(view.item_count)
    for share in shares.values():
        values += share
    best_chunk = best_chunk_by(_relevance(evidence), view)
    return Scores(
        values=values,
        contributions=lambda slot: tuple(
            Contribution(
                name=name,
                value=float(share[slot]),
                detail=evidence.meaning_of(best_chunk(slot)) if name == "semantic" else "",
            )
            for name, share in shares.items()
            if share[slot] > 0.0
        ),
        best_chunk=best_chunk,
    )


def _relevance(evidence: Evidence) -> Floats | None:
    """Return the relevance of each chunk by itself, by words and meaning together."""
    given = [v for v in (evidence.lexical, evidence.semantic) if v is not None]
    return np.asarray(np.add.reduce(given)) if given else None


def _lanes(asked: PlannedQuery, evidence: Evidence, view: IndexView) -> list[Lane]:
    lexical, semantic = RRF_WEIGHTS[kind_of_question(asked.plan.words)]
    lanes = []
    if evidence.semantic is not None:
        values = view.best_chunk_values(evidence.semantic)
        lanes.append(_lane("semantic", semantic, values, view))
    if evidence.lexical is not None:
        values = view.best_chunk_values(evidence.lexical)
        lanes.append(_lane("lexical", lexical, values, view))
    for name, weight, found in (
        ("entity", ENTITY_WEIGHT, evidence.mentions),
        ("temporal", TEMPORAL_WEIGHT, _timed(evidence)),
        ("keyword", KEYWORD_WEIGHT, evidence.keywords),
        ("phrase", PHRASE_WEIGHT, evidence.phrases),
    ):
        if found is not None:
            lanes.append(_lane(name, weight, found, view))
    return lanes


def _timed(evidence: Evidence) -> Floats | None:
    given = [v for v in (evidence.agreement, evidence.nearness) if v is not None]
    return None if not given else np.asarray(np.add.reduce(given))


def _lane(name: str, weight: float, values: Floats, view: IndexView) -> Lane:
    """Return the lane; zero values and dead items count as not found."""
    found = view.alive & (values > 0.0)
    return Lane(name=name, weight=weight, values=np.where(found, values, np.nan))


HOUR_US = 3_600_000_000


def fused_scores(asked: PlannedQuery, evidence: Evidence, view: IndexView) -> Scores:
    """Return the fused scores of all present items."""
    scored = relevance(
        Parts(
            of_chunks=_of_chunks(asked, evidence, view),
            of_items=_of_items(asked, evidence),
            adjustments=_adjustments(asked, evidence, view),
            dependence=_dependence(view),
        ),
        threads=view.threads,
        item_starts=view.item_starts,
        chunk_items=view.chunk_items,
    )
    values = np.full(view.item_count, np.nan)
    values[view.threads.items] = scored.scores
    ordered = ordered_by_time(asked, evidence, view, scores=values)
    if ordered is not None:
        gained = ScorePart(
            name="direction", weight=1.0, values=ordered.gains, detail=ordered.detail
        )
        scored = scored.adjusted(gained)
        values[view.threads.items] = scored.scores
    return Scores(
        values=values,
        contributions=lambda slot: scored.contributions(int(view.thread_places[slot])),
        best_chunk=scored.best_chunk,
    )


def _of_chunks(asked: PlannedQuery, evidence: Evidence, view: IndexView) -> tuple[ScorePart, ...]:
    """Return the parts of passages for which there is evidence, in the order of addition."""
    words = view.chunks.words.rows(view.chunk_count)
    dated = view.chunks.dated.rows(view.chunk_count) if asked.plan.asks_when else None
    return _given(
        ("lexical", WEIGHTS.lexical, evidence.lexical, evidence.words_in),
        ("semantic", WEIGHTS.semantic, evidence.semantic, evidence.meaning_of),
        ("when", WEIGHTS.when, dated, lambda _: "it names a time"),
        ("length", WEIGHTS.length, np.minimum(words / FULL_WORDS, 1.0), lambda _: ""),
    )


def _of_items(asked: PlannedQuery, evidence: Evidence) -> tuple[ScorePart, ...]:
    """Return the parts of items for which there is evidence, in the order of addition."""
    plan = asked.plan
    return _given(
        ("keyword", WEIGHTS.keyword, evidence.keywords, lambda _: "within words"),
        ("phrase", WEIGHTS.phrase, evidence.phrases, lambda _: " · ".join(plan.phrases)),
        ("author", WEIGHTS.author, evidence.authors, lambda _: _names(plan.people)),
        ("owner", WEIGHTS.owner, evidence.owner, lambda _: "your own words"),
        ("people", WEIGHTS.people, evidence.people, lambda _: _names(plan.people)),
        ("time", WEIGHTS.time, evidence.agreement, lambda _: _time_words(plan)),
    )


def _given(
    *rows: tuple[str, float, npt.NDArray[Any] | None, Callable[[int], str]],
) -> tuple[ScorePart, ...]:
    return tuple(
        ScorePart(
            name=name, weight=weight, values=values.astype(np.float64, copy=False), detail=detail
        )
        for name, weight, values, detail in rows
        if values is not None
    )


def _names(people: tuple[str, ...]) -> str:
    return ", ".join(one.partition(":")[2].lstrip("~") for one in people)


def _time_words(plan: Plan) -> str:
    return plan.time.text if plan.time else ""


TALK, APART = 1.0, 0.4
"""How far a message of a conversation, and anything else, is to be read with its thread: a mail
mostly stands for itself (measured: docs/explanation/ranking.md)."""


def _dependence(view: IndexView) -> Floats:
    is_talk = view.items.codes["kind"].holding([Kind.MESSAGE], count=view.item_count)
    return np.where(is_talk, TALK, APART)


def _met(plan: Plan, evidence: Evidence) -> Floats | None:
    """Return the share of a question's conditions that each item meets, where it has no words."""
    met = conditions(plan, evidence) if evidence.is_bare else []
    return np.mean(met, axis=0) if met else None


def _adjustments(asked: PlannedQuery, evidence: Evidence, view: IndexView) -> tuple[ScorePart, ...]:
    plan = asked.plan
    time = plan.time.text if plan.time else plan.direction
    return _given(
        ("importance", WEIGHTS.importance, _importance(asked, view), lambda _: ""),
        ("source", WEIGHTS.source, evidence.pointed, lambda _: ", ".join(plan.kinds)),
        ("conversation", WEIGHTS.conversation, _of_session(asked, view), lambda _: "this session"),
        ("conditions", WEIGHTS.conditions, _met(plan, evidence), lambda _: "what is asked for"),
        ("agenda", WEIGHTS.agenda, evidence.takes_place, lambda _: f"then or due: {time}"),
        ("cancelled", WEIGHTS.cancelled, evidence.cancelled, lambda _: "it was cancelled"),
        ("namesake", WEIGHTS.namesake, evidence.namesakes, lambda _: "another of that name"),
    )


def _of_session(asked: PlannedQuery, view: IndexView) -> Floats | None:
    """Return 1 for messages of the session in which the question is asked, else 0."""
    session = asked.query.session_id
    if not session:
        return None
    codes, count = view.items.codes, view.item_count
    own = codes["session"].holding([session], count=count)
    own &= codes["kind"].holding([Kind.MESSAGE], count=count)
    return own.astype(np.float64)


def _importance(asked: PlannedQuery, view: IndexView) -> Floats | None:
    """Return decayed importance less the neutral .5, per item; 0 for items without it."""
    base = view.items.importance.rows(view.item_count)
    has = ~np.isnan(base)
    if not has.any():
        return None
    values = np.zeros(view.item_count)
    age_us = microseconds(asked.query.now) - view.items.stored.rows(view.item_count)[has]
    half_life = view.items.half_life.rows(view.item_count)[has]
    faded = decayed_importances(
        base[has], half_life_hours=half_life, age_hours=age_us / HOUR_US, config=asked.decay
    )
    values[has] = faded - NEUTRAL_IMPORTANCE
    return values


NEUTRAL_IMPORTANCE = 0.5
"""Importance that neither helps nor hurts: the default of a memory."""
