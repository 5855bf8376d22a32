"""What may be sent: the models of bodies and query strings, with their bounds and examples.

Strict: a number in quotes is refused, and so is a field that is not known. Only `space` is read
over everywhere: the space comes from the key. Owns `pydantic` beside `route` and `reading`. Must
not know any verb; `given` turns a model into a verb's arguments.
"""

import math
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

LIMIT_MAX = 1_000
"""Hits or items of one page."""

TEXT_CHARS_MAX = 100_000
"""Characters of a question (the engine's own bound)."""

BATCH_MAX = 1_000
"""Items of one request: one transaction."""

DEPTH_MAX = 32
"""How deep metadata may be nested, as conditions on it may."""


def _plain(value: Any, depth: int = 0) -> Any:
    """Refuse what no JSON can say again: numbers that are not finite, and nesting without end."""
    if depth > DEPTH_MAX:
        raise ValueError(f"is nested more than {DEPTH_MAX} deep")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("holds a number that is not finite")
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            _plain(one, depth + 1)
    return value


Metadata = Annotated[dict[str, JsonValue], AfterValidator(_plain)]
Text = Annotated[str, Field(max_length=TEXT_CHARS_MAX)]
Question = Annotated[str, Field(min_length=1, max_length=TEXT_CHARS_MAX)]
Texts = Annotated[list[Annotated[str, Field(max_length=1_000)]], Field(max_length=BATCH_MAX)]
Ids = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=256)]], Field(max_length=BATCH_MAX)
]
Limit = Annotated[int, Field(ge=1, le=LIMIT_MAX)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]
Revision = Annotated[int, Field(ge=0, le=2**62)]
Time = Annotated[str, Field(max_length=64, description="ISO 8601")]
AsOf = Revision | Time | None
Share = Annotated[float, Field(ge=0, le=1)]


class Body(BaseModel):
    """What every body has: `space` is read over, the space comes from the key."""

    model_config = ConfigDict(
        extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )

    space: JsonValue = None
    """Read over: the space comes from the key."""

    def given(self, *names: str) -> dict[str, Any]:
        """Return the fields that were sent, of those named or of all but `space`."""
        wanted = names or [name for name in type(self).model_fields if name != "space"]
        return {
            name: value
            for name in wanted
            if name in self.model_fields_set and (value := getattr(self, name)) is not None
        }


class Asked(BaseModel):
    """What every query string has: unknown parameters are refused."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


# ── questions ────────────────────────────────────────────────────────────────────────────────


class ViewerBody(BaseModel):
    """Who is asking, for memories that are for some only."""

    model_config = ConfigDict(extra="forbid", strict=True)

    workspace_id: str = ""
    user_id: str = ""
    session_id: str = ""


KindName = Literal["email", "document", "task", "event", "memory", "message"]
ScopeName = Literal["workspace", "session", "user", "global"]
TypeName = Literal["profile", "episodic", "policy", "artifact_summary"]
StatusName = Literal["active", "superseded", "quarantined", "deleted"]
RoleName = Literal["author", "to", "cc", "attendee", "assignee", "mentioned"]
TrustName = Literal["own", "known", "unknown", "external"]
TimeName = Literal[
    "today", "yesterday", "last_week", "last_month", "last_3_months", "last_6_months"
]


class FilterBody(BaseModel):
    """Which items may come back; what is left out does not restrict."""

    model_config = ConfigDict(
        extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )

    ids: Ids = []
    without_ids: Ids = []
    sources: Texts = []
    kinds: list[KindName] = []
    collections: Texts = []
    sessions: Texts = []
    tags: Texts = []
    people: Texts = []
    authors: Texts = []
    entities: Texts = []
    scopes: list[ScopeName] = []
    types: list[TypeName] = []
    statuses: list[StatusName] = ["active"]
    expired: bool = False
    since: Time | None = None
    until: Time | None = None
    time: TimeName | None = None
    """A rolling range that ends now, in the place of `since` and `until`."""
    viewer: ViewerBody | None = None
    where: Metadata | None = None
    """A condition on metadata, such as {"priority": {"gte": 3}}."""


class QuestionBody(Body):
    """What `search`, `brief` and `explain` share."""

    query: Question
    limit: Limit | None = None
    mode: Literal["hybrid", "text", "vector"] | None = None
    scorer: Literal["fused", "rrf", "classic"] | None = None
    filter: FilterBody | None = None
    now: Time | None = None
    timezone: Annotated[str, Field(max_length=64)] | None = None
    session_id: Annotated[str, Field(max_length=256)] | None = None
    min_score: Annotated[float, Field(ge=-1e9, le=1e9)] | None = None
    as_of: AsOf = None
    """The space as it was: a revision, or an ISO time."""


class SearchBody(QuestionBody):
    """A question."""

    spaces: Annotated[list[str], Field(min_length=1, max_length=20)] | None = None
    """Which of the key's own and shared spaces to ask; its own alone unless told."""


