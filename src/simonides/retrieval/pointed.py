"""What a question points to: the items of a source and a kind, and of those the state it names.

Must not know how they are weighed.
"""

import numpy as np
import numpy.typing as npt

from simonides.index.index_view import IndexView
from simonides.model.answer import Plan, Query
from simonides.ports.space import Reader
from simonides.retrieval.asked_replies import find_unanswered
from simonides.retrieval.asked_tasks import tasks_meant


def find_pointed(
    plan: Plan, query: Query, *, owner: tuple[str, ...], view: IndexView, reader: Reader
) -> npt.NDArray[np.float64]:
    """Return float64[items]: how far in [0, 1] each present item is what a question points to."""
    if plan.reply_state:
        return find_unanswered(
            plan.reply_state, plan.kinds, query, owner=owner, view=view, reader=reader
        )
    pointed = np.zeros(view.item_count, dtype=bool)
    for name, texts in (("source", plan.sources), ("kind", plan.kinds)):
        pointed |= view.having_codes(name, texts)
    pointed = tasks_meant(pointed, plan, query, view=view, reader=reader)
    return (pointed & view.alive).astype(np.float64)
