"""The default scorer: evidence as the parts of `scoring.relevance`."""

import numpy as np

from simonides.retrieval.evidence import Asked, Evidence
from simonides.retrieval.scores import Floats, Scores
from simonides.scoring.decay import decayed_importances
from simonides.scoring.relevance import FULL_WORDS, WEIGHTS, Part, Relevance, relevance
from simonides.view.times import microseconds
from simonides.view.view import View

HOUR_US = 3_600_000_000


def fused_scores(asked: Asked, evidence: Evidence, view: View) -> Scores:
    """Return the fused scores of all present items."""
    scored = relevance(
        _parts(asked, evidence, view),
        adjustments=_adjustments(asked, view),
        threads=view.threads,
        chunk_items=view.chunk_items,
    )
    values = np.full(view.item_count, -np.inf)
    values[view.threads.items] = scored.items
    place = np.zeros(view.item_count, dtype=np.int64)
    place[view.threads.items] = np.arange(len(view.threads.items))
    return Scores(
        values=values,
        contributions=lambda slot: scored.contributions(int(place[slot])),
        best_chunk=lambda slot: _best_chunk(scored, int(place[slot])),
    )


def _best_chunk(scored: Relevance, rank: int) -> int:
    return int(scored.threads.chunks[scored.best_position(rank)])


def _parts(asked: Asked, evidence: Evidence, view: View) -> tuple[Part, ...]:
    """Return the parts for which there is evidence, in the order in which they are added."""
    weights, plan = WEIGHTS, asked.plan
    parts = [
        _part("lexical", weights.lexical, evidence.lexical),
        _part("semantic", weights.semantic, evidence.semantic),
        _part("keyword", weights.lexical, evidence.keywords, per_item=True),
        _part("phrase", weights.phrase, evidence.phrases, per_item=True),
        _part("author", weights.author, evidence.authors, per_item=True),
        _part("owner", weights.owner, evidence.owner, per_item=True),
        _part("people", weights.people, evidence.people, per_item=True),
        _part("time", weights.time, evidence.agreement, per_item=True),
        _part("direction", weights.direction, evidence.nearness, per_item=True),
    ]
    if plan.asks_when:
        dated = view.chunks.dated.rows(view.chunk_count).astype(np.float64)
        parts.append(_part("when", weights.when, dated))
    words = view.chunks.words.rows(view.chunk_count)
    parts.append(_part("length", weights.length, np.minimum(words / FULL_WORDS, 1.0)))
    return tuple(part for part in parts if part is not None)


def _part(
    name: str, weight: float, values: Floats | None, *, per_item: bool = False
) -> Part | None:
    if values is None:
        return None
    return Part(name=name, weight=weight, values=values, per_item=per_item)


def _adjustments(asked: Asked, view: View) -> tuple[Part, ...]:
    parts = [_adjustment("importance", WEIGHTS.importance, _importance(asked, view))]
    if asked.plan.sources:
        parts.append(_adjustment("source", WEIGHTS.source, _pointed_at(asked, view)))
    return tuple(parts)


def _adjustment(name: str, weight: float, values: Floats) -> Part:
    return Part(name=name, weight=weight, values=values, per_item=True)


def _importance(asked: Asked, view: View) -> Floats:
    """Return decayed importance less the neutral .5, per item; 0 for what has none."""
    base = view.items.importance.rows(view.item_count)
    has = ~np.isnan(base)
    values = np.zeros(view.item_count)
    if not has.any():
        return values
    age_us = microseconds(asked.query.now) - view.items.stored.rows(view.item_count)[has]
    half_life = view.items.half_life.rows(view.item_count)[has]
    faded = decayed_importances(base[has], half_life_hours=half_life, age_hours=age_us / HOUR_US)
    values[has] = faded - NEUTRAL_IMPORTANCE
    return values


NEUTRAL_IMPORTANCE = 0.5
"""Importance that neither helps nor hurts: the default of a memory."""


def _pointed_at(asked: Asked, view: View) -> Floats:
    """Return 1 for items of a source or kind that the question's words point to, else 0."""
    plan = asked.plan
    pointed = np.zeros(view.item_count, dtype=bool)
    for name, texts in (("source", plan.sources), ("kind", plan.kinds)):
        pointed |= view.items.codes[name].holding(texts, count=view.item_count)
    return pointed.astype(np.float64)
