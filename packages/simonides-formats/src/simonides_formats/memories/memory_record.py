"""Memories of other programs as items: the one rule of which field becomes what.

Must not know a program.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from simonides.importers.json_values import clean, iso, select_filled
from simonides.importers.records import TEXT_CHARS_MAX, Missing, Record
from simonides.model.item import Item, Kind, MemoryTraits, MemoryType, Status
from simonides_formats.chats.chat_message import ChatMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecord(Record):
    """One memory in one of its states.

    `created` is when it was first kept there, `revised_at` when this state began. `more` holds
    further fields by the name that they get in the metadata.
    """

    text: str
    title: str = ""
    type: MemoryType = MemoryType.EPISODIC
    status: Status = Status.ACTIVE
    user_id: str = ""
    session_id: str = ""
    tags: tuple[str, ...] = ()
    created: datetime | None = None
    revised_at: datetime | None = None
    expires_at: datetime | None = None
    confidence: float | None = None
    importance: float | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    def item(self) -> Item:
        """Return the memory as an item.

        Raises:
            InvalidInput: It has no words, or a field is longer than an item may hold.
        """
        notes = {**clean(dict(self.more)), "_revised_at": iso(self.revised_at)}
        ratings = {"confidence": self.confidence, "importance": self.importance}
        known: dict[str, Any] = {name: one for name, one in ratings.items() if one is not None}
        return Item(
            kind=Kind.MEMORY,
            source=self.source,
            source_id=self.source_id,
            title=self.title,
            content=self.text[:TEXT_CHARS_MAX],
            tags=tuple(dict.fromkeys(filter(None, self.tags))),
            happened_at=self.created,
            metadata=select_filled(notes),
            traits=MemoryTraits(
                type=self.type,
                status=self.status,
                user_id=self.user_id,
                session_id=self.session_id,
                expires_at=self.expires_at,
                **known,
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord(Record):
    """One file that an assistant was given, with its text."""

    name: str
    text: str
    created: datetime | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    def item(self) -> Item:
        """Return the file as an item; when it was written is not known.

        Raises:
            InvalidInput: It has no words, or a field is longer than an item may hold.
        """
        notes = {**clean(dict(self.more)), "modified_at": iso(self.created)}
        return Item(
            kind=Kind.DOCUMENT,
            source=self.source,
            source_id=self.source_id,
            title=self.name,
            content=self.text[:TEXT_CHARS_MAX],
            metadata=select_filled(notes),
        )


Found = MemoryRecord | ChatMessage | FileRecord | Missing
