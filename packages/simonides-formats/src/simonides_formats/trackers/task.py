"""Tasks and comments of any tracker as items: the one rule of which field becomes what.

A tracker's reader fills in the records `Task` and `Comment`; they become items here. Must not know
a tracker.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from simonides.importers.json_values import iso, select_filled
from simonides.importers.records import TEXT_CHARS_MAX, Missing, Record
from simonides.model.item import Item, Kind, Person, Role

TITLE_CHARS_MAX = 1_000
LISTED_MAX = 500
"""Most tags, links, attachments and mentioned people of one task."""

COMMENT_ON = "_comment_on"
"""The metadata key by which a comment names its task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task(Record):
    """One task in one of its states, the present one or an earlier one.

    `source_id` is the key where it is empty. `status_since` is when the status became what it is,
    `revised_at` when this state began. `more` holds further fields by the name that they get in
    the metadata. `is_open` says whether something is left to do, where that is known.
    """

    key: str
    source_id: str = ""
    title: str = ""
    text: str = ""
    status: str = ""
    priority: str = ""
    type: str = ""
    resolution: str = ""
    due: str = ""
    url: str = ""
    project: str = ""
    reporter: Person | None = None
    assignees: tuple[Person, ...] = ()
    mentioned: tuple[Person, ...] = ()
    tags: tuple[str, ...] = ()
    created: datetime | None = None
    updated: datetime | None = None
    status_since: datetime | None = None
    revised_at: datetime | None = None
    is_open: bool | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """How reports name it."""
        return self.source_id or self.key

    def item(self) -> Item:
        """Return the task as an item.

        It happened when it was raised, so that all its states stand at one place of the time line,
        and its comments after it.

        Raises:
            InvalidInput: A field is longer than an item may hold.
        """
        return Item(
            kind=Kind.TASK,
            source=self.source,
            source_id=self.source_id or self.key,
            title=self.title[:TITLE_CHARS_MAX] or self.key,
            content=self.text[:TEXT_CHARS_MAX],
            tags=_unique(self.tags),
            people=tuple(_people(self)),
            session=self.key,
            happened_at=self.created or self.updated,
            metadata=select_filled(dict(self._notes())),
        )

    def _notes(self) -> Iterator[tuple[str, Any]]:
        names = ("key", "status", "priority", "type", "due", "resolution", "project")
        yield from ((name, getattr(self, name)) for name in names)
        yield "assignee", ", ".join(one.name or one.address for one in self.assignees)
        yield "open", self.is_open
        yield from self.more.items()
        yield "status_since", iso(self.status_since)
        yield "modified_at", iso(self.updated)
        yield "url", self.url
        yield "_cut_from_chars", _cut_from(self.text)
        yield "_revised_at", iso(self.revised_at or self.updated or self.created)


def _cut_from(text: str) -> int | None:
    """Return the length of a text that is cut; None for one that is kept whole."""
    return len(text) if len(text) > TEXT_CHARS_MAX else None


def _people(task: Task) -> Iterator[Person]:
    if task.reporter is not None:
        yield task.reporter  # a person is an author unless said otherwise
    for role, people in ((Role.ASSIGNEE, task.assignees), (Role.MENTIONED, task.mentioned)):
        yield from (replace(one, role=role) for one in dict.fromkeys(people[:LISTED_MAX]))


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, texts)))[:LISTED_MAX]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment(Record):
    """One comment on a task; a message of the thread that the task's key names.

    It has the title of its task, by which it is found: "what is holding up the pilot run".
    """

    key: str
    text: str
    title: str = ""
    author: Person | None = None
    mentioned: tuple[Person, ...] = ()
    position: int | None = None
    created: datetime | None = None
    updated: datetime | None = None
    time_zone: str = ""
    """The zone that was assumed, where its time names none."""
    url: str = ""

    def item(self) -> Item:
        """Return the comment as an item.

        Raises:
            InvalidInput: It has no words, or a field is longer than an item may hold.
        """
        people = [] if self.author is None else [self.author]
        people += [replace(one, role=Role.MENTIONED) for one in self.mentioned[:LISTED_MAX]]
        notes = {
            "key": self.key,
            "url": self.url,
            COMMENT_ON: self.key,
            "_cut_from_chars": _cut_from(self.text),
            "_time_zone": self.time_zone,
            "_revised_at": iso(self.updated or self.created),
        }
        return Item(
            kind=Kind.MESSAGE,
            source=self.source,
            source_id=self.source_id,
            title=self.title[:TITLE_CHARS_MAX],
            content=self.text[:TEXT_CHARS_MAX],
            people=tuple(people),
            session=self.key,
            position=self.position,
            happened_at=self.created or self.updated,
            metadata=select_filled(notes),
        )


Found = Task | Comment | Missing
