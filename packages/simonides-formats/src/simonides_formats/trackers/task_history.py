"""The history of a task: from its present state and what changed back to its first state.

Must not know a tracker, nor what a change is written like.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby

from simonides.importers.json_values import when
from simonides_formats.trackers.task import Task

CHANGES_MAX = 1_000
"""Most changes of one task that are followed, the latest; robots change some every hour."""

Undo = Callable[[Task], Task]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change: when it was made, and the state before it, made from the one after it."""

    at: datetime
    undo: Undo
    of_resolution: bool = False


def states(task: Task, changes: Iterable[Change], *, is_whole: bool = True) -> list[Task]:
    """Return all states of a task, the first one first; its present state is the last.

    Of a history that is not whole only the states after its first change are known.
    """
    latest_first = sorted(changes, key=lambda one: one.at, reverse=True)[:CHANGES_MAX]
    found: list[Task] = []
    state = task
    for at, group in groupby(latest_first, key=lambda one: one.at):
        found.append(replace(state, revised_at=at, updated=at))
        for change in group:
            state = change.undo(state)
    began = task.created if is_whole else None
    if began is not None and not (latest_first and latest_first[-1].at <= began):
        found.append(replace(state, revised_at=began, updated=began))
    found = _with_status_since(found[::-1])
    says_resolution = any(change.of_resolution for change in latest_first)
    return [
        *(_before_resolution(one, says_resolution=says_resolution) for one in found[:-1]),
        _present(task, *found[-1:]),
    ]


def _present(task: Task, latest: Task | None = None) -> Task:
    """Return the present state: it holds since the last change of any kind."""
    if latest is None:
        return task
    times = [one for one in (task.updated, latest.revised_at) if one is not None]
    return replace(task, revised_at=max(times), status_since=latest.status_since)


def _with_status_since(tasks: list[Task]) -> list[Task]:
    dated: list[Task] = []
    for one in tasks:
        same = dated and dated[-1].status == one.status
        since = dated[-1].status_since if same else one.revised_at
        dated.append(replace(one, status_since=since))
    return dated


def _before_resolution(state: Task, *, says_resolution: bool) -> Task:
    """Return an earlier state without the resolution that came later.

    Not every history names the resolution; then the time of the present one tells.
    """
    resolved = when(state.more.get("resolved_at"))
    if resolved is None or state.revised_at is None or state.revised_at >= resolved:
        return state
    more = {name: value for name, value in state.more.items() if name != "resolved_at"}
    return replace(state, more=more, resolution=state.resolution if says_resolution else "")
