"""Search of one space: view, plan, lanes, score, mask, hits."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from simonides.config import Settings
from simonides.entities import records
from simonides.errors import InvalidInput
from simonides.index.columns import ID_BYTES, ID_HEAD_BYTES
from simonides.index.index_view import IndexView
from simonides.index.masks import mask_of
from simonides.index.open_space import OpenSpace
from simonides.model.answer import (
    NO_EXPLANATION,
    Contribution,
    Diagnostics,
    Explanation,
    Hit,
    Plan,
    Query,
    Scorer,
    SearchResult,
)
from simonides.model.bounds import HITS, NAME, SHARE, check_float
from simonides.model.chat import ASKS_KEY
from simonides.model.filter import Compare, Operator
from simonides.model.item import Kind
from simonides.model.memories import DecayConfig
from simonides.model.query import QUERY_CHARS_READ, analysed_part, check_question
from simonides.model.times import utc
from simonides.ports.space import Reader
from simonides.retrieval.answering import signals
from simonides.retrieval.current import current_first
from simonides.retrieval.evidence import Evidence, PlannedQuery, gather
from simonides.retrieval.fair_queue import TURNS
from simonides.retrieval.lane_times import LANE_TIMES
from simonides.retrieval.looking import looked
from simonides.retrieval.narrowing import Search
from simonides.retrieval.nearest import Searched, nearest_instead, nothing_answers
from simonides.retrieval.originals import Passage, ranked, with_few_messages
from simonides.retrieval.plan import (
    check_as_of,
    notes_on_state,
    plan_of,
    without_time,
)
from simonides.retrieval.query_vector import QueryVector, embedded, ms_since
from simonides.retrieval.replacements import with_replacements
from simonides.retrieval.scorers import Scores, classic_scores, fused_scores, rrf_scores
from simonides.retrieval.trust import TrustResolver
from simonides.scoring.answering import DOUBTFUL_BELOW, answerable_score, probabilities
from simonides.text.greetings import asks_nothing

YEAR_MIN, YEAR_MAX = 10, 9_990
"""Clocks between which "last year" and "in a year" can be told in every zone."""

SCORERS: dict[Scorer, Callable[[PlannedQuery, Evidence, IndexView], Scores]] = {
    Scorer.FUSED: fused_scores,
    Scorer.RRF: rrf_scores,
    Scorer.CLASSIC: classic_scores,
}

Places = npt.NDArray[np.intp]


def search(
    query: Query,
    opened: OpenSpace,
    *,
    explained: bool = True,
    on_signals: Callable[[npt.NDArray[np.float64]], None] | None = None,
) -> SearchResult:
    """Return the hits of one question, best first, ties by id.

    A space that nothing was written to yet has none, and the diagnostics say so. Where `explained`
    is false they come without contributions and lanes: for callers that read neither.
    `on_signals` is told the signals of the hits' relevance, a row for each: for whoever fits it.

    Raises:
        InvalidInput: The limit or the text is out of range.
        HistoryGone: The state that is asked for was compacted away.
        EmbedderError: Mode vector, and no vector could be made.
    """
    started = time.perf_counter()
    check(query)
    owner = opened.settings.owner
    query, cut = _analysed(query)
    with looked(query, opened) as look:
        if look is None:
            return _nothing_yet(query, opened.name)
        reader, view = look.reader, look.view
        plan = plan_of(
            query, names=view.names, owner=owner, language=opened.settings.language,
            is_mixed=view.is_mixed,
        )  # fmt: skip
        if query.filter.since is not None or query.filter.until is not None:
            plan = without_time(plan)
        languages = (opened.settings.language, *view.languages)
        asked = PlannedQuery(
            query=query, plan=plan, languages=languages, decay=_decay(opened.settings), owner=owner
        )
        vector = embedded(query, view=view, embedder=look.embedder)
        with TURNS.turn():
            if look.is_frame:
                reader, view, note = _narrowed(asked, vector, view, reader, owner=owner)
                cut = (*cut, note)
            evidence = gather(asked, vector, view=view, reader=reader)
            hits: tuple[Hit, ...] = ()
            nothing = ""
            if view.items_alive:
                judge = _Judge.of(asked, evidence, view, reader)
                moved = judge.answerable()
                allowed = _allowed(judge, moved, reader)
                chosen = _chosen(judge, moved, allowed, reader)
                nothing = _nothing(judge, chosen[2].values, allowed, reader)
                hits = _hits(judge, chosen, owner=owner, explained=explained)
                if on_signals is not None:
                    on_signals(judge.signals(chosen[0]))
        background = look.background(query)
        said = notes_on_state(view.revision, reader) if query.as_of is not None else []
    LANE_TIMES.add(evidence.reports)
    diagnostics = Diagnostics(
        revision=view.revision,
        mode_requested=query.mode,
        mode_used=evidence.mode,
        scorer=query.scorer,
        lanes=tuple(evidence.reports),
        notes=(*said, *cut, *evidence.notes),
        waiting=view.waiting_count,
        took_ms=round(ms_since(started), 3),
    )
    return SearchResult(
        hits=hits, plan=plan, diagnostics=diagnostics, background=background, nothing=nothing
    )


def _narrowed(
    asked: PlannedQuery,
    question: QueryVector,
    frame: IndexView,
    reader: Reader,
    *,
    owner: tuple[str, ...],
) -> tuple[Reader, IndexView, str]:
    """Return the reader and the view of the candidates that the store's lanes bring, and a note."""
    assert reader.lanes is not None  # noqa: S101  the frame came from them
    search = Search(asked=asked, question=question, frame=frame, reader=reader, lanes=reader.lanes)
    found = search.narrowed(owner)
    return found.reader, found.view, found.note


