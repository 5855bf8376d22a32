"""Items from plain values: texts for kinds, people and times.

Knows how plain values become records. Must not know defaults beyond `Item`'s own.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from simonides.errors import InvalidInput
from simonides.model.bounds import PERSON, show_value
from simonides.model.coercion import one_of, refuse_unknown, tuple_of
from simonides.model.item import Item, Kind, MemoryTraits, Person, Role
from simonides.model.mailbox import parse_mailbox

if TYPE_CHECKING:
    from simonides.model.item import PersonFields, TraitFields

__all__ = ["compose", "fit_values", "one_of", "recompose"]

_SET_BY_STORE = frozenset({"stored_at", "revision", "version"})
ITEM_FIELDS = frozenset(one.name for one in fields(Item)) - _SET_BY_STORE
PERSON_FIELDS = frozenset(one.name for one in fields(Person))
TRAIT_FIELDS = frozenset(one.name for one in fields(MemoryTraits))


def compose(content: str = "", **values: Any) -> Item:
    """Return the item that plain values describe.

    `kind` may be a text, `people` texts such as "Sarah Lindqvist <sarah@example.com>" (the first
    is the author, the others of a mail are whom it went to) or `Person` records or mappings,
    `happened_at` an ISO text, `tags` any iterable, `traits` a mapping.

    Raises:
        InvalidInput: A field is unknown or its value does not fit; says which.
    """
    return Item(content=content, **fit_values(values))


def recompose(item: Item, **values: Any) -> Item:
    """Return `item` with some fields replaced, its id and all others unchanged.

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
    return replace(item, **fit_values({"kind": item.kind, **values}))


def _plain(traits: MemoryTraits | None) -> dict[str, Any]:
    return {} if traits is None else {one.name: getattr(traits, one.name) for one in fields(traits)}


def fit_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values in the types of `Item`'s fields; None becomes the default."""
    refuse_unknown(values, ITEM_FIELDS)
    others = Role.TO if values.get("kind") == Kind.EMAIL else Role.MENTIONED
    fit: dict[str, Callable[[Any], Any]] = {
        "kind": _kind, "tags": _tags, "people": partial(_people, others=others), "traits": _traits
    }  # fmt: skip
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
        raise InvalidInput("tags", f"must hold texts, got {show_value(value)}") from None


def _people(value: Any, *, others: Role) -> tuple[Person, ...]:
    if isinstance(value, str | Person | Mapping):
        value = [value]
    if not isinstance(value, Iterable):
        raise InvalidInput("people", f"must be a list, got {show_value(value)}")
    return tuple(_person(one, Role.AUTHOR if i == 0 else others) for i, one in enumerate(value))


def _person(value: Any, role: Role) -> Person:
    if isinstance(value, Person):
        return value
    if isinstance(value, Mapping):
        refuse_unknown(value, PERSON_FIELDS, path="people.")
        return Person(**cast("PersonFields", dict(value)))
    if not isinstance(value, str):
        raise InvalidInput(
            "people", f"must hold texts, objects or persons, got {show_value(value)}"
        )
    PERSON.check(value, field="people")
    name, address = parse_mailbox(value) if "@" in value else (value.strip(), "")
    return Person(name=name, address=address.lower(), role=role)


def _traits(value: Any) -> MemoryTraits:
    if isinstance(value, MemoryTraits):
        return value
    if not isinstance(value, Mapping):
        raise InvalidInput("traits", f"must be an object, got {show_value(value)}")
    refuse_unknown(value, TRAIT_FIELDS, path="traits.")
    return MemoryTraits(**cast("TraitFields", dict(value)))
