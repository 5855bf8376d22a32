"""Messages of chats as items: the one rule of which field becomes what.

Must not know a program.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from simonides.importers.derived_ids import short_name
from simonides.importers.json_parts import JsonPart
from simonides.importers.json_values import clean, select_filled
from simonides.importers.records import TEXT_CHARS_MAX, Missing, Record, record_events
from simonides.model.item import Item, Kind, Person, Role
from simonides.ports.importer import ImportEvent, SourceFile

PEOPLE_MAX = 100
"""Most people mentioned in one message who are kept."""

USER, ASSISTANT = "user", "assistant"
"""The names of both sides of a chat with an assistant, whatever that is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage(Record):
    """One message of a chat.

    `title` names its conversation. `more` holds further fields by the name that they get in the
    metadata, which may begin with an underscore; those without a value are left out.
    """

    session: str
    author: str
    text: str
    address: str = ""
    """That of the author, where a program says it."""
    title: str = ""
    position: int | None = None
    created: datetime | None = None
    mentioned: tuple[str, ...] = ()
    recipients: tuple[str, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)

    def item(self) -> Item:
        """Return the message as an item.

        Raises:
            InvalidInput: It has no words, or a field is longer than an item may hold.
        """
        return Item(
            kind=Kind.MESSAGE,
            source=self.source,
            source_id=self.source_id,
            title=self.title,
            content=self.text[:TEXT_CHARS_MAX],
            people=tuple(self._people()),
            session=short_name(self.session),
            position=self.position,
            happened_at=self.created,
            metadata=select_filled({name: clean(one) for name, one in self.more.items()}),
        )

    def _people(self) -> list[Person]:
        names = [name for name in dict.fromkeys(self.mentioned) if name]
        people = []
        if self.author or self.address:
            people.append(Person(name=self.author, address=self.address, role=Role.AUTHOR))
        people += [Person(name=one, role=Role.TO) for one in self.recipients[:PEOPLE_MAX]]
        return people + [Person(name=one, role=Role.MENTIONED) for one in names[:PEOPLE_MAX]]


Said = ChatMessage | Missing
"""What was found in a record of a chat."""


def with_position(message: ChatMessage, positions: Counter[str]) -> ChatMessage:
    """Return a message with its position in its conversation, and count it."""
    positions[message.session] += 1
    return replace(message, position=positions[message.session] - 1)


def chat_events(
    file: SourceFile, parts: Iterable[JsonPart], messages_of: Callable[[Any], Iterable[Said]]
) -> Iterator[ImportEvent]:
    """Yield the events of an export whose records hold messages, each with its position."""
    positions: Counter[str] = Counter()

    def find_in(record: Any, _: SourceFile) -> Iterator[Said]:
        for found in messages_of(record):
            yield found if isinstance(found, Missing) else with_position(found, positions)

    return record_events(file, parts, find_in, kind="messages", group_records=1)


def file_named(name: str, *, media_type: str = "", size_bytes: Any = None) -> dict[str, Any]:
    """Return an attached file as the metadata `attachments` names it."""
    known: dict[str, Any] = {"name": name, "media_type": media_type}
    if isinstance(size_bytes, int) and not isinstance(size_bytes, bool):
        known["size_bytes"] = size_bytes
    return {key: one for key, one in known.items() if one != ""}


def with_files(text: str, files: list[dict[str, Any]]) -> str:
    """Return a text; of a message that is only files, their names."""
    return text or ", ".join(str(one["name"]) for one in files if one.get("name"))
