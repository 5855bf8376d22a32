"""Cursors: the end of a page of a list, as a text that the caller passes back unchanged.

The one encoding of all lists: a JSON list of whole numbers and texts, in URL-safe Base64.
"""

import base64
import json
from typing import Any

from simonides.errors import InvalidInput
from simonides.model.bounds import INT64_MAX, Text, Whole

CURSOR_CHARS_MAX = 10_000
"""More than the longest name or id has."""


def cursor_of(*parts: int | str) -> str:
    """Return the cursor of a place with these parts."""
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def place_of(cursor: str, *kinds: type) -> Any:
    """Return the parts of a cursor, of these kinds; None if there is no cursor.

    Raises:
        InvalidInput: It is no cursor, or one of another list.
    """
    if cursor == "":
        return None
    try:
        parts = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if [type(part) for part in parts] == list(kinds):
            return tuple(_checked(part) for part in parts)
    except (AttributeError, InvalidInput, RecursionError, TypeError, ValueError):
        pass
    raise no_cursor()


def no_cursor() -> InvalidInput:
    """Return the error for a text that is not a cursor."""
    return InvalidInput("cursor", "is not one that a list gave; begin again without it")


def _checked(part: int | str) -> int | str:
    """Return a part that a store can look up."""
    if isinstance(part, str):
        return Text(chars_min=1, chars_max=CURSOR_CHARS_MAX).check(part, field="cursor")
    return Whole(low=-INT64_MAX - 1, high=INT64_MAX).check(part, field="cursor")
