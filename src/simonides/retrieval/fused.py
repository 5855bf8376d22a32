"""The scorer `fused`, the default: the sums of the features as scores.

Knows the arrays of an `IndexView`; the arithmetic is that of `scoring.ranking`.
"""

import numpy as np

from simonides.index.index_view import IndexView
from simonides.retrieval.evidence import Evidence
from simonides.retrieval.scores import Scores, best_chunk_by, passage_fit
from simonides.scoring.ranking import LinearScores


def summed(sums: LinearScores, evidence: Evidence, view: IndexView) -> Scores:
    """Return the sums of features as scores."""
    return Scores(
        values=np.where(view.alive, sums.values(), np.nan),
        contributions=sums.contributions,
        best_chunk=best_chunk_by(passage_fit(evidence), view),
    )
