"""Items, their people, and the traits of memories.

Knows the fields, their ranges and how an id is derived. Must not know how anything is
stored, analysed or found.
"""

import hashlib
import json
import re
from base64 import b32hexencode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack

from simonides.errors import InvalidInput
from simonides.model.bounds import (
    HALF_LIFE_HOURS,
    ID,
    ITEM_TEXTS,
    NAME,
    NOT_NEGATIVE,
    PEOPLE,
    POSITION,
    REVISION,
    SHARE,
    TAGS,
    check_json,
    check_text,
    show_value,
)
from simonides.model.coercion import one_of, tuple_of
from simonides.model.result import Result, html_table
from simonides.model.times import TimeLike, as_time

ID_CHARS_MAX = ID.chars_max
"""Longest id a caller may choose, in characters."""


NOTE_SOURCE = "note"
"""The source of what was added without one."""

QUOTED_SOURCE = "quoted"
"""The source of the items that quotes of mails become."""


class Kind(StrEnum):
    """The kind of an item."""

    EMAIL = "email"
    DOCUMENT = "document"
    TASK = "task"
    EVENT = "event"
    MEMORY = "memory"
    MESSAGE = "message"


class Scope(StrEnum):
    """The audience of a memory, narrowest first in the order of the context builder."""

    WORKSPACE = "workspace"
    SESSION = "session"
    USER = "user"
    GLOBAL = "global"


class MemoryType(StrEnum):
    """The type of a memory."""

    PROFILE = "profile"
    EPISODIC = "episodic"
    POLICY = "policy"
    ARTIFACT_SUMMARY = "artifact_summary"


class Status(StrEnum):
    """The status of a memory. Only active ones are found by default."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    QUARANTINED = "quarantined"
    DELETED = "deleted"


class Trust(StrEnum):
    """How far an item's words may be trusted, the most trusted level first."""

    OWN = "own"
    """The user's own: what they wrote, noted or keep."""
    KNOWN = "known"
    """Of someone the user has written to or talks with."""
    UNKNOWN = "unknown"
    """Of a sender the user never wrote to."""
    EXTERNAL = "external"
    """From outside altogether, such as a web page; said so when it was added."""


class Role(StrEnum):
    """The part that a person takes in an item."""

    AUTHOR = "author"
    TO = "to"
    CC = "cc"
    ATTENDEE = "attendee"
    ASSIGNEE = "assignee"
    MENTIONED = "mentioned"


class PersonFields(TypedDict, total=False):
    """The fields of `Person` as callers may give them."""

    name: str
    address: str
    role: Role | str


class TraitFields(TypedDict, total=False):
    """The fields of `MemoryTraits` as callers may give them."""

    scope: Scope | str
    type: MemoryType | str
    status: Status | str
    confidence: float
    importance: float
    half_life_hours: float | None
    entity: str
    workspace_id: str
    user_id: str
    session_id: str
    source_run_id: str
    expires_at: TimeLike | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Person(Result):
    """A participant of an item; at least one of `name` and `address` is not empty."""

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[PersonFields]) -> None: ...

    name: str = ""
    address: str = ""
    role: Role = Role.AUTHOR

    def __post_init__(self) -> None:
        self._check_shape()
        NAME.check_length(self.name, field="people.name")
        NAME.check_length(self.address, field="people.address")

    def _check_shape(self) -> None:
        check_text(self.name, field="people.name")
        check_text(self.address, field="people.address")
        if not (self.name or self.address):
            raise InvalidInput("people", "a person needs a name or an address")
        object.__setattr__(self, "role", one_of(Role, self.role, field="people.role"))


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryTraits(Result):
    """The fields that only memories have: their audience, confidence and lifetime.

    `confidence` and `importance` are shares in [0, 1] (defaults .7 and .5: the designs').
    `half_life_hours` None means no decay. From `expires_at` on it holds no more: no brief shows it.
    """

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[TraitFields]) -> None: ...

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
    expires_at: datetime | None = None

    def __post_init__(self) -> None:
        self._check_shape()
        for name in _TRAIT_TEXTS:
            NAME.check_length(getattr(self, name), field=f"traits.{name}")
        if self.half_life_hours is not None:
            HALF_LIFE_HOURS.check(self.half_life_hours, field="half_life_hours")

    def _check_shape(self) -> None:
        for name, kind in (("scope", Scope), ("type", MemoryType), ("status", Status)):
            object.__setattr__(self, name, one_of(kind, getattr(self, name), field=name))
        for name in _TRAIT_TEXTS:
            check_text(getattr(self, name), field=f"traits.{name}")
        for name in ("confidence", "importance"):
            SHARE.check(getattr(self, name), field=name)
        if self.half_life_hours is not None:
            NOT_NEGATIVE.check(self.half_life_hours, field="half_life_hours")
        if self.expires_at is not None:
            object.__setattr__(self, "expires_at", as_time(self.expires_at, field="expires_at"))


