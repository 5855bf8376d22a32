"""The requests of questions: filters, and the settings of briefs.

Must not know what is done with them.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta

from simonides.api.operations.fields import (
    AsOf,
    Count,
    Cursor,
    Id,
    Ids,
    Limit,
    Metadata,
    Name,
    Names,
    NewSessionId,
    Question,
    Reserve,
    Score,
    Share,
    Spaces,
    Time,
    Zone,
)
from simonides.model.answer import Mode, Scorer
from simonides.model.brief import ContextMode, Layout, TierPolicy
from simonides.model.chat import ChatMode
from simonides.model.item import Kind, MemoryType, Scope, Status, Trust
from simonides.model.query import NamedTime


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewerRequest:
    """The person who asks, for memories with limited visibility."""

    workspace_id: Name = ""
    user_id: Name = ""
    session_id: Name = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterRequest:
    """A filter; a field that is left out does not restrict.

    `time` is a rolling range that ends now, in the place of `since` and `until`. `where` is a
    condition on metadata, such as {"priority": {"gte": 3}}.
    """

    ids: Ids = ()
    without_ids: Ids = ()
    sources: Names = ()
    kinds: tuple[Kind, ...] = ()
    collections: Names = ()
    sessions: Names = ()
    tags: Names = ()
    people: Names = ()
    authors: Names = ()
    entities: Names = ()
    scopes: tuple[Scope, ...] = ()
    types: tuple[MemoryType, ...] = ()
    statuses: tuple[Status, ...] = (Status.ACTIVE,)
    expired: bool = False
    since: Time | None = None
    until: Time | None = None
    time: NamedTime | None = None
    viewer: ViewerRequest | None = None
    where: Metadata | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """A question, to the own space or to each of `spaces`."""

    query: Question
    limit: Limit | None = 10
    mode: Mode | None = Mode.HYBRID
    scorer: Scorer | None = Scorer.FUSED
    filter: FilterRequest | None = None
    now: Time | None = None
    timezone: Zone | None = None
    session_id: Name | None = ""
    min_score: Score | None = None
    min_relevance: Share | None = None
    as_of: AsOf | None = None
    best_context: bool = False
    spaces: Annotated[Spaces, Meta(min_length=1)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainRequest:
    """A question, and the settings of its brief.

    The budget is in tokens or in words. Fields that are left out are the preset's. `spaces` are
    read besides the own one, within the one budget.
    """

    query: Question
    budget_tokens: Count | None = None
    budget_words: Count | None = None
    preset: Annotated[str, Meta(max_length=32)] | None = "brief"
    limit: Limit | None = None
    max_items: Count | None = None
    mode: Mode | None = None
    scorer: Scorer | None = None
    filter: FilterRequest | None = None
    now: Time | None = None
    timezone: Zone | None = None
    session_id: Name | None = None
    min_score: Score | None = None
    min_relevance: Share | None = None
    as_of: AsOf | None = None
    layout: Layout | None = None
    context_mode: ContextMode | None = None
    top_k: int | None = None
    expansion_tokens_max: int | None = None
    expansion_bytes_max: int | None = None
    snippet_words_max: int | None = None
    snippets_max: int | None = None
    surrogate_tokens_max: int | None = None
    surrogates_max: int | None = None
    surrogates: Name | None = None
    tier_policy: TierPolicy | None = None
    recent_days: float | None = None
    old_days: float | None = None
    full_importance: float | None = None
    gist_importance: float | None = None
    query_boost_max: float | None = None
    items_max: int | None = None
    source_items_max: int | None = None
    score_min: Score | None = None
    worth_min: float | None = None
    trust_min: Trust | None = None
    likeness_max: float | None = None
    reserve: Reserve | None = None
    headers: bool | None = None
    why: bool | None = None
    spaces: Spaces | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefRequest(ExplainRequest):
    """A question, the settings of its brief, and whether its receipt is stored in the space."""

    keep_receipt: bool = False


ReceiptOrId = dict[str, Any] | Id
"""A receipt as it came with a brief, or the id of one that was kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRequest:
    """The brief to replay: its receipt, or the id of a stored receipt."""

    receipt: ReceiptOrId


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffRequest:
    """The two briefs to compare: their receipts, or ids of stored receipts."""

    before: ReceiptOrId
    after: ReceiptOrId


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRequest:
    """A page of items, with a filter."""

    filter: FilterRequest | None = None
    limit: Limit = 50
    cursor: Cursor = ""
    as_of: AsOf | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgendaRequest:
    """Which time, of whose events and tasks, and which page of them."""

    since: Time | None = None
    until: Time | None = None
    sources: Names = ()
    collections: Names = ()
    people: Names = ()
    limit: Limit = 100
    cursor: Cursor = ""
    as_of: AsOf | None = None
    now: Time | None = None
    timezone: Zone | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveRequest:
    """A question to items and conversations together, of the own space and of `spaces`."""

    query: Question
    session_id: NewSessionId = ""
    sources: Names = ()
    time_filter: NamedTime | None = None
    entity_filter: Names = ()
    include_episodic: bool = True
    limit: Annotated[int, Meta(ge=1, le=100)] = 10
    without_ids: Ids = ()
    scorer: Scorer = Scorer.FUSED
    now: Time | None = None
    timezone: Zone | None = None
    spaces: Spaces = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """A message to the assistant.

    `session_id` is the conversation that it belongs to; a new one if it is empty. With `stream`
    the answer comes as events. `spaces` are read besides the own one, where the messages are kept.
    """

    message: Question
    session_id: NewSessionId = ""
    sources: Names = ()
    time_filter: NamedTime | None = None
    mode: ChatMode | None = None
    now: Time | None = None
    timezone: Zone | None = None
    stream: bool = False
    spaces: Spaces = ()
