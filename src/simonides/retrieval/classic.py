"""The scorer `classic`: the design's additive formula over one item's signals.

Knows the arrays of an `IndexView`; the arithmetic is that of `scoring.formulas`.
"""

import numpy as np
import numpy.typing as npt

from simonides.index.index_view import IndexView
from simonides.model.answer import Contribution, Direction, Explanation
from simonides.model.item import Kind
from simonides.model.times import microseconds
from simonides.retrieval.evidence import Bools, Evidence, Floats, PlannedQuery
from simonides.retrieval.scores import Scores, best_chunks_by
from simonides.scoring.expected import expected_plain_cosine
from simonides.scoring.formulas import (
    EPISODIC_MESSAGES,
    EPISODIC_SESSIONS,
    SEMANTIC_UNKNOWN,
    ClassicSignals,
    classic_parts,
    episodic,
)
from simonides.scoring.importance import DAY_US, UNDATED

TEMPORAL_SIMILARITY = 0.9
"""The similarity of an item that is among the newest of a named source, as in the designs."""


def classic_scores(asked: PlannedQuery, evidence: Evidence, view: IndexView) -> Scores:
    """Return the classic scores of all items in the lanes' results."""
    formula = _Formula(asked, evidence, view)
    values = np.full(view.item_count, np.nan)
    for slot in np.flatnonzero(evidence.mark_found(view)):
        parts = formula.contributions(int(slot))
        if parts:
            values[slot] = Explanation(contributions=parts, lanes=()).score
    return Scores(
        values=values,
        contributions=formula.contributions,
        best_chunks=best_chunks_by(
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
        self._in_reach = _find_in_reach(view)
        self._newest = _find_newest_asked(asked, evidence, view)

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
        if self._similarity is None or not self._in_reach[slot]:
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
        best_chunks = best_chunks_by(self.cosines, self._view)
        return self._evidence.meaning_of(best_chunks(np.array([slot])))

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
        if self._similarity is not None and self._is_found_only_by_time(slot):
            return max(0.0, float(self._similarity[slot]))
        return SEMANTIC_UNKNOWN

    def _fits_the_time(self, slot: int) -> bool:
        """Return whether an item is of a person who is named and lies in the time that is named.

        Its similarity then counts no less than an unknown one: few words are left to be alike.
        """
        lanes, within = self._evidence.lanes, self._evidence.within
        is_of_person = "entity" in lanes and bool(lanes["entity"][slot])
        return is_of_person and within is not None and bool(within[slot])

    def _is_found_only_by_time(self, slot: int) -> bool:
        found_by = {name for name, items in self._evidence.lanes.items() if items[slot]}
        return found_by == {"temporal"}

    def _age(self, slot: int) -> int | None:
        return None if self._days[slot] < 0 else int(self._days[slot])

    def _text(self, column: str, slot: int) -> str:
        codes = self._view.items.codes[column]
        return codes.values[int(codes.column.rows(self._view.item_count)[slot])] or ""


def _find_newest_asked(asked: PlannedQuery, evidence: Evidence, view: IndexView) -> Bools:
    """Return the dated items of the sources and kinds of which the question wants the newest.

    The design fetches these by their time alone and gives them one similarity, so that their age
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


def _find_in_reach(view: IndexView) -> Bools:
    """Return the messages in episodic reach: the last 20 of each of the last 10 sessions."""
    items, count = view.items, view.item_count
    is_message = view.alive & view.of_kind(Kind.MESSAGE)
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
