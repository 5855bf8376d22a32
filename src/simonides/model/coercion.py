"""Coercion of plain values to the type of a record's field, or refusal with its name; cursors.

A cursor says where a page of a list ended, as a text that is handed back as it is. All lists have
one encoding: a JSON list of whole numbers and texts, in URL-safe Base64.
"""

import base64
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, TypeVar

from simonides.errors import InvalidInput
from simonides.model.bounds import INT64_MAX, LIMIT, Text, Whole, show_value

Named = TypeVar("Named", bound=StrEnum)
Kept = TypeVar("Kept")
Listed = TypeVar("Listed")


def one_of(kind: type[Named], value: Any, *, field: str) -> Named:
    """Return the member of an enumeration that a text names.

    Raises:
        InvalidInput: There is no such member; lists those that there are.
    """
    try:
        return kind(value)
    except ValueError:
        raise InvalidInput(
            field, f"must be one of {', '.join(kind)}; got {show_value(value)}"
        ) from None


def tuple_of(kind: type[Kept], values: Any, *, field: str) -> tuple[Kept, ...]:
    """Return several values as a tuple; those of a set are sorted.

    Raises:
        InvalidInput: It is one text, or no collection, or holds something of another type.
    """
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InvalidInput(field, f"must be a list, got {show_value(values)}")
    found = tuple(values)
    for one in found:
        if not isinstance(one, kind):
            raise InvalidInput(
                field, f"must hold {kind.__name__} values only, got {show_value(one)}"
            )
    return tuple(sorted(found, key=str)) if isinstance(values, AbstractSet) else found


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the nearest known name as the end of an error message, or an empty text."""
    found = get_close_matches(name, list(known), n=1)
    return f"; did you mean {found[0]!r}?" if found else ""


def refuse_unknown(names: Iterable[object], known: Iterable[str], *, path: str = "") -> None:
    """Raise `InvalidInput` for the first unknown name, with the nearest known one.

    Raises:
        InvalidInput: There is such a name; lists those that are known.
    """
    there = sorted(known)
    for name in names:
        if name not in there:
            end = nearest(str(name), there) or f"; there are {', '.join(there)}"
            raise InvalidInput(f"{path}{name}"[:80], f"is not known{end}")


CURSOR_CHARS_MAX = 10_000
"""More than the longest name or id has."""


def cursor_of(*parts: int | str) -> str:
    """Return the cursor of a place with these parts."""
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def page_of(
    find: Callable[[int, Any], Sequence[Listed]],
    *,
    limit: int,
    cursor: str,
    by: str = "id",
    first: int | str = "",
) -> tuple[tuple[Listed, ...], str]:
    """Return a page of a list, and the cursor of the rest; empty if there is none.

    `find` returns up to so many entries after the one whose field `by` has a value; after none of
    them if that is `first`.

    Raises:
        InvalidInput: The limit is out of range, or it is no cursor, or one of another list.
    """
    LIMIT.check(limit, field="limit")
    [after] = place_of(cursor, type(first)) or (first,)
    found = find(limit + 1, after)
    more = cursor_of(getattr(found[limit - 1], by)) if len(found) > limit else ""
    return tuple(found[:limit]), more


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
            return tuple(_check(part) for part in parts)
    except (AttributeError, InvalidInput, RecursionError, TypeError, ValueError):
        pass
    raise no_cursor()


def no_cursor() -> InvalidInput:
    """Return the error for a text that is not a cursor."""
    return InvalidInput("cursor", "is not one that a list gave; begin again without it")


def _check(part: int | str) -> int | str:
    """Return a part that a store can look up."""
    if isinstance(part, str):
        return Text(chars_min=1, chars_max=CURSOR_CHARS_MAX).check(part, field="cursor")
    return Whole(low=-INT64_MAX - 1, high=INT64_MAX).check(part, field="cursor")


NESTED_MAX = 200
"""How deep lists and objects of foreign JSON lie in each other; those of programs: some twenty."""


def is_nested_deeper(value: Any, most: int) -> bool:
    """Return whether lists and objects of JSON lie in each other more than `most` deep.

    Without recursion: how deep Python itself can go differs from version to version.
    """
    level: list[Any] = [value]
    for _ in range(most):
        level = [inner for one in level for inner in _inside(one)]
        if not level:
            return False
    return True


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list) else ()