def _decay(settings: Settings) -> DecayConfig:
    """Return how memories fade in a space of these settings."""
    half_life = settings.importance_half_life_hours or None
    return DecayConfig(default_half_life_hours=half_life, floor=settings.importance_floor)


def check(query: Query) -> None:
    """Raise `InvalidInput` unless the question is valid for any space."""
    HITS.check(query.limit, field="limit")
    check_question(query.text, field="query", advice="ask something, or use list")
    NAME.check_query(query.session_id, field="session_id")
    if query.min_score is not None:
        check_float(query.min_score, field="min_score", endless=True)
    if query.min_relevance is not None:
        SHARE.check(query.min_relevance, field="min_relevance")
    utc(query.now, field="now")
    if not YEAR_MIN <= query.now.year <= YEAR_MAX:
        raise InvalidInput("now", f"must lie in the years {YEAR_MIN} to {YEAR_MAX}")
    check_as_of(query.as_of)


def _nothing_yet(query: Query, space: str) -> SearchResult:
    diagnostics = Diagnostics(
        revision=0, mode_requested=query.mode, mode_used=query.mode, scorer=query.scorer,
        notes=(f"space {space!r} holds nothing yet",),
    )  # fmt: skip
    return SearchResult(hits=(), plan=Plan(), diagnostics=diagnostics)


def _analysed(query: Query) -> tuple[Query, tuple[str, ...]]:
    """Return the analysed part of the question, and a note if that is not all of it."""
    text = analysed_part(query.text)
    if text == query.text:
        return query, ()
    note = f"the question has {len(query.text):,} characters; its beginning and its end count"
    return replace(query, text=text), (f"{note}, {QUERY_CHARS_READ:,} in all",)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judge:
    """The scores of all items, and for any of them the probability that it belongs to the answer.

    `fused` are the fused scores, whichever scorer orders the hits: with every scorer, an item is
    as relevant as with another. `only_asks` are the questions put to the assistant. `known` are
    the probabilities that were asked for, by slot; NaN for the others.
    """

    asked: PlannedQuery
    evidence: Evidence
    view: IndexView
    only_asks: npt.NDArray[np.bool_]
    scores: Scores
    fused: npt.NDArray[np.float64]
    found: npt.NDArray[np.bool_]
    known: npt.NDArray[np.float64]

    @classmethod
    def of(
        cls, asked: PlannedQuery, evidence: Evidence, view: IndexView, reader: Reader
    ) -> "_Judge":
        """Return the judge of a question, by the scorer that it asks for."""
        scores = SCORERS[asked.query.scorer](asked, evidence, view)
        is_fused = asked.query.scorer is Scorer.FUSED
        fused = scores if is_fused else fused_scores(asked, evidence, view)
        return cls(
            asked=asked, evidence=evidence, view=view, only_asks=_only_asking(view, reader),
            scores=current_first(asked, scores, evidence=evidence, view=view),
            fused=fused.values,
            found=evidence.found(view), known=np.full(view.item_count, np.nan),
        )  # fmt: skip

    def answerable(self) -> Contribution | None:
        """Return the offset of all fused scores: the best says how likely memory answers.

        The best of the whole space, whatever the filter and the limit are. The other scorers keep
        the scales of their formulas.
        """
        places = self.found & ~np.isnan(self.fused)
        places[list(self.view.name_groups)] = False
        if self.asked.query.scorer is not Scorer.FUSED or not places.any():
            return None
        best = _foremost(self.fused, np.flatnonzero(places), count=LOOKED_AT)
        likely = float(self.relevances(best).max())
        return Contribution(
            name="answerable",
            value=answerable_score(likely) - float(self.fused[best].max()),
            detail=f"memory holds an answer: {likely:.2f}",
        )

    def relevances(self, slots: Sequence[int] | Places) -> npt.NDArray[np.float64]:
        """Return the probability of each item slot.

        What replaces others says the same as they do: it belongs to the answer if they would.
        """
        stands_for = self.scores.stands_for
        others = {place: stands_for[slot] for place, slot in enumerate(map(int, slots))
                  if slot in stands_for}  # fmt: skip
        every = {*map(int, slots), *chain.from_iterable(others.values())}
        self._own_relevances(sorted(every))  # all at once
        likely = self._own_relevances(slots)
        for place, replaced in others.items():
            likely[place] = max(likely[place], self.known[list(replaced)].max())
        return likely

    def _own_relevances(self, slots: Sequence[int] | Places) -> npt.NDArray[np.float64]:
        """Return the probability of each item slot by itself, computed once."""
        wanted = np.asarray(slots, dtype=np.intp)
        fresh = wanted[np.isnan(self.known[wanted])]
        if asks_nothing(self.asked.plan.words):
            self.known[fresh] = 0.0
        elif len(fresh):
            self.known[fresh] = probabilities(self.signals(fresh))
            self.known[fresh[self.only_asks[fresh]]] = 0.0
        return self.known[wanted]

    def signals(self, slots: Sequence[int] | Places) -> npt.NDArray[np.float64]:
        """Return float64[slots, signals]: what the probabilities are made of."""
        return signals(slots, self.fused, asked=self.asked, evidence=self.evidence, view=self.view)


