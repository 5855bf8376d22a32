"""What was: the versions of an item, and what compaction took away of the past.

Knows shapes. Must not know how versions are stored, nor when the past ends.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from simonides.model.item import Item
from simonides.model.result import Result


class Cause(StrEnum):
    """Why a version left the present."""

    REPLACED = "replaced"
    FORGOTTEN = "forgotten"
    SUPERSEDED = "superseded"
    """A memory that no longer holds: the version after it says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version(Result):
    """One version of an item: between which revisions it was the present one, and why no longer.

    `born` and `died` are revisions of the space, `born_at` and `died_at` their times (aware UTC);
    of the version that is present `died`, `died_at` and `cause` are None. `changed` names the
    fields that differ from the version before, as far as that is kept; empty for the first.
    """

    version: int
    born: int
    born_at: datetime
    died: int | None
    died_at: datetime | None
    cause: Cause | None
    changed: tuple[str, ...]
    item: Item


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """What one slice of compaction took out, in rows, and whether there is `more` to take.

    `engagements` counts rows that were summed up into others.
    """

    versions: int = 0
    backgrounds: int = 0
    engagements: int = 0
    proposals: int = 0
    revisions: int = 0
    more: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction(Result):
    """What a compaction did.

    `versions`, `backgrounds`, `engagements`, `proposals` and `revisions` are rows taken out.
    History is whole from revision `oldest` on. `bytes_before` and `bytes_after` are the sizes of
    the file. `is_done` is false where it was told to stop early: the next one goes on.
    """

    versions: int = 0
    backgrounds: int = 0
    engagements: int = 0
    proposals: int = 0
    revisions: int = 0
    oldest: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    is_done: bool = True
    took_s: float = 0.0
