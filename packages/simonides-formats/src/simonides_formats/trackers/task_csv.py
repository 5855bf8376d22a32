"""Tasks in CSV, as Jira, Linear and Asana write them.

Knows the columns of each. Jira repeats a column for each further value (`Comment`, `Watchers`,
`Labels`). Must not know how CSV is cut into cells, nor how a task becomes an item.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain, islice
from typing import Any

from simonides.importers.csv_rows import Row, header_of, read_head, rows
from simonides.importers.file_item import say_assumed
from simonides.importers.json_parts import JsonPart
from simonides.importers.json_values import iso, lines, words
from simonides.importers.local_dates import local_moment, puts_day_first
from simonides.importers.records import Missing, record_events
from simonides.model.item import Person, short_hash
from simonides.model.metadata_keys import FINISHED
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.trackers.atlassian import RichText, read_rich
from simonides_formats.trackers.csv_marks import JIRA_KEY, JIRA_TITLE
from simonides_formats.trackers.task import Comment, Found, Task

LOOKED_AHEAD = 200
"""Rows that are looked at to find out whether dates begin with the day or with the month."""

_JIRA = {
    "key": JIRA_KEY,
    "title": JIRA_TITLE,
    "text": ("description", "beschreibung", "descripción"),
    "environment": ("environment", "umgebung", "environnement"),
    "status": ("status", "état", "estado"),
    "category": ("status category", "statuskategorie"),
    "priority": ("priority", "priorität", "priorité", "prioridad"),
    "type": ("issue type", "issuetype", "work type", "vorgangstyp", "type de ticket"),
    "resolution": ("resolution", "lösung", "résolution"),
    "due": ("due date", "due", "fälligkeitsdatum", "fällig", "échéance"),
    "project": ("project name", "project", "projektname", "nom du projet"),
    "assignee": ("assignee", "bearbeiter", "zugewiesene person", "responsable"),
    "reporter": ("reporter", "autor", "rapporteur", "creator"),
    "creator": ("creator",),
    "assignee_id": ("assignee id",),
    "reporter_id": ("reporter id",),
    "creator_id": ("creator id",),
    "created": ("created", "erstellt", "création"),
    "updated": ("updated", "aktualisiert", "mise à jour"),
    "resolved": ("resolved", "erledigt", "résolu"),
    "labels": ("labels", "stichwörter", "étiquettes"),
    "components": ("component/s", "components", "komponenten", "composants"),
    "fix_versions": ("fix version/s", "fix versions", "lösungsversionen"),
    "sprint": ("sprint",),
    "parent": ("parent key", "custom field (epic link)", "parent"),
    "comments": ("comment", "comments", "kommentar", "commentaire"),
    "attachments": ("attachment", "anhang", "pièce jointe"),
    "watchers": ("watchers", "beobachter", "observateurs"),
}
"""The columns of Jira in lower case; the names of columns follow the language of the user."""

_LINEAR = {
    "key": ("id",),
    "title": ("title",),
    "text": ("description",),
    "status": ("status",),
    "priority": ("priority",),
    "due": ("due date",),
    "team": ("team",),
    "project": ("project",),
    "assignee": ("assignee",),
    "reporter": ("creator",),
    "created": ("created",),
    "updated": ("updated",),
    "resolved": ("completed", "canceled"),
    "labels": ("labels",),
    "estimate": ("estimate",),
    "sprint": ("cycle name", "cycle number"),
    "milestone": ("project milestone",),
    "parent": ("parent issue",),
}
"""The columns of Linear in lower case."""

_ASANA = {
    "key": ("task id",),
    "title": ("name",),
    "text": ("notes",),
    "status": ("section/column",),
    "due": ("due date",),
    "project": ("projects",),
    "assignee": ("assignee", "assignee email"),
    "created": ("created at",),
    "updated": ("last modified",),
    "resolved": ("completed at",),
    "labels": ("tags",),
    "parent": ("parent task",),
}
"""The columns of Asana in lower case."""

_CLOSED = frozenset([*FINISHED, "duplicate"])
"""What issues are called that leave nothing to do, also where no date says so."""

_LINK = re.compile(r"(outward|inward) issue link \((.{1,100})\)")
_CUSTOM = re.compile(r"custom field \((.{1,200})\)")
_NO_WORDS = frozenset(["rank", "development", "epic link", "epic color", "issue color"])
"""Fields that Jira keeps for itself."""

_COMMENT = re.compile(r"([^;\n]{1,60});([^;\n]{0,200});(.*)", re.DOTALL)
"""`date;author;text`, as Jira writes comments; attachments are the same."""


def read_jira_csv(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the issues of a CSV file of Jira with their comments."""
    return _read(file, _JIRA, default_source="jira")


