"""What is kept: items, the people in them, and what makes a memory a memory.

Knows the fields, their ranges and how an id is derived. Must not know how anything is
stored, analysed or found.
"""

import hashlib
import json
import re
from base64 import b32hexencode
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from simonides.errors import InvalidInput

ID_CHARS_MAX = 256
"""Longest id a caller may choose, in characters; derived ids have 26."""


class Kind(StrEnum):
    """What sort of thing an item is."""

    EMAIL = "email"
    DOCUMENT = "document"
    TASK = "task"
    EVENT = "event"
    MEMORY = "memory"
    MESSAGE = "message"


class Scope(StrEnum):
    """Who a memory is for, narrowest first in the order of the seeds' context builder."""

    WORKSPACE = "workspace"
    SESSION = "session"
    USER = "user"
    GLOBAL = "global"


class MemoryType(StrEnum):
    """What sort of statement a memory is."""

    PROFILE = "profile"
    EPISODIC = "episodic"
    POLICY = "policy"
    ARTIFACT_SUMMARY = "artifact_summary"


class Status(StrEnum):
    """Whether a memory holds now. Only active ones are found unless others are asked for."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    QUARANTINED = "quarantined"
    DELETED = "deleted"


class Role(StrEnum):
    """How a person takes part in an item."""

    AUTHOR = "author"
    TO = "to"
    CC = "cc"
    ATTENDEE = "attendee"
    ASSIGNEE = "assignee"
    MENTIONED = "mentioned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Someone who takes part in an item; at least one of `name` and `address` is not empty."""

    name: str = ""
    address: str = ""
    role: Role = Role.AUTHOR

    def __post_init__(self) -> None:
        if not (self.name or self.address):
            raise InvalidInput("people", "a person needs a name or an address")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryTraits:
    """What only memories have: for whom, how sure, how long.

    `confidence` and `importance` are shares in [0, 1] (defaults .7 and .5: the seeds').
    `half_life_hours` None means no decay.
    """

    scope: Scope = Scope.USER
    type: MemoryType = MemoryType.EPISODIC
    status: Status = Status.ACTIVE
    confidence: float = 0.7
    importance: float = 0.5
    half_life_hours: float | None = None
    entity: str = ""
    workspace_id: str = ""
    user_id: str = ""
    session_id: str = ""
    source_run_id: str = ""

    def __post_init__(self) -> None:
        for name in ("confidence", "importance"):
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise InvalidInput(name, f"must lie in [0, 1], got {value}")
        if self.half_life_hours is not None and not self.half_life_hours >= 0.0:
            raise InvalidInput("half_life_hours", f"must be 0 or more, got {self.half_life_hours}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Anything kept.

    `content` is the item's own words, cleaned; `quoted` what it repeats of others (quoted
    replies, signatures), kept but never indexed. `session` joins the messages of a chat or the
    mails of a thread; `position` orders items of one session that share a time.
    `happened_at` is when it happened in the world, `stored_at` when it was kept here; both are
    aware UTC. Metadata keys that begin with an underscore are kept and can be filtered on, but
    are not indexed. `id` is derived where it is empty: from source and source id, or else from
    source, kind, session, time and text. `stored_at`, `revision` (of the space) and `version`
    (1, 2, … of this item) are set by the store.
    """

    kind: Kind = Kind.MEMORY
    content: str = ""
    source: str = "note"
    source_id: str = ""
    id: str = ""
    title: str = ""
    summary: str = ""
    quoted: str = ""
    tags: tuple[str, ...] = ()
    people: tuple[Person, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    collection: str = "main"
    session: str = ""
    position: int | None = None
    happened_at: datetime | None = None
    language: str = ""
    traits: MemoryTraits | None = None
    stored_at: datetime | None = None
    revision: int = 0
    version: int = 0

    def __post_init__(self) -> None:
        _check_texts(self)
        _check_times(self)
        if self.kind is Kind.MEMORY and self.traits is None:
            object.__setattr__(self, "traits", MemoryTraits())
        if not self.id:
            object.__setattr__(self, "id", derived_id(self))

    @property
    def author(self) -> Person | None:
        """The first person with the author's role, if any."""
        return next((p for p in self.people if p.role is Role.AUTHOR), None)


_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x1f]")
_TEXT_FIELDS = (
    "content", "source", "source_id", "id", "title", "summary", "quoted",
    "collection", "session", "language",
)  # fmt: skip


def _check_texts(item: Item) -> None:
    """Refuse what no store can keep byte for byte: lone surrogates and, in ids, control marks."""
    for name in _TEXT_FIELDS:
        value = getattr(item, name)
        if not isinstance(value, str):
            raise InvalidInput(name, f"must be text, got {type(value).__name__}")
        if _HALF_CHARACTER.search(value):
            raise InvalidInput(name, "holds half a character (a lone surrogate); decode it first")
    if not (item.content.strip() or item.title.strip()):
        raise InvalidInput("content", "is empty, and so is the title: nothing to keep")
    if not (item.source and item.collection):
        raise InvalidInput("source", "source and collection must not be empty")
    if len(item.id) > ID_CHARS_MAX or _CONTROL.search(item.id):
        raise InvalidInput("id", f"must have at most {ID_CHARS_MAX} printable characters")


def _check_times(item: Item) -> None:
    for name in ("happened_at", "stored_at"):
        when = getattr(item, name)
        if when is None:
            continue
        if when.utcoffset() is None:
            raise InvalidInput(name, "needs a time zone, for example 2026-11-21T09:00:00+00:00")
        object.__setattr__(item, name, when.astimezone(UTC))


def derived_id(item: Item) -> str:
    """Return 26 characters that name `item` by its source, or else by what it says and when."""
    if item.source_id:
        parts = ["source", item.source, item.source_id]
    else:
        when = item.happened_at.isoformat() if item.happened_at else ""
        own = [item.source, item.kind, item.session, when, item.title, item.content]
        parts = ["text", *own]
    return short_hash("\x1f".join(parts))


def digest(item: Item) -> bytes:
    """Return 16 bytes over all that a caller can set; equal digests mean nothing to rewrite."""
    fields = {
        name: getattr(item, name)
        for name in Item.__slots__  # the dataclass fields, in order
        if name not in ("stored_at", "revision", "version")
    }
    fields["people"] = [(p.name, p.address, p.role) for p in item.people]
    fields["metadata"] = dict(item.metadata)
    if item.traits is not None:
        fields["traits"] = {n: getattr(item.traits, n) for n in MemoryTraits.__slots__}
    text = json.dumps(fields, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def short_hash(text: str) -> str:
    """Return 26 lower-case letters and digits: 128 bits of BLAKE2b of `text`."""
    raw = hashlib.blake2b(text.encode(), digest_size=16).digest()
    return b32hexencode(raw).decode().rstrip("=").lower()