PINNED = "pinned"
"""The tag of a memory that every brief begins with, whatever is asked."""

_TRAIT_TEXTS = ("entity", "workspace_id", "user_id", "session_id", "source_run_id")
_PLAIN_TRAITS = MemoryTraits()
"""Those of a memory of which nothing else is said."""


PeopleLike = str | Person | PersonFields | Iterable[str | Person | PersonFields]
"""People as they may be given: "Sarah Lindqvist <sarah@example.com>", the author first."""


class _TextFields(TypedDict, total=False):
    """The optional fields of any stored text."""

    source: str
    title: str
    summary: str
    tags: Iterable[str]
    metadata: Mapping[str, object]
    collection: str
    session: str
    happened_at: TimeLike | None
    language: str


class StatementFields(_TextFields, TraitFields, total=False):
    """The optional fields of a statement to remember."""

    people: PeopleLike


class _KindFields(_TextFields, total=False):
    kind: Kind | str
    source_id: str
    id: str
    quoted: str
    position: int | None


class ItemFields(_KindFields, total=False):
    """The fields of `Item` as callers may give them beside its content."""

    people: PeopleLike
    traits: MemoryTraits | TraitFields | None


class ItemRecordFields(_KindFields, total=False):
    """The fields of `Item` as its constructor takes them."""

    content: str
    people: Iterable[Person]
    traits: MemoryTraits | None
    stored_at: datetime | None
    revision: int
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Item(Result):
    """Anything stored: an email, document, task, event, memory or message.

    `content` is the item's own words, cleaned; `quoted` what it repeats of others (quoted
    replies, signatures), kept but never indexed. `session` joins the messages of a chat or the
    mails of a thread; `position` orders items of one session that share a time.
    `happened_at` is when it happened in the world, `stored_at` when it was kept here; both are
    aware UTC. Metadata keys that begin with an underscore are kept and can be filtered on, but
    are not indexed. `id` is derived where it is empty: from source and source id, or else from
    source, kind, session, time and text. `stored_at`, `revision` (of the space) and `version`
    (1, 2, … of this item) are set by the store.
    """

    if TYPE_CHECKING:

        def __init__(self, **fields: Unpack[ItemRecordFields]) -> None: ...

    kind: Kind = Kind.MEMORY
    content: str = ""
    source: str = NOTE_SOURCE
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
        self._check_shape()
        _check_bounds(self)
        if not self.id:
            object.__setattr__(self, "id", derive_id(self))

    def _check_shape(self) -> None:
        _check_texts(self)
        _check_shapes(self)
        _check_times(self)
        if self.kind is Kind.MEMORY and self.traits is None:
            object.__setattr__(self, "traits", _PLAIN_TRAITS)

    def _repr_html_(self) -> str:
        return html_table(ITEM_COLUMNS, [item_cells(self)])

    @property
    def author(self) -> Person | None:
        """The first person with the author's role, if any."""
        for person in self.people:
            if person.role is Role.AUTHOR:
                return person
        return None

    @property
    def dated_at(self) -> datetime | None:
        """When it happened, or else when it was stored; None for one that is not stored yet."""
        return self.happened_at or self.stored_at


ITEM_COLUMNS = ("when", "kind", "source", "author", "title", "text")
"""The columns of items in a notebook; `item_cells` has their cells."""


def item_cells(item: Item) -> tuple[object, ...]:
    """Return the cells of an item in the table of a notebook."""
    author = item.author
    when = f"{item.happened_at:%Y-%m-%d %H:%M}" if item.happened_at else ""
    name = (author.name or author.address) if author else ""
    return (when, item.kind, item.source, name, item.title, item.content)


_CONTROL = re.compile(r"[\x00-\x1f]")


def _check_bounds(item: Item) -> None:
    """Raise `InvalidInput` for values that are too long, too large or too many."""
    for name, bound in ITEM_TEXTS.items():
        if not bound.chars_min <= len(getattr(item, name)) <= bound.chars_max:
            bound.check_length(getattr(item, name), field=name)
    if _CONTROL.search(item.id):
        raise InvalidInput("id", "must have printable characters only")
    TAGS.check(item.tags, field="tags")
    PEOPLE.check(item.people, field="people")
    if item.metadata:
        check_json(item.metadata, field="metadata")
    if item.position is not None:
        POSITION.check(item.position, field="position")
    if item.revision or item.version:  # as the store sets them
        for name in ("revision", "version"):
            REVISION.check(getattr(item, name), field=name)


def _check_texts(item: Item) -> None:
    """Raise `InvalidInput` for texts of another type, and for an item without words."""
    for name in ITEM_TEXTS:
        check_text(getattr(item, name), field=name)
    if not (item.content.strip() or item.title.strip()):
        raise InvalidInput("content", "is empty, and so is the title: nothing to keep")


