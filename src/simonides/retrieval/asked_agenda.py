"""Which events and due tasks a question about an agenda asks for, and when each comes first.

Must not know how they are weighed.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from simonides.index.index_view import IndexView
from simonides.model.answer import Direction, Plan, Query, TaskState
from simonides.model.filter import Filter, Not
from simonides.model.item import Item, Kind
from simonides.model.times import microseconds
from simonides.ports.space import Reader
from simonides.retrieval.asked_tasks import DONE
from simonides.retrieval.occurrences import Between, due_tasks, occurring_events

EVENTS = Filter(kinds=(Kind.EVENT,))
TASKS, LEFT_TASKS = Filter(kinds=(Kind.TASK,)), Filter(kinds=(Kind.TASK,), where=Not(part=DONE))

TO_DO = (TaskState.OPEN, TaskState.OVERDUE)
"""States of tasks of which a time says when they are due; what is done, when it was done."""

DONE_KEYS = ("completed_at", "resolved_at")
"""The metadata keys by which tasks say when they were done."""

BACK = timedelta(days=92)
"""How far back the last one of a series is looked for. Our own choice."""

AHEAD = timedelta(days=366)
"""How far ahead the next one is looked for, and how long an open time is taken to be."""


def time_of_agenda(plan: Plan, query: Query) -> Between | None:
    """Return between which times a question asks what takes place; None if it does not.

    That is the time that it names, if it asks for a list, or when something is, or what lies ahead.
    One that asks for the next thing means from now on ("the next violin lesson" needs no word for
    events), when the last one was means a while back, tasks in a state mean both sides of now.
    """
    asks_next = plan.direction is Direction.NEXT
    if plan.reply_state:
        return None
    time = plan.time
    if time is not None and (plan.asks_list or plan.asks_when or time.lies_ahead(query.now)):
        since, until = _close(time.since, time.until, now=query.now)
        until = min(until, since + AHEAD)
        if plan.task_state in TO_DO and time.since is None:  # what is overdue is left as well
            since = min(since, query.now - AHEAD)
    elif _asks_last(plan):
        since, until = query.now - BACK, query.now
    elif asks_next or plan.task_state:
        since, until = query.now if asks_next else query.now - AHEAD, query.now + AHEAD
    else:
        return None
    if until <= since:
        return None
    return Between(since=since, until=until, here=ZoneInfo(query.timezone), now=query.now)


def _asks_last(plan: Plan) -> bool:
    """Return whether a question asks when an event last took place: "the last violin lesson"."""
    is_event = plan.asks_when or Kind.EVENT in plan.kinds
    return plan.direction is Direction.NEWEST and is_event and not plan.task_state


def _close(
    since: datetime | None, until: datetime | None, *, now: datetime
) -> tuple[datetime, datetime]:
    """Return a time with both ends: "until Friday" begins now, a past one a year before its end."""
    if since is not None:
        return since, since + AHEAD if until is None else until
    if until is None:
        return now, now + AHEAD
    return (now if until > now else until - AHEAD), until


def find_begins(
    between: Between,
    kinds: Collection[str],
    *,
    state: TaskState,
    owner: tuple[str, ...],
    view: IndexView,
    reader: Reader,
    is_last: bool = False,
) -> dict[str, int]:
    """Return by id when each event or task comes first between the times, or last, in microseconds.

    Of tasks that are to be in no `state`, those that are done count where the time is over.
    """
    found: dict[str, int] = {}

    def note(item: Item, begin: datetime) -> None:
        when = microseconds(begin)
        found[item.id] = (max if is_last else min)(when, found.get(item.id, when))

    if Kind.EVENT in kinds:
        for item, one, _ in occurring_events(
            EVENTS, between, owner=owner, reader=reader, view=view
        ):
            note(item, one.occurrence.begin(between.here))
    if Kind.TASK in kinds:
        is_over = between.now is not None and between.until <= between.now
        is_done = state is TaskState.DONE
        tasks = TASKS if is_done or (is_over and not state) else LEFT_TASKS
        for key in DONE_KEYS if is_done else ("due",):
            for item, at in due_tasks(tasks, between, reader=reader, view=view, key=key):
                note(item, at.begin(between.here))
    return found
