"""What JSON may hold at a place of a tree, checked: one function for each sort of value.

Each returns the value, or raises `InvalidInput` that names the place and what should stand there.
"""

import math
from datetime import UTC, datetime
from typing import Any

from simonides.errors import InvalidInput
from simonides.model.bounds import INT64_MAX
from simonides.model.times import utc


def _refused(at: str, wanted: str, value: Any) -> InvalidInput:
    return InvalidInput(at, f"must be {wanted}, got {type(value).__name__}")


def json_object(value: Any, at: str) -> dict[str, Any]:
    """Return the object that stands at a place of a tree."""
    if not isinstance(value, dict):
        raise _refused(at, "an object", value)
    return value


def json_list(value: Any, at: str) -> list[Any]:
    """Return the list that stands there."""
    if not isinstance(value, list):
        raise _refused(at, "a list", value)
    return value


def json_text(value: Any, at: str) -> str:
    """Return the text that stands there."""
    if not isinstance(value, str):
        raise _refused(at, "text", value)
    return value


def json_flag(value: Any, at: str) -> bool:
    """Return the true or false that stands there."""
    if not isinstance(value, bool):
        raise _refused(at, "true or false", value)
    return value


def json_whole(value: Any, at: str) -> int:
    """Return the whole number of 64 bits that stands there."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise _refused(at, "a whole number", value)
    if abs(value) > INT64_MAX:
        raise InvalidInput(at, "must fit 64 bits")
    return value


NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
"""Numbers that JSON has no word for, by the texts that stand for them."""


def json_number(value: Any, at: str) -> float:
    """Return the number that stands there, or that a text stands for."""
    if isinstance(value, str) and value in NOT_FINITE:
        return NOT_FINITE[value]
    if isinstance(value, float) and math.isfinite(value):  # JSON's 1e999 is endless, unsaid
        return value
    if isinstance(value, bool) or not isinstance(value, int):
        raise _refused(at, f"a number, or one of {', '.join(NOT_FINITE)}", value)
    return json_whole(value, at)


def json_time(value: Any, at: str) -> datetime:
    """Return the aware time that stands there, as UTC."""
    try:
        when = datetime.fromisoformat(json_text(value, at))
    except ValueError:
        problem = f"must be a time such as 2026-11-21T09:00:00Z, got {value!r:.80}"
        raise InvalidInput(at, problem) from None
    return utc(when, field=at)


def time_text(when: datetime) -> str:
    """Return an aware time in UTC, to the second or, where it has parts of one, to the µs."""
    return when.astimezone(UTC).isoformat().replace("+00:00", "Z")
