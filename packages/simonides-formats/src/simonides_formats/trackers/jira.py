"""Jira issues as its REST interface answers them: Cloud (version 3) and Data Center (version 2).

Searches (`issues`), lists of boards (`values`), plain lists and single issues are read. One issue
becomes a task in each of its states, and its comments. Must not know how rich text is written, nor
how a history is followed.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from simonides.importers.json_parts import parts
from simonides.importers.json_values import (
    each,
    fields_of,
    find_named,
    iso,
    objects,
    when,
    words,
)
from simonides.importers.records import Missing, record_events
from simonides.model.item import Person
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.trackers.atlassian import RichText, read_rich
from simonides_formats.trackers.jira_history import changes
from simonides_formats.trackers.task import Comment, Found, Task
from simonides_formats.trackers.task_history import states

KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}-\d{1,12}")

Fields = Mapping[str, Any]

_SPRINT = re.compile(r"\.Sprint@[^\[]*\[(?:[^\]]*,)?name=([^,\]]*)")
"""Data Center writes a sprint as Java shows an object."""


def read_jira(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the issues of a file with their states and comments, or why one is passed over."""
    return record_events(file, parts(file, "issues", "values"), _find)


def _find(record: Any, file: SourceFile) -> Iterator[Found]:
    issue = fields_of(record)
    key, given = words(issue.get("key")), fields_of(issue.get("fields"))
    if not key or "fields" not in issue:
        yield Missing(place=key, reason="not a Jira issue: it has no key, or no fields")
        return
    people = _People(issue)
    source = file.source or "jira"
    changelog = fields_of(issue.get("changelog"))
    task = _task(issue, given, people, source=source)
    histories = changelog.get("histories")
    if isinstance(histories, list):
        is_whole = not any(_missing(key, "changes", changelog, "histories"))
        yield from states(task, changes(histories, people.person), is_whole=is_whole)
    else:
        yield task
    yield from _comments(task, given, people)
    yield from _missing(key, "changes", changelog, "histories")
    yield from _missing(key, "comments", fields_of(given.get("comment")), "comments")


def _missing(key: str, what: str, page: Fields, name: str) -> Iterator[Missing]:
    """Yield that an answer holds only a page of an issue's comments or changes."""
    total, held = page.get("total"), len(each(page.get(name)))
    if isinstance(total, int) and total > held:
        yield Missing(place=key, reason=f"the export holds {held} of its {total} {what}")


class _People:
    """The people of one issue, by account id or user name."""

    def __init__(self, issue: Fields) -> None:
        self._by_id: dict[str, Person] = {}
        given = fields_of(issue.get("fields"))
        self._add(given.get("reporter"), given.get("creator"), given.get("assignee"))
        self._add(*(one.get("author") for one in _read_list(given.get("comment"), "comments")))
        histories = objects(fields_of(issue.get("changelog")).get("histories"))
        self._add(*(one.get("author") for one in histories))

    def _add(self, *users: Any) -> None:
        for user in map(fields_of, users):
            person = self.of(user)
            for name in ("accountId", "key", "name"):
                if person is not None and words(user.get(name)):
                    self._by_id.setdefault(words(user.get(name)), person)

    def of(self, user: Any) -> Person | None:
        """Return a person as the interface describes users."""
        name = find_named(user, "displayName", "name", "accountId")
        address = words(fields_of(user).get("emailAddress")).lower()
        return Person(name=name, address=address) if name or address else None

    def person(self, account: str, shown: str) -> Person | None:
        """Return a person by account, or by the name that is shown where it is not known."""
        known = self._by_id.get(account)
        return known or (Person(name=shown) if shown else None)

    def find_mentioned(self, text: RichText) -> tuple[Person, ...]:
        """Return who is mentioned in a text."""
        found = (self.person(account, shown) for account, shown in text.mentions)
        return tuple(one for one in found if one is not None)


def _task(issue: Fields, given: Fields, people: _People, *, source: str) -> Task:
    texts = [read_rich(given.get(name)) for name in ("description", "environment")]
    texts += [read_rich(value) for name, value in _custom(given) if _is_document(value)]
    assignee = people.of(given.get("assignee"))
    return Task(
        source=source,
        key=words(issue.get("key")),
        title=words(given.get("summary")),
        text="\n\n".join(one.text for one in texts if one.text),
        status=find_named(given.get("status")),
        priority=find_named(given.get("priority")),
        type=find_named(given.get("issuetype")),
        resolution=find_named(given.get("resolution")),
        due=words(given.get("duedate")),
        url=_url(issue),
        project=find_named(given.get("project")),
        reporter=people.of(given.get("reporter")) or people.of(given.get("creator")),
        assignees=() if assignee is None else (assignee,),
        mentioned=tuple(one for text in texts for one in people.find_mentioned(text)),
        tags=tuple(map(words, each(given.get("labels")))),
        created=when(given.get("created")),
        updated=when(given.get("updated")),
        is_open=_is_open(given),
        more=_more(given),
    )


