"""Items from plain values, as people and programs give them: texts for kinds, people and times.

Knows how plain values become records. Must not know defaults beyond `Item`'s own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime
from email.utils import parseaddr
from enum import StrEnum
from typing import Any, TypeVar

from simonides.errors import InvalidInput
from simonides.model.item import Item, Kind, MemoryTraits, MemoryType, Person, Role, Scope, Status

Named = TypeVar("Named", bound=StrEnum)

_SET_BY_STORE = frozenset({"stored_at", "revision", "version"})
_TRAIT_ENUMS: dict[str, type[StrEnum]] = {"scope": Scope, "type": MemoryType, "status": Status}


def compose(content: str = "", **values: Any) -> Item:
    """Return the item that plain values describe.

    `kind` may be a text, `people` texts such as "Sarah Lindqvist <sarah@example.com>" (the first
    is the author) or `Person` records or mappings, `happened_at` an ISO text with a zone, `tags`
    any iterable, `traits` a mapping.

    Raises:
        InvalidInput: A field is unknown or its value does not fit; says which.
    """
    return Item(content=content, **fitted(values))


def recompose(item: Item, **values: Any) -> Item:
    """Return `item` with some fields replaced, its id and all others kept.

    Raises:
        InvalidInput: A field is unknown, fixed, or its value does not fit.
    """
    if "id" in values or "source_id" in values:
        raise InvalidInput("id", "an item's id and source id are its identity and stay")
    return replace(item, **fitted(values))


def fitted(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values as `Item`'s fields want them; what is None is left to the default."""
    known = {one.name for one in fields(Item)} - _SET_BY_STORE
    unknown = sorted(set(values) - known)
    if unknown:
        raise InvalidInput(
            unknown[0], f"is no field of an item; there are {', '.join(sorted(known))}"
        )
    fit = {"kind": _kind, "tags": _tags, "people": _people, "traits": _traits,
           "happened_at": _moment, "metadata": _metadata}  # fmt: skip
    return {
        name: fit[name](value) if name in fit else value
        for name, value in values.items()
        if value is not None
    }


def one_of(kind: type[Named], value: Any, *, field: str) -> Named:
    """Return the member of an enumeration that a text names.

    Raises:
        InvalidInput: There is no such member; lists those that there are.
    """
    try:
        return kind(value)
    except ValueError:
        raise InvalidInput(field, f"must be one of {', '.join(kind)}; got {value!r}") from None


def _kind(value: Any) -> Kind:
    return one_of(Kind, value, field="kind")


def _tags(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidInput("tags", f"must be a list of texts, got {value!r}")
    return tuple(str(tag) for tag in value)


def _people(value: Any) -> tuple[Person, ...]:
    if isinstance(value, str | Person):
        value = [value]
    return tuple(_person(one, is_first=i == 0) for i, one in enumerate(value))


def _person(value: Any, *, is_first: bool) -> Person:
    if isinstance(value, Person):
        return value
    if isinstance(value, Mapping):
        role = one_of(Role, value.get("role", Role.AUTHOR), field="people.role")
        return Person(name=value.get("name", ""), address=value.get("address", ""), role=role)
    name, address = parseaddr(str(value)) if "@" in str(value) else (str(value).strip(), "")
    role = Role.AUTHOR if is_first else Role.MENTIONED
    return Person(name=name, address=address.lower(), role=role)


def _traits(value: Any) -> MemoryTraits:
    if isinstance(value, MemoryTraits):
        return value
    known = {one.name for one in fields(MemoryTraits)}
    unknown = sorted(set(value) - known)
    if unknown:
        raise InvalidInput(f"traits.{unknown[0]}", f"there are {', '.join(sorted(known))}")
    read: dict[str, Any] = {
        name: one_of(_TRAIT_ENUMS[name], one, field=name) if name in _TRAIT_ENUMS else one
        for name, one in value.items()
    }
    return MemoryTraits(**read)


def _metadata(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidInput("metadata", f"must be an object, got {type(value).__name__}")
    return dict(value)


def _moment(value: Any) -> datetime:
    """Return an aware time; a text is read as ISO 8601, `Z` or an offset needed."""
    if isinstance(value, datetime):
        return value
    try:
        when = datetime.fromisoformat(str(value))
    except ValueError:
        problem = f"must be a time such as 2026-11-21T09:00:00Z, got {value!r}"
        raise InvalidInput("happened_at", problem) from None
    if when.utcoffset() is None:
        raise InvalidInput("happened_at", f"needs a time zone, got {value!r}")
    return when.astimezone(UTC)
