"""Models as the arguments that the verbs take: times read, filters made.

Must not know a route. What does not fit is `InvalidInput` and names the field.
"""

import json
from datetime import datetime
from typing import Any

from simonides.errors import InvalidInput
from simonides.http.bodies.asking import FilterBody, QuestionBody
from simonides.model.filter import Filter, Viewer, parse_condition
from simonides.model.query import NamedTime, named_range
from simonides.model.times import read_time

REVISION_DIGITS_MAX = 18

_LISTS = (
    "ids", "without_ids", "sources", "collections", "sessions", "tags", "people", "authors",
    "entities", "kinds", "scopes", "types", "statuses",
)  # fmt: skip


def read_as_of(given: str | int | None, *, timezone: str) -> datetime | int | None:
    """Return the revision or the time that is asked for.

    Raises:
        InvalidInput: It is neither.
    """
    if given is None or isinstance(given, int):
        return given
    text = given.strip()
    if text.isascii() and text.isdigit():
        if len(text) > REVISION_DIGITS_MAX:
            raise InvalidInput("as_of", "is no revision that there can be")
        return int(text)
    return read_time(text, name="as_of", timezone=timezone)


def read_filter(body: FilterBody, *, now: datetime, timezone: str) -> Filter:
    """Return the filter that a body describes; a time without a zone is in `timezone`.

    Raises:
        InvalidInput: A time or a condition does not fit.
    """
    plain = {name: tuple(getattr(body, name)) for name in _LISTS}
    since, until = _ends(body, now=now, timezone=timezone)
    viewer = Viewer(**body.viewer.model_dump()) if body.viewer else None
    where = parse_condition(body.where) if body.where else None
    return Filter(
        **plain, expired=body.expired, since=since, until=until, viewer=viewer, where=where
    )


def _ends(
    body: FilterBody, *, now: datetime, timezone: str
) -> tuple[datetime | None, datetime | None]:
    if body.time is not None:
        if body.since or body.until:
            raise InvalidInput("filter.time", "stands for a range: leave out since and until")
        named = named_range(NamedTime(body.time), now=now, timezone=timezone)
        return named.since, named.until
    since, until = (
        read_time(text, name=f"filter.{name}", timezone=timezone) if text else None
        for name, text in (("since", body.since), ("until", body.until))
    )
    return since, until


def question(body: QuestionBody, *, now: datetime, timezone: str) -> dict[str, Any]:
    """Return the arguments of `search` that a body gives, but for its text.

    Raises:
        InvalidInput: A value does not fit.
    """
    told = body.given("limit", "mode", "scorer", "timezone", "session_id", "min_score")
    zone = told.get("timezone") or timezone
    if told.get("timezone"):
        from simonides.config import check_timezone

        check_timezone(zone)
    if body.now is not None:
        told["now"] = read_time(body.now, name="now", timezone=zone)
    if body.filter is not None:
        told["filter"] = read_filter(body.filter, now=told.get("now", now), timezone=zone)
    if body.as_of is not None:
        told["as_of"] = read_as_of(body.as_of, timezone=zone)
    return told


def receipt_text(given: dict[str, Any] | str) -> str:
    """Return a receipt as the verbs take it: JSON, or the id of a kept one."""
    return given if isinstance(given, str) else json.dumps(given)
