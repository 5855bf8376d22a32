"""Tasks and journal entries of calendars as items.

Must not know files.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from simonides.importers.calendar_components import Component
from simonides.importers.calendar_entry import Entry, Setting
from simonides.importers.calendar_times import When, recurrence_of
from simonides.model.item import Item, Kind, Person, Role
from simonides.model.metadata_keys import FINISHED
from simonides.model.times import show_in_zone
from simonides.text.recurrence_words import rule_in_words, time_in_words

_LOW, _HIGH = 6, 4
"""Priorities from 6 on are low, up to 4 high (RFC 5545, section 3.8.1.9)."""


def task_item(component: Component, setting: Setting) -> Item:
    """Return the item of a task (VTODO).

    Raises:
        InvalidInput: A time is none; says which.
    """
    entry = Entry(component, setting)
    start, due = entry.when("DTSTART"), entry.when("DUE")
    made = entry.stamp("CREATED") or entry.stamp("DTSTAMP") or entry.stamp("LAST-MODIFIED")
    status = "cancelled" if setting.method == "CANCEL" else entry.line("STATUS").lower()
    completed = _text(entry.when("COMPLETED"))
    values = {
        "status": status.replace("-", " "),
        "due": _due(due, setting.timezone) if due else "",
        "starts_at": start.text if start else "",
        "priority": _priority(entry.line("PRIORITY")),
        "completed_at": completed,
        "created_at": _text(entry.when("CREATED")),
        "percent_complete": entry.line("PERCENT-COMPLETE")[:3],
        "open": not completed and status not in FINISHED,
        "location": entry.line("LOCATION"),
        "url": entry.line("URL"),
        "_uid": entry.uid,
        "_recurrence": list(recurrence_of(entry.found, start or due, entry.zones).lines),
        "_sequence": entry.sequence,
        "_revised_at": entry.revised_at,
    }
    return Item(
        kind=Kind.TASK,
        source=setting.source or "todo",
        source_id=entry.source_id,
        title=entry.title,
        content="\n".join(_task_lines(entry, values, start=start, due=due)),
        tags=entry.tags,
        people=tuple(_people(entry)),
        happened_at=made or (entry.instant(due) if due else None),
        metadata={name: value for name, value in values.items() if value or value is False},
    )


def _due(due: When, timezone: str) -> str:
    """Return when a task is due, a time with the offset of the user's zone: its day is theirs."""
    if isinstance(due.value, datetime) and due.value.tzinfo is not None:
        return show_in_zone(due.value, timezone or "UTC").isoformat()
    return due.text


def _text(when: When | None) -> str:
    return when.text if when else ""


def _priority(text: str) -> str:
    number = int(text) if text in tuple("123456789") else 0
    if not number:
        return ""
    return "high" if number <= _HIGH else "low" if number >= _LOW else "medium"


def _task_lines(
    entry: Entry, values: dict[str, Any], *, start: When | None, due: When | None
) -> Iterator[str]:
    for name, when in (("Start", start), ("Due", due)):
        if when is not None:
            shown = entry.show(when)
            zone = f" ({shown.zone.name})" if shown.zone else ""
            yield f"{name}: {time_in_words(shown.value)}{zone}"
    for name in ("status", "priority", "location"):
        if values[name]:
            yield f"{name.capitalize()}: {values[name]}"
    if begin := start or due:
        for rule in recurrence_of(entry.found, begin, entry.zones).rules:
            yield f"Repeats: {rule_in_words(rule, begin.value, last=rule.until)}"
    if assigned := [one.shown for one in entry.guests if not one.is_thing]:
        yield f"Assigned to: {', '.join(assigned)}"
    if entry.description:
        yield ""
        yield entry.description


def _people(entry: Entry) -> Iterator[Person]:
    organizer = entry.organizer
    if organizer:
        yield organizer.person(Role.AUTHOR)
    yield from (one.person(Role.ASSIGNEE) for one in entry.guests if not one.is_thing)


def journal_item(component: Component, setting: Setting) -> Item:
    """Return the item of a journal entry (VJOURNAL).

    Raises:
        InvalidInput: Its time is none.
    """
    entry = Entry(component, setting)
    start = entry.when("DTSTART")
    organizer = entry.organizer
    values = {
        "status": entry.line("STATUS").lower(),
        "url": entry.line("URL"),
        "_uid": entry.uid,
        "_sequence": entry.sequence,
        "_revised_at": entry.revised_at,
    }
    return Item(
        kind=Kind.DOCUMENT,
        source=setting.source or "calendar",
        source_id=entry.source_id,
        title=entry.title,
        content=entry.description,
        tags=entry.tags,
        people=(organizer.person(Role.AUTHOR),) if organizer else (),
        happened_at=entry.instant(start) if start else entry.stamp("CREATED"),
        metadata={name: value for name, value in values.items() if value},
    )
