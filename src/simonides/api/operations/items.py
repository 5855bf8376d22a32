"""The requests that add, change and remove items.

A field that is left out, or null, is not set. Must not know what is done with them.
"""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from simonides.api.operations.fields import (
    BATCH_MAX,
    PEOPLE_MAX,
    AsOf,
    Collection,
    Content,
    HalfLife,
    Id,
    Ids,
    ItemId,
    Language,
    Metadata,
    Name,
    PersonText,
    Position,
    ProposedText,
    Share,
    Source,
    SourceId,
    Summary,
    Tags,
    Text,
    Time,
    Title,
    Version,
)
from simonides.api.operations.questions import FilterRequest
from simonides.model.item import Kind, MemoryType, Role, Scope, Status


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
    id: ItemId | None = None
    quoted: Text | None = None
    position: Position | None = None
    traits: TraitsRequest | None = None


Items = Annotated[tuple[ItemRequest, ...], Meta(min_length=1, max_length=BATCH_MAX)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddRequest(ItemRequest):
    """One item, or several under `items`, which are stored in one transaction: all or none."""

    items: Items | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateRequest(StatementRequest):
    """The new fields of an item; with `if_version` only if that version is present."""

    item_id: Id
    content: Text | None = None
    kind: Kind | None = None
    quoted: Text | None = None
    position: Position | None = None
    traits: TraitsRequest | None = None
    if_version: Version | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GetRequest:
    """An item, and the time or revision of its state."""

    item_id: Id
    as_of: AsOf | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetRequest:
    """The items to forget; with `if_version` only if that version is present."""

    ids: Annotated[Ids, Meta(min_length=1)]
    if_version: Version | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseRequest:
    """The items to erase: ids, or a filter, or everything; exactly one of them.

    With `prove` another process searches the files for what was erased. With `answers` the answers
    of chats that were made with it are erased, too.
    """

    ids: Ids = ()
    filter: FilterRequest | None = None
    everything: bool = False
    prove: bool = False
    answers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewEraseRequest:
    """The filter of an erasure."""

    filter: FilterRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberRequest(StatementRequest):
    """A statement that is compared with the stored memories; in a dry run nothing is written.

    The traits stand beside the text, or under `traits`.
    """

    text: Content
    dry_run: bool = False
    traits: TraitsRequest | None = None
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedRequest:
    """A proposed memory; `evidence` are the ids of the items that it was extracted from."""

    text: ProposedText
    evidence: Annotated[Ids, Meta(min_length=1)]
    traits: TraitsRequest | None = None
    happened_at: Time | None = None
    note: Annotated[str, Meta(max_length=4_000)] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposeRequest:
    """Proposed memories, and extractors that propose them."""

    proposed: Annotated[tuple[ProposedRequest, ...], Meta(min_length=1, max_length=BATCH_MAX)]
    by: Annotated[str, Meta(min_length=1, max_length=4_000)]
