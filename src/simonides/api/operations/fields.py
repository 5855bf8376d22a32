"""Types of request fields: what JSON may hold there, with the bounds of the records.

The bounds come from `model.bounds`; the types become JSON Schema and are checked while JSON is
read. Must not know any operation.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta

from simonides.model import bounds


def _chars(bound: bounds.Text, *, low: int | None = None) -> Meta:
    """Return the bound of a text's length in characters; `low` overrides the shortest one."""
    least = bound.chars_min if low is None else low
    return Meta(min_length=least or None, max_length=bound.chars_max)


def _range(bound: bounds.Whole) -> Meta:
    """Return the bound of a whole number."""
    return Meta(ge=bound.low, le=bound.high)


_TEXTS = bounds.ITEM_TEXTS

Question = Annotated[str, _chars(bounds.QUESTION, low=1)]
Name = Annotated[str, _chars(bounds.NAME)]
Id = Annotated[str, _chars(bounds.ID, low=1)]
Collection = Annotated[str, _chars(_TEXTS["collection"])]
Content = Annotated[str, _chars(_TEXTS["content"], low=1)]
Title = Annotated[str, _chars(_TEXTS["title"])]
BackgroundText = Annotated[str, _chars(bounds.BACKGROUND, low=1)]
PreferenceKey = Annotated[str, _chars(bounds.PREFERENCE_KEY, low=1)]
PreferenceValue = Annotated[str, _chars(bounds.PREFERENCE_VALUE, low=1)]
SessionId = Annotated[str, _chars(bounds.SESSION_ID)]
NewSessionId = Annotated[str, _chars(bounds.SESSION_ID, low=0)]
Time = Annotated[
    str,
    _chars(bounds.TIME),
    Meta(description="ISO 8601; without an offset it is in the configured zone"),
]
Limit = Annotated[int, _range(bounds.LIMIT)]
Count = Annotated[int, _range(bounds.Whole(low=1, high=bounds.BUDGET.high))]
VersionNumber = Annotated[int, _range(bounds.Whole(low=1, high=bounds.REVISION.high))]
Cursor = Annotated[str, Meta(max_length=2_000, description="of the page before")]
Ids = Annotated[tuple[Id, ...], Meta(max_length=bounds.LIMIT.high)]
EntityName = Annotated[str, _chars(bounds.NAME, low=1)]
EntityNames = Annotated[tuple[EntityName, ...], Meta(min_length=1, max_length=100)]
Names = Annotated[tuple[Name, ...], Meta(max_length=bounds.LIMIT.high)]
Spaces = Annotated[tuple[Name, ...], Meta(max_length=20)]
Metadata = dict[str, Any]
Revision = Annotated[int, _range(bounds.REVISION)]
AsOf = Revision | Time
"""A revision, or a time; a text of digits alone is a revision."""

Zone = Annotated[str, _chars(bounds.TIME), Meta(description="an IANA name")]
Score = Annotated[float, Meta(ge=-1e9, le=1e9)]
Share = Annotated[float, Meta(ge=bounds.SHARE.low, le=bounds.SHARE.high)]
HalfLife = Annotated[float, Meta(ge=0, le=bounds.HALF_LIFE_HOURS.high)]
Position = Annotated[int, _range(bounds.POSITION)]
Reserve = Annotated[int, _range(bounds.BUDGET)]

Text = Annotated[str, _chars(_TEXTS["content"])]
Summary = Annotated[str, _chars(_TEXTS["summary"])]
Source = Annotated[str, _chars(_TEXTS["source"])]
SourceId = Annotated[str, _chars(_TEXTS["source_id"])]
NewItemId = Annotated[str, _chars(bounds.ID)]
Language = Annotated[str, _chars(_TEXTS["language"])]
Tags = Annotated[tuple[Name, ...], Meta(max_length=bounds.TAGS.count_max)]
PersonText = Annotated[str, _chars(bounds.PERSON)]
ProposedText = Annotated[str, _chars(bounds.PROPOSED, low=1)]
Path = Annotated[str, Meta(min_length=1, max_length=4_000)]
PEOPLE_MAX = bounds.PEOPLE.count_max
BATCH_MAX = bounds.LIMIT.high
"""Items of one request: one transaction."""

AN_ID = "8ck4h2v0q1e7m3s5t6u9x0y1z2"
"""The id of an item in examples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """No arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPage:
    """A page of a list."""

    limit: Limit = 50
    cursor: Cursor = ""
