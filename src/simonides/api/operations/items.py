"""The operations on items: list, add, get, update, forget, history, restore and usage.

A field of a request that is left out, or null, is not set.
"""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from simonides.api.operations.arguments import FilterRequest, Sent
from simonides.api.operations.fields import (
    AN_ID,
    BATCH_MAX,
    PEOPLE_MAX,
    AsOf,
    Collection,
    Cursor,
    HalfLife,
    Id,
    Ids,
    Language,
    Limit,
    Metadata,
    Name,
    NewItemId,
    PersonText,
    Position,
    Share,
    Source,
    SourceId,
    Summary,
    Tags,
    Text,
    Time,
    Title,
    VersionNumber,
)
from simonides.api.operations.operation import Operation
from simonides.codec.read import read_item
from simonides.errors import InvalidInput
from simonides.model.access import Permission
from simonides.model.answer import Page
from simonides.model.counts import ItemCounts
from simonides.model.item import Item, Kind, MemoryType, Role, Scope, Status
from simonides.model.maintenance import Version
from simonides.model.result import Result
from simonides.model.stored import Change, Engaged, Engagement, Outcome

if TYPE_CHECKING:
    from simonides.api.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest:
    """A page of items, with a filter."""

    filter: FilterRequest | None = None
    limit: Limit = 50
    cursor: Cursor = ""
    as_of: AsOf | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CountRequest:
    """What items to count, and the metadata key whose values are counted."""

    filter: FilterRequest | None = None
    as_of: AsOf | None = None
    metadata: Name = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonRequest:
    """Someone who takes part: a name, an address, or both."""

    name: Name = ""
    address: Name = ""
    role: Role = Role.AUTHOR


@dataclass(frozen=True, slots=True, kw_only=True)
class TraitsRequest:
    """The fields that only memories have: audience, confidence and lifetime."""

    scope: Scope | None = None
    type: MemoryType | None = None
    status: Status | None = None
    confidence: Share | None = None
    importance: Share | None = None
    half_life_hours: HalfLife | None = None
    entity: Name | None = None
    workspace_id: Name | None = None
    user_id: Name | None = None
    session_id: Name | None = None
    source_run_id: Name | None = None
    expires_at: Time | None = None


