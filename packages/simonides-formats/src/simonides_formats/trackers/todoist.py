"""Tasks of Todoist: the CSV files of its backups and templates, one a project.

Knows which rows are tasks and which are notes on the one before. A file names neither ids nor when
a task was made: a task is known by its project and words. Must not know how CSV is cut into cells.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from simonides.importers.csv_rows import header_of, read_head, rows
from simonides.importers.json_parts import JsonPart
from simonides.importers.json_values import lines, words
from simonides.importers.local_dates import local_moment
from simonides.importers.records import Missing, record_events
from simonides.model.item import Person, short_hash
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.trackers.task import Task

_FILE_ID = re.compile(r"\s*\[\d+\]$")
"""What stands behind a project's name in a backup: `Home [2203306141].csv`."""

_ID = re.compile(r"\s*\(\d+\)$")
"""What stands behind a person's name: `Alex (1842)`."""

_LABEL = re.compile(r"(?<!\S)@([^\s@]+)")


def read_todoist(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the tasks of a project; the notes on one stand below its description."""
    return record_events(file, _parts(file), _find)


def _parts(file: SourceFile) -> Iterator[JsonPart]:
    """Yield each task as its cells by column, with the words of the notes that follow it."""
    header = header_of(read_head(file))
    waiting: JsonPart | None = None
    notes: list[str] = []
    for row in rows(file):
        cells = dict(zip(header, row.cells, strict=False))
        sort = cells.get("type", "").strip().lower()
        if sort == "note":
            notes.append(lines(cells.get("content")))
        elif sort == "task" or row.problem:
            if waiting is not None:
                yield _with_notes(waiting, notes)
            notes.clear()
            waiting = JsonPart(
                value=cells, place=f"line {row.number}", problem=row.problem,
                bytes_done=row.bytes_done,
            )  # fmt: skip
    if waiting is not None:
        yield _with_notes(waiting, notes)


def _with_notes(task: JsonPart, notes: list[str]) -> JsonPart:
    about = "\n\n".join(filter(None, (task.value.get("description", ""), *notes)))
    return replace(task, value={**task.value, "description": about})


def _find(cells: Mapping[str, str], file: SourceFile) -> Iterator[Task | Missing]:
    said = words(cells.get("content"))
    title = _LABEL.sub("", said).strip() or said
    if not title:
        yield Missing(place="", reason="a task without words")
        return
    project = _FILE_ID.sub("", PurePosixPath(file.where).stem)
    when = words(cells.get("date"))
    due = local_moment(when, day_first=False)[0]
    day = f"{due:%Y-%m-%d}" if due else ""
    assigned = _name(cells.get("responsible"))
    yield Task(
        source=file.source or "todoist",
        key="",
        source_id=f"{project[:100]}/{short_hash(said)[:16]}",
        title=title,
        text=lines(cells.get("description")).strip(),
        status="open",
        priority=words(cells.get("priority")),
        due=day,
        project=project,
        tags=tuple(_LABEL.findall(said)),
        assignees=(Person(name=assigned),) if assigned else (),
        is_open=True,
        more={"date": "" if when == day else when, "added_by": _name(cells.get("author"))},
    )


def _name(text: str | None) -> str:
    """Return a person's name; whoever made the file is often called by the first one alone."""
    return _ID.sub("", words(text))