def _url(issue: Fields) -> str:
    """Return where people open the issue: its site is that of the interface's own address."""
    site, found, _ = words(issue.get("self")).partition("/rest/")
    return f"{site}/browse/{words(issue.get('key'))}" if found else ""


def _is_open(given: Fields) -> bool | None:
    """Return whether something is left to do, as the status's category says."""
    category = words(fields_of(fields_of(given.get("status")).get("statusCategory")).get("key"))
    return category != "done" if category else None


def _is_document(value: Any) -> bool:
    return fields_of(value).get("type") == "doc"


def _custom(given: Fields) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, value in given.items() if name.startswith("customfield_"))


def _more(given: Fields) -> dict[str, Any]:
    parent = fields_of(given.get("parent"))
    return {
        "resolved_at": iso(when(given.get("resolutiondate"))),
        "parent": words(parent.get("key")) or _epic(given),
        "subtasks": _keys(given.get("subtasks")),
        "links": list(_links(given.get("issuelinks"))),
        "components": [find_named(one) for one in objects(given.get("components"))],
        "fix_versions": [find_named(one) for one in objects(given.get("fixVersions"))],
        "sprint": list(dict.fromkeys(_sprints(given))),
        "attachments": [_attachment(one) for one in objects(given.get("attachment"))],
        "custom": dict(_choices(given)) or "",
    }


def _keys(issues: Any) -> list[str]:
    return [words(one.get("key")) for one in objects(issues)]


def _links(links: Any) -> Iterator[str]:
    """Yield each link in words: `blocks ABC-2`."""
    for link in objects(links):
        kind = fields_of(link.get("type"))
        for side, way in (("outwardIssue", "outward"), ("inwardIssue", "inward")):
            key = words(fields_of(link.get(side)).get("key"))
            if key:
                yield f"{words(kind.get(way)) or find_named(kind) or 'relates to'} {key}"


def _sprints(given: Fields) -> Iterator[str]:
    for name, value in [("sprint", given.get("sprint")), *_custom(given)]:
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str) and (match := _SPRINT.search(one[:2_000])):
                yield words(match[1])
            elif isinstance(one, Mapping) and (name == "sprint" or "boardId" in one):
                yield find_named(one)


def _epic(given: Fields) -> str:
    """Return the epic that Data Center keeps in a field without a name of its own."""
    texts = (words(value) for _, value in _custom(given) if isinstance(value, str))
    return next((text for text in texts if KEY.fullmatch(text)), "")


def _choices(given: Fields) -> Iterator[tuple[str, str]]:
    """Yield the custom fields in which one of several options is chosen."""
    for name, value in _custom(given):
        listed = value if isinstance(value, list) else [value]
        chosen = [words(one.get("value")) for one in objects(listed)]
        if any(chosen):
            yield name, ", ".join(filter(None, chosen))


def _attachment(value: Fields) -> dict[str, Any]:
    size = value.get("size")
    return {
        "name": words(value.get("filename")),
        "media_type": words(value.get("mimeType")),
        "size_bytes": size if isinstance(size, int) else 0,
    }


def _read_list(value: Any, name: str) -> Iterator[Fields]:
    """Yield the objects of a page (`{"comments": […]}`) or of a plain list."""
    return objects(value if isinstance(value, list) else fields_of(value).get(name))


def _comments(task: Task, given: Fields, people: _People) -> Iterator[Found]:
    """Yield the comments, and what people wrote when they logged their work."""
    for position, value in enumerate(_read_list(given.get("comment"), "comments")):
        yield _comment(task, value, people, kind="comment", body="body", position=position)
    for value in _read_list(given.get("worklog"), "worklogs"):
        if value.get("comment"):
            yield _comment(task, value, people, kind="worklog", body="comment", position=None)


def _comment(
    task: Task, value: Fields, people: _People, *, kind: str, body: str, position: int | None
) -> Found:
    text = read_rich(value.get(body))
    place = f"{task.key}/{kind}/{words(value.get('id')) or position}"
    if not text.text:
        return Missing(place=place, reason="has no words")
    return Comment(
        source=task.source,
        key=task.key,
        source_id=place,
        title=task.title,
        text=text.text,
        author=people.of(value.get("author")),
        mentioned=people.find_mentioned(text),
        position=position,
        created=when(value.get("started") or value.get("created")),
        updated=when(value.get("updated")),
        url=f"{task.url}?focusedCommentId={words(value.get('id'))}" if task.url else "",
    )
