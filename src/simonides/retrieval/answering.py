"""What speaks for an item as part of the answer: the signals of a question's hits.

Reads the lanes' arrays and the plan; the arithmetic is that of `scoring.answering`. Must not know
what is made of the probabilities.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from simonides.index.index_view import IndexView
from simonides.retrieval.evidence import Bools, Evidence, PlannedQuery
from simonides.scoring.answering import (
    ALL_WORDS_POWER,
    SAID_FULL,
    SIGNALS,
    Floats,
    leads,
)
from simonides.scoring.expected import expected_cosine

Slots = npt.NDArray[np.intp]


def signals(
    slots: Sequence[int] | Slots,
    scores: Floats,
    *,
    asked: PlannedQuery,
    evidence: Evidence,
    view: IndexView,
) -> Floats:
    """Return float64[slots, signals] of item slots.

    `scores` are the fused scores of all items, whichever scorer orders them.
    """
    items = np.asarray(slots, dtype=np.intp)
    plan = asked.plan
    people, source = _named_people(items, asked, evidence), _named_source(items, evidence)
    words = _words(items, asked, evidence, view, otherwise=people * source)
    columns = {
        "meaning": _meaning(items, evidence, view),
        "words": words,
        "all_words": words**ALL_WORDS_POWER,
        "lead": _leads(items, scores, asked, evidence, view),
        "people": people,
        "time": np.maximum(_of(evidence.agreement, items), _of(_listed(asked, evidence), items)),
        "source": source,
        "said": np.full(len(items), min(len(plan.words), SAID_FULL) / SAID_FULL),
        "own": np.full(len(items), float(plan.first_person)),
    }
    return np.column_stack([columns[name] for name in SIGNALS])


def _leads(
    items: Slots, scores: Floats, asked: PlannedQuery, evidence: Evidence, view: IndexView
) -> Floats:
    """Return how far each item stands above the others.

    "What did Sarah say" and "what is on next week" have many answers, and these do not stand in
    each other's way.
    """
    found = ~np.isnan(scores)
    own = leads(scores[found], of=scores[items])
    alike = _alike(asked, evidence, view) if found.any() else None
    if alike is None:
        return own
    others = np.where(alike, np.nanmin(scores), scores)
    return np.where(alike[items], leads(others[found], of=scores[items]), own)


def _alike(asked: PlannedQuery, evidence: Evidence, view: IndexView) -> Bools | None:
    """Return the items that answer a question of many answers alike; None for another question.

    Of an agenda that is all that takes place or is due at the time that is named, of tasks in a
    state all that are, of a person what the person has part in, holds every word and is of the
    time that is named.
    """
    listed = _listed(asked, evidence)
    if listed is None and not asked.plan.people:
        return None
    alike = _named_people(np.arange(view.item_count), asked, evidence) > 0.0
    if listed is not None:
        return np.asarray(alike & (listed > 0.0))
    if evidence.words and evidence.matching is not None:
        alike &= view.any_chunk(evidence.matching == len(evidence.words))
    if evidence.within is not None:
        alike &= evidence.within
    return np.asarray(alike)


def _listed(asked: PlannedQuery, evidence: Evidence) -> Floats | None:
    """Return the shares of items in a list that is asked for by nothing else; None without one."""
    if not evidence.is_bare:
        return None
    if asked.plan.task_state:
        return evidence.pointed
    return evidence.takes_place if asked.plan.time is not None else None


def _of(values: Floats | None, items: Slots) -> Floats:
    return np.zeros(len(items)) if values is None else values[items]


def _meaning(items: Slots, evidence: Evidence, view: IndexView) -> Floats:
    """Return the best centred cosine; without vectors, what the words let expect."""
    values = evidence.semantic
    if values is None:
        words = np.zeros(view.chunk_count) if evidence.lexical is None else evidence.lexical
        values = expected_cosine(words)
    bounds = np.column_stack(_chunks(items, view)).ravel()
    best: Floats = np.maximum.reduceat(np.append(values, -np.inf), bounds)[::2]
    return best


def _chunks(items: Slots, view: IndexView) -> tuple[Slots, Slots]:
    """Return the first chunk slot of each item, and the one after its last."""
    stops = np.append(view.item_starts[1:], view.chunk_count)
    return view.item_starts[items].astype(np.intp), stops[items].astype(np.intp)


def _words(
    items: Slots, asked: PlannedQuery, evidence: Evidence, view: IndexView, *, otherwise: Floats
) -> Floats:
    """Return the share of the question's words in each item, weighed by how rare they are.

    Where no word is left to look for, a named person, source or time stands for them (`otherwise`).
    """
    if not evidence.words:
        plan = asked.plan
        steers = plan.people or plan.kinds or plan.sources or plan.time
        return otherwise * float(bool(steers))
    starts, stops = _chunks(items, view)
    total = 0.0
    held = np.zeros(len(items))
    for _, word in evidence.words:
        total += word.idf
        own = np.searchsorted(word.docs, starts) < np.searchsorted(word.docs, stops)
        held += word.idf * own
    share = held / total if total else held
    return share if evidence.phrases is None else share * evidence.phrases[items]


def _named_people(items: Slots, asked: PlannedQuery, evidence: Evidence) -> Floats:
    """Return 1 for items in which a named person has any part; for all if nobody is named."""
    if not asked.plan.people:
        return np.ones(len(items))
    roles = (evidence.authors, evidence.people, evidence.mentions)
    return np.asarray(sum(_of(role, items) for role in roles) > 0.0, dtype=np.float64)


def _named_source(items: Slots, evidence: Evidence) -> Floats:
    """Return 1 for items of a named source or kind; for all if none is named."""
    return np.ones(len(items)) if evidence.pointed is None else evidence.pointed[items]
