"""Which mails a question asks for by their answers: what the owner owes one, or waits for.

A mail is answered where a later one of its thread comes from the other side. Knows the plan, the
threads and the people of mails. Must not know what else the question asks.
"""

import numpy as np
import numpy.typing as npt

from simonides.entities.extract import person_id
from simonides.index.facets import author_key, part_key
from simonides.index.index_view import IndexView
from simonides.index.masks import mask_of
from simonides.model.answer import Query, ReplyState
from simonides.model.filter import Filter
from simonides.model.item import Item, Kind, Role, Trust
from simonides.model.times import microseconds
from simonides.ports.space import Reader
from simonides.retrieval.named_days import BULK
from simonides.retrieval.people import owner_entities
from simonides.retrieval.trust import TrustResolver
from simonides.scoring.importance import UNDATED
from simonides.text.reply_states import requests_reply

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

MAILS = Filter(kinds=(Kind.EMAIL,))

MAILS_MAX = 300
"""So many mails without an answer are read, the latest: nobody answers older ones."""

REQUESTING, TELLING = 1.0, 0.5
"""How much a mail counts that asks for something, and one from somebody known that only tells."""


def mails_meant(
    state: ReplyState, query: Query, *, owner: tuple[str, ...], view: IndexView, reader: Reader
) -> Floats:
    """Return float64[items]: the mails without an answer, from 0 to 1 how likely one is wanted."""
    meant = np.zeros(view.item_count)
    people = frozenset(owner_entities(owner, view.names))
    slots = _find_unanswered(state, people, query, view=view, reader=reader)
    keys = view.items.keys.rows(view.item_count)[slots].tolist()
    items = reader.items(keys)
    trusting = TrustResolver.for_view(view, owner)
    for slot, key in zip(slots.tolist(), keys, strict=True):
        is_known = trusting.of(items[key]) is not Trust.UNKNOWN
        meant[slot] = _wants_answer(items[key], state, people, is_known=is_known)
    return meant


def _find_unanswered(
    state: ReplyState, people: frozenset[str], query: Query, *, view: IndexView, reader: Reader
) -> npt.NDArray[np.intp]:
    """Return the slots of the latest mails to the owner, or from them, that nobody answered."""
    happened = view.items.happened.rows(view.item_count)
    was = view.alive & (happened <= microseconds(query.now))
    mails = was & mask_of(MAILS, view=view, reader=reader)
    own = view.having(map(author_key, people))
    is_mine = state is ReplyState.AWAITED
    asking = mails & (own if is_mine else ~own & view.having(map(part_key, people)))
    asking &= ~mask_of(BULK, view=view, reader=reader)
    answered = _find_last_answers(mails & (~own if is_mine else own), happened, view)
    slots = (asking & (happened > answered)).nonzero()[0]
    ids = view.items.ids.rows(view.item_count)[slots]
    return np.asarray(slots[np.lexsort((ids, -happened[slots]))[:MAILS_MAX]])


def _find_last_answers(
    answers: Bools, happened: npt.NDArray[np.int64], view: IndexView
) -> npt.NDArray[np.int64]:
    """Return int64[items]: when the last of these came in each item's thread, in microseconds.

    What is in no thread has no answer.
    """
    sessions = view.items.codes["session"]
    threads = sessions.column.rows(view.item_count)
    last = np.full(int(threads.max(initial=0)) + 1, UNDATED)
    np.maximum.at(last, threads[answers], happened[answers])
    return np.where(sessions.holding((None, ""), count=view.item_count), UNDATED, last[threads])


def _wants_answer(
    mail: Item, state: ReplyState, people: frozenset[str], *, is_known: bool
) -> float:
    """Return how likely a mail is one that an answer is wanted to; 0 for one that is none.

    The owner owes none to what only a copy came of, and waits for none to what asks nothing.
    """
    is_requesting = requests_reply(f"{mail.title}\n{mail.content}")
    if state is ReplyState.AWAITED:
        is_to_others = any(
            one.role is Role.TO and person_id(one) not in people for one in mail.people
        )
        return REQUESTING * (is_requesting and is_to_others)
    if not any(one.role is Role.TO and person_id(one) in people for one in mail.people):
        return 0.0
    if is_known:
        return REQUESTING if is_requesting else TELLING
    return TELLING * is_requesting
