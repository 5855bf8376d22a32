"""Which tasks a question asks for: those in a state (open, done, overdue), and those of people.

Knows the plan and the metadata of tasks. Must not know what else the question asks.
"""

from datetime import datetime

import numpy as np
import numpy.typing as npt

from simonides.index.facets import assignee_key, entity_key
from simonides.index.index_view import IndexView
from simonides.index.masks import mask_of
from simonides.model.answer import Plan, TaskState
from simonides.model.filter import AllOf, Condition, Filter, Not, parse_condition
from simonides.model.item import Kind, Role
from simonides.model.times import in_zone
from simonides.ports.space import Reader

Bools = npt.NDArray[np.bool_]

FINISHED = ("completed", "cancelled", "canceled", "done", "closed", "resolved")
"""Statuses of tasks that leave nothing to do: those of RFC 5545, and of most trackers."""

DONE = parse_condition(
    {
        "or": [
            {"open": False},
            {
                "open": {"exists": False},
                "or": [{"completed_at": {"exists": True}}, {"status": {"in": FINISHED}}],
            },
        ]
    }
)
"""Done is what says so: by `open`, else by when it was completed, or by its status."""


def mask_in_state(
    state: TaskState, *, now: datetime, timezone: str, view: IndexView, reader: Reader
) -> Bools | None:
    """Return bool[items]: the tasks in a state that is asked for; None if none is."""
    if not state:
        return None
    where: Condition = DONE if state is TaskState.DONE else Not(part=DONE)
    if state is TaskState.OVERDUE:
        today = f"{in_zone(now, timezone):%Y-%m-%d}"
        where = AllOf(parts=(where, parse_condition({"due": {"lt": today}})))
    return mask_of(Filter(kinds=(Kind.TASK,), where=where), view=view, reader=reader)


def mask_assigned(plan: Plan, view: IndexView) -> Bools | None:
    """Return bool[items]: what is assigned to those who are asked for, else what names them.

    None if nothing does. One's own list seldom says whose it is: where a source assigns nothing,
    all of it is one's own.
    """
    if plan.role is not Role.ASSIGNEE:
        return None
    meant = plan.people or plan.owner
    assigned = view.having(map(assignee_key, meant))
    if not plan.people:
        sources = view.items.codes["source"].column.rows(view.item_count)
        assigning = sources[view.having([assignee_key()])]
        assigned = assigned | ~np.isin(sources, assigning)
    for found in (assigned, view.having(map(entity_key, meant))):
        if (found & view.alive).any():
            return found
    return None
