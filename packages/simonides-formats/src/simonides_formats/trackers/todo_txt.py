"""Lists of tasks in the format todo.txt: one task a line.

Knows completion marks, priorities, dates, projects, contexts and `key:value`. Must not know where
such lists lie.
"""

import re
from collections import Counter
from collections.abc import Iterator

from simonides.errors import InvalidInput
from simonides.importers.charset import decode
from simonides.importers.file_item import moment
from simonides.importers.json_values import iso, words
from simonides.model.item import short_hash
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.trackers.task import Task

LINE_BYTES_MAX = 64 << 10
"""Longest line; a longer one is passed over."""

_DAY = r"\d{4}-\d{2}-\d{2}"
_LINE = re.compile(
    rf"(?P<done>x\s+)?(?:\((?P<priority>[A-Z])\)\s+)?"
    rf"(?:(?P<first>{_DAY})\s+)?(?:(?P<second>{_DAY})\s+)?(?P<text>.*)"
)
_NAMED = re.compile(r"(?:^|(?<=\s))([A-Za-z][A-Za-z0-9_-]{0,30}):([^\s:/][^\s]{0,200})")
_TAG = re.compile(r"(?:^|(?<=\s))([+@])([^\s+@][^\s]{0,100})")


def read_todo_txt(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the tasks of a list; a line without words is left out."""
    equal: Counter[str] = Counter()
    done, found = 0, False
    with file.path.open("rb") as stream:
        for number, raw in enumerate(iter(lambda: stream.readline(LINE_BYTES_MAX), b""), start=1):
            done += len(raw)
            task = _task(decode(raw).strip("\ufeff \t\r\n"), file, equal)
            if task is None:
                continue
            found = True
            try:
                yield file.keep(task.item(), bytes_done=done)
            except InvalidInput as error:
                yield file.skip(str(error), part=f"line {number}", bytes_done=done)
    if not found:
        yield file.skip("holds no tasks", bytes_done=file.size_bytes)


def _task(line: str, file: SourceFile, equal: Counter[str]) -> Task | None:
    """Return the task of a line; None where there is none."""
    match = _LINE.fullmatch(words(line, chars_max=LINE_BYTES_MAX))
    if match is None or not match["text"].strip():
        return None
    is_done = match["done"] is not None
    completed, created = (match["first"], match["second"]) if is_done else (None, match["first"])
    if is_done and not match["second"]:
        completed, created = match["first"], None
    said = {name.lower(): value for name, value in _NAMED.findall(match["text"])}
    tags = _TAG.findall(match["text"])
    title = _title(match["text"])
    key = short_hash(f"{created or ''}/{title}")
    equal[key] += 1
    return Task(
        source=file.source or "todo",
        key="",
        source_id=f"{file.where}/{short_hash(f'{key}/{equal[key]}')[:16]}",
        title=title,
        status="done" if is_done else "open",
        priority=match["priority"] or said.get("pri", "").upper(),
        due=said.get("due", ""),
        project=", ".join(name for mark, name in tags if mark == "+"),
        tags=tuple(f"{mark}{name}" for mark, name in tags),
        created=moment(created, file.timezone),
        is_open=not is_done,
        more={
            "start": said.get("t", ""),
            "repeats": said.get("rec", ""),
            "resolved_at": iso(moment(completed, file.timezone)),
        },
    )


def _title(text: str) -> str:
    """Return the words of a task without its marks; all of it where there is nothing else."""
    plain = words(_TAG.sub("", _NAMED.sub("", text)))
    return plain or words(text)
