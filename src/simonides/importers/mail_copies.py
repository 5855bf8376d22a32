"""Mails of one Message-ID: copies of one mail, or different mails of a program that repeats ids.

Copies are of one author, and say the same or were sent at one time. Of what says something else at
another time, or is of somebody else, the second gets an id of its own, so that none takes the place
of the other: who has received a mail knows its Message-ID. Must not know the store.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from simonides.model.event_makers import addresses
from simonides.model.item import Item, Kind
from simonides.model.metadata_keys import ATTACHED_KEY


@dataclass(frozen=True, slots=True)
class SentMail:
    """When a mail was sent and by whom, and a hash of what it says, of this process alone."""

    at: datetime | None
    by: frozenset[str]
    said: int

    @classmethod
    def of(cls, item: Item) -> "SentMail":
        """Return the marks by which a mail is distinguished from others of its Message-ID."""
        return cls(item.happened_at, addresses(item), hash((item.title, item.content)))

    def is_copy_of(self, known: "SentMail") -> bool:
        """Return whether two mails of one author are one; so is what does not say when it was."""
        return None in (self.at, known.at) or self.at == known.at or self.said == known.said


def set_apart(item: Item, known: SentMail | None) -> Item:
    """Return a mail with an id that its author or time is part of, where another has its own."""
    if known is None or item.kind is not Kind.EMAIL:
        return item
    own = SentMail.of(item)
    is_of_another = own.by != known.by
    if not is_of_another and own.is_copy_of(known):
        return item
    author = f"#from={_hash(own.by)}" if is_of_another else ""
    time = f"#sent={own.at.isoformat()}" if own.at else ""
    apart = replace(item, id="", source_id=f"{item.source_id}{author}{time}")
    return replace(apart, id="", metadata=without_ids(apart.metadata))


def _hash(addresses: frozenset[str]) -> str:
    return sha256("\n".join(sorted(addresses)).encode()).hexdigest()[:16]


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
