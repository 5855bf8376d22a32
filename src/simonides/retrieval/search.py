"""Search of one space: view, plan, lanes, score, passes, mask, hits."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from simonides.config import Settings
from simonides.entities import records
from simonides.errors import InvalidInput
from simonides.index.index_view import IndexView
from simonides.index.masks import mask_of
from simonides.index.open_space import Home, OpenSpace
from simonides.model.answer import (
    NO_EXPLANATION,
    Diagnostics,
    Explanation,
    Hit,
    Plan,
    Query,
    Scorer,
    SearchResult,
)
from simonides.model.bounds import HITS, NAME, SHARE, check_float
from simonides.model.decay import DecayConfig
from simonides.model.item import Kind
from simonides.model.query import QUERY_CHARS_READ, check_question, cut_for_analysis
from simonides.model.times import moment, utc
from simonides.ports.space import Reader
from simonides.retrieval.best import foremost
from simonides.retrieval.by_time import match_named, order_by_time
from simonides.retrieval.classic import classic_scores
from simonides.retrieval.current import current_first
from simonides.retrieval.event_times import RECURS
from simonides.retrieval.evidence import Evidence, PlannedQuery, gather
from simonides.retrieval.fair_queue import TURNS
from simonides.retrieval.features import features_of
from simonides.retrieval.fused import fused_scores
from simonides.retrieval.identified import find_identified, find_tasks_on, put_first
from simonides.retrieval.lane_times import LANE_TIMES
from simonides.retrieval.likelihood import likelihoods, with_replaced
from simonides.retrieval.looking import Look, open_look
from simonides.retrieval.narrowing import Search
from simonides.retrieval.nearest import (
    Searched,
    find_missing,
    names_when,
    nearest_instead,
    nothing_answers,
)
from simonides.retrieval.originals import Passage, rank
from simonides.retrieval.pinned import pinned_memories
from simonides.retrieval.plan import check_as_of, notes_on_state, plan_of, without_time
from simonides.retrieval.query_vector import QueryVector, embed_question, ms_since
from simonides.retrieval.replacements import with_replacements
from simonides.retrieval.reranked import rerank
from simonides.retrieval.rrf import rrf_scores
from simonides.retrieval.scores import Scores
from simonides.retrieval.spelling import correct_spelling
from simonides.retrieval.spread import spread_of
from simonides.retrieval.trust import TrustResolver
from simonides.scoring.importance import UNDATED
from simonides.scoring.ranking import DOUBTFUL_BELOW, SHIPPED, Feature, RankingModel
from simonides.text.language import language_asked
from simonides.text.vocabulary import LANGUAGES

YEAR_MIN, YEAR_MAX = 10, 9_990
"""Clocks between which "last year" and "in a year" can be distinguished in every zone."""

OTHER_SCORERS: dict[Scorer, Callable[[PlannedQuery, Evidence, IndexView], Scores]] = {
    Scorer.RRF: rrf_scores,
    Scorer.CLASSIC: classic_scores,
}

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


def search(
    query: Query,
    opened: OpenSpace,
    *,
    explained: bool = True,
    pinned: bool = False,
    model: RankingModel = SHIPPED,
) -> SearchResult:
    """Return the hits of one question, best first, ties by id.

    A space that nothing was written to yet has none, and the diagnostics say so. Where `explained`
    is false they come without contributions and lanes: for callers that read neither. With `pinned`
    the pinned memories come along. `model` has
    the weights: another one than the shipped for whoever fits it.

    Raises:
        InvalidInput: The limit or the text is out of range.
        HistoryGone: The state that is asked for was compacted away.
        EmbedderError: Mode vector, and no vector could be made.
    """
    started = time.perf_counter()
    check(query)
    query, cut = _cut_long(query)
    with open_look(query, opened) as look:
        if look is None:
            return _nothing_yet(query, opened.name)
        asked, vector = plan_query(query, opened, look)
        with TURNS.turn():
            near, narrowed = _narrow(asked, vector, look)
            evidence = gather(asked, vector, view=near.view, reader=near.reader)
            ranking = _ranking(asked, evidence, near, model=model, home=opened.home)
            hits, nothing = _answer(ranking, explained=explained) if ranking else ((), "")
            always = pinned_memories(asked.query, near, owner=asked.owner) if pinned else ()
        background = look.background(asked.query)
        is_past = query.as_of is not None
        said = notes_on_state(near.view.revision, near.reader) if is_past else []
    LANE_TIMES.add(evidence.reports)
    diagnostics = Diagnostics(
        revision=near.view.revision,
        mode_requested=query.mode,
        mode_used=evidence.mode,
        scorer=query.scorer,
        lanes=tuple(evidence.reports),
        notes=(*said, *cut, *asked.corrected, *narrowed, *evidence.notes),
        waiting=near.view.waiting_count,
        took_ms=round(ms_since(started), 3),
    )
    return SearchResult(
        hits=hits, plan=asked.plan, diagnostics=diagnostics, background=background,
        nothing=nothing, pinned=always,
    )  # fmt: skip


def plan_query(query: Query, opened: OpenSpace, look: Look) -> tuple[PlannedQuery, QueryVector]:
    """Return a question with its plan, in the form that lanes read, and its vector.

    Slips of the keys are corrected before it is read; but not where the store's lanes find the
    candidates, as it is not known here which words its items have.
    """
    settings, view = opened.settings, look.view
    languages = (*view.languages, settings.language)
    spoken = language_asked(query.text, languages)
    asked_in = language_asked(query.text, tuple(dict.fromkeys((*languages, *LANGUAGES))))
    corrected: tuple[str, ...] = ()
    if asked_in == "en" and not look.is_frame:
        read, corrected = correct_spelling(query.text, languages=languages, view=view)
        query = replace(query, text=read) if read != query.text else query
    plan = plan_of(
        query, names=view.names, owner=settings.owner, language=asked_in, is_mixed=view.is_mixed
    )
    if query.filter.since is not None or query.filter.until is not None:
        plan = without_time(plan)
    asked = PlannedQuery(
        query=query,
        plan=plan,
        languages=(spoken, *languages),
        corrected=corrected,
        decay=_decay(settings),
        owner=settings.owner,
    )
    return asked, embed_question(query, view=view, embedder=look.embedder)


def _narrow(asked: PlannedQuery, question: QueryVector, look: Look) -> tuple[Look, tuple[str, ...]]:
    """Return a look at the candidates that the store's lanes bring, and a note; else the same."""
    if not look.is_frame:
        return look, ()
    assert look.reader.lanes is not None  # noqa: S101  the frame came from them
    search = Search(
        asked=asked, question=question, frame=look.view, reader=look.reader,
        lanes=look.reader.lanes,
    )  # fmt: skip
    found = search.narrow(asked.owner)
    return replace(look, reader=found.reader, view=found.view), (found.note,)


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


