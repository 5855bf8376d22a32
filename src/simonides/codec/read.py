"""JSON back to records: the items that a caller may add.

Checks that each value is of the sort that JSON should hold there; `model.compose` makes the
record. Must not know where the JSON came from: errors name the field, the door adds the place.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from simonides.errors import InvalidInput
from simonides.model.compose import compose
from simonides.model.item import Item, MemoryTraits, Person
from simonides.model.times import read_time

SET_BY_STORE = frozenset({"stored_at", "revision", "version"})
"""Fields of an item that are read over: what was listed can be added again elsewhere."""

_SORTS: dict[str, tuple[Any, str]] = {
    "tags": (list, "a list"),
    "people": (list, "a list"),
    "metadata": (Mapping, "an object"),
    "traits": (Mapping, "an object"),
    "position": (int, "a whole number"),
}
"""What JSON should hold in the fields that are not text."""

_NUMBERS = frozenset({"confidence", "importance", "half_life_hours"})


def read_item(record: Any, *, timezone: str = "") -> Item:
    """Return the item that a JSON object describes: the fields of `Item`, all but text optional.

    `people` are objects, or texts such as `Sarah Johnson <sarah@example.com>` of which the first
    is the author. A `happened_at` without a zone is in `timezone`.

    Raises:
        InvalidInput: It is no object, has an unknown field, or a value does not fit.
    """
    given = dict(_object("item", record))
    values = {k: v for k, v in given.items() if v is not None and k not in SET_BY_STORE}
    for name, value in values.items():
        _check(name, value)
    if "happened_at" in values:
        values["happened_at"] = read_time(
            values["happened_at"], name="happened_at", timezone=timezone
        )
    expires = values.get("traits", {}).get("expires_at")
    if expires is not None:
        until = read_time(expires, name="traits.expires_at", timezone=timezone)
        values["traits"] = {**values["traits"], "expires_at": until}
    return compose(**values)


def _check(name: str, value: Any) -> None:
    sort, called = _SORTS.get(name, (str, "text"))
    if not isinstance(value, sort) or isinstance(value, bool):
        raise InvalidInput(name, f"must be {called}, got {_sort_of(value)}")
    if name == "tags":
        _check_texts(name, value)
    elif name == "people":
        for person in value:
            _check_person(person)
    elif name == "traits":
        _check_traits(value)


def _check_texts(name: str, values: Iterable[Any]) -> None:
    for one in values:
        if not isinstance(one, str):
            raise InvalidInput(name, f"must be text, got {_sort_of(one)}")


def _check_person(person: Any) -> None:
    if isinstance(person, str):
        return
    known = [one.name for one in fields(Person)]
    for name, value in _object("people", person).items():
        if name not in known:
            raise InvalidInput("people", f"knows no field {name!r}; there are {', '.join(known)}")
        _check_texts(f"people.{name}", [value])


def _check_traits(traits: Mapping[str, Any]) -> None:
    known = {one.name for one in fields(MemoryTraits)}
    for name, value in traits.items():
        if name in _NUMBERS:
            _check_number(name, value)
        elif name in known and not (name == "expires_at" and value is None):
            _check_texts(f"traits.{name}", [value])


def _check_number(name: str, value: Any) -> None:
    if name == "half_life_hours" and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"traits.{name}", f"must be a number, got {_sort_of(value)}")


def _object(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidInput(name, f"must be an object, got {_sort_of(value)}")
    return value


def _sort_of(value: Any) -> str:
    return type(value).__name__
