"""What a question points to: the items of a source and a kind, and of those the state it names.

Must not know how they are weighed.
"""

import numpy as np
import numpy.typing as npt

from simonides.index.facets import author_key
from simonides.index.index_view import IndexView
from simonides.model.answer import Plan, Query
from simonides.ports.space import Reader
from simonides.retrieval.asked_lists import LETTERS
from simonides.retrieval.asked_replies import find_unanswered
from simonides.retrieval.asked_tasks import tasks_meant
from simonides.retrieval.people import owner_authors
from simonides.text.analyse import words
from simonides.text.questions import asks_own_words, asks_received


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
    if not {*LETTERS}.isdisjoint(plan.kinds):
        pointed &= _of_its_side(plan, query, owner=owner, view=view)
    return (pointed & view.alive).astype(np.float64)


def _of_its_side(
    plan: Plan, query: Query, *, owner: tuple[str, ...], view: IndexView
) -> npt.NDArray[np.bool_]:
    """Return bool[items]: all but mails and messages of the side that is not asked for.

    "The mails I got" are not those of the owner, those "I wrote" are theirs alone.
    """
    of_time = words(plan.time.text) if plan.time else ()  # "przyszły" is "came" and "next"
    left = [word for word in plan.words if word not in of_time]
    is_own, is_received = asks_own_words(query.text), asks_received(left)
    if not (is_own or is_received):
        return np.ones(view.item_count, dtype=bool)
    own = view.having(map(author_key, owner_authors(owner, view.names)))
    return ~view.having_codes("kind", LETTERS) | (own if is_own else ~own)