def read_linear_csv(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the issues of a CSV file of Linear."""
    return _read(file, _LINEAR, default_source="linear")


def read_asana_csv(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the tasks of a CSV file of Asana."""
    return _read(file, _ASANA, default_source="asana")


def _read(
    file: SourceFile, columns: dict[str, tuple[str, ...]], *, default_source: str
) -> Iterator[ImportEvent]:
    table = _Table.of(
        header_of(read_head(file)), columns, file.source or default_source, timezone=file.timezone
    )
    found = rows(file)
    first = list(islice(found, LOOKED_AHEAD))
    texts = (text for row in first for text in table.dates(row))
    table = replace(table, day_first=puts_day_first(texts))
    return record_events(file, _parts(chain(first, found)), table.find)


_ROLES = ("assignee", "reporter", "creator")

Names = Mapping[str, str]
"""Names by account id; comments and mentions have only these ids."""


def _parts(found: Iterable[Row]) -> Iterator[JsonPart]:
    for row in found:
        place = f"line {row.number}"
        yield JsonPart(value=row, place=place, problem=row.problem, bytes_done=row.bytes_done)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """The columns of one file: the places of each known one by its names, and the names of all."""

    header: tuple[str, ...]
    places: dict[str, list[list[int]]]
    source: str
    timezone: str = ""
    day_first: bool = False

    @classmethod
    def of(
        cls,
        header: tuple[str, ...],
        columns: dict[str, tuple[str, ...]],
        source: str,
        *,
        timezone: str = "",
    ) -> "_Table":
        """Return the table with this header."""
        places = {
            name: [[n for n, one in enumerate(header) if one == title] for title in titles]
            for name, titles in columns.items()
        }
        return cls(header=header, places=places, source=source, timezone=timezone)

    def all(self, row: Row, name: str) -> list[str]:
        """Return the values of a column, of repeated ones all that are not empty.

        Of several names of a column the first one counts that has any.
        """
        for places in self.places.get(name, ()):
            cells = (row.cells[n].strip() for n in places if n < len(row.cells))
            if filled := list(filter(None, cells)):
                return filled
        return []

    def one(self, row: Row, name: str) -> str:
        """Return the first value of a column on one line."""
        return next(map(words, self.all(row, name)), "")

    def dates(self, row: Row) -> Iterator[str]:
        """Yield the texts of all dates of a row."""
        for name in ("created", "updated", "resolved", "due"):
            yield from self.all(row, name)

    def time(self, text: str) -> tuple[datetime | None, str]:
        """Return the time that a text says, and the zone that was assumed where it names none."""
        found, no_zone = local_moment(text, day_first=self.day_first, timezone=self.timezone)
        return found, say_assumed(self.timezone) if no_zone else ""

    def find(self, row: Row, _file: SourceFile) -> Iterator[Found]:
        """Yield the task in a row, and its comments."""
        key = self.one(row, "key")
        if not key:
            yield Missing(place="", reason="has no key")
            return
        pairs = ((self.one(row, f"{role}_id"), self.one(row, role)) for role in _ROLES)
        names = {account: name for account, name in pairs if account and name}
        task = self._task(row, key, names)
        yield task
        for position, text in enumerate(self.all(row, "comments")):
            yield self._comment(task, text, position, names)

    def _task(self, row: Row, key: str, names: Names) -> Task:
        created, zone = self.time(self.one(row, "created"))
        texts = [*self.all(row, "text")[:1], *self.all(row, "environment")[:1]]
        rich = [_rich(text, names) for text in texts]
        due = self._day(self.one(row, "due"))
        unread = "" if due else self.one(row, "due")
        return Task(
            source=self.source,
            key=key,
            title=self.one(row, "title"),
            text="\n\n".join(one.text for one in rich if one.text),
            status=self.one(row, "status"),
            priority=self.one(row, "priority"),
            type=self.one(row, "type"),
            resolution=self.one(row, "resolution"),
            due=due,
            project=self.one(row, "project"),
            reporter=_person(self.one(row, "reporter")),
            assignees=tuple(filter(None, [_person(self.one(row, "assignee"))])),
            mentioned=tuple(chain.from_iterable(_find_mentioned(one, names) for one in rich)),
            tags=tuple(chain.from_iterable(map(_read_list, self.all(row, "labels")))),
            created=created,
            updated=self.time(self.one(row, "updated"))[0],
            is_open=self._is_open(row),
            more={**self._more(row), "due_text": unread, "_time_zone": zone},
        )

    def _day(self, text: str) -> str:
        """Return a day as ISO 8601; an empty text where it cannot be read."""
        found = local_moment(text, day_first=self.day_first)[0]
        return f"{found:%Y-%m-%d}" if found else ""

    def _is_open(self, row: Row) -> bool | None:
        if self.all(row, "category"):
            return self.one(row, "category").lower() not in ("done", "fertig")
        if not any(self.places["resolved"]):
            return None
        if self.one(row, "status").lower() in _CLOSED:
            return False
        return not (self.all(row, "resolved") or self.all(row, "resolution"))

    def _more(self, row: Row) -> dict[str, Any]:
        names = ("components", "fix_versions", "sprint")
        stated = {name: list(map(words, self.all(row, name))) for name in names}
        single = ("parent", "team", "estimate", "milestone")
        return {
            "resolved_at": iso(self.time(self.one(row, "resolved"))[0]),
            **stated,
            **{name: self.one(row, name) for name in single},
            "links": list(self._links(row)),
            "attachments": [{"name": _file_name(one)} for one in self.all(row, "attachments")],
            "custom": dict(self._custom(row)) or "",
            "_watchers": list(map(words, self.all(row, "watchers"))),
        }

    def _find_named(
        self, row: Row, pattern: re.Pattern[str]
    ) -> Iterator[tuple[re.Match[str], str]]:
        for title, cell in zip(self.header, row.cells, strict=False):
            match = pattern.fullmatch(title) if cell.strip() else None
            if match:
                yield match, words(cell)

    def _links(self, row: Row) -> Iterator[str]:
        for match, key in self._find_named(row, _LINK):
            yield f"{match[2]} {key}" if match[1] == "outward" else f"{match[2]} (inward) {key}"

    def _custom(self, row: Row) -> Iterator[tuple[str, str]]:
        for match, value in self._find_named(row, _CUSTOM):
            if match[1] not in _NO_WORDS:
                yield match[1], value

    def _comment(self, task: Task, cell: str, position: int, names: Names) -> Found:
        match = _COMMENT.fullmatch(cell)
        when, zone = self.time(match[1]) if match else (None, "")
        author, text = (match[2], match[3]) if match and when else ("", cell)
        rich = _rich(text, names)
        place = f"{task.key}/comment/{short_hash(cell)[:12]}"
        if not rich.text:
            return Missing(place=place, reason="has no words")
        return Comment(
            source=task.source,
            key=task.key,
            source_id=place,
            title=task.title,
            text=rich.text,
            author=_person(names.get(author) or words(author)),
            mentioned=tuple(_find_mentioned(rich, names)),
            position=position,
            created=when,
            time_zone=zone,
        )


def _rich(text: str, names: Names) -> RichText:
    """Return a text in which those mentioned by account id have their names."""
    rich = read_rich(lines(text))
    for account in {one for one, _ in rich.mentions} & set(names):
        rich.text = rich.text.replace(f"@{account}", f"@{names[account]}")
    return rich


def _find_mentioned(rich: RichText, names: Names) -> Iterator[Person]:
    yield from (Person(name=names.get(account) or name) for account, name in rich.mentions)


def _person(text: str) -> Person | None:
    if not text:
        return None
    return Person(address=text.lower()) if "@" in text and " " not in text else Person(name=text)


def _read_list(text: str) -> Sequence[str]:
    return [one for one in map(words, text.split(",")) if one]


def _file_name(cell: str) -> str:
    """Return a file's name out of `date;author;name;address`."""
    fields = cell.split(";")
    return words(fields[2] if len(fields) > 2 else cell)  # noqa: PLR2004
