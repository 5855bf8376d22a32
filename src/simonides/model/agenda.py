"""An agenda: what takes place and what is due between two times.

Must not know how it is found.
"""

from dataclasses import dataclass
from datetime import datetime

from simonides.model.item import Kind
from simonides.model.result import Result, html_paragraph, html_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Attendee(Result):
    """Someone who is invited, and their answer: `accepted`, `declined`, `tentative`, … or none."""

    name: str = ""
    address: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgendaEntry(Result):
    """One occurrence of an event, or one task that is due.

    `id` is that of the item: of the series, or of the changed instance. `starts_at` and `ends_at`
    are ISO 8601 in the zone that was asked for; of whole days (`all_day`) the first and the last
    day. A task starts when it is due. `instead_of` is when a moved event was to start before.
    Of a task the attendees are those who are to do it.
    """

    id: str
    kind: Kind
    title: str
    starts_at: str
    ends_at: str = ""
    all_day: bool = False
    location: str = ""
    status: str = ""
    organizer: str = ""
    attendees: tuple[Attendee, ...] = ()
    repeats: bool = False
    instead_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agenda(Result):
    """The entries that lie in [since, until), by time, then id; `cursor` asks for the next page.

    `notes` say what could not be read or was not looked for to the end.
    """

    entries: tuple[AgendaEntry, ...]
    cursor: str = ""
    since: datetime
    until: datetime
    timezone: str
    notes: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        listed = [
            (one.starts_at, one.ends_at, one.kind, one.title, one.location, one.status)
            for one in self.entries
        ]
        notes = "".join(map(html_paragraph, self.notes))
        return html_table(("starts", "ends", "kind", "title", "location", "status"), listed) + notes
