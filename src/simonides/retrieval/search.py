"""Search of one space: view, plan, lanes, score, mask, hits."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from simonides.entities import records
from simonides.errors import InvalidInput, StoreBusy
from simonides.index.columns import ID_BYTES, ID_HEAD_BYTES
from simonides.index.index_view import IndexView
from simonides.index.masks import mask_of
from simonides.index.open_space import OpenSpace
from simonides.index.space_index import SpaceIndex
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
from simonides.model.bounds import HITS, NAME, check_float
from simonides.model.item import Item, Kind
from simonides.model.query import QUERY_CHARS_READ, analysed_part, check_question
from simonides.model.stored import background_collection
from simonides.model.times import utc
from simonides.ports.space import Reader, Space
from simonides.retrieval.evidence import Evidence, QueryTerms, embedded, gather, ms_since
from simonides.retrieval.fair_queue import TURNS
from simonides.retrieval.originals import ranked, with_few_messages
from simonides.retrieval.plan import (
    AsOf,
    check_as_of,
    notes_on_state,
    plan_of,
    revision_asked,
    without_time,
)
from simonides.retrieval.scorers import Scores, classic_scores, fused_scores, rrf_scores
from simonides.retrieval.trust import TrustResolver

YEAR_MIN, YEAR_MAX = 10, 9_990
"""Clocks between which "last year" and "in a year" can be told in every zone."""

SCORERS: dict[Scorer, Callable[[QueryTerms, Evidence, IndexView], Scores]] = {
    Scorer.FUSED: fused_scores,
    Scorer.RRF: rrf_scores,
    Scorer.CLASSIC: classic_scores,
}

_LOOKS_MAX = 100
"""How often a reader is opened anew when writers overtake it; each look costs microseconds."""


@contextmanager
def look(
    space: Space, space_view: SpaceIndex, *, as_of: AsOf = None
) -> Iterator[tuple[Reader, IndexView]]:
    """Open a reader and the view of its revision: the present one, or that of `as_of`.

    Raises:
        HistoryGone: That state was compacted away.
        InvalidInput: The space has not reached it yet.
    """
    for _ in range(_LOOKS_MAX):
        with space.read() as reader:
            revision = revision_asked(as_of, reader)
            if revision < reader.revision:
                past = reader.past(revision)
                yield past, space_view.past(past)
                return
            view = space_view.at(reader)
            if view is not None:
                yield reader, view
                return
    raise StoreBusy(f"space {space.name!r} was written to faster than it could be read; retry")


def search(query: Query, opened: OpenSpace, *, explained: bool = True) -> SearchResult:
    """Return the hits of one question, best first, ties by id.

    A space that nothing was written to yet has none, and the diagnostics say so. Where `explained`
    is false they come without contributions and lanes: for callers that read neither.

    Raises:
        InvalidInput: The limit or the text is out of range.
        HistoryGone: The state that is asked for was compacted away.
        EmbedderError: Mode vector, and no vector could be made.
    """
    started = time.perf_counter()
    check(query)
    space, owner = opened.find(), opened.settings.owner
    if space is None:
        return _nothing_yet(query, opened.name)
    query, cut = _analysed(query)
    with look(space, opened.home.index(space), as_of=query.as_of) as (reader, view):
        plan = plan_of(query, names=view.names, owner=owner)
        if query.filter.since is not None or query.filter.until is not None:
            plan = without_time(plan)
        asked = QueryTerms(
            query=query, plan=plan, languages=(opened.settings.language, *view.languages)
        )
        vector = embedded(query, view=view, embedder=opened.embedder)
        with TURNS.turn():
            evidence = gather(asked, vector, view=view, reader=reader)
            hits: tuple[Hit, ...] = ()
            if view.items_alive:
                hits = _hits(
                    asked, evidence, view=view, reader=reader, owner=owner, explained=explained
                )
        background = reader.background(background_collection(query.filter))
        said = notes_on_state(view.revision, reader) if query.as_of is not None else []
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
    return SearchResult(hits=hits, plan=plan, diagnostics=diagnostics, background=background)


def check(query: Query) -> None:
    """Raise `InvalidInput` unless the question is valid for any space."""
    HITS.check(query.limit, field="limit")
    check_question(query.text, field="query", advice="ask something, or use list")
    NAME.check_query(query.session_id, field="session_id")
    if query.min_score is not None:
        check_float(query.min_score, field="min_score", endless=True)
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


def _hits(
    asked: QueryTerms,
    evidence: Evidence,
    *,
    view: IndexView,
    reader: Reader,
    owner: tuple[str, ...],
    explained: bool,
) -> tuple[Hit, ...]:
    query = asked.query
    scores = SCORERS[query.scorer](asked, evidence, view)
    allowed = evidence.found(view)
    allowed &= mask_of(query.filter, view=view, reader=reader, now=query.now)
    if not (records.SOURCE in query.filter.sources or query.filter.ids):
        allowed[list(view.name_groups)] = False  # what the owner says of names answers nothing
    if query.min_score is not None:
        allowed &= scores.values >= query.min_score
    slots, items, scores = _chosen(asked, scores, allowed, view=view, reader=reader)
    keys = [int(view.items.keys.rows(view.item_count)[slot]) for slot in slots]
    trusting = TrustResolver(view=view, owner=owner)
    return tuple(
        Hit(
            item=items[key],
            score=float(scores.values[slot]),
            explanation=_explanation(evidence, scores, slot) if explained else NO_EXPLANATION,
            passage=_passage(items[key], key, scores.best_chunk(slot), view=view, reader=reader),
            trust=trusting.of(items[key]),
        )
        for slot, key in zip(slots, keys, strict=True)
    )


def _chosen(
    asked: QueryTerms,
    scores: Scores,
    allowed: npt.NDArray[np.bool_],
    *,
    view: IndexView,
    reader: Reader,
) -> tuple[list[int], dict[int, Item], Scores]:
    """Return the slots of the hits, best first, their items by key, and the scores.

    Originals come first, and messages leave room for items, unless the question or its filter is
    about messages.
    """
    query, wanted = asked.query, asked.query.filter

    def best(among: npt.NDArray[np.bool_]) -> list[int]:
        return best_slots(scores.values, among, limit=query.limit, view=view, reader=reader)

    def shared(among: npt.NDArray[np.bool_]) -> list[int]:
        return with_few_messages(among, scores.values, best=best, view=view)

    about_messages = wanted.kinds or wanted.sessions or Kind.MESSAGE in asked.plan.kinds
    return ranked(
        query, scores, allowed, best=best if about_messages else shared, view=view, reader=reader
    )


def _explanation(evidence: Evidence, scores: Scores, slot: int) -> Explanation:
    return Explanation(
        contributions=scores.contributions(slot),
        lanes=tuple(name for name, found in evidence.lanes.items() if found[slot]),
    )


def _passage(item: Item, key: int, chunk: int, *, view: IndexView, reader: Reader) -> str:
    start, stop = reader.chunk_spans(key)[view.ordinal(chunk)]
    return item.content[start:stop]


Places = npt.NDArray[np.intp]
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
    slots = np.flatnonzero(allowed & ~np.isnan(values))
    if len(slots) > limit:
        cut = len(slots) - limit
        threshold = np.partition(values[slots], cut)[cut]
        slots = slots[values[slots] >= threshold]
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
