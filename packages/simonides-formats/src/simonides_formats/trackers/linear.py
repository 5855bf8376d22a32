"""Linear issues in JSON: answers of its GraphQL interface, and lists of issues as tools write them.

Must not know how a task becomes an item.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from simonides.importers.json_parts import parts
from simonides.importers.json_values import (
    fields_of,
    find_named,
    iso,
    lines,
    objects,
    when,
    words,
)
from simonides.importers.records import Missing, record_events
from simonides.model.item import Person
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.trackers.task import Comment, Found, Task
from simonides_formats.trackers.task_history import Change, states

CONTAINERS = (
    "data.issues.nodes",
    "data.team.issues.nodes",
    "data.project.issues.nodes",
    "data.cycle.issues.nodes",
    "data.viewer.assignedIssues.nodes",
    "data.user.assignedIssues.nodes",
    "issues.nodes",
    "nodes",
    "issues",
)
"""Where answers hold their issues."""

PRIORITIES = ("", "Urgent", "High", "Medium", "Low")
"""Names of the numbers of Linear's priorities; 0 is none."""

_CLOSED = frozenset(["completed", "canceled", "cancelled", "duplicate"])
"""Types of states in which nothing is left to do."""

Fields = Mapping[str, Any]


def read_linear(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the issues of a file with their states and comments, or why one is passed over."""
    return record_events(file, parts(file, *CONTAINERS), _find)


def _find(record: Any, file: SourceFile) -> Iterator[Found]:
    issue = fields_of(record)
    issue = fields_of(fields_of(issue.get("data")).get("issue")) or issue
    key = words(issue.get("identifier")) or words(issue.get("id"))
    if not (key and words(issue.get("title"))):
        yield Missing(place=key, reason="not a Linear issue: it has no identifier, or no title")
        return
    task = _task(issue, key, source=file.source or "linear")
    history = list(objects(issue.get("history")))
    yield from states(task, _changes(history)) if history else [task]
    for position, value in enumerate(objects(issue.get("comments"))):
        yield _comment(task, value, position)


def _task(issue: Fields, key: str, *, source: str) -> Task:
    state = issue.get("state") or issue.get("status")
    assignee = _person(issue.get("assignee"))
    return Task(
        source=source,
        key=key,
        title=words(issue.get("title")),
        text=lines(issue.get("description")),
        status=find_named(state),
        priority=_priority(issue),
        due=words(issue.get("dueDate")),
        url=words(issue.get("url")),
        project=find_named(issue.get("project")),
        reporter=_person(issue.get("creator") or issue.get("createdBy")),
        assignees=() if assignee is None else (assignee,),
        tags=tuple(_labels(issue.get("labels"))),
        created=when(issue.get("createdAt")),
        updated=when(issue.get("updatedAt")),
        is_open=_is_open(issue, state),
        more=_more(issue),
    )


def _priority(issue: Fields) -> str:
    label, number = issue.get("priorityLabel"), issue.get("priority")
    stated = find_named(label) or find_named(number)
    if not stated and isinstance(number, int) and 0 <= number < len(PRIORITIES):
        stated = PRIORITIES[number]
    return "" if stated == "No priority" else stated


def _person(value: Any) -> Person | None:
    name, address = (
        find_named(value, "name", "displayName"),
        find_named(fields_of(value), "email").lower(),
    )
    return Person(name=name, address=address) if name or address else None


def _labels(value: Any) -> Iterator[str]:
    listed = value if isinstance(value, list) else fields_of(value).get("nodes")
    yield from (find_named(one) for one in (listed if isinstance(listed, list) else ()))


def _is_open(issue: Fields, state: Any) -> bool | None:
    kind = words(fields_of(state).get("type")) or words(issue.get("statusType"))
    if kind:
        return kind.lower() not in _CLOSED
    if "completedAt" in issue or "canceledAt" in issue:
        return not (issue.get("completedAt") or issue.get("canceledAt"))
    return None


def _more(issue: Fields) -> dict[str, Any]:
    cycle = fields_of(issue.get("cycle"))
    sprint = find_named(cycle) or (f"Cycle {words(cycle.get('number'))}" if cycle else "")
    return {
        "resolved_at": iso(when(issue.get("completedAt")) or when(issue.get("canceledAt"))),
        "team": find_named(issue.get("team")),
        "parent": find_named(issue.get("parent"), "identifier"),
        "subtasks": [find_named(one, "identifier") for one in objects(issue.get("children"))],
        "links": [_link(one) for one in objects(issue.get("relations"))],
        "sprint": [sprint] if sprint else [],
        "milestone": find_named(issue.get("projectMilestone")),
        "estimate": words(issue.get("estimate")),
        "attachments": [
            {"name": find_named(one, "title"), "url": words(one.get("url"))}
            for one in objects(issue.get("attachments"))
        ],
    }


def _link(relation: Fields) -> str:
    return f"{words(relation.get('type'))} {find_named(relation.get('relatedIssue'), 'identifier')}"


def _changes(history: list[Fields]) -> Iterator[Change]:
    for entry in history:
        at = when(entry.get("createdAt"))
        if at is not None and any(name in entry for name in _BEFORE):
            yield Change(at=at, undo=lambda task, entry=entry: _undone(task, entry))  # type: ignore[misc]


_BEFORE = tuple(
    side + name
    for name in ("State", "Assignee", "Priority", "DueDate", "Title")
    for side in ("from", "to")
)


def _undone(task: Task, entry: Fields) -> Task:
    """Return the state before an entry of the history; what it does not name is unchanged."""
    if entry.get("fromState"):
        task = replace(task, status=find_named(entry["fromState"]), is_open=None)
    if entry.get("fromAssignee") or entry.get("toAssignee"):
        person = _person(entry.get("fromAssignee"))
        task = replace(task, assignees=() if person is None else (person,))
    number = entry.get("fromPriority")
    if isinstance(number, int) and entry.get("toPriority") not in (None, number):
        task = replace(task, priority=_priority({"priority": number}))
    if entry.get("fromDueDate") or entry.get("toDueDate"):
        task = replace(task, due=words(entry.get("fromDueDate")))
    if entry.get("fromTitle"):
        task = replace(task, title=words(entry["fromTitle"]))
    return task


def _comment(task: Task, value: Fields, position: int) -> Found:
    place = f"{task.key}/comment/{words(value.get('id')) or position}"
    text = lines(value.get("body"))
    if not text:
        return Missing(place=place, reason="has no words")
    return Comment(
        source=task.source,
        key=task.key,
        source_id=place,
        title=task.title,
        text=text,
        author=_person(value.get("user")),
        position=position,
        created=when(value.get("createdAt")),
        updated=when(value.get("updatedAt")),
        url=words(value.get("url")),
    )
