"""The tasks of a note of Evernote: in an export they stand beside its text, which has a gap there.

Must not know how a file is read.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from html import escape
from zoneinfo import ZoneInfo

from simonides.importers.header import one_line

GAP_CHARS_MAX = 2_000
"""Longest gap with its words, which are some 300 characters."""

_GAP_DEPTH_MAX = 10

_DATE = "%Y%m%dT%H%M%SZ"
_GAP = re.compile(r"<div\b[^<>]{0,300}?--en-task-group:\s?true[^<>]{0,300}>", re.IGNORECASE)
"""The beginning of a gap, whose words only say that an older program shows no tasks."""
_GROUP = re.compile(r"--en-id:\s?([\w-]{1,100})")
_DIV = re.compile(r"<(/?)div\b[^<>]{0,500}?(/?)>", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteTask:
    """One task: its line, the gap where it belongs, and its place among the others there."""

    line: str
    group: str
    weight: str


def task_of(texts: Mapping[str, str]) -> NoteTask | None:
    """Return the task that these elements describe; None without a title."""
    title = one_line(texts.get("title", ""))
    if not title:
        return None
    notes = [
        f"due {due}" if (due := _due(texts)) else "",
        "flagged" if texts.get("taskFlag") == "true" else "",
    ]
    beside = ", ".join(filter(None, notes))
    box = "[x]" if texts.get("taskStatus") == "completed" else "[ ]"
    return NoteTask(
        line=f"{box} {title} ({beside})" if beside else f"{box} {title}",
        group=texts.get("taskGroupNoteLevelID", ""),
        weight=texts.get("sortWeight", ""),
    )


def moment(text: str) -> datetime | None:
    """Return a time as Evernote writes it; None if it is none."""
    try:
        return datetime.strptime(text.strip(), _DATE).replace(tzinfo=UTC)
    except ValueError:
        return None


def _due(texts: Mapping[str, str]) -> str:
    """Return the day on which a task is due, with its time and zone unless only the day counts."""
    due = moment(texts.get("dueDate", ""))
    if due is None:
        return ""
    name = texts.get("timeZone", "").strip()
    zone = _zone(name)
    there = due.astimezone(zone or UTC)
    if texts.get("dueDateUIOption") == "date_only":
        return f"{there:%Y-%m-%d}"
    return f"{there:%Y-%m-%d %H:%M} {name if zone else 'UTC'}"


def _zone(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ValueError, OSError, LookupError):
        return None


def with_tasks(page: str, tasks: Iterable[NoteTask]) -> str:
    """Return the page of a note with its tasks in their gaps; those without one at the end."""
    groups: dict[str, list[NoteTask]] = {}
    for task in tasks:
        groups.setdefault(task.group, []).append(task)
    parts, done = [], 0
    for gap in _GAP.finditer(page):
        if gap.start() < done:
            continue
        name = _GROUP.search(gap[0])
        parts += [page[done : gap.start()], _lines(groups.pop(name[1] if name else "", []))]
        done = _end(page, gap.end())
    return "".join([*parts, page[done:], *map(_lines, groups.values())])


def _lines(tasks: list[NoteTask]) -> str:
    ordered = sorted(tasks, key=lambda one: one.weight)
    return "".join(f"<div>{escape(one.line)}</div>" for one in ordered)


def _end(page: str, start: int) -> int:
    """Return where the element ends that began before `start`; one without an end ends there."""
    depth = 1
    for tag in _DIV.finditer(page, start, start + GAP_CHARS_MAX):
        depth += -1 if tag[1] else not tag[2]
        if not depth:
            return tag.end()
        if depth > _GAP_DEPTH_MAX:
            break
    return start
