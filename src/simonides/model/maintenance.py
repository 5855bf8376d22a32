"""Results of maintenance and history: versions, compaction, erasure, backup and repair.

Knows shapes. Must not know how any of it is done.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from simonides.model.item import Item
from simonides.model.result import Result


class Cause(StrEnum):
    """The reason why a version was replaced or removed."""

    REPLACED = "replaced"
    FORGOTTEN = "forgotten"
    SUPERSEDED = "superseded"
    """A memory that no longer holds: the version after it says so."""
    WITHDRAWN = "withdrawn"
    """It was gone from the file that it was imported from; an import may bring it back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version(Result):
    """One version of an item: the revisions between which it was present, and why it ended.

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
    """The rows removed by one slice of compaction, and whether there is `more` to remove.

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
    """The report of a compaction.

    `versions`, `backgrounds`, `engagements`, `proposals` and `revisions` are rows taken out.
    History is whole from revision `oldest` on. `bytes_before` and `bytes_after` are the sizes of
    the file. `is_done` is false if it was stopped early: the next one continues.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """The rows removed by one erasure: the items by id, and a count of each type of row.

    `versions` counts present and past ones; `backgrounds` are snapshots that had been deleted
    before and were due.
    """

    ids: tuple[str, ...] = ()
    versions: int = 0
    chunks: int = 0
    mentions: int = 0
    surrogates: int = 0
    engagements: int = 0
    receipts: int = 0
    proposals: int = 0
    backgrounds: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WipeResult:
    """The result of wiping a file: whether it was rewritten, and its log emptied.

    `files` are those that were written anew, emptied or removed. `problem` says what stood in the
    way, and what to do; empty where nothing did.
    """

    rewritten: bool
    log_emptied: bool
    bytes_before: int
    bytes_after: int
    files: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof(Result):
    """The result of another process's search of the files for erased words.

    `looked_for` pieces of up to 16 bytes of texts and vectors were looked for in `bytes` bytes of
    `files`. `elsewhere` of them were found because something else that is kept says the same, or
    the settings do; `left` were found and should not have been, and `where` names the files.
    `problem` says why it could not be done.
    """

    looked_for: int = 0
    files: tuple[str, ...] = ()
    bytes: int = 0
    elsewhere: int = 0
    left: int = 0
    where: tuple[str, ...] = ()
    problem: str = ""

    @property
    def holds(self) -> bool:
        """Whether the proof was made and nothing is left."""
        return not (self.left or self.problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureReport(Result):
    """The report of an erasure, with the proof that no byte is left.

    `items` are the ids that are gone, `missing` those asked for that were not there. `answers` are
    those of chats that were made with them and are still there. `words` are
    the terms that nothing in the space has any more. `files` were written anew or removed.
    `proof` is None where none was asked for; `notes` say what is left to do, or to know.
    """

    items: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    versions: int = 0
    chunks: int = 0
    mentions: int = 0
    surrogates: int = 0
    engagements: int = 0
    receipts: int = 0
    proposals: int = 0
    backgrounds: int = 0
    words: int = 0
    files: tuple[str, ...] = ()
    complete: bool = True
    proof: Proof | None = None
    notes: tuple[str, ...] = ()
    took_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupReport(Result):
    """The report of a backup: the file of the copy, its revision and its size."""

    file: str
    revision: int
    items: int
    bytes: int
    took_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost(Result):
    """One unreadable record of a damaged file."""

    what: str
    which: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairReport(Result):
    """The report of a repair.

    `salvaged` says that the file was damaged and a new one was made of what could be read, `aside`
    where the damaged one lies. `items` and `versions` are kept; of these `prepared_anew` got their
    chunks, vectors and mentions made again. `lost` could not be read, `altered` could, but differ
    from what was written. `doubtful` names what was kept from pages that do not fit their
    checksums, and may differ in what no hash covers.
    """

    salvaged: bool = False
    aside: str = ""
    items: int = 0
    versions: int = 0
    prepared_anew: int = 0
    lost: tuple[Lost, ...] = ()
    altered: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    took_s: float = 0.0
