"""Which tasks a question asks for: those in a state (open, done, overdue), and those of people.

Knows the plan and the metadata of tasks. Must not know what else the question asks.
"""

from datetime import datetime, timedelta
from functools import partial
from itertools import islice

import numpy as np
import numpy.typing as npt

from simonides.index.facets import assignee_key, entity_key
from simonides.index.index_view import IndexView
from simonides.index.masks import mask_of
from simonides.model.answer import Plan, Query, TaskState
from simonides.model.filter import AllOf, Condition, Filter, Not, parse_condition
from simonides.model.item import Item, Kind, Role
from simonides.model.metadata_keys import FINISHED, OPEN_TASKS_KEY
from simonides.model.times import in_zone
from simonides.ports.space import Reader
from simonides.text.dates import find_ranges, names_a_date
from simonides.text.markdown import list_open_boxes

Bools = npt.NDArray[np.bool_]

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


LISTS_OPEN = parse_condition({OPEN_TASKS_KEY: {"gt": 0}})
"""Notes with empty check boxes, which hold open tasks."""


def tasks_meant(
    pointed: Bools, plan: Plan, query: Query, *, view: IndexView, reader: Reader
) -> Bools:
    """Return bool[items]: those of `pointed` in the state, and of the people, that are asked for.

    Where open or overdue tasks are asked for, the notes that list some are meant as well.
    """
    if plan.task_state:
        mask = partial(mask_of, view=view, reader=reader)
        pointed = pointed & mask(_in_state(plan.task_state, query))
        if plan.task_state is not TaskState.DONE:
            lists = mask(Filter(where=LISTS_OPEN))
            is_open = plan.task_state is TaskState.OPEN
            pointed = pointed | (lists if is_open else _find_overdue(lists, query, view, reader))
    assigned = _find_assigned(plan, view)
    return pointed if assigned is None else pointed & assigned


LISTS_MAX, BOXES_MAX, BOX_CHARS_MAX = 100, 300, 200
"""So many notes, and empty check boxes of them, are read for days that are over, the latest, and so
many characters of each: nobody's list makes a question take a minute. Our own choice."""


def _find_overdue(lists: Bools, query: Query, view: IndexView, reader: Reader) -> Bools:
    """Return bool[items]: the notes among some whose empty check boxes name a day that is over."""
    slots = lists.nonzero()[0]
    ids, times = view.items.ids.rows(view.item_count), view.items.happened.rows(view.item_count)
    slots = slots[np.lexsort((ids[slots], -times[slots]))[:LISTS_MAX]]
    keys = view.items.keys.rows(view.item_count)[slots].tolist()
    items = reader.items(keys)
    boxes = (
        (slot, items[key], box[:BOX_CHARS_MAX])
        for slot, key in zip(slots.tolist(), keys, strict=True)
        for box in list_open_boxes(items[key].content)
    )
    overdue = np.zeros(view.item_count, dtype=bool)
    for slot, note, box in islice(boxes, BOXES_MAX):
        overdue[slot] |= _is_overdue(box, note, query)
    return overdue


def _is_overdue(box: str, note: Item, query: Query) -> bool:
    """Return whether an empty check box of a note names days of which none is to come."""
    now = note.happened_at or _likely_written(box, note, query)
    found = find_ranges(box, now=now, timezone=query.timezone)
    times = [one for match in found for one in (match.range, match.other) if one is not None]
    return bool(times) and all(one.until and one.until <= query.now for one in times)


UNDATED_AGE = timedelta(days=180)
"""How old an undated note is taken to be where it names a date without a year: of "by 10 March" the
nearest is meant, be it over. Our own choice."""


def _likely_written(box: str, note: Item, query: Query) -> datetime:
    """Return when an undated note was about written, as its dates are to be read."""
    if names_a_date(box):
        return query.now - UNDATED_AGE
    return min(note.stored_at or query.now, query.now)


def _in_state(state: TaskState, query: Query) -> Filter:
    """Return the filter of the tasks in a state, at the time of a question."""
    where: Condition = DONE if state is TaskState.DONE else Not(part=DONE)
    if state is TaskState.OVERDUE:
        today = f"{in_zone(query.now, query.timezone):%Y-%m-%d}"
        where = AllOf(parts=(where, parse_condition({"due": {"lt": today}})))
    return Filter(kinds=(Kind.TASK,), where=where)


def _find_assigned(plan: Plan, view: IndexView) -> Bools | None:
    """Return bool[items]: the items assigned to those who are asked for, else those naming them.

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
