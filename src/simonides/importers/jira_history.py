"""The history of a Jira issue: from its present state and its changelog back to its first state.

Must not know how an issue or its people are read.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any

from simonides.importers.atlassian import read_rich
from simonides.importers.json_values import each, objects, when, words
from simonides.importers.task import Task
from simonides.model.item import Person

CHANGES_MAX = 1_000
"""Most changes of one issue that are followed, the latest; robots change some every hour."""

PersonOf = Callable[[str, str], Person | None]
"""A person by account id and by the name that the changelog shows."""


@dataclass(frozen=True, slots=True)
class _Change:
    at: datetime
    field: str
    item: Mapping[str, Any]


def states(task: Task, changelog: Mapping[str, Any], person_of: PersonOf) -> list[Task]:
    """Return all states of a task, the first one first; its present state is the last.

    Of a changelog that is not whole only the states after its first change are known.
    """
    histories = changelog.get("histories")
    changes = sorted(_changes(histories), key=lambda one: one.at, reverse=True)
    found: list[Task] = []
    state = task
    for at, group in groupby(changes[:CHANGES_MAX], key=lambda one: one.at):
        found.append(replace(state, revised_at=at, updated=at))
        for change in group:
            state = _UNDO[change.field](state, change.item, person_of)
    is_whole = isinstance(histories, list) and len(histories) >= _total(changelog)
    if is_whole and task.created and not (changes and changes[-1].at <= task.created):
        found.append(replace(state, revised_at=task.created, updated=task.created))
    found = _with_status_since(found[::-1])
    says_resolution = any(change.field == "resolution" for change in changes)
    return [
        *(_before_resolution(one, says_resolution=says_resolution) for one in found[:-1]),
        _present(task, *found[-1:]),
    ]


def _total(changelog: Mapping[str, Any]) -> int:
    total = changelog.get("total")
    return total if isinstance(total, int) else 0


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

    Not every changelog names the resolution; then the time of the present one tells.
    """
    resolved = when(state.more.get("resolved_at"))
    if resolved is None or state.revised_at is None or state.revised_at >= resolved:
        return state
    more = {name: value for name, value in state.more.items() if name != "resolved_at"}
    return replace(state, more=more, resolution=state.resolution if says_resolution else "")


def _changes(histories: Any) -> Iterator[_Change]:
    for history in objects(histories):
        at = when(history.get("created"))
        for item in objects(history.get("items")):
            field = words(item.get("field")).lower()
            if at is not None and field in _UNDO:
                yield _Change(at, field, item)


_Undo = Callable[[Task, Mapping[str, Any], PersonOf], Task]


def _text_before(name: str) -> _Undo:
    def undo(task: Task, item: Mapping[str, Any], _: PersonOf) -> Task:
        before: dict[str, Any] = {name: words(item.get("fromString"))}
        return replace(task, **before)

    return undo


def _list_before(name: str, separator: str) -> _Undo:
    """Return what undoes a change of a list that the changelog writes out whole."""

    def undo(task: Task, item: Mapping[str, Any], _: PersonOf) -> Task:
        listed = [one.strip() for one in words(item.get("fromString")).split(separator)]
        return _with_more(task, name, list(filter(None, listed)))

    return undo


def _member_before(name: str) -> _Undo:
    """Return what undoes that one value was put into a list or taken out of it."""

    def undo(task: Task, item: Mapping[str, Any], _: PersonOf) -> Task:
        added, removed = words(item.get("toString")), words(item.get("fromString"))
        kept = [one for one in each(task.more.get(name)) if one != added]
        return _with_more(task, name, [*kept, removed] if removed else kept)

    return undo


def _with_more(task: Task, name: str, value: list[str]) -> Task:
    return replace(task, more={**task.more, name: value})


def _labels_before(task: Task, item: Mapping[str, Any], _: PersonOf) -> Task:
    return replace(task, tags=tuple(words(item.get("fromString")).split()))


def _due_before(task: Task, item: Mapping[str, Any], _: PersonOf) -> Task:
    stated = words(item.get("from")) or words(item.get("fromString"))
    return replace(task, due=stated[:10])


def _assignee_before(task: Task, item: Mapping[str, Any], person_of: PersonOf) -> Task:
    person = person_of(words(item.get("from")), words(item.get("fromString")))
    return replace(task, assignees=() if person is None else (person,))


def _reporter_before(task: Task, item: Mapping[str, Any], person_of: PersonOf) -> Task:
    person = person_of(words(item.get("from")), words(item.get("fromString")))
    return replace(task, reporter=person)


def _description_before(task: Task, item: Mapping[str, Any], _: PersonOf) -> Task:
    return replace(task, text=read_rich(item.get("fromString")).text)


def _status_before(task: Task, item: Mapping[str, Any], _: PersonOf) -> Task:
    """Return the task in the status before; whether that one meant that it was open is not said."""
    return replace(task, status=words(item.get("fromString")), is_open=None)


_UNDO: dict[str, _Undo] = {
    "status": _status_before,
    "resolution": _text_before("resolution"),
    "assignee": _assignee_before,
    "reporter": _reporter_before,
    "priority": _text_before("priority"),
    "issuetype": _text_before("type"),
    "summary": _text_before("title"),
    "description": _description_before,
    "duedate": _due_before,
    "labels": _labels_before,
    "sprint": _list_before("sprint", ","),
    "component": _member_before("components"),
    "fix version": _member_before("fix_versions"),
}
"""How a change of each field is undone; changes of other fields make no state of their own."""