People = Annotated[tuple[PersonRequest | PersonText, ...], Meta(max_length=PEOPLE_MAX)]
"""Objects, or texts such as "Sarah Lindqvist <sarah@example.com>"; the author stands first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementRequest:
    """The fields of any stored text."""

    title: Title | None = None
    summary: Summary | None = None
    tags: Tags | None = None
    people: People | None = None
    metadata: Metadata | None = None
    collection: Collection | None = None
    session: Name | None = None
    happened_at: Time | None = None
    language: Language | None = None
    source: Source | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRequest(StatementRequest):
    """An item; its text or its title must not be empty."""

    content: Text = ""
    kind: Kind | None = None
    source_id: SourceId | None = None
    id: NewItemId | None = None
    quoted: Text | None = None
    position: Position | None = None
    traits: TraitsRequest | None = None


Items = Annotated[tuple[ItemRequest, ...], Meta(min_length=1, max_length=BATCH_MAX)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddRequest(ItemRequest):
    """One item, or several under `items`, stored in one transaction: all or none.

    The items of `forget` are forgotten in the same one.
    """

    items: Items | None = None
    forget: Ids | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateRequest(StatementRequest):
    """The new fields of an item; with `if_version` only if that version is present."""

    item_id: Id
    content: Text | None = None
    kind: Kind | None = None
    quoted: Text | None = None
    position: Position | None = None
    traits: TraitsRequest | None = None
    if_version: VersionNumber | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GetRequest:
    """An item, and the time or revision of its state."""

    item_id: Id
    as_of: AsOf | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetRequest:
    """The items to forget; with `if_version` only if that version is present."""

    ids: Annotated[Ids, Meta(min_length=1)]
    if_version: VersionNumber | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemId:
    """An item."""

    item_id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreItem:
    """The version of an item to restore; by default the last one of a forgotten item."""

    item_id: Id
    version: VersionNumber | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordUsage:
    """The items that were used, cited or opened."""

    ids: Annotated[Ids, Meta(min_length=1)]
    how: Engaged = Engaged.USED


@dataclass(frozen=True, slots=True, kw_only=True)
class Added(Result):
    """The outcomes of added items: a count of each change, and each by itself."""

    added: int
    updated: int
    unchanged: int
    forgotten: int
    outcomes: tuple[Outcome, ...]


def add(memory: "Memory", sent: Sent) -> Added:
    """Add one item, or several in one transaction, and forget others in it."""
    several, forget = sent.pop("items", None), sent.pop("forget", None) or ()
    if several is not None and _is_item(sent):
        raise InvalidInput("items", "stands for all: leave out the fields beside it")
    if several is None:
        several = [sent] if _is_item(sent) or not forget else []
    items = [read_item(one, timezone=memory.settings.timezone) for one in several]
    outcomes = memory.write(add=items, forget=forget) if forget else memory.add(items)
    counts = Counter(one.change for one in outcomes)
    return Added(outcomes=outcomes, **{one.value: counts[one] for one in Change})


def _is_item(sent: Sent) -> bool:
    return any(value != "" for value in sent.values())


def is_added(done: Added) -> bool:
    """Return whether anything was added."""
    return bool(done.added)


def update(memory: "Memory", sent: Sent) -> "Item":
    """Replace some fields of an item."""
    item_id, if_version = sent.pop("item_id"), sent.pop("if_version", None)
    if not sent:
        raise InvalidInput("body", "names no field: say what is to change")
    return memory.update(item_id, if_version=if_version, **sent)


OPERATIONS = (
    Operation(
        name="list", subject="items", method="GET", path="/v1/items",
        summary="List items, newest first, one page at a time.",
        request=ListRequest, result=Page, problems=(410,),
    ),
    Operation(
        name="counts", subject="items", method="POST", path="/v1/counts",
        summary="Count items by source, kind, collection, person, month, and a metadata key.",
        request=CountRequest, result=ItemCounts, problems=(410,),
        example={"filter": {"kinds": ["email"], "since": "2026-01-01"}},
    ),
    Operation(
        name="add", subject="items", method="POST", path="/v1/items",
        summary="Add an item, or several in one transaction; durable when it is answered.",
        request=AddRequest, call=add, result=Added,
        permission=Permission.WRITE, writes=True, is_new=is_added,
        example={"content": "The Alpha deadline moved to Friday.", "source": "gmail",
                 "tags": ["alpha"]},
    ),
    Operation(
        name="get", subject="items", method="GET", path="/v1/items/{id}",
        summary="Return one item.",
        request=GetRequest, positional=("item_id",), result=Item, problems=(404, 410),
    ),
    Operation(
        name="update", subject="items", method="PATCH", path="/v1/items/{id}",
        summary="Replace some fields of an item.",
        request=UpdateRequest, positional=("item_id",), call=update, result=Item,
        permission=Permission.WRITE, shows=True, problems=(404, 409),
        example={"title": "Alpha, new deadline"},
    ),
    Operation(
        name="forget", subject="items", method="DELETE", path="/v1/items/{id}",
        summary="Forget an item: no search finds it any more; `restore` brings it back.",
        request=ForgetRequest, spread="ids", result=tuple[str, ...],
        result_name="forgotten", permission=Permission.WRITE, missing="item", problems=(404, 409),
    ),
    Operation(
        name="history", subject="items", method="GET", path="/v1/items/{id}/history",
        summary="Return every stored version of an item.",
        request=ItemId, positional=("item_id",),
        result=tuple[Version, ...], result_name="versions", problems=(404,),
    ),
    Operation(
        name="restore", subject="items", method="POST", path="/v1/items/{id}/restore",
        summary="Restore a forgotten item, or an earlier version, as a new version.",
        request=RestoreItem, positional=("item_id",), result=Item,
        permission=Permission.WRITE, shows=True, writes=True, problems=(404, 409),
        example={"version": 1},
    ),
    Operation(
        name="record_usage", subject="items", method="POST", path="/v1/record-usage",
        summary="Record that items were used, cited or opened.",
        request=RecordUsage, spread="ids", result=tuple[str, ...], result_name="engaged",
        permission=Permission.WRITE, writes=True, example={"ids": [AN_ID], "how": "cited"},
    ),
    Operation(
        name="engagement", subject="items", method="GET", path="/v1/items/{id}/engagement",
        summary="Return how often an item was used, cited and opened, and when last.",
        request=ItemId, positional=("item_id",), result=Engagement, missing="engagement",
        problems=(404,),
    ),
)  # fmt: skip
