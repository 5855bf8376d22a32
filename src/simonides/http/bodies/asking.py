"""What `/v1/search`, `/v1/brief`, `/v1/explain`, `/v1/replay`, `/v1/diff` and `/v1/entities` take.

They give a `SearchResult`, a `Brief`, an `Explained`, a `Replay`, a `ReceiptDiff` and each
`Entity`; nothing is kept but, where it is asked for, the receipt of a brief.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from simonides.http.bodies.form import (
    AsOf,
    Body,
    Count,
    Ids,
    KindName,
    Limit,
    Metadata,
    Name,
    Question,
    ScopeName,
    Score,
    StatusName,
    Texts,
    Time,
    TimeName,
    TrustName,
    TypeName,
    within,
)
from simonides.model.bounds import BUDGET, ID, TIME


class ViewerBody(BaseModel):
    """Who is asking, for memories that are for some only."""

    model_config = ConfigDict(extra="forbid", strict=True)

    workspace_id: Name = ""
    user_id: Name = ""
    session_id: Name = ""


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
    timezone: Annotated[str, within(TIME)] | None = None
    session_id: Name | None = None
    min_score: Score | None = None
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
    score_min: Score | None = None
    trust_min: TrustName | None = None
    reserve: Annotated[int, within(BUDGET)] | None = None
    headers: bool | None = None
    why: bool | None = None
    keep_receipt: bool = False
    """Keep the receipt in the space; that needs the permission `write`."""


class ReplayBody(Body):
    """A receipt as it came with a brief, or the id of one that was kept."""

    receipt: dict[str, JsonValue] | Annotated[str, within(ID, min_length=1)]


class DiffBody(Body):
    """Two receipts, or ids of kept ones."""

    before: dict[str, JsonValue] | Annotated[str, within(ID, min_length=1)]
    after: dict[str, JsonValue] | Annotated[str, within(ID, min_length=1)]
