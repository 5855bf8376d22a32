"""How an event or a task stands in an agenda: its times in the zone asked for, who, and where.

Must not know how it was found.
"""

from dataclasses import replace
from datetime import date, datetime, tzinfo
from typing import Any

from simonides.model.agenda import AgendaEntry, Attendee
from simonides.model.item import Item, Kind, Role
from simonides.model.metadata_keys import SENT_BY_KEY
from simonides.ports.space import Reader
from simonides.retrieval.event_times import DAY, known_clock_of, series_of
from simonides.text.series import Expanded, Occurrence

VERSIONS_MAX = 10
"""Earlier versions of an event that are looked at for the time it was moved from."""

TITLE_CHARS = 100
"""So much of its content stands for the title of an item that has none."""


def entry_of(item: Item, one: Expanded, *, here: tzinfo, repeats: bool) -> AgendaEntry:
    """Return the entry of one occurrence of an event, or of a task."""
    at = one.occurrence
    starts_at, ends_at = _texts(at, here)
    return AgendaEntry(
        id=item.id,
        kind=item.kind,
        title=item.title or item.content[:TITLE_CHARS],
        starts_at=starts_at,
        ends_at=ends_at,
        all_day=not isinstance(at.at, datetime),
        location=_text(item, "location"),
        status=_text(item, "status"),
        organizer=_organizer(item),
        attendees=_attendees(item),
        repeats=repeats,
        instead_of="" if one.original is None else _texts(one.original, here)[0],
    )


def _texts(at: Occurrence, here: tzinfo) -> tuple[str, str]:
    """Return start and end as texts: of days the first and the last, else times by the clock."""
    if not isinstance(at.at, datetime):
        days = max(min(at.length, date.max - at.at), DAY)
        return at.at.isoformat(), (at.at + (days - DAY)).isoformat()
    begin, end = _show(at.begin(here), here), _show(at.end(here), here)
    return begin.isoformat(), end.isoformat() if at.length else ""


def _show(when: datetime, here: tzinfo) -> datetime:
    try:
        return when.astimezone(here)
    except OverflowError:  # the first and last days that there are
        return when


def _text(item: Item, name: str) -> str:
    value = item.metadata.get(name)
    return value if isinstance(value, str) else ""


def _organizer(item: Item) -> str:
    """Return who organizes it, or whose it is; of what a mail brought, its sender by address, too.

    An organizer that is stated there may be anybody's name.
    """
    sent, author = item.metadata.get(SENT_BY_KEY), item.author
    sender = ", ".join(map(str, sent)) if isinstance(sent, list | tuple) else ""
    named = (author.name or author.address) if author else ""
    stated = _text(item, "organizer")
    if stated and sender not in ("", stated):
        return f"{stated} (sent by {sender})"
    return stated or sender or named


def _attendees(item: Item) -> tuple[Attendee, ...]:
    """Return who is invited, with their answers; of a task those who are to do it."""
    listed: Any = item.metadata.get("_attendees")
    answers = {
        (str(one.get("name", "")), str(one.get("address", ""))): one.get("answer")
        for one in (listed if isinstance(listed, list | tuple) else ())
        if isinstance(one, dict)
    }
    return tuple(
        Attendee(
            name=one.name,
            address=one.address,
            answer=str(answers.get((one.name, one.address)) or ""),
        )
        for one in item.people
        if one.role in (Role.ATTENDEE, Role.ASSIGNEE)
    )


def with_history(entry: AgendaEntry, item: Item, reader: Reader, here: tzinfo) -> AgendaEntry:
    """Return an entry with when it was to start before, if an earlier version of it says so."""
    if entry.kind is not Kind.EVENT or entry.repeats or entry.instead_of or item.version < 2:  # noqa: PLR2004  the first has none before it
        return entry
    for number in range(item.version - 1, max(0, item.version - 1 - VERSIONS_MAX), -1):
        before = reader.version(item.id, number)
        series = None if before is None else series_of(before, known_clock_of)
        if series is not None:
            first = series.at(series.wall(series.start), here)
            start = _texts(first, here)[0]
            if start != entry.starts_at:
                return replace(entry, instead_of=start)
    return entry
