"""The command `agenda`, and the layout of an agenda: day by day.

Arguments, help and JSON come from `api.operations`. Must not hold how an agenda is made.
"""

from collections.abc import Iterator
from datetime import datetime
from itertools import groupby
from typing import Any

from simonides.cli.context import Context
from simonides.cli.derived import Command
from simonides.cli.tables import more
from simonides.cli.terminal_text import one_line
from simonides.model.agenda import Agenda, AgendaEntry
from simonides.model.item import Kind
from simonides.text.recurrence_words import day_in_words, time_in_words

_HOURS_WIDTH = len("10:00-11:00")


def _draw(context: Context, found: Agenda, _: Any) -> None:
    for day, entries in groupby(found.entries, key=lambda one: one.starts_at[:10]):
        context.output.line((day_in_words(datetime.fromisoformat(day)), "bold"))
        for one in entries:
            _draw_entry(context, one)
    if not found.entries:
        context.output.note("nothing takes place, nothing is due")
    for note in found.notes:
        context.output.note((f"note: {one_line(note)}", "yellow"))
    more(context, found)


def _draw_entry(context: Context, one: AgendaEntry) -> None:
    where = f"  {one_line(one.location)}" if one.location else ""
    context.output.line(f"  {_hours(one):{_HOURS_WIDTH}}  ", one_line(one.title), (where, "dim"))
    indent = " " * (_HOURS_WIDTH + 4)
    if details := "; ".join(_details(one)):
        context.output.paragraph((details, "yellow" if one.instead_of else "dim"), indent=indent)
    context.output.line((f"{indent}{one.id}", "dim"))


def _hours(one: AgendaEntry) -> str:
    if one.all_day:
        return "due" if one.kind is Kind.TASK else "all day"
    start = one.starts_at[11:16]
    if one.kind is Kind.TASK:
        return f"due {start}"
    same_day = one.ends_at[:10] == one.starts_at[:10]
    return f"{start}-{one.ends_at[11:16]}" if one.ends_at and same_day else start


def _details(one: AgendaEntry) -> Iterator[str]:
    """Yield the details of an entry that stand below its title."""
    if one.status and one.status != "confirmed":
        yield one_line(one.status)
    if one.instead_of:
        yield f"moved from {_in_words(one.instead_of)}"
    if one.ends_at and one.ends_at[:10] != one.starts_at[:10]:
        yield f"until {_in_words(one.ends_at)}"
    if one.organizer:
        yield f"by {one_line(one.organizer)}"
    people = [_answer(guest.name or guest.address, guest.answer) for guest in one.attendees]
    if people:
        yield f"with {', '.join(people)}"


def _in_words(text: str) -> str:
    when = datetime.fromisoformat(text)
    return day_in_words(when) if len(text) == len("2026-03-05") else time_in_words(when)


def _answer(name: str, answer: str) -> str:
    shown = one_line(name)
    return f"{shown} ({one_line(answer)})" if answer not in ("", "needs-action") else shown


AGENDA = Command(
    operation="agenda", draw=_draw,
    help="List what takes place and what is due, day by day; by default today and 7 days.",
    example="simonides agenda --since 2026-03-09 --until 2026-03-16",
    meanings={"since": "from this ISO time or day on (today)",
              "until": "before this ISO time or day (8 days later)",
              "collections": "only in this collection",
              "people": "someone of this name or address takes part"},
)  # fmt: skip
