"""The changelog of a Jira issue, as changes that can be undone.

Must not know how an issue or its people are read.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from simonides.importers.json_values import each, objects, when, words
from simonides.model.item import Person
from simonides_formats.trackers.atlassian import read_rich
from simonides_formats.trackers.task import Task
from simonides_formats.trackers.task_history import Change

PersonOf = Callable[[str, str], Person | None]
"""A person by account id and by the name that the changelog shows."""


def changes(histories: Any, person_of: PersonOf) -> Iterator[Change]:
    """Yield the changes that make a state of their own."""
    for history in objects(histories):
        at = when(history.get("created"))
        for item in objects(history.get("items")):
            field = words(item.get("field")).lower()
            if at is not None and field in _UNDO:
                undo = partial(_undone, field=field, item=item, person_of=person_of)
                yield Change(at=at, undo=undo, of_resolution=field == "resolution")


def _undone(task: Task, *, field: str, item: Mapping[str, Any], person_of: PersonOf) -> Task:
    return _UNDO[field](task, item, person_of)


_Undo = Callable[[Task, Mapping[str, Any], PersonOf], Task]


def _text_before(name: str) -> _Undo:
    def undo(task: Task, item: Mapping[str, Any], _: PersonOf) -> Task:
        before: dict[str, Any] = {name: words(item.get("fromString"))}
        return replace(task, **before)

    return undo


def _list_before(name: str, separator: str) -> _Undo:
    """Return the function that undoes a change of a list that the changelog writes out whole."""

    def undo(task: Task, item: Mapping[str, Any], _: PersonOf) -> Task:
        listed = [one.strip() for one in words(item.get("fromString")).split(separator)]
        return _with_more(task, name, list(filter(None, listed)))

    return undo


def _member_before(name: str) -> _Undo:
    """Return the function that undoes that one value was put into a list or taken out of it."""

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