ASKING = Compare(key=ASKS_KEY, operator=Operator.EQ, value=True)


def _only_asking(view: IndexView, reader: Reader) -> npt.NDArray[np.bool_]:
    """Return bool[items]: the questions that were put to the assistant: no part of an answer."""
    is_message = view.items.codes["kind"].holding([Kind.MESSAGE], count=view.item_count)
    if not is_message.any():
        return is_message
    keys = view.items.keys.rows(view.item_count)
    return view.metadata.mask(ASKING, reader=reader, keys=keys)


LOOKED_AT = 24
"""Best hits among which one must be relevant, lest it is said that nothing answers clearly."""


def _foremost(values: npt.NDArray[np.float64], slots: Places, *, count: int) -> Places:
    """Return the slots of the `count` highest values, and what equals the last of them."""
    if len(slots) <= count:
        return slots
    cut = len(slots) - count
    highest: Places = slots[values[slots] >= np.partition(values[slots], cut)[cut]]
    return highest


def _hits(
    judge: _Judge,
    chosen: tuple[Sequence[int], Mapping[int, Passage], Scores],
    *,
    owner: tuple[str, ...],
    explained: bool,
) -> tuple[Hit, ...]:
    evidence, (slots, found, scores) = judge.evidence, chosen
    trusting = TrustResolver(view=judge.view, owner=owner)
    hits = {
        slot: Hit(
            item=item,
            score=float(scores.values[slot]),
            explanation=_explanation(evidence, scores, slot) if explained else NO_EXPLANATION,
            passage=item.content[span],
            trust=trusting.of(item),
            relevance=float(relevance),
        )
        for slot, (item, span), relevance in zip(
            slots, map(found.__getitem__, slots), judge.relevances(slots), strict=True
        )
    }
    return tuple(with_replacements(hits, judge.scores.stands_for).values())


ROUNDED = 1e-9
"""More than the sum of two scores is ever rounded by, and less than originals lie apart."""


def _chosen(
    judge: _Judge, moved: Contribution | None, allowed: npt.NDArray[np.bool_], reader: Reader
) -> tuple[list[int], dict[int, Passage], Scores]:
    """Return the slots of the hits, best first, their items with passages, and the scores.

    Originals come first, and messages leave room for items, unless the question or its filter is
    about messages.
    """
    query, view, scores = judge.asked.query, judge.view, judge.scores

    def best(values: npt.NDArray[np.float64], among: npt.NDArray[np.bool_]) -> list[int]:
        return best_slots(values, among, limit=query.limit, view=view, reader=reader)

    def shared(values: npt.NDArray[np.float64], among: npt.NDArray[np.bool_]) -> list[int]:
        return with_few_messages(values, among, best=best, view=view)

    wanted = query.filter
    about_messages = wanted.kinds or wanted.sessions or Kind.MESSAGE in judge.asked.plan.kinds
    least = query.min_score
    if least is not None and moved is not None:
        least = least - moved.value - ROUNDED  # what is rounded down here is looked at below
    slots, found, made = ranked(
        replace(query, min_score=least), scores, allowed,
        best=best if about_messages else shared, view=view, reader=reader,
    )  # fmt: skip
    made = made if moved is None else made.moved(moved)
    if query.min_score is not None:
        slots = [slot for slot in slots if made.values[slot] >= query.min_score]
    return slots, found, made


