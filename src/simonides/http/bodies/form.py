"""What all bodies and query strings share: bounds, the sorts of their fields, and strictness.

A number in quotes is refused, and so is a field that is not known. Only `space` is read over
everywhere: the space comes from the key. Must not know any route.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from simonides.errors import InvalidInput
from simonides.model import bounds

BATCH_MAX = 1_000
"""Items of one request: one transaction."""

SCORE_MAX = 1e9
"""A threshold past every score that there is."""


def within(bound: bounds.Whole | bounds.Number | bounds.Text, **more: Any) -> Any:
    """Return what a schema says of a field that a record holds within a bound."""
    if isinstance(bound, bounds.Text):
        limits: dict[str, Any] = {"max_length": bound.chars_max}
        if bound.chars_min:
            limits["min_length"] = bound.chars_min
    else:
        limits = {"ge": bound.low, "le": bound.high}
    return Field(**(limits | more))


def plain_json(value: Any) -> Any:
    """Refuse what no JSON can say again: numbers that are not finite, and nesting without end."""
    try:
        bounds.check_json(value, field="metadata")
    except InvalidInput as error:
        raise ValueError(str(error)) from error
    return value


_ONE_ID = Annotated[str, within(bounds.ID, min_length=1)]

Metadata = Annotated[dict[str, JsonValue], AfterValidator(plain_json)]
Question = Annotated[str, within(bounds.QUESTION, min_length=1)]
Name = Annotated[str, within(bounds.NAME)]
Collection = Annotated[str, within(bounds.ITEM_TEXTS["collection"])]
SessionId = Annotated[str, Field(max_length=bounds.SESSION_ID.chars_max)]
Texts = Annotated[list[Name], Field(max_length=BATCH_MAX)]
Ids = Annotated[list[_ONE_ID], Field(max_length=BATCH_MAX)]
Limit = Annotated[int, within(bounds.LIMIT)]
Count = Annotated[int, within(bounds.Whole(low=1, high=bounds.BUDGET.high))]
Version = Annotated[int, within(bounds.Whole(low=1, high=bounds.REVISION.high))]
Revision = Annotated[int, within(bounds.REVISION)]
Score = Annotated[float, Field(ge=-SCORE_MAX, le=SCORE_MAX)]
Time = Annotated[str, within(bounds.TIME, description="ISO 8601")]
AsOf = Revision | Time | None
Share = Annotated[float, within(bounds.SHARE)]

KindName = Literal["email", "document", "task", "event", "memory", "message"]
ScopeName = Literal["workspace", "session", "user", "global"]
TypeName = Literal["profile", "episodic", "policy", "artifact_summary"]
StatusName = Literal["active", "superseded", "quarantined", "deleted"]
RoleName = Literal["author", "to", "cc", "attendee", "assignee", "mentioned"]
TrustName = Literal["own", "known", "unknown", "external"]
TimeName = Literal[
    "today", "yesterday", "last_week", "last_month", "last_3_months", "last_6_months"
]


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


class AsOfAsked(Asked):
    """Which state is asked for."""

    as_of: Time | None = None
    """A revision, or an ISO time."""


class PageAsked(Asked):
    """Which page."""

    limit: Limit = 50
    cursor: Annotated[str, Field(max_length=2_000)] = ""
