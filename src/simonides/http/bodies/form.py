"""What all bodies and query strings share: bounds, the sorts of their fields, and strictness.

A number in quotes is refused, and so is a field that is not known. Only `space` is read over
everywhere: the space comes from the key. Must not know any route.
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


def plain_json(value: Any, depth: int = 0) -> Any:
    """Refuse what no JSON can say again: numbers that are not finite, and nesting without end."""
    if depth > DEPTH_MAX:
        raise ValueError(f"is nested more than {DEPTH_MAX} deep")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("holds a number that is not finite")
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            plain_json(one, depth + 1)
    return value


Metadata = Annotated[dict[str, JsonValue], AfterValidator(plain_json)]
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

    as_of: Annotated[str, Field(max_length=64)] | None = None
    """A revision, or an ISO time."""


class LimitAsked(Asked):
    """How many."""

    limit: Limit = 50


class PageAsked(Asked):
    """Which page."""

    limit: Limit = 50
    cursor: Annotated[str, Field(max_length=2_000)] = ""