def _check_shapes(item: Item) -> None:
    """Convert the kind and the collections; raise `InvalidInput` for values of another type."""
    object.__setattr__(item, "kind", one_of(Kind, item.kind, field="kind"))
    object.__setattr__(item, "tags", tuple_of(str, item.tags, field="tags"))
    object.__setattr__(item, "people", tuple_of(Person, item.people, field="people"))
    if not isinstance(item.metadata, Mapping):
        raise InvalidInput("metadata", f"must be an object, got {type(item.metadata).__name__}")
    if isinstance(item.position, bool) or not isinstance(item.position, int | None):
        raise InvalidInput("position", f"must be a whole number, got {show_value(item.position)}")
    if not isinstance(item.traits, MemoryTraits | None):
        raise InvalidInput("traits", f"must be MemoryTraits, got {type(item.traits).__name__}")


Checked = TypeVar("Checked", Item, Person, MemoryTraits)


def as_kept(kind: type[Checked], /, **values: Any) -> Checked:
    """Return a record of a store, which has looked at the types of the values.

    Its bounds are those that applied when it was kept: a version of the engine with narrower ones
    still reads what an earlier one accepted.
    """
    made = object.__new__(kind)
    put = object.__setattr__
    for name in kind.__slots__:
        put(made, name, values[name])
    return made


def _check_times(item: Item) -> None:
    for name in ("happened_at", "stored_at"):
        when = getattr(item, name)
        if when is None:
            continue
        object.__setattr__(item, name, as_time(when, field=name))


def derive_id(item: Item) -> str:
    """Return the derived id of an item: by source and source id, or by text and time."""
    if item.source_id:
        parts = ["source", item.source, item.source_id]
    else:
        when = item.happened_at.isoformat() if item.happened_at else ""
        own = [item.source, item.kind, item.session, when, item.title, item.content]
        parts = ["text", *own]
    return short_hash("\x1f".join(parts))


def in_language(item: Item, language: str) -> Item:
    """Return the item with another language, without checking its other fields again."""
    if item.language == language:
        return item
    check_text(language, field="language")
    values = {name: getattr(item, name) for name in Item.__slots__}
    return as_kept(Item, **{**values, "language": language})


def digest(item: Item) -> bytes:
    """Return 16 bytes over all fields that a caller can set; equal digests need no rewrite.

    Raises:
        InvalidInput: The metadata cannot be written as JSON.
    """
    fields = dict(zip(_SET_BY_CALLERS, _set_by_callers(item), strict=True))
    fields["people"] = [(p.name, p.address, p.role) for p in item.people]
    fields["metadata"] = dict(item.metadata)
    if item.traits is not None:
        fields["traits"] = _trait_values(item.traits)
    try:
        text = _DIGESTED.encode(fields).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput("metadata", f"cannot be kept as JSON: {error}") from error
    return hashlib.blake2b(text, digest_size=16).digest()


_SET_BY_CALLERS = tuple(
    name for name in Item.__slots__ if name not in ("stored_at", "revision", "version")
)
_set_by_callers = attrgetter(*_SET_BY_CALLERS)
_DIGESTED = json.JSONEncoder(sort_keys=True, ensure_ascii=False, default=str)


def _trait_values(traits: MemoryTraits) -> dict[str, Any]:
    """Return the traits by name; `expires_at`, new in format 2, only if set."""
    values = {name: getattr(traits, name) for name in MemoryTraits.__slots__}
    if values["expires_at"] is None:
        del values["expires_at"]
    return values


def short_hash(text: str) -> str:
    """Return 26 lower-case letters and digits: 128 bits of BLAKE2b of `text`."""
    raw = hashlib.blake2b(text.encode(), digest_size=16).digest()
    return b32hexencode(raw).decode().rstrip("=").lower()


TRUST_KEY = "_trust"
"""The metadata key by which an item says how far it may be trusted."""

_TRUST_LEVELS = {trust.value: trust for trust in Trust}
TRUST_RANKS = {trust: rank for rank, trust in enumerate(Trust)}
"""0 is the most trusted."""


def declared_trust(item: Item) -> Trust | None:
    """Return the trust level declared in the item's metadata, if there is a valid one."""
    declared = item.metadata.get(TRUST_KEY)
    return _TRUST_LEVELS.get(declared) if isinstance(declared, str) else None


def least_trusted(*levels: Trust) -> Trust:
    """Return the least trusted of these levels."""
    return max(levels, key=TRUST_RANKS.__getitem__)


def with_trust(item: Item, trust: Trust) -> Item:
    """Return the item with the trust level `trust`, or with its own if that is lower.

    What comes with an item may lower its trust, never raise it.
    """
    declared = declared_trust(item)
    level = trust if declared is None else least_trusted(declared, trust)
    return replace(item, metadata={**item.metadata, TRUST_KEY: level.value})
