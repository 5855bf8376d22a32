"""How likely items belong to the answer of a question, by their scores.

Must not know what is made of the probabilities.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from simonides.index.index_view import IndexView
from simonides.model.answer import Plan
from simonides.model.filter import Compare, Operator
from simonides.model.item import Kind
from simonides.model.metadata_keys import ASKS_KEY
from simonides.ports.space import Reader
from simonides.scoring.ranking import RankingModel
from simonides.text.questions import asks_nothing

Floats = npt.NDArray[np.float64]

ASKING = Compare(key=ASKS_KEY, operator=Operator.EQ, value=True)

ALL_WORDS = 0.05
"""How likely at least an item belongs to the answer that holds every word of the question: who asks
"deadline" does not read that nothing answers where that word stands."""


def likelihoods(
    plan: Plan,
    sums: Floats,
    words: Floats,
    model: RankingModel,
    *,
    view: IndexView,
    reader: Reader,
) -> Floats:
    """Return float64[items] in [0, 1]: how likely each belongs to the answer; 0 for what is gone.

    `sums` are the sums of features, whichever scorer orders the hits: with every scorer, an item
    is as relevant as with another. `words` is the feature of that name. A greeting has no answer,
    and what was only asked is none.
    """
    if asks_nothing(plan.words):
        return np.zeros(view.item_count)
    likely = model.probabilities(
        sums, words=len(plan.words), is_own=plan.first_person, items=view.items_alive
    )
    whole = words >= 1.0  # exact: the same shares are added to both in the same order
    likely[whole] = np.maximum(likely[whole], ALL_WORDS)
    likely[np.isnan(sums) | _only_asking(view, reader)] = 0.0
    return likely


def with_replaced(likely: Floats, stands_for: Mapping[int, tuple[int, ...]]) -> Floats:
    """Return the likelihoods in which what replaces others is no less likely than they are.

    It says the same as they do: it belongs to the answer if they would.
    """
    raised = likely.copy()
    for slot, others in stands_for.items():
        raised[slot] = max(likely[slot], likely[list(others)].max())
    return raised


def _only_asking(view: IndexView, reader: Reader) -> npt.NDArray[np.bool_]:
    """Return bool[items]: the questions that were put to the assistant: no part of an answer."""
    is_message = view.of_kind(Kind.MESSAGE)
    if not is_message.any():
        return is_message
    keys = view.items.keys.rows(view.item_count)
    return view.metadata.mask(ASKING, reader=reader, keys=keys)
