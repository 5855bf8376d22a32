"""The order by time: the things that fit the rest of a question, newest, oldest or next first.

How far a thing fits is how near its score comes to the best one of the kind and of the people that
the question names; what does not fit gains nothing by its time. Where nothing but the time and the
kind is asked for ("latest mail", "what's on next week"), all that fits stands strictly by time; in
a list ("open tasks") what has no date stands last, in an agenda what only names the day in words,
of mails without an answer what asks for nothing.
Knows arrays; must not know words.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simonides.index.index_view import IndexView
from simonides.model.answer import Contribution, Direction, Plan, Query, TaskState
from simonides.model.item import Role
from simonides.model.times import microseconds
from simonides.retrieval.asked_replies import TELLING
from simonides.retrieval.evidence import Bools, Evidence, PlannedQuery
from simonides.retrieval.named_days import IN_WORDS
from simonides.scoring.importance import UNDATED

Floats = npt.NDArray[np.float64]

DIRECTION = 0.1
"""What the nearest to the end of time that is asked for gains, if it fits the rest in full
(measured: docs/explanation/ranking.md)."""

FIT_SHARE = 0.5
"""A score of less than this share of the best one does not fit; the best one fits in full."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """What the order by time adds to each item that fits, and of how many it is one.

    `listed` are the slots of all that is asked for, where nothing but conditions is.
    """

    gains: Floats
    ranks: npt.NDArray[np.int64]
    count: int
    word: str
    listed: npt.NDArray[np.intp]

    def contribution(self, slot: int) -> Contribution:
        """Return the gain of a slot, and where it comes from."""
        detail = f"{self.word}: {self.ranks[slot] + 1} of {self.count} that fit"
        return Contribution(name="direction", value=float(self.gains[slot]), detail=detail)


def order_by_time(
    asked: PlannedQuery, evidence: Evidence, view: IndexView, *, scores: Floats, likely: Floats
) -> Ordered | None:
    """Return the gains by time, or by an agenda, over `scores` (float64[items], NaN: none).

    A list of a time alone leaves out what is `likely` by 0 to answer: what the assistant was asked
    then.
    """
    plan = asked.plan
    is_list = evidence.is_bare and bool(conditions(plan, evidence))
    if plan.direction is Direction.NONE and not is_list:
        return None
    times = _times(evidence, view)
    may = ~np.isnan(scores) & _fitting(plan, evidence, view)
    if is_list and all(named is None for named in match_named(plan, evidence)):
        may &= likely > 0.0
    if plan.direction is not Direction.NONE:  # of a list nothing falls out for want of a date
        may &= times != UNDATED
    now_us = microseconds(asked.query.now)
    may &= _on_its_side(times, plan.direction, now_us=now_us)
    if _ends_now(plan, asked.query) and (may & (times <= now_us)).any():
        may &= times <= now_us
    if not may.any():
        return None
    descending = _is_newest_first(plan, evidence)
    fits = may.astype(np.float64) if evidence.is_bare else _nearness_to_best(scores, may)
    return _order(times, fits, scores, last=_mark_last(evidence, len(times)), descending=descending,
                    strictly=evidence.is_bare, word=plan.direction or "by time")  # fmt: skip


def _ends_now(plan: Plan, query: Query) -> bool:
    """Return whether a time goes on until now: "since yesterday" is after nothing that comes."""
    time = plan.time
    if time is None or time.since is None or time.until is not None or plan.asks_list:
        return False
    return time.since <= query.now


def _mark_last(evidence: Evidence, count: int) -> Bools:
    """Return by item whether it stands last in a list: only named there, or asking for nothing."""
    last = np.zeros(count, dtype=bool)
    for values, less in ((evidence.takes_place, IN_WORDS), (evidence.pointed, TELLING)):
        if values is not None:
            last |= values == less
    return last


def _is_newest_first(plan: Plan, evidence: Evidence) -> bool:
    """Return whether what fits stands newest first: what is done and what was; not what comes."""
    if plan.direction is Direction.NONE and not plan.task_state:
        return evidence.starts is None
    return plan.direction is Direction.NEWEST or plan.task_state is TaskState.DONE


def _times(evidence: Evidence, view: IndexView) -> npt.NDArray[np.int64]:
    """Return when each item took place: of events and due tasks within what is asked for."""
    happened = view.items.happened.rows(view.item_count)
    if evidence.starts is None:
        return np.asarray(happened)
    return np.where(evidence.starts != UNDATED, evidence.starts, happened)


def conditions(plan: Plan, evidence: Evidence) -> list[Bools]:
    """Return by item what meets each condition of a question: its people, its source, its time.

    Those that nothing meets are left out. Where nothing meets all, the last ones give way.
    """
    in_time = evidence.within
    if evidence.takes_place is not None:
        in_time = evidence.takes_place > 0.0
    met = (*match_named(plan, evidence), in_time)
    return [one for one in met if one is not None and one.any()]


def match_named(plan: Plan, evidence: Evidence) -> tuple[Bools | None, Bools | None]:
    """Return by item what has to do with the people, and what is of the kind, that are named."""
    people = _of_people(plan, evidence)
    pointed = None if evidence.pointed is None else evidence.pointed > 0.0
    if pointed is not None and evidence.takes_place is not None:
        pointed |= evidence.takes_place > 0.0  # what is on then, of whatever kind
    return None if people is None else people > 0.0, pointed


def _fitting(plan: Plan, evidence: Evidence, view: IndexView) -> Bools:
    """Return the present items that meet all conditions; one that no item meets is none."""
    fitting = view.alive.copy()
    for met in conditions(plan, evidence):
        if (fitting & met).any():
            fitting &= met
    if evidence.cancelled is not None and (fitting & ~evidence.cancelled).any():
        fitting &= ~evidence.cancelled
    return fitting


def _of_people(plan: Plan, evidence: Evidence) -> Floats | None:
    """Return by item whether a person that is named has the role that is asked for.

    Of what the owner said to them, the owner must be the author.
    """
    if evidence.authors is None or evidence.people is None or plan.role is Role.MENTIONED:
        return None
    people = np.maximum(evidence.authors, evidence.people)
    if plan.role is Role.TO and evidence.owner is not None:
        return people * evidence.owner
    return people


def _on_its_side(times: npt.NDArray[np.int64], direction: Direction, *, now_us: int) -> Bools:
    """Return a mask of the past where the newest is asked for, of the future for the next."""
    if direction is Direction.NEXT:
        return np.asarray(times >= now_us)
    if direction is Direction.NEWEST:
        return np.asarray(times <= now_us)
    return np.ones(len(times), dtype=bool)


def _nearness_to_best(scores: Floats, may: Bools) -> Floats:
    best = float(scores[may].max())
    if best <= 0.0:
        return np.zeros(len(scores))
    low = FIT_SHARE * best
    near = np.clip((np.nan_to_num(scores) - low) / (best - low), 0.0, 1.0)
    return np.where(may, near, 0.0)


def _order(
    times: npt.NDArray[np.int64],
    fits: Floats,
    scores: Floats,
    *,
    last: Bools,
    descending: bool,
    strictly: bool,
    word: str,
) -> Ordered:
    slots = np.flatnonzero(fits > 0.0)
    is_undated = times[slots] == UNDATED
    keys = np.where(is_undated, 0, -times[slots] if descending else times[slots])
    slots = slots[np.lexsort((-scores[slots], keys, is_undated, last[slots]))]
    ranks = np.zeros(len(times), dtype=np.int64)
    ranks[slots] = np.arange(len(slots))
    gains = np.zeros(len(times))
    if strictly:
        gains[slots] = np.nanmax(scores) + 1.0 / (1.0 + np.arange(len(slots))) - scores[slots]
    else:
        before = np.cumsum(fits[slots]) - fits[slots]
        gains[slots] = DIRECTION * fits[slots] / (1.0 + before)
    listed = slots if strictly else slots[:0]
    return Ordered(gains=gains, ranks=ranks, count=len(slots), word=word, listed=listed)
