"""Mails of one Message-ID: copies of one mail, or different mails of a program that repeats ids.

Copies say the same or were sent at one time. Of what says something else at another time the second
gets an id of its own, so that none takes the place of the other. Must not know the store.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from simonides.model.item import Item, Kind
from simonides.model.metadata_keys import ATTACHED_KEY


@dataclass(frozen=True, slots=True)
class SentMail:
    """When a mail was sent, and a hash of what it says, of this process alone."""

    at: datetime | None
    said: int

    @classmethod
    def of(cls, item: Item) -> "SentMail":
        """Return the marks by which a mail is distinguished from others of its Message-ID."""
        return cls(item.happened_at, hash((item.title, item.content)))


def set_apart(item: Item, known: SentMail | None) -> Item:
    """Return a mail with an id that its time is part of, where another one has its Message-ID."""
    if known is None or item.kind is not Kind.EMAIL or None in (item.happened_at, known.at):
        return item
    own = SentMail.of(item)
    if own.at is None or own.at == known.at or own.said == known.said:
        return item
    apart = replace(item, id="", source_id=f"{item.source_id}#sent={own.at.isoformat()}")
    return replace(apart, id="", metadata=without_ids(apart.metadata))


def without_ids(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata of a mail that names no items: those of its attachments get other ids."""
    kept = dict(metadata)
    entries = kept.get("attachments")
    if isinstance(entries, list):
        kept["attachments"] = [
            {name: value for name, value in entry.items() if name != "items"}
            for entry in entries
            if isinstance(entry, dict)
        ]
    return kept


def move_along(item: Item, before: Item, apart: Item) -> Item:
    """Return an item that a mail brought as one of the mail that was distinguished.

    An event keeps its id, by which invitations change it.
    """
    if item.metadata.get(f"{ATTACHED_KEY}_item") != before.id:
        return item
    place = f"{before.source_id}/"
    is_own = item.source_id.startswith(place)
    own_id = f"{apart.source_id}/{item.source_id.removeprefix(place)}" if is_own else item.source_id
    links = {ATTACHED_KEY: apart.source_id, f"{ATTACHED_KEY}_item": apart.id}
    return replace(item, id="", source_id=own_id, metadata={**item.metadata, **links})