class BriefBody(QuestionBody):
    """A question, and how its brief is to be."""

    budget_tokens: Count | None = None
    budget_words: Count | None = None
    preset: Annotated[str, Field(max_length=32)] | None = None
    layout: Literal["brief", "sourced", "scoped"] | None = None
    context_mode: Literal["fast", "dense"] | None = None
    max_items: Count | None = None
    score_min: Annotated[float, Field(ge=-1e9, le=1e9)] | None = None
    trust_min: TrustName | None = None
    reserve: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    headers: bool | None = None
    why: bool | None = None
    keep_receipt: bool = False
    """Keep the receipt in the space; that needs the permission `write`."""


class ReplayBody(Body):
    """A receipt as it came with a brief, or the id of one that was kept."""

    receipt: dict[str, JsonValue] | Annotated[str, Field(min_length=1, max_length=256)]


class DiffBody(Body):
    """Two receipts, or ids of kept ones."""

    before: dict[str, JsonValue] | Annotated[str, Field(min_length=1, max_length=256)]
    after: dict[str, JsonValue] | Annotated[str, Field(min_length=1, max_length=256)]


# ── items ────────────────────────────────────────────────────────────────────────────────────


class PersonBody(BaseModel):
    """Someone who takes part."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = ""
    address: str = ""
    role: RoleName = "author"


class TraitsBody(BaseModel):
    """What only memories have."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    scope: ScopeName | None = None
    type: TypeName | None = None
    status: StatusName | None = None
    confidence: Share | None = None
    importance: Share | None = None
    half_life_hours: Annotated[float, Field(ge=0)] | None = None
    entity: str | None = None
    workspace_id: str | None = None
    user_id: str | None = None
    session_id: str | None = None
    source_run_id: str | None = None
    expires_at: Time | None = None


class FieldsBody(Body):
    """The fields of an item that a caller may set, `id` and `source_id` apart."""

    title: str | None = None
    summary: str | None = None
    quoted: str | None = None
    tags: Texts | None = None
    people: Annotated[list[PersonBody | str], Field(max_length=BATCH_MAX)] | None = None
    metadata: Metadata | None = None
    collection: Annotated[str, Field(min_length=1)] | None = None
    session: str | None = None
    position: Annotated[int, Field(ge=-(2**53), le=2**53)] | None = None
    happened_at: Time | None = None
    language: str | None = None
    traits: TraitsBody | None = None

    def record(self) -> dict[str, Any]:
        """Return the fields that were sent as JSON, for the engine's own reader."""
        told: dict[str, Any] = self.model_dump(
            exclude={"space"}, exclude_unset=True, exclude_none=True
        )
        return told


class ItemBody(FieldsBody):
    """An item; all but its text may be left out."""

    content: str = ""
    kind: KindName | None = None
    source: Annotated[str, Field(min_length=1)] | None = None
    source_id: str | None = None
    id: Annotated[str, Field(max_length=256)] | None = None


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

    content: str | None = None


