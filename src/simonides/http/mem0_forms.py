"""What mem0's clients send and read: their requests, memories, events and filters.

Must not know any route.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

from msgspec import Meta

from simonides.errors import InvalidInput
from simonides.model.bounds import LIMIT
from simonides.model.filter import AllOf, AnyOf, Compare, Condition, Filter, Not, Operator
from simonides.model.item import Item, Kind, MemoryTraits, Person, Role
from simonides.model.maintenance import Version
from simonides.model.stored import Change
from simonides.model.times import as_time

SOURCE = "mem0"
IDENTITIES = ("user_id", "agent_id", "app_id", "run_id")
"""Whose a memory is; a value of `*` in a filter stands for any."""

CREATED_AT = "_created_at"
OPERATORS = {
    "eq": "eq", "ne": "ne", "gt": "gt", "gte": "gte", "lt": "lt", "lte": "lte", "in": "in",
    "contains": "contains", "icontains": "contains",
}  # fmt: skip
Object = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mem0Add:
    """Messages to keep, and whose they are; other fields are passed over."""

    messages: Annotated[tuple[Object, ...], Meta(min_length=1)]
    user_id: str | None = None
    agent_id: str | None = None
    app_id: str | None = None
    run_id: str | None = None
    filters: Object | None = None
    metadata: Object | None = None
    timestamp: int | None = None
    expiration_date: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mem0Search:
    """A question, and which memories are asked."""

    query: Annotated[str, Meta(min_length=1)]
    filters: Object | None = None
    top_k: Annotated[int, Meta(ge=1, le=LIMIT.high)] | None = None
    threshold: Annotated[float, Meta(ge=0, le=1)] | None = None
    show_expired: bool | None = None
    reference_date: str | int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mem0List:
    """Which memories are listed."""

    filters: Object | None = None
    show_expired: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mem0Update:
    """The new words of a memory, its metadata, and when it ends."""

    memory_id: str
    text: str | None = None
    metadata: Object | None = None
    timestamp: int | None = None
    expiration_date: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mem0Id:
    """A memory."""

    memory_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mem0Of:
    """Whose memories are meant."""

    user_id: str | None = None
    agent_id: str | None = None
    app_id: str | None = None
    run_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mem0Batch:
    """Memories to update or to forget."""

    memories: Annotated[tuple[Mem0Update, ...], Meta(min_length=1, max_length=LIMIT.high)]


# ── memories as mem0 knows them ───────────────────────────────────────────────────────────────


def item_of(message: Object, asked: Mem0Add, whose: Mapping[str, str], now: datetime) -> Item:
    """Return a message as a memory of somebody."""
    said_at = None if asked.timestamp is None else time_of(asked.timestamp, "timestamp")
    speaker = str(message.get("role") or "user")
    ends_at = asked.expiration_date and time_of(asked.expiration_date, "expiration_date")
    return Item(
        kind=Kind.MEMORY,
        content=text_of(message),
        source=SOURCE,
        source_id=_place(_text_hash(text_of(message)), whose),
        people=() if speaker == "user" else (Person(name=speaker, role=Role.AUTHOR),),
        happened_at=said_at,
        session=whose.get("run_id", ""),
        metadata={
            **(asked.metadata or {}),
            **{f"_{name}": value for name, value in whose.items()},
            CREATED_AT: now.isoformat(),
        },
        traits=MemoryTraits(expires_at=ends_at or None),
    )


def _place(name: str, whose: Mapping[str, str]) -> str:
    """Return a source id that differs from that of the same words of somebody else."""
    return json.dumps([whose.get(one, "") for one in IDENTITIES] + [name], ensure_ascii=False)


def _text_hash(text: str) -> str:
    """Return the hash that mem0 gives a memory: MD5 of its words."""
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def text_of(message: Object) -> str:
    """Return the words of a message: a text, or those of its parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content.strip()
    parts = content if isinstance(content, list) else []
    texts = (str(one.get("text") or "") for one in parts if isinstance(one, dict))
    return "\n".join(filter(None, texts)).strip()


