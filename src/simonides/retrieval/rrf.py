"""The scorer `rrf`: the reciprocal rank fusion of the lanes.

Knows the arrays of an `IndexView`; the arithmetic is that of `scoring.formulas`.
"""

import numpy as np

from simonides.index.index_view import IndexView
from simonides.model.answer import Contribution
from simonides.retrieval.evidence import Evidence, Floats, PlannedQuery
from simonides.retrieval.scores import Scores, best_chunks_by, passage_fit
from simonides.scoring.formulas import Lane, rank_shares

EXPLAINING = frozenset({"how", "why", "explain", "describe", "relate", "compare"})
FACTUAL = frozenset({"what", "who", "which", "where", "when", "define"})
RRF_WEIGHTS = {"explaining": (0.3, 0.7), "factual": (0.7, 0.3), "exploring": (0.4, 0.5)}
"""(lexical, semantic) by kind of question, as in the design's classifier. Its temporal row is not
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
    best_chunks = best_chunks_by(passage_fit(evidence), view)

    def meaning_of(slot: int) -> str:
        return evidence.meaning_of(best_chunks(np.array([slot])))

    return Scores(
        values=values,
        contributions=lambda slot: tuple(
            Contribution(
                name=name,
                value=float(share[slot]),
                detail=meaning_of(slot) if name == "semantic" else "",
            )
            for name, share in shares.items()
            if share[slot] > 0.0
        ),
        best_chunks=best_chunks,
    )


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
        ("temporal", TEMPORAL_WEIGHT, _rank_by_time(evidence)),
        ("keyword", KEYWORD_WEIGHT, evidence.keywords),
        ("phrase", PHRASE_WEIGHT, evidence.phrases),
    ):
        if found is not None:
            lanes.append(_lane(name, weight, found, view))
    return lanes


def _rank_by_time(evidence: Evidence) -> Floats | None:
    given = [v for v in (evidence.agreement, evidence.nearness) if v is not None]
    return None if not given else np.asarray(np.add.reduce(given))


def _lane(name: str, weight: float, values: Floats, view: IndexView) -> Lane:
    """Return the lane; zero values and dead items count as not found."""
    found = view.alive & (values > 0.0)
    return Lane(name=name, weight=weight, values=np.where(found, values, np.nan))
