"""GitHub issues and pull requests: answers of its REST and GraphQL interfaces, and `gh --json`.

Comments stand in an issue (`gh`, GraphQL) or in a file of their own (REST). Must not know how a
task becomes an item.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from simonides.importers.json_parts import parts
from simonides.importers.json_values import fields_of, find_named, iso, lines, objects, when, words
from simonides.importers.records import Missing, record_events
from simonides.model.item import Person
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.trackers.task import Comment, Found, Task
from simonides_formats.trackers.task_history import Change, states

CONTAINERS = (
    "items",
    "data.repository.issues.nodes",
    "data.repository.pullRequests.nodes",
    "data.search.nodes",
    "data",
)
"""Where answers hold their issues."""

_PLACE = re.compile(
    r"(?:repos|github\.[a-z]+|//[^/\s]{1,253})/([^/\s]{1,100}/[^/\s]{1,100})/(?:issues|pull|pulls)/(\d{1,12})"
)
"""The repository and the number in the addresses of an issue."""

Fields = Mapping[str, Any]


def read_github(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the issues, pull requests and comments of a file, or why one is passed over."""
    return record_events(file, parts(file, *CONTAINERS), _find)


def _find(record: Any, file: SourceFile) -> Iterator[Found]:
    value = fields_of(record)
    source = file.source or "github"
    about = find_named(value, "issue_url", "pull_request_url")
    if about and "number" not in value:
        match = _PLACE.search(about)
        key = f"{match[1]}#{match[2]}" if match else about
        yield _comment(key, value, source=source, kind="comment", position=None)
        return
    if not words(value.get("number")) or not words(value.get("title")):
        reason = "not a GitHub issue: it has no number, or no title"
        yield Missing(place=find_named(value, "title", "number"), reason=reason)
        return
    yield from _issue(value, file, source=source)


def _issue(value: Fields, file: SourceFile, *, source: str) -> Iterator[Found]:
    number = words(value.get("number"))
    match = _PLACE.search(find_named(value, "html_url", "url"))
    key = f"{match[1]}#{number}" if match else f"#{number}"
    task = _task(value, key, source=source)
    if match is None:  # of an export without addresses: the number alone is not one of its own
        task = replace(task, source_id=f"{file.where}#{number}")
    closed = when(_first(value, "closed_at", "closedAt"))
    if closed is not None and not task.is_open:
        yield from states(task, [Change(at=closed, undo=_reopen)])
    else:
        yield task
    comments = objects(value.get("comments"))
    for position, comment in enumerate(comments):
        found = _comment(key, comment, source=source, kind="comment", position=position)
        yield _with_title(found, task)
    for review in objects(value.get("reviews")):
        if lines(review.get("body")):
            found = _comment(key, review, source=source, kind="review", position=None)
            yield _with_title(found, task)


def _with_title(found: Found, task: Task) -> Found:
    return replace(found, title=task.title) if isinstance(found, Comment) else found


def _first(value: Fields, *names: str) -> Any:
    return next((value[name] for name in names if value.get(name) not in (None, "")), None)


def _reopen(task: Task) -> Task:
    more = {name: one for name, one in task.more.items() if name != "resolved_at"}
    return replace(task, status="open", resolution="", is_open=True, more=more)


def _task(value: Fields, key: str, *, source: str) -> Task:
    milestone = fields_of(value.get("milestone"))
    people = chain(objects(value.get("assignees")), [value.get("assignee")])
    assignees = dict.fromkeys(filter(None, map(_person, people)))
    status = _status(value)
    return Task(
        source=source,
        key=key,
        title=words(value.get("title")),
        text=_text(value),
        status=status,
        type=_type(value),
        resolution=words(_first(value, "state_reason", "stateReason")).lower().replace("_", " "),
        due=words(_first(milestone, "due_on", "dueOn"))[:10],
        url=find_named(value, "html_url", "url"),
        project=key.rpartition("#")[0],
        reporter=_person(_first(value, "user", "author")),
        assignees=tuple(assignees),
        tags=tuple(find_named(one) for one in objects(value.get("labels"))),
        created=when(_first(value, "created_at", "createdAt")),
        updated=when(_first(value, "updated_at", "updatedAt")),
        is_open=status in ("open", "draft") if status else None,
        more={
            "resolved_at": iso(when(_first(value, "closed_at", "closedAt"))),
            "milestone": find_named(milestone, "title"),
            "branch": find_named(value, "headRefName") or find_named(value.get("head"), "ref"),
        },
    )


def _type(value: Fields) -> str:
    stated = find_named(_first(value, "type", "issueType"))
    return "pull request" if _is_pull(value) else stated or "issue"


def _is_pull(value: Fields) -> bool:
    marks = ("pull_request", "headRefName", "mergedAt", "merged_at", "isDraft", "baseRefName")
    return any(mark in value for mark in marks) or "/pull/" in find_named(value, "html_url", "url")


def _status(value: Fields) -> str:
    merged = _first(value, "merged_at", "mergedAt")
    pulled = fields_of(value.get("pull_request")).get("merged_at")
    if merged or pulled or value.get("merged") is True:
        return "merged"
    state = words(value.get("state")).lower()
    is_draft = _first(value, "draft", "isDraft") is True
    return "draft" if is_draft and state == "open" else state


def _text(value: Fields) -> str:
    """Return the body without the remarks of a template, which no reader sees."""
    first, *rest = lines(value.get("body")).split("<!--")
    shown = [first]
    for one in rest:
        _, end, after = one.partition("-->")
        shown.append(after if end else f"<!--{one}")
    return "".join(shown).strip()


def _person(value: Any) -> Person | None:
    name = find_named(value, "name", "login")
    address = words(fields_of(value).get("email")).lower()
    return Person(name=name, address=address) if name or address else None


def _comment(key: str, value: Fields, *, source: str, kind: str, position: int | None) -> Found:
    place = f"{key}/{kind}/{words(value.get('id')) or position}"
    text = _text(value)
    if not text:
        return Missing(place=place, reason="has no words")
    return Comment(
        source=source,
        key=key,
        source_id=place,
        text=text,
        author=_person(_first(value, "user", "author")),
        position=position,
        created=when(_first(value, "created_at", "createdAt", "submittedAt")),
        updated=when(_first(value, "updated_at", "updatedAt")),
        url=find_named(value, "html_url", "url"),
    )
