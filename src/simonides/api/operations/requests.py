"""The request records of the operations.

Fields have the names of the arguments of `Memory` and the values of JSON: times are ISO 8601 texts
and filters are objects. Bounds are in the types. Must not know what is done with them.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from simonides.api.operations.fields import (
    AsOf,
    BackgroundText,
    Collection,
    Content,
    Count,
    Cursor,
    EntityName,
    EntityNames,
    Id,
    Ids,
    Limit,
    Metadata,
    Name,
    NewSessionId,
    PreferenceKey,
    PreferenceValue,
    Question,
    SessionId,
    Time,
    Title,
    Version,
)
from simonides.model.memories import ProposalStatus
from simonides.model.stored import Engaged


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """No arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPage:
    """A page of a list."""

    limit: Limit = 50
    cursor: Cursor = ""


# ── items ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemId:
    """An item."""

    item_id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreItem:
    """The version of an item to restore; by default the last one of a forgotten item."""

    item_id: Id
    version: Version | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordUsage:
    """The items that were used, cited or opened."""

    ids: Annotated[Ids, Meta(min_length=1)]
    how: Engaged = Engaged.USED


# ── background ────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class PutBackground:
    """A collection's background from now on."""

    text: BackgroundText
    collection: Collection = "main"


@dataclass(frozen=True, slots=True, kw_only=True)
class GetBackground:
    """A collection, and the time of its background."""

    collection: Collection = "main"
    as_of: Time | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListBackgrounds:
    """A page of a collection's snapshots."""

    collection: Collection = "main"
    limit: Limit = 50
    cursor: Cursor = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchBackgrounds:
    """A question to the snapshots of a collection."""

    query: Question
    collection: Collection = "main"
    limit: Limit = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class BackgroundId:
    """A snapshot, and the time from which it may be removed from the file."""

    background_id: Id
    due: Time | None = None


# ── sessions ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateSession:
    """A conversation to begin; its id is made unless it is given."""

    session_id: NewSessionId = ""
    title: Title = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GetSession:
    """A session."""

    session_id: SessionId


@dataclass(frozen=True, slots=True, kw_only=True)
class ListMessages:
    """A page of a session's messages."""

    session_id: SessionId
    limit: Limit = 50
    cursor: Cursor = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LastMessages:
    """A session, and the number of its last messages."""

    session_id: SessionId
    n: Limit = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMessage:
    """A message, added at the end of its session."""

    session_id: SessionId
    role: Literal["user", "assistant"]
    content: Content
    metadata: Metadata | None = None
    happened_at: Time | None = None


# ── preferences and entities ──────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPreferences:
    """The maximum number of preferences."""

    limit: Limit = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class GetPreference:
    """A preference, by its key."""

    key: PreferenceKey


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPreference:
    """A preference of the user."""

    key: PreferenceKey
    value: PreferenceValue


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEntities:
    """The entities whose name or alias contains `name`, most frequent first."""

    name: Name = ""
    limit: Limit = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeEntities:
    """An entity, and the others that are the same: ids or names."""

    entity: EntityName
    others: EntityNames


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameEntity:
    """An entity, by its id or a name, and the name by which it is shown."""

    entity: EntityName
    name: EntityName


@dataclass(frozen=True, slots=True, kw_only=True)
class AliasEntity:
    """An entity, by its id or a name, and further names that it answers to."""

    entity: EntityName
    names: EntityNames


# ── proposals ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class ListProposals:
    """A page of the proposals, of all or of one status."""

    status: ProposalStatus | None = None
    limit: Limit = 50
    cursor: Cursor = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalId:
    """A proposal."""

    proposal_id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptProposal:
    """The proposal to accept; in a dry run nothing is written."""

    proposal_id: Id
    dry_run: bool = False


# ── surrogates and maintenance ────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class GetSurrogate:
    """An item, and the algorithm of its summaries."""

    item_id: Id
    algorithm: Name = "extractive"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildSurrogates:
    """How long the summaries are, the number of items to write them of, and the time limit."""

    algorithm: Literal["extractive", "extractive-compact", "extractive-verbose"] = "extractive"
    items_max: Count | None = None
    time_max_s: Annotated[float, Meta(gt=0, le=3_600)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Embed:
    """How many chunks to embed, and for about how long."""

    chunks_max: Count | None = None
    time_max_s: Annotated[float, Meta(gt=0, le=3_600)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compact:
    """The limit of the history to remove; by default the retention."""

    before: AsOf | None = None