class RestoreBody(Body):
    """Which version is to be there again; the last one of a forgotten item unless told."""

    version: Annotated[int, Field(ge=1, le=2**53)] | None = None


class EngageBody(Body):
    """Which items were used, cited or opened."""

    ids: Annotated[Ids, Field(min_length=1)]
    how: Literal["used", "cited", "opened"] = "used"


class EraseBody(Body):
    """What is to be gone for good: ids, or a filter, or everything; just one of them."""

    ids: Ids = []
    filter: FilterBody | None = None
    everything: bool = False
    prove: bool = False


# ── memories, background, sessions, preferences ──────────────────────────────────────────────


class RememberBody(FieldsBody):
    """A statement that is compared with the memories there are."""

    text: Annotated[str, Field(min_length=1)]
    source: Annotated[str, Field(min_length=1)] | None = None
    dry_run: bool = False


class BackgroundBody(Body):
    """A collection's background from now on."""

    text: Annotated[str, Field(min_length=1, max_length=65_536)]
    collection: Annotated[str, Field(min_length=1)] = "main"


class BestBody(Body):
    """A question to the snapshots of a collection."""

    query: Question
    collection: Annotated[str, Field(min_length=1)] = "main"
    limit: Limit = 2


class ChatBody(Body):
    """What is said to the assistant."""

    message: Question
    session_id: Annotated[str, Field(max_length=128)] = ""
    """The conversation that it belongs to; a new one unless told."""
    sources: Texts = []
    time_filter: TimeName | None = None
    mode: Literal["native", "json_schema", "prefetch"] | None = None
    stream: bool = False
    """Answer as server-sent events, as `Accept: text/event-stream` does."""


class RetrieveBody(Body):
    """A question to items and conversations together."""

    query: Question
    session_id: Annotated[str, Field(max_length=128)] = ""
    sources: Texts = []
    time_filter: TimeName | None = None
    entity_filter: Texts = []
    include_episodic: bool = True
    limit: Annotated[int, Field(ge=1, le=100)] = 10


class SessionBody(Body):
    """A conversation to be; its id is made unless given."""

    session_id: Annotated[str, Field(max_length=128)] = ""
    title: Annotated[str, Field(max_length=1_000)] = ""


class MessageBody(Body):
    """One message, kept at the end of its session."""

    role: Literal["user", "assistant"]
    content: Annotated[str, Field(min_length=1)]
    metadata: Metadata | None = None
    happened_at: Time | None = None


class PreferenceBody(Body):
    """How the user wants something to be; `inferred` says that it was not told in so many words."""

    value: Annotated[str, Field(min_length=1, max_length=300)]
    inferred: bool = False


# ── query strings ────────────────────────────────────────────────────────────────────────────


class AsOfAsked(Asked):
    """Which state is asked for."""

    as_of: Annotated[str, Field(max_length=64)] | None = None
    """A revision, or an ISO time."""


class LimitAsked(Asked):
    """How many."""

    limit: Limit = 50


class PageAsked(Asked):
    """Which page."""

    limit: Limit = 50
    cursor: Annotated[str, Field(max_length=2_000)] = ""


class ItemsAsked(PageAsked):
    """Which page of which items; a parameter may be given several times."""

    as_of: Annotated[str, Field(max_length=64)] | None = None
    kind: list[KindName] = []
    source: Texts = []
    collection: Texts = []
    session: Texts = []
    tag: Texts = []
    person: Texts = []
    status: list[StatusName] = []
    since: Time | None = None
    until: Time | None = None


class EntitiesAsked(Asked):
    """Which entities."""

    name: Annotated[str, Field(max_length=256)] = ""
    limit: Limit = 50


class CollectionAsked(Asked):
    """Which collection, and when."""

    collection: Annotated[str, Field(min_length=1, max_length=256)] = "main"
    as_of: Time | None = None


class HistoryAsked(PageAsked):
    """Which page of which collection's snapshots."""

    collection: Annotated[str, Field(min_length=1, max_length=256)] = "main"
