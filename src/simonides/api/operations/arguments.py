"""The arguments of a request, as the methods of `Memory` take them, with filters made.

Must not know any operation.
"""

from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime
from typing import Any

from simonides.api.operations.fields import Ids, Metadata, Name, Names, Time
from simonides.config import check_timezone
from simonides.errors import InvalidInput
from simonides.model.filter import Filter, Viewer, parse_condition
from simonides.model.item import Kind, MemoryType, Scope, Status
from simonides.model.query import NamedTime, named_range
from simonides.model.times import read_time


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


def arguments_of(request: Any, *, timezone: str, now: datetime | None = None) -> dict[str, Any]:
    """Return the fields of a request that were sent; records within become dictionaries.

    A filter becomes a `Filter`, whose times are in the zone of the request, else in `timezone`.

    Raises:
        InvalidInput: A time, a zone or a condition does not fit.
    """
    zone = getattr(request, "timezone", None) or timezone
    found = {}
    for name, value in _write_answer(request).items():
        if isinstance(value, FilterRequest):
            asked_at = _now(request, zone) or now or datetime.now(UTC)
            found[name] = _filter(value, now=asked_at, timezone=zone)
        else:
            found[name] = _plain(value)
    return found


def _write_answer(record: Any) -> dict[str, Any]:
    values = {one.name: getattr(record, one.name) for one in fields(record)}
    return {name: value for name, value in values.items() if value is not None}


def _plain(value: Any) -> Any:
    """Return a value in which records are dictionaries of the fields that were sent."""
    if is_dataclass(value):
        return {name: _plain(one) for name, one in _write_answer(value).items()}
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


def _now(request: Any, zone: str) -> datetime | None:
    given = getattr(request, "now", None)
    if zone:  # an empty one is that of the machine
        check_timezone(zone)
    return read_time(given, name="now", timezone=zone) if given else None


def _filter(asked: FilterRequest, *, now: datetime, timezone: str) -> Filter:
    values = _write_answer(asked)
    named = values.pop("time", None)
    if named is not None:
        if asked.since or asked.until:
            raise InvalidInput("filter.time", "stands for a range: leave out since and until")
        ends = named_range(named, now=now, timezone=timezone)
        values |= {"since": ends.since, "until": ends.until}
    for name in ("since", "until"):
        if isinstance(values.get(name), str):
            values[name] = read_time(values[name], name=f"filter.{name}", timezone=timezone)
    if asked.viewer is not None:
        values["viewer"] = Viewer(**_plain(asked.viewer))
    if asked.where is not None:
        values["where"] = parse_condition(asked.where)
    return Filter(**values)


Sent = dict[str, Any]
"""The arguments that were sent."""
