"""Coercion of plain values to the type of a record's field, or an error with its name."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, TypeVar

from simonides.errors import InvalidInput
from simonides.model.bounds import shown

Named = TypeVar("Named", bound=StrEnum)
Kept = TypeVar("Kept")


def one_of(kind: type[Named], value: Any, *, field: str) -> Named:
    """Return the member of an enumeration that a text names.

    Raises:
        InvalidInput: There is no such member; lists those that there are.
    """
    try:
        return kind(value)
    except ValueError:
        raise InvalidInput(field, f"must be one of {', '.join(kind)}; got {shown(value)}") from None


def tuple_of(kind: type[Kept], values: Any, *, field: str) -> tuple[Kept, ...]:
    """Return several values as a tuple; those of a set are sorted.

    Raises:
        InvalidInput: It is one text, or no collection, or holds something of another type.
    """
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InvalidInput(field, f"must be a list, got {shown(values)}")
    found = tuple(values)
    for one in found:
        if not isinstance(one, kind):
            raise InvalidInput(field, f"must hold {kind.__name__} values only, got {shown(one)}")
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
