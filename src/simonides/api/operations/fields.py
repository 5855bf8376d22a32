"""Types of request fields: what JSON may hold there, with the bounds of the records.

The bounds come from `model.bounds`; the types become JSON Schema and are checked while JSON is
read. Must not know any operation.
"""

from typing import Annotated, Any, Literal

from msgspec import Meta

from simonides.model import bounds


def text(
    bound: bounds.Text, *, chars_min: int | None = None, description: str | None = None
) -> Any:
    """Return the type of a text within a bound; `chars_min` overrides the shortest length."""
    low = bound.chars_min if chars_min is None else chars_min
    return Annotated[
        str,
        Meta(min_length=low or None, max_length=bound.chars_max, description=description),
    ]


def number(bound: bounds.Whole, *, low: int | None = None) -> Any:
    """Return the type of a whole number within a bound; `low` overrides the least one."""
    return Annotated[int, Meta(ge=bound.low if low is None else low, le=bound.high)]


Question = text(bounds.QUESTION, chars_min=1)
Name = text(bounds.NAME)
Id = text(bounds.ID, chars_min=1)
Collection = text(bounds.ITEM_TEXTS["collection"])
SessionId = text(bounds.SESSION_ID)
Time = text(bounds.TIME, description="ISO 8601; without an offset it is in the configured zone")
Limit = number(bounds.LIMIT)
Count = number(bounds.Whole(low=1, high=bounds.BUDGET.high))
Version = number(bounds.REVISION, low=1)
Cursor = Annotated[str, Meta(max_length=2_000, description="of the page before")]
Ids = Annotated[tuple[Id, ...], Meta(max_length=bounds.LIMIT.high)]
Names = Annotated[tuple[Name, ...], Meta(max_length=bounds.LIMIT.high)]
Metadata = dict[str, Any]
AsOf = Annotated[str | int, Meta(description="a revision, or a time as ISO 8601")]
ExtractorStatus = Literal["pending", "accepted", "rejected", "undone"]