def _cut_long(query: Query) -> tuple[Query, tuple[str, ...]]:
    """Return the analysed part of the question, and a note if that is not all of it."""
    text = cut_for_analysis(query.text)
    if text == query.text:
        return query, ()
    note = f"the question has {len(query.text):,} characters; its beginning and its end count"
    return replace(query, text=text), (f"{note}, {QUERY_CHARS_READ:,} in all",)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ranking:
    """The scores of all items after the passes, and how likely each belongs to the answer.

    `found` is what any lane found.
    """

    asked: PlannedQuery
    evidence: Evidence
    view: IndexView
    reader: Reader
    scores: Scores
    likely: Floats
    found: Bools


def _ranking(
    asked: PlannedQuery, evidence: Evidence, look: Look, *, model: RankingModel, home: Home
) -> _Ranking | None:
    """Return the ranking of all items of a space; None where none is left."""
    view, reader = look.view, look.reader
    if not view.items_alive:
        return None
    features = features_of(asked, evidence, view, spread=spread_of(look.embedder))
    sums = fused_scores(features, model, evidence, view)
    likely = likelihoods(
        asked.plan, sums.values, features["words"].values, model, view=view, reader=reader
    )
    other = OTHER_SCORERS.get(asked.query.scorer)
    if home.reranker is not None and other is None:
        sums, note = rerank(
            asked.query.text, sums, evidence.mark_found(view), home.reranker,
            timeout_s=home.settings.reranker_timeout_s, view=view, reader=reader,
        )  # fmt: skip
        evidence.notes += [note] if note else []
    ordered = order_by_time(asked, evidence, view, scores=sums.values, likely=likely)
    if ordered is not None:
        likely[ordered.listed] = np.maximum(likely[ordered.listed], LISTED)
    if other is not None:
        scores = other(asked, evidence, view)
    else:
        scores = sums if ordered is None else sums.with_gains(ordered.gains, ordered.contribution)
    scores = current_first(asked, scores, evidence=evidence, view=view, reader=reader)
    if other is None:
        tasks = find_tasks_on(asked, evidence, scores, view=view)
        scores = put_first(scores, tasks, detail="a task on it in the state that is asked for")
        named = find_identified(asked, scores, view=view, reader=reader)
        scores = put_first(scores, named, detail="it is what the question names")
        likely[named] = np.maximum(likely[named], LISTED)
    return _Ranking(
        asked=asked,
        evidence=evidence,
        view=view,
        reader=reader,
        scores=scores,
        likely=with_replaced(likely, scores.stands_for),
        found=evidence.mark_found(view) | _find_next(features, view),
    )


