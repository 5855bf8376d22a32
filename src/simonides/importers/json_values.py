"""Values of foreign JSON, read without trust in their type.

Whatever is not of the expected type counts as missing, so that no export, however damaged or
hostile, makes a reader fail. Must not know any format.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from simonides.importers.file_item import moment
from simonides.importers.header import one_line
from simonides.text.clean import printable

_MILLISECONDS_FROM = 100_000_000_000
"""Epoch numbers from here on are milliseconds: as seconds they would lie after the year 5000."""

_TIME_CHARS_MAX = 64


def words(value: Any, *, chars_max: int = 1_000) -> str:
    """Return a text or a number on one line, cut to its first characters; empty for all else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    try:
        return one_line(str(value)[: 4 * chars_max])[:chars_max]
    except ValueError:  # a whole number of more digits than Python writes
        return ""


def lines(value: Any) -> str:
    """Return a text of any number of lines; empty for all else."""
    return printable(value).strip() if isinstance(value, str) else ""


def fields_of(value: Any) -> Mapping[str, Any]:
    """Return an object; an empty one for all else."""
    return value if isinstance(value, dict) else {}


def each(value: Any) -> Sequence[Any]:
    """Return a list; an empty one for all else."""
    return value if isinstance(value, list) else ()


def objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a list; of GraphQL's `{"nodes": […]}`, too."""
    listed = value if isinstance(value, list) else fields_of(value).get("nodes")
    yield from (one for one in each(listed) if isinstance(one, dict))


def find_named(value: Any, *names: str) -> str:
    """Return the first of these fields of an object that holds words; a plain text as it is."""
    if isinstance(value, str):
        return words(value)
    found = (words(fields_of(value).get(name)) for name in names or ("name",))
    return next(filter(None, found), "")


def when(value: Any) -> datetime | None:
    """Return a time as aware UTC: ISO 8601 (UTC where it names no zone) or a number since 1970."""
    if isinstance(value, str):
        return moment(value) if len(value) <= _TIME_CHARS_MAX else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
        return datetime.fromtimestamp(seconds, tz=UTC)
    except (ValueError, OverflowError, OSError):
        return None


def iso(time: datetime | None) -> str:
    """Return a time as ISO 8601 text in UTC; empty for none."""
    return "" if time is None else time.astimezone(UTC).isoformat()


CLEAN_DEPTH_MAX = 16
"""How deep foreign metadata is kept; of what lies deeper only that it was there."""


def clean(value: Any, *, depth: int = 0) -> Any:
    """Return foreign JSON as it can be kept as metadata.

    Without control characters and half characters; a key does not begin with an underscore, which
    has a meaning of its own here.
    """
    if isinstance(value, str):
        return printable(value)
    if not isinstance(value, list | dict):
        return value
    if depth >= CLEAN_DEPTH_MAX:
        return "…"
    if isinstance(value, list):
        return [clean(one, depth=depth + 1) for one in value]
    named_values = ((one_line(str(name)).lstrip("_"), one) for name, one in value.items())
    return {name or "_": clean(one, depth=depth + 1) for name, one in named_values}


def select_filled(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that have a value; 0 and false are some."""
    return {name: one for name, one in values.items() if one not in ("", None, [], (), {})}


def flat(value: Any, *, depth: int = 0) -> str:
    """Return any JSON value in words: the fields of an object as lines `name: value`."""
    if isinstance(value, str):
        return lines(value)
    if depth >= CLEAN_DEPTH_MAX:
        return "…"
    if isinstance(value, list):
        return ", ".join(filter(None, (flat(one, depth=depth + 1) for one in value)))
    if isinstance(value, dict):
        parts = ((words(name), flat(one, depth=depth + 1)) for name, one in value.items())
        return "\n".join(f"{name}: {text}" for name, text in parts if text)
    return str(value).lower() if isinstance(value, bool) else words(value)
