"""The default scorer: evidence as the parts of `scoring.relevance`."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from simonides.index.index_view import IndexView
from simonides.model.answer import Plan
from simonides.model.times import microseconds
from simonides.retrieval.evidence import Evidence, QueryTerms
from simonides.retrieval.scores import Floats, Scores
from simonides.scoring.importance import decayed_importances
from simonides.scoring.relevance import FULL_WORDS, WEIGHTS, Part, Parts, relevance

HOUR_US = 3_600_000_000


def fused_scores(asked: QueryTerms, evidence: Evidence, view: IndexView) -> Scores:
    """Return the fused scores of all present items."""
    scored = relevance(
        Parts(
            of_chunks=_of_chunks(asked, evidence, view),
            of_items=_of_items(asked, evidence),
            adjustments=_adjustments(asked, view),
        ),
        threads=view.threads,
        item_starts=view.item_starts,
        chunk_items=view.chunk_items,
    )
    values = np.full(view.item_count, np.nan)
    values[view.threads.items] = scored.scores
    return Scores(
        values=values,
        contributions=lambda slot: scored.contributions(int(view.thread_places[slot])),
        best_chunk=scored.best_chunk,
    )


def _of_chunks(asked: QueryTerms, evidence: Evidence, view: IndexView) -> tuple[Part, ...]:
    """Return the parts of passages for which there is evidence, in the order they are added in."""
    words = view.chunks.words.rows(view.chunk_count)
    dated = view.chunks.dated.rows(view.chunk_count) if asked.plan.asks_when else None
    return _given(
        ("lexical", WEIGHTS.lexical, evidence.lexical, evidence.words_in),
        ("semantic", WEIGHTS.semantic, evidence.semantic, lambda _: ""),
        ("when", WEIGHTS.when, dated, lambda _: "it names a time"),
        ("length", WEIGHTS.length, np.minimum(words / FULL_WORDS, 1.0), lambda _: ""),
    )


def _of_items(asked: QueryTerms, evidence: Evidence) -> tuple[Part, ...]:
    """Return the parts of items for which there is evidence, in the order they are added in."""
    plan = asked.plan
    return _given(
        ("keyword", WEIGHTS.keyword, evidence.keywords, lambda _: "within words"),
        ("phrase", WEIGHTS.phrase, evidence.phrases, lambda _: " · ".join(plan.phrases)),
        ("author", WEIGHTS.author, evidence.authors, lambda _: _names(plan.people)),
        ("owner", WEIGHTS.owner, evidence.owner, lambda _: "your own words"),
        ("people", WEIGHTS.people, evidence.people, lambda _: _names(plan.people)),
        ("time", WEIGHTS.time, evidence.agreement, lambda _: _time_words(plan)),
        ("direction", WEIGHTS.direction, evidence.nearness, lambda _: plan.direction),
    )


def _given(
    *rows: tuple[str, float, npt.NDArray[Any] | None, Callable[[int], str]],
) -> tuple[Part, ...]:
    return tuple(
        Part(name=name, weight=weight, values=values.astype(np.float64, copy=False), detail=detail)
        for name, weight, values, detail in rows
        if values is not None
    )


def _names(people: tuple[str, ...]) -> str:
    return ", ".join(one.partition(":")[2].lstrip("~") for one in people)


def _time_words(plan: Plan) -> str:
    return plan.time.text if plan.time else ""


def _adjustments(asked: QueryTerms, view: IndexView) -> tuple[Part, ...]:
    pointed = _pointed_at(asked, view) if asked.plan.sources else None
    return _given(
        ("importance", WEIGHTS.importance, _importance(asked, view), lambda _: ""),
        ("source", WEIGHTS.source, pointed, lambda _: ", ".join(asked.plan.kinds)),
    )


def _importance(asked: QueryTerms, view: IndexView) -> Floats | None:
    """Return decayed importance less the neutral .5, per item; 0 for what has none."""
    base = view.items.importance.rows(view.item_count)
    has = ~np.isnan(base)
    if not has.any():
        return None
    values = np.zeros(view.item_count)
    age_us = microseconds(asked.query.now) - view.items.stored.rows(view.item_count)[has]
    half_life = view.items.half_life.rows(view.item_count)[has]
    faded = decayed_importances(base[has], half_life_hours=half_life, age_hours=age_us / HOUR_US)
    values[has] = faded - NEUTRAL_IMPORTANCE
    return values


NEUTRAL_IMPORTANCE = 0.5
"""Importance that neither helps nor hurts: the default of a memory."""


def _pointed_at(asked: QueryTerms, view: IndexView) -> Floats:
    """Return 1 for items of a source or kind that the question's words point to, else 0."""
    plan = asked.plan
    pointed = np.zeros(view.item_count, dtype=bool)
    for name, texts in (("source", plan.sources), ("kind", plan.kinds)):
        pointed |= view.items.codes[name].holding(texts, count=view.item_count)
    return pointed.astype(np.float64)
