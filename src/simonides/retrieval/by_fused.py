"""The default scorer: evidence as the parts of `scoring.relevance`."""

from collections.abc import Callable

import numpy as np

from simonides.model.answer import Plan
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
        _part("lexical", weights.lexical, evidence.lexical, detail=evidence.words_in),
        _part("semantic", weights.semantic, evidence.semantic),
        _item_part("keyword", weights.lexical, evidence.keywords),
        _item_part("phrase", weights.phrase, evidence.phrases, detail=" · ".join(plan.phrases)),
        _item_part("author", weights.author, evidence.authors, detail=_names(plan.people)),
        _item_part("owner", weights.owner, evidence.owner, detail="your own words"),
        _item_part("people", weights.people, evidence.people, detail=_names(plan.people)),
        _item_part("time", weights.time, evidence.agreement, detail=_time_words(plan)),
        _item_part("direction", weights.direction, evidence.nearness, detail=plan.direction),
    ]
    if plan.asks_when:
        dated = view.chunks.dated.rows(view.chunk_count).astype(np.float64)
        parts.append(_part("when", weights.when, dated, detail=lambda _: "it names a time"))
    words = view.chunks.words.rows(view.chunk_count)
    parts.append(_part("length", weights.length, np.minimum(words / FULL_WORDS, 1.0)))
    return tuple(part for part in parts if part is not None)


def _names(people: tuple[str, ...]) -> str:
    return ", ".join(one.partition(":")[2].lstrip("~") for one in people)


def _time_words(plan: Plan) -> str:
    return plan.time.text if plan.time else ""


def _part(
    name: str, weight: float, values: Floats | None, *, detail: Callable[[int], str] | None = None
) -> Part | None:
    if values is None:
        return None
    return Part(name=name, weight=weight, values=values, detail=detail or (lambda _: ""))


def _item_part(name: str, weight: float, values: Floats | None, *, detail: str = "") -> Part | None:
    if values is None:
        return None
    return Part(name=name, weight=weight, values=values, per_item=True, detail=lambda _: detail)


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