NEXT_TO = 0.25
"""How well at least what was said before fits, for what was said next to be found by that alone:
"I can" answers "who brings the projector?", of whose words it has none. Our own choice."""


def _find_next(features: Mapping[str, Feature], view: IndexView) -> Bools:
    """Return bool[items]: the present items that follow in a thread on one that fits.

    Not what an assistant said, unless the question asks for that: it repeats what it found.
    """
    found = view.alive & (features["before"].values >= NEXT_TO)
    by_assistant = features.get("assistant")
    return found if by_assistant is None else found & (by_assistant.values == 0.0)


def _answer(ranking: _Ranking, *, explained: bool) -> tuple[tuple[Hit, ...], str]:
    """Return the hits, and the sentence for a question that nothing answers clearly."""
    allowed = _find_allowed(ranking)
    slots, found, scores = rank(
        ranking.asked.query, ranking.scores, allowed, view=ranking.view, reader=ranking.reader
    )
    ranking = replace(ranking, scores=scores)
    return _hits(ranking, slots, found, explained=explained), _nothing(ranking, allowed)


def _hits(
    ranking: _Ranking, slots: list[int], found: dict[int, Passage], *, explained: bool
) -> tuple[Hit, ...]:
    trusting = TrustResolver.for_view(ranking.view, ranking.asked.owner)
    starts = ranking.evidence.starts
    hits = {
        slot: Hit(
            item=item,
            score=float(ranking.scores.values[slot]),
            explanation=_explanation(ranking, slot) if explained else NO_EXPLANATION,
            passage=item.content[span],
            trust=trusting.of(item),
            relevance=float(ranking.likely[slot]),
        )
        for slot, (item, span) in zip(slots, map(found.__getitem__, slots), strict=True)
    }
    if starts is not None:
        hits = {slot: _on_its_day(hit, int(starts[slot])) for slot, hit in hits.items()}
    return tuple(with_replacements(hits, ranking.scores.stands_for).values())


def _on_its_day(hit: Hit, start_us: int) -> Hit:
    """Return a hit with when its series first takes place within the time asked for."""
    if start_us == UNDATED or not hit.item.metadata.get(RECURS):
        return hit
    at = moment(start_us)
    return hit if at == hit.item.happened_at else replace(hit, takes_place_at=at)


LISTED = 0.75
"""How likely at least a thing belongs to the answer of a question that asks for nothing but such:
"what did Sarah send me last week" is after all of them."""