def _nothing(
    judge: _Judge,
    values: npt.NDArray[np.float64],
    allowed: npt.NDArray[np.bool_],
    reader: Reader,
) -> str:
    """Return the sentence for a question that no item answers clearly; else empty."""
    slots = best_slots(values, allowed, limit=LOOKED_AT, view=judge.view, reader=reader)
    likely = judge.relevances(slots).max() if slots else 0.0
    if likely >= DOUBTFUL_BELOW and not _is_time_empty(judge, allowed):
        return ""
    query, view = judge.asked.query, judge.view
    present = view.alive & mask_of(query.filter, view=view, reader=reader, now=query.now)
    searched = Searched(
        query=query, plan=judge.asked.plan, allowed=present, view=view, reader=reader
    )
    return nearest_instead(searched) if likely else nothing_answers(searched)


def _is_time_empty(judge: _Judge, allowed: npt.NDArray[np.bool_]) -> bool:
    """Return whether a time is named in which nothing that may be shown happens or takes place."""
    evidence = judge.evidence
    if judge.asked.plan.time is None or evidence.within is None:
        return False
    in_time = evidence.within
    if evidence.takes_place is not None:
        in_time = in_time | (evidence.takes_place > 0.0)
    return not (allowed & in_time).any()


def _allowed(judge: _Judge, moved: Contribution | None, reader: Reader) -> npt.NDArray[np.bool_]:
    """Return bool[items]: what was found, passes the filter, and is worth as much as is asked."""
    query, view = judge.asked.query, judge.view
    allowed = judge.found & mask_of(query.filter, view=view, reader=reader, now=query.now)
    if not (records.SOURCE in query.filter.sources or query.filter.ids):
        allowed[list(view.name_groups)] = False  # what the owner says of names answers nothing
    if query.min_score is not None:
        allowed &= judge.scores.values + (moved.value if moved else 0.0) >= query.min_score
    if query.min_relevance is not None:
        slots = np.flatnonzero(allowed)
        allowed[slots] = judge.relevances(slots) >= query.min_relevance
    return allowed


def _explanation(evidence: Evidence, scores: Scores, slot: int) -> Explanation:
    return Explanation(
        contributions=scores.contributions(slot),
        lanes=tuple(name for name, found in evidence.lanes.items() if found[slot]),
    )


_HEAD = f"S{ID_HEAD_BYTES}"


def best_slots(
    values: npt.NDArray[np.float64],
    allowed: npt.NDArray[np.bool_],
    *,
    limit: int,
    view: IndexView,
    reader: Reader,
) -> list[int]:
    """Return at most `limit` allowed item slots, by falling value, then rising id.

    NaN never ranks.
    """
    slots = _foremost(values, np.flatnonzero(allowed & ~np.isnan(values)), count=limit)
    return [int(slot) for slot in in_order(slots, values, view=view, reader=reader)[:limit]]


def in_order(slots: Places, values: npt.NDArray[Any], *, view: IndexView, reader: Reader) -> Places:
    """Return the slots by falling `values` (number[items]), then rising id.

    Ids are compared by the bytes kept in memory, and whole only where long ones begin alike.
    """
    heads = view.items.ids.rows(view.item_count)[slots]
    order = np.lexsort((heads, -values[slots]))
    slots, heads = slots[order], heads[order]
    same = values[slots][1:] == values[slots][:-1]
    before, after = heads[:-1][same], heads[1:][same]
    alike = before.astype(_HEAD) == after.astype(_HEAD)
    lengths = np.maximum(np.char.str_len(before[alike]), np.char.str_len(after[alike]))
    unsure = bool((lengths >= ID_BYTES).any())
    return _by_whole_ids(slots, values, view=view, reader=reader) if unsure else slots


def _by_whole_ids(
    slots: Places, values: npt.NDArray[Any], *, view: IndexView, reader: Reader
) -> Places:
    keys = [int(key) for key in view.items.keys.rows(view.item_count)[slots]]
    items = reader.items(keys)
    ranked = sorted(
        (-values[slot].item(), items[key].id, int(slot))
        for slot, key in zip(slots, keys, strict=True)
    )
    return np.array([slot for _, _, slot in ranked], dtype=np.intp)
