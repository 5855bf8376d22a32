"""The records of an export: all data of a space that is not derived.

What is derived (chunks, vectors, terms, mentions, surrogates) is not among them. Knows shapes. Must
not know how they are written down, nor how they are stored.
"""

from dataclasses import dataclass
from datetime import datetime

from simonides.model.item import Item
from simonides.model.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportHead:
    """The exported space: its random name, its revision, and the start of complete history."""

    uuid: str
    revision: int
    floor: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasedMark:
    """The tombstone that keeps an erased item from being imported again: a hash of its id.

    `version` is the last one that it had.
    """

    id_hash: bytes
    at: datetime
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptBackground:
    """One visible background snapshot; `revision` is the one in which it was put."""

    id: str
    collection: str
    text: str
    created_at: datetime
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptVersion:
    """One version of one item, present or past, with the fields that the store sets.

    A past one has left the present at revision `died`, at `died_at`, because it was `replaced` or
    `forgotten` (`cause`).
    """

    item: Item
    died: int | None = None
    died_at: datetime | None = None
    cause: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptEngagement:
    """The usage of one item, present or not: how, when last, how many `times`."""

    item_id: str
    how: str
    at: datetime
    revision: int
    times: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptReceipt:
    """One stored receipt, as its original JSON."""

    id: str
    at: datetime
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptProposal:
    """One proposal and its decision, as its original JSON."""

    id: str
    created_at: datetime
    status: str
    decided_at: datetime | None
    body: str


Kept = ErasedMark | KeptBackground | KeptVersion | KeptEngagement | KeptReceipt | KeptProposal
"""One thing that a person kept; in this order they go out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportEnd:
    """The last line of an export: the number of lines before it, and their BLAKE2b-128."""

    lines: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportReport(Result):
    """The report of an export: counts, the file (empty: a stream), and bytes."""

    file: str
    revision: int
    items: int
    versions: int
    backgrounds: int
    engagements: int
    receipts: int
    proposals: int
    erased: int
    bytes: int
    took_s: float
