"""Lists of Google Tasks: `Tasks.json` of Google's Takeout.

Must not know how a task becomes an item.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from simonides.importers.json_parts import parts
from simonides.importers.json_values import fields_of, iso, lines, objects, when, words
from simonides.importers.records import Missing, record_events
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.trackers.task import Task

_DAY_CHARS = len("2026-03-10")


def read_google_tasks(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the tasks of all lists, or why one is passed over."""
    return record_events(file, parts(file), _find)


def _find(record: Any, file: SourceFile) -> Iterator[Task | Missing]:
    for owner in objects(fields_of(record).get("items")):
        for task in objects(owner.get("items")):
            if task.get("deleted") is not True:
                yield _task(task, project=words(owner.get("title")), source=file.source or "tasks")


def _task(task: Mapping[str, Any], *, project: str, source: str) -> Task | Missing:
    key, title = words(task.get("id")), words(task.get("title"))
    if not key or not title:
        return Missing(place=title or key, reason="a task without an id, or without words")
    is_done = task.get("status") == "completed"
    return Task(
        source=source,
        key="",
        source_id=key,
        title=title,
        text=lines(task.get("notes")),
        status="done" if is_done else "open",
        due=words(task.get("due"))[:_DAY_CHARS],
        project=project,
        created=when(task.get("created")),
        updated=when(task.get("updated")),
        is_open=not is_done,
        more={
            "resolved_at": iso(when(task.get("completed"))),
            "_part_of": words(task.get("parent")),
        },
    )
