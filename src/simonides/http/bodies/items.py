"""What the routes of `/v1/items`, `/v1/engage` and `/v1/erase` take.

They give each `Item` as it is kept, a `Page` of items, an `Outcome` for each one that was added,
ids of those forgotten or engaged with, and an `ErasureReport`.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from simonides.http.bodies.asking import FilterBody
from simonides.http.bodies.form import (
    BATCH_MAX,
    Body,
    Collection,
    Ids,
    KindName,
    Metadata,
    Name,
    PageAsked,
    RoleName,
    ScopeName,
    Share,
    StatusName,
    Texts,
    Time,
    TypeName,
    Version,
    within,
)
from simonides.model.bounds import HALF_LIFE_HOURS, ITEM_TEXTS, PEOPLE, POSITION, TAGS

Content = Annotated[str, within(ITEM_TEXTS["content"])]
Title = Annotated[str, within(ITEM_TEXTS["title"])]
Summary = Annotated[str, within(ITEM_TEXTS["summary"])]
Source = Annotated[str, within(ITEM_TEXTS["source"])]
SourceId = Annotated[str, within(ITEM_TEXTS["source_id"])]
OwnId = Annotated[str, within(ITEM_TEXTS["id"])]
Language = Annotated[str, within(ITEM_TEXTS["language"])]
Tags = Annotated[list[Name], Field(max_length=TAGS.count_max)]
Position = Annotated[int, within(POSITION)]


class PersonBody(BaseModel):
    """Someone who takes part."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: Name = ""
    address: Name = ""
    role: RoleName = "author"


class TraitsBody(BaseModel):
    """What only memories have."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    scope: ScopeName | None = None
    type: TypeName | None = None
    status: StatusName | None = None
    confidence: Share | None = None
    importance: Share | None = None
    half_life_hours: Annotated[float, within(HALF_LIFE_HOURS)] | None = None
    entity: Name | None = None
    workspace_id: Name | None = None
    user_id: Name | None = None
    session_id: Name | None = None
    source_run_id: Name | None = None
    expires_at: Time | None = None


class FieldsBody(Body):
    """The fields of an item that a caller may set, `id` and `source_id` apart."""

    title: Title | None = None
    summary: Summary | None = None
    quoted: Content | None = None
    tags: Tags | None = None
    people: Annotated[list[PersonBody | str], Field(max_length=PEOPLE.count_max)] | None = None
    metadata: Metadata | None = None
    collection: Collection | None = None
    session: Name | None = None
    position: Position | None = None
    happened_at: Time | None = None
    language: Language | None = None
    traits: TraitsBody | None = None

    def record(self) -> dict[str, Any]:
        """Return the fields that were sent as JSON, for the engine's own reader."""
        told: dict[str, Any] = self.model_dump(
            exclude={"space"}, exclude_unset=True, exclude_none=True
        )
        return told


class ItemBody(FieldsBody):
    """An item; all but its text may be left out."""

    content: Content = ""
    kind: KindName | None = None
    source: Source | None = None
    source_id: SourceId | None = None
    id: OwnId | None = None


class AddBody(ItemBody):
    """One item; or several under `items`, kept in one transaction: all of them or none."""

    items: Annotated[list[ItemBody], Field(min_length=1, max_length=BATCH_MAX)] | None = None

    def records(self) -> list[dict[str, Any]]:
        """Return the items as JSON, for the engine's own reader."""
        if self.items is None:
            return [self.record()]
        return [one.record() for one in self.items]


class UpdateBody(FieldsBody):
    """The fields that are to be other than they are."""

    content: Content | None = None


class RestoreBody(Body):
    """Which version is to be there again; the last one of a forgotten item unless told."""

    version: Version | None = None


class EraseBody(Body):
    """What is to be gone for good: ids, or a filter, or everything; just one of them."""

    ids: Ids = Field([])
    filter: FilterBody | None = None
    everything: bool = False
    prove: bool = False


class ItemsAsked(PageAsked):
    """Which page of which items; a parameter may be given several times."""

    as_of: Time | None = None
    kind: list[KindName] = Field([])
    source: Texts = Field([])
    collection: Texts = Field([])
    session: Texts = Field([])
    tag: Texts = Field([])
    person: Texts = Field([])
    status: list[StatusName] = Field([])
    since: Time | None = None
    until: Time | None = None