LASTING = 0.25
"""How likely at least a memory from before the time that is asked for answers. Our own choice."""

LOOKED_AT = 24
"""Best hits among which one must be relevant, lest it is said that nothing answers clearly."""


def _nothing(ranking: _Ranking, allowed: Bools) -> str:
    """Return the sentence for a question that no item answers clearly; else empty."""
    asked, view, reader = ranking.asked, ranking.view, ranking.reader
    values = ranking.scores.values
    ranked = (allowed & ~np.isnan(values)).nonzero()[0]
    likely = ranking.likely[foremost(values, ranked, count=LOOKED_AT)].max(initial=0.0)
    is_empty = _is_time_empty(ranking, allowed) or _is_state_empty(ranking, allowed)
    if likely >= DOUBTFUL_BELOW and not is_empty:
        return ""
    query = asked.query
    present = view.alive & mask_of(query.filter, view=view, reader=reader, now=query.now)
    _, pointed = match_named(asked.plan, ranking.evidence)
    searched = Searched(
        query=query, plan=asked.plan, allowed=present, pointed=pointed, owner=asked.owner,
        missing=find_missing(
            query.text, asked.languages, ranking.evidence.words, present=view.alive
        ),
        view=view, reader=reader,
    )  # fmt: skip
    return nearest_instead(searched) if likely else nothing_answers(searched)


def _is_time_empty(ranking: _Ranking, allowed: Bools) -> bool:
    """Return whether a time is named in which nothing that may be shown happens or takes place.

    Of the people and the kind that are named with it, if any. What is said of a time that lies
    ahead is older: only an agenda is after what happens then. What a memory says goes on: "where
    did I work last year" is answered by one of the year before.
    """
    evidence = ranking.evidence
    if evidence.within is None or not names_when(ranking.asked.plan, ranking.asked.query):
        return False
    in_time = evidence.within
    if evidence.takes_place is not None:
        in_time = in_time | (evidence.takes_place > 0.0)
    for named in match_named(ranking.asked.plan, evidence):
        if named is not None and named.any():
            in_time = in_time & named
    return not (allowed & (in_time | _find_lasting(ranking))).any()


def _find_lasting(ranking: _Ranking) -> Bools:
    """Return bool[items]: the memories from before the end of the time asked for that fit well."""
    plan, view = ranking.asked.plan, ranking.view
    until_us = None if plan.time is None else plan.time.bounds_us[1]
    if plan.asks_list or until_us is None:
        return np.zeros(view.item_count, dtype=bool)
    is_before = view.items.happened.rows(view.item_count) < until_us
    return view.of_kind(Kind.MEMORY) & is_before & (ranking.likely >= LASTING)


def _is_state_empty(ranking: _Ranking, allowed: Bools) -> bool:
    """Return whether tasks or mails in a state are asked for, of which there are none."""
    pointed = ranking.evidence.pointed
    if pointed is None or not ranking.asked.plan.asks_state:
        return False
    return not (allowed & (pointed > 0.0)).any()


def _find_allowed(ranking: _Ranking) -> Bools:
    """Return bool[items]: what was found, passes the filter, and is worth as much as is asked."""
    query, view = ranking.asked.query, ranking.view
    allowed = ranking.found & mask_of(query.filter, view=view, reader=ranking.reader, now=query.now)
    if not (records.SOURCE in query.filter.sources or query.filter.ids):
        allowed[list(view.name_groups)] = False  # what the owner says of names answers nothing
    if query.min_score is not None:
        allowed &= ranking.scores.values >= query.min_score
    if query.min_relevance is not None:
        allowed &= ranking.likely >= query.min_relevance
    return allowed


def _explanation(ranking: _Ranking, slot: int) -> Explanation:
    lanes = ranking.evidence.lanes
    return Explanation(
        contributions=ranking.scores.contributions(slot),
        lanes=tuple([name for name, found in lanes.items() if found[slot]]),
    )
