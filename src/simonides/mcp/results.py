"""What the tools answer, as shapes that clients are shown: the records of `wire`, lean.

A field that says nothing is left out. Must not know a tool.
"""

from typing import Any, NotRequired

from pydantic import TypeAdapter
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12


class Person(TypedDict, total=False):
    """Someone who takes part in an item."""

    name: str
    address: str
    role: str


class Item(TypedDict, total=False):
    """Something kept; among others its content is cut, and `cut` says so."""

    id: str
    kind: str
    source: str
    source_id: str
    title: str
    summary: str
    content: str
    quoted: str
    tags: list[str]
    people: list[Person]
    metadata: dict[str, Any]
    collection: str
    session: str
    position: int
    happened_at: str
    stored_at: str
    language: str
    traits: dict[str, Any]
    revision: int
    version: int
    cut: bool


class Contribution(TypedDict):
    """One named part of a score."""

    name: str
    value: float | None
    detail: NotRequired[str]


class Entry(TypedDict):
    """Something found."""

    entryId: str
    summary: str
    _score: float | None
    passage: str
    trust: str
    lanes: list[str]
    item: Item
    explanation: NotRequired[list[Contribution]]


class FoundEntries(TypedDict):
    """What a search answers; `cut` says that there was more than fits."""

    entries: list[Entry]
    latestContext: str
    contextTimestamp: str | None
    notes: list[str]
    cut: bool


class ShownItem(TypedDict, total=False):
    """An item in a context: `number` is that of its citation."""

    number: int
    id: str
    version: int
    title: str
    source: str
    happened_at: str
    score: float
    tokens: int
    stage: str
    form: str
    trust: str
    tier: str
    spans: list[list[int]]


class Context(TypedDict):
    """A context for a question; `dropped` counts what is not in it, by reason."""

    text: str
    tokens: int
    budget: int
    items: list[ShownItem]
    dropped: dict[str, int]
    receipt: str
    notes: list[str]
    cut: bool


class DroppedItem(TypedDict, total=False):
    """What is not in a context, and why."""

    id: str
    reason: str
    score: float
    detail: str
    cost: int


class BriefReasons(TypedDict):
    """Why a context is as it is."""

    plan: dict[str, Any]
    lanes: list[dict[str, Any]]
    entries: list[Entry]
    tokens: int
    budget: int
    items: list[ShownItem]
    dropped: list[DroppedItem]
    account: list[dict[str, Any]]
    more: int
    notes: list[str]
    cut: bool


class KeptItems(TypedDict):
    """What became of a statement: `id` is the memory that says it from now on."""

    op: str
    reason: str
    id: str
    superseded: str
    written: list[str]
    revision: int


class OneItem(TypedDict):
    """One item; `next_offset` is where its content goes on, null at its end."""

    item: Item
    next_offset: int | None
    content_chars: int


class ItemPage(TypedDict):
    """A page of items, newest first; `cursor` asks for the next, empty at the end."""

    items: list[Item]
    cursor: str


class Forgotten(TypedDict):
    """What no lane finds any more; `restore` brings it back."""

    forgotten: list[str]


class Entity(TypedDict):
    """A person, project, issue or topic."""

    id: str
    kind: str
    names: list[str]
    mentions: int


class Entities(TypedDict):
    """Who and what is mentioned, most often first."""

    entities: list[Entity]
    cut: bool


def schema(answer: Any) -> dict[str, Any]:
    """Return the JSON Schema of an answer."""
    return TypeAdapter(answer).json_schema()
