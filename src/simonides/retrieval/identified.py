"""The things that a question names exactly, before what is only said about them.

"LANT-8", "status of lant 8": of tasks that many mails and comments name, the one that it is. "What
is left to do for the party": the open tasks with that word, before mails about it. Knows the
identifiers of items; must not know how scores were made.
"""

import re

import numpy as np
import numpy.typing as npt

from simonides.index.index_view import IndexView
from simonides.model.answer import Contribution
from simonides.model.item import Item, Kind
from simonides.ports.space import Reader
from simonides.retrieval.evidence import Evidence, PlannedQuery
from simonides.retrieval.scores import Scores
from simonides.text.word_patterns import lazy_pattern

LEAD = 0.1
"""By how much the thing itself stands above the best of what names it. Our own choice."""

LOOKED_AT = 16
"""So many of the best tasks are looked at: of those that a question names, the names are rare."""

Slots = npt.NDArray[np.intp]

_IDENTIFIER = lazy_pattern(
    r"(?<![^\W_])([a-z][a-z0-9]{1,9})[ _-]?(?:#)?([1-9][0-9]{0,5})(?![^\W_])", re.IGNORECASE
)


def find_identified(
    asked: PlannedQuery, scores: Scores, *, view: IndexView, reader: Reader
) -> Slots:
    """Return the slots of the tasks whose identifier a question names; none where it names people.

    What somebody said about LANT-8 is another thing than LANT-8.
    """
    named = {"".join(match.groups()).casefold() for match in _IDENTIFIER.finditer(asked.query.text)}
    if not named or asked.plan.people:
        return np.empty(0, dtype=np.intp)
    is_task = view.of_kind(Kind.TASK)
    slots = np.flatnonzero(view.alive & is_task & (scores.values > 0.0))
    best = slots[np.argsort(-scores.values[slots], kind="stable")][:LOOKED_AT]
    keys = view.items.keys.rows(view.item_count)[best].tolist()
    items = reader.items(keys)
    return best[[_identifier(items[key]) in named for key in keys]]


def _identifier(item: Item) -> str:
    """Return the identifier of a task as one word: "lant8" for LANT-8; comments have none."""
    match = _IDENTIFIER.fullmatch(item.source_id)
    return "".join(match.groups()).casefold() if match else ""


def find_tasks_on(
    asked: PlannedQuery, evidence: Evidence, scores: Scores, *, view: IndexView
) -> Slots:
    """Return the slots of the tasks in the state that is asked for, on what a question is about.

    That is said by its rarest word that any present item holds.
    """
    none = np.empty(0, dtype=np.intp)
    if not asked.plan.task_state or evidence.pointed is None or evidence.is_bare:
        return none
    known = [word for word in evidence.words if (word.items & view.alive).any()]
    if not known:
        return none
    rarest = max(known, key=lambda word: word.idf)
    return np.flatnonzero((evidence.pointed > 0.0) & rarest.items & (scores.values > 0.0))


def put_first(scores: Scores, slots: Slots, *, detail: str) -> Scores:
    """Return the scores with these items above all others, in their own order."""
    if not len(slots):
        return scores
    gains = np.zeros(len(scores.values))
    best = slots[np.argsort(-scores.values[slots], kind="stable")]
    wanted = np.nanmax(scores.values) + LEAD / (1.0 + np.arange(len(best)))
    gains[best] = np.maximum(wanted - scores.values[best], 0.0)
    return scores.with_gains(
        gains,
        lambda slot: Contribution(name="named", value=float(gains[slot]), detail=detail),
    )
