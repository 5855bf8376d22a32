"""What each operation is asked with: one record for each form of request.

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
    """Which page of a list."""

    limit: Limit = 50
    cursor: Cursor = ""


# ── items ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemId:
    """Which item."""

    item_id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreItem:
    """Which version of an item is to be present again; the last one of a forgotten item if none."""

    item_id: Id
    version: Version | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordUsage:
    """Which items were used, cited or opened."""

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
    """Which collection's background, and as of when."""

    collection: Collection = "main"
    as_of: Time | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListBackgrounds:
    """Which page of a collection's snapshots."""

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
    """Which snapshot of background, and from when on it may be removed from the file."""

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
    """Which conversation."""

    session_id: SessionId


@dataclass(frozen=True, slots=True, kw_only=True)
class ListMessages:
    """Which page of a conversation's messages."""

    session_id: SessionId
    limit: Limit = 50
    cursor: Cursor = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LastMessages:
    """Which conversation, and how many of its last messages."""

    session_id: SessionId
    n: Limit = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMessage:
    """One message, kept at the end of its conversation."""

    session_id: SessionId
    role: Literal["user", "assistant"]
    content: Content
    metadata: Metadata | None = None
    happened_at: Time | None = None


# ── preferences and entities ──────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPreferences:
    """How many preferences."""

    limit: Limit = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class GetPreference:
    """Which preference, by its key."""

    key: PreferenceKey


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPreference:
    """How the user wants something to be."""

    key: PreferenceKey
    value: PreferenceValue


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEntities:
    """Which entities: those whose name or alias holds `name`, most often mentioned first."""

    name: Name = ""
    limit: Limit = 50


# ── proposals ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class ListProposals:
    """Which page of the proposals, all or those of one status."""

    status: ProposalStatus | None = None
    limit: Limit = 50
    cursor: Cursor = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalId:
    """Which proposal."""

    proposal_id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptProposal:
    """Which proposal to remember; in a dry run nothing is written."""

    proposal_id: Id
    dry_run: bool = False


# ── surrogates and maintenance ────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class GetSurrogate:
    """Which item's summaries, and by which algorithm they were written."""

    item_id: Id
    algorithm: Name = "extractive"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildSurrogates:
    """How many items to write summaries of, and for how long."""

    items_max: Count | None = None
    time_max_s: Annotated[float, Meta(gt=0, le=3_600)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Embed:
    """How many chunks to embed, and for about how long."""

    chunks_max: Count | None = None
    time_max_s: Annotated[float, Meta(gt=0, le=3_600)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compact:
    """Up to when the past is removed; as far as retention allows if none is given."""

    before: AsOf | None = None
