"""The scorer `fused`, the default: the sums of the features as scores.

Knows the arrays of an `IndexView`; the arithmetic is that of `scoring.ranking`.
"""

from collections.abc import Mapping

import numpy as np

from simonides.index.index_view import IndexView
from simonides.retrieval.evidence import Evidence
from simonides.retrieval.scores import Scores, best_chunks_by, passage_fit
from simonides.scoring.ranking import Feature, LinearScores, RankingModel


def fused_scores(
    features: Mapping[str, Feature], model: RankingModel, evidence: Evidence, view: IndexView
) -> Scores:
    """Return the weighted sums of the features of all present items."""
    sums = LinearScores.of(features.values(), model)
    return Scores(
        values=np.where(view.alive, sums.values(), np.nan),
        contributions=sums.contributions,
        best_chunks=best_chunks_by(passage_fit(evidence), view),
    )
