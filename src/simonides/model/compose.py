"""Items from plain values, as people and programs give them: texts for kinds, people and times.

Knows how plain values become records. Must not know defaults beyond `Item`'s own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from datetime import datetime
from email.utils import parseaddr
from typing import Any

from simonides.errors import InvalidInput
from simonides.model.bounds import PERSON, shown
from simonides.model.coercion import one_of, tuple_of
from simonides.model.item import Item, Kind, MemoryTraits, Person, Role, utc

__all__ = ["compose", "fitted", "one_of", "recompose"]

_SET_BY_STORE = frozenset({"stored_at", "revision", "version"})


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

    A mapping of traits replaces those that it names. The language is seen anew where the words
    change and no language is given.

    Raises:
        InvalidInput: A field is unknown, fixed, or its value does not fit.
    """
    if "id" in values or "source_id" in values:
        raise InvalidInput("id", "an item's id and source id are its identity and stay")
    if isinstance(values.get("traits"), Mapping):
        values["traits"] = {**_plain(item.traits), **values["traits"]}
    if any(values.get(name) is not None for name in ("content", "title")):
        values.setdefault("language", "")
    return replace(item, **fitted(values))


def _plain(traits: MemoryTraits | None) -> dict[str, Any]:
    return {} if traits is None else {one.name: getattr(traits, one.name) for one in fields(traits)}


def fitted(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values as `Item`'s fields want them; what is None is left to the default."""
    known = {one.name for one in fields(Item)} - _SET_BY_STORE
    unknown = sorted(set(values) - known)
    if unknown:
        raise InvalidInput(
            unknown[0], f"is no field of an item; there are {', '.join(sorted(known))}"
        )
    fit = {"kind": _kind, "tags": _tags, "people": _people, "traits": _traits,
           "happened_at": _moment}  # fmt: skip
    return {
        name: fit[name](value) if name in fit else value
        for name, value in values.items()
        if value is not None
    }


def _kind(value: Any) -> Kind:
    return one_of(Kind, value, field="kind")


def _tags(value: Any) -> tuple[str, ...]:
    try:
        return tuple(str(tag) for tag in tuple_of(object, value, field="tags"))
    except ValueError:  # Python writes out no whole number of more than 4,300 digits
        raise InvalidInput("tags", f"must hold texts, got {shown(value)}") from None


def _people(value: Any) -> tuple[Person, ...]:
    if isinstance(value, str | Person | Mapping):
        value = [value]
    if not isinstance(value, Iterable):
        raise InvalidInput("people", f"must be a list, got {shown(value)}")
    return tuple(_person(one, is_first=i == 0) for i, one in enumerate(value))


def _person(value: Any, *, is_first: bool) -> Person:
    if isinstance(value, Person):
        return value
    if isinstance(value, Mapping):
        _refuse_unknown(value, Person, path="people.")
        return Person(**value)
    if not isinstance(value, str):
        raise InvalidInput("people", f"must hold texts, objects or persons, got {shown(value)}")
    PERSON.check(value, field="people")
    name, address = parseaddr(value) if "@" in value else (value.strip(), "")
    role = Role.AUTHOR if is_first else Role.MENTIONED
    return Person(name=name, address=address.lower(), role=role)


def _traits(value: Any) -> MemoryTraits:
    if isinstance(value, MemoryTraits):
        return value
    if not isinstance(value, Mapping):
        raise InvalidInput("traits", f"must be an object, got {shown(value)}")
    _refuse_unknown(value, MemoryTraits, path="traits.")
    given = dict(value)
    if given.get("expires_at") is not None:
        given["expires_at"] = _moment(given["expires_at"], field="traits.expires_at")
    return MemoryTraits(**given)


def _refuse_unknown(
    value: Mapping[str, Any], record: type[Person | MemoryTraits], *, path: str
) -> None:
    known = sorted(one.name for one in fields(record))
    for name in value:
        if name not in known:
            raise InvalidInput(f"{path}{name}", f"there are {', '.join(known)}")


def _moment(value: Any, *, field: str = "happened_at") -> datetime:
    """Return an aware time; a text is read as ISO 8601, `Z` or an offset needed."""
    if isinstance(value, datetime):
        return value
    try:
        when = datetime.fromisoformat(str(value))
    except ValueError:
        problem = f"must be a time such as 2026-11-21T09:00:00Z, got {shown(value)}"
        raise InvalidInput(field, problem) from None
    return utc(when, field=field)