def event_of(change: Change) -> str:
    """Return mem0's word for the outcome of an addition."""
    return {Change.ADDED: "ADD", Change.UPDATED: "UPDATE"}.get(change, "NONE")


def memory_of(item: Item) -> Object:
    """Return a memory in the form that clients read."""
    own = {name: value for name, value in item.metadata.items() if not name.startswith("_")}
    changed_at = item.stored_at.isoformat() if item.stored_at else None
    ends_at = item.traits.expires_at if item.traits else None
    return {
        "id": item.id,
        "memory": item.content or item.title,
        **{name: item.metadata.get(f"_{name}") for name in IDENTITIES},
        "hash": _text_hash(item.content),
        "metadata": own,
        "created_at": item.metadata.get(CREATED_AT, changed_at),
        "updated_at": changed_at,
        "expiration_date": ends_at.date().isoformat() if ends_at else None,
    }


def events_of(versions: tuple[Version, ...]) -> Iterator[Object]:
    """Yield the history of a memory in the form that clients read, oldest first."""
    before: str | None = None
    for one in versions:
        item = one.item
        yield {
            "id": f"{item.id}-{item.version}",
            "memory_id": item.id,
            "old_memory": before,
            "new_memory": item.content,
            "event": "ADD" if before is None else "UPDATE",
            "created_at": item.metadata.get(CREATED_AT),
            "updated_at": item.stored_at.isoformat() if item.stored_at else None,
        }
        before = item.content
    if versions[-1].cause == "forgotten":
        last = versions[-1].item
        yield {"id": f"{last.id}-deleted", "memory_id": last.id, "old_memory": before,
               "new_memory": None, "event": "DELETE"}  # fmt: skip


def time_of(value: str | int, field: str) -> datetime:
    """Return a time that is given in seconds since 1970, or as ISO 8601.

    Raises:
        InvalidInput: It is none.
    """
    if isinstance(value, int):
        try:
            return datetime.fromtimestamp(value, tz=UTC)
        except (ValueError, OverflowError, OSError) as error:
            raise InvalidInput(field, f"is no time: {error}") from error
    return as_time(value, field=field)


# ── filters ───────────────────────────────────────────────────────────────────────────────────


def filter_of(wanted: Object | None, *, expired: bool) -> Filter:
    """Return mem0's filters as a filter of memories.

    Raises:
        InvalidInput: An operator is not known, or a part is of another form.
    """
    return Filter(kinds=[Kind.MEMORY], expired=expired, where=_all(wanted or {}))


def _all(wanted: Any) -> AllOf:
    parts = _object(wanted, "filters").items()
    return AllOf(parts=tuple(_condition(name, value) for name, value in parts))


def _condition(name: str, value: Any) -> Condition:
    if name.upper() in ("AND", "OR", "NOT"):
        parts = tuple(_all(one) for one in (value if isinstance(value, list) else [value]))
        joined = AnyOf(parts=parts) if name.upper() in ("OR", "NOT") else AllOf(parts=parts)
        return Not(part=joined) if name.upper() == "NOT" else joined
    if name == "metadata":
        named = _object(value, "filters.metadata")
        return AllOf(parts=tuple(_compare(key, one) for key, one in named.items()))
    if name == "created_at":
        return _compare(CREATED_AT, value)
    return _compare(f"_{name}" if name in IDENTITIES else name, value)


def _object(value: Any, field: str) -> Object:
    if not isinstance(value, dict):
        raise InvalidInput(field, "must be an object")
    return value


def _compare(key: str, value: Any) -> Condition:
    if value == "*":
        return Compare(key=key, operator=Operator.EXISTS, value=True)
    compared = value if isinstance(value, dict) else {"eq": value}
    for operator in compared:
        if operator not in OPERATORS:
            known = ", ".join(OPERATORS)
            raise InvalidInput(f"filters.{key}", f"operator {operator!r} is not known; {known} are")
    parts = (
        Compare(key=key, operator=Operator(OPERATORS[operator]), value=one)
        for operator, one in compared.items()
    )
    return AllOf(parts=tuple(parts))
