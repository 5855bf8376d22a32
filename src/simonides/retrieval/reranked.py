"""The optional third stage: a model reads the question together with the best passages.

What it says of a passage is a part of the score like any other, named `reranker`. Which passages
it reads depends on the question and the space alone, never on a filter or a limit (law 12). Knows
the port; must not know any model.
"""

from collections.abc import Sequence

import numpy as np

from simonides.errors import ModelError
from simonides.index.index_view import IndexView
from simonides.model.answer import Contribution
from simonides.model.item import Item
from simonides.ports.foreign_models import model_failure
from simonides.ports.models import Reranker
from simonides.ports.space import Reader
from simonides.retrieval.best import best_slots
from simonides.retrieval.evidence import Bools
from simonides.retrieval.fair_queue import TURNS
from simonides.retrieval.scores import Floats, Scores, best_passages
from simonides.text.clean import without_folders

READ_MAX = 50
"""Passages that the model reads: a small cross-encoder takes about 10 ms for each."""

WEIGHT = 2.0
"""How often what it adds to its best is how far the own scores lie apart. Not measured: no
cross-encoder can be had where the weights of the other parts were fitted."""


def rerank(
    question: str,
    scores: Scores,
    found: Bools,
    reranker: Reranker,
    *,
    timeout_s: float,
    view: IndexView,
    reader: Reader,
) -> tuple[Scores, str]:
    """Return the scores with what the model adds to the best, and a note where it could not.

    It adds ``2 * (best - last) * (s - min(s)) / (max(s) - min(s))``, of the scores `s` that it
    gives: on whatever scale they are, it decides, and all else counts where it is of two minds.
    """
    slots = best_slots(scores.values, found, limit=READ_MAX, view=view, reader=reader)
    if len(slots) < 2:  # noqa: PLR2004  there is nothing to order
        return scores, ""
    passages = reader.passages(best_passages(slots, scores, view))
    texts = [_text(item, span) for item, span in passages]
    try:
        with TURNS.without_turn():
            given = _check(reranker.score(question, texts, timeout_s=timeout_s), len(texts))
    except Exception as failure:  # noqa: BLE001  anybody may have written it
        error = failure
        if not isinstance(failure, ModelError):
            error = model_failure(ModelError, reranker.name, failure)
        return scores, f"ranked without the reranker: {without_folders(str(error))}"
    gains = np.zeros(len(scores.values))
    gains[slots] = _gains(given, span=float(np.ptp(scores.values[slots])))
    said = dict(zip(slots, given, strict=True))

    def part(slot: int) -> Contribution:
        detail = f"{reranker.name}: {said[slot]:.3g}"
        return Contribution(name="reranker", value=float(gains[slot]), detail=detail)

    return scores.with_gains(gains, part), ""


def _gains(given: Floats, *, span: float) -> Floats:
    spread = float(np.ptp(given))
    return np.asarray(WEIGHT * (span or 1.0) * (given - given.min()) / (spread or 1.0))


def _check(given: Sequence[float], count: int) -> Floats:
    scores = np.asarray(given, dtype=np.float64)
    if scores.shape != (count,) or not np.isfinite(scores).all():
        raise ModelError(f"it must give {count} finite scores, one for each passage")
    return scores


def _text(item: Item, span: slice) -> str:
    """Return a passage with the title of its item, which passages after the first lack."""
    passage = item.content[span]
    return passage if not item.title or item.title in passage else f"{item.title}\n{passage}"
