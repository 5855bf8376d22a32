"""JSON back to records: what a caller may write down to have it kept.

Knows the fields of an item as `to_wire` writes them, and reads them back. Must not know where
the JSON came from: errors name the field, the door adds the place.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import StrEnum
from typing import Any, TypeVar

from simonides.errors import InvalidInput
from simonides.model.item import Item, Kind, MemoryTraits, MemoryType, Person, Role, Scope, Status
from simonides.wire.times import read_time

SET_BY_STORE = frozenset({"stored_at", "revision", "version"})
"""Fields of an item that are read over: what was listed can be added again elsewhere."""

Choice = TypeVar("Choice", bound=StrEnum)


def read_item(record: Any, *, timezone: str = "") -> Item:
    """Return the item that a JSON object describes: the fields of `Item`, all but text optional.

    `people` are objects or texts such as `Sarah Johnson <sarah@example.com>`.

    Raises:
        InvalidInput: It is no object, has an unknown field, or a value does not fit.
    """
    known = [one.name for one in fields(Item)]
    given = _known(record, known, where="item")
    values = {name: _field(name, value, timezone) for name, value in given.items()}
    return Item(**{k: v for k, v in values.items() if k not in SET_BY_STORE})


def read_person(record: Any) -> Person:
    """Return the person of an object, or of a text: a name, an address, or `Name <address>`."""
    if isinstance(record, str):
        return _person_of_text(record.strip())
    given = _known(record, [one.name for one in fields(Person)], where="people")
    for name in ("name", "address"):
        _text(f"people.{name}", given.get(name, ""))
    return Person(**{**given, "role": choice("role", given.get("role", Role.AUTHOR), Role)})


def read_traits(record: Any) -> MemoryTraits:
    """Return the traits of a memory from an object with the fields of `MemoryTraits`."""
    given = _known(record, [one.name for one in fields(MemoryTraits)], where="traits")
    return MemoryTraits(**{name: _trait(name, value) for name, value in given.items()})


def choice(name: str, value: Any, kind: type[Choice]) -> Choice:
    """Return the member of `kind` that `value` names, or say which there are."""
    try:
        return kind(value)
    except ValueError:
        raise InvalidInput(name, f"must be one of {', '.join(kind)}; got {value!r}") from None


_NAME_AND_ADDRESS = re.compile(r"(?P<name>[^<>]*)<(?P<address>[^<>]+)>")


def _person_of_text(text: str) -> Person:
    both = _NAME_AND_ADDRESS.fullmatch(text)
    if both:
        return Person(name=both["name"].strip(' "'), address=both["address"].strip())
    return Person(address=text) if "@" in text else Person(name=text)


def _known(record: Any, known: list[str], *, where: str) -> dict[str, Any]:
    if not isinstance(record, Mapping):
        raise InvalidInput(where, f"must be an object, got {type(record).__name__}")
    for name in record:
        if name not in known:
            raise InvalidInput(where, f"knows no field {name!r}; there are {', '.join(known)}")
    return dict(record)


def _field(name: str, value: Any, timezone: str) -> Any:
    if name == "happened_at":
        return None if value is None else _time(name, value, timezone)
    return _READERS[name](name, value) if name in _READERS else value


def _time(name: str, value: Any, timezone: str) -> Any:
    return read_time(_text(name, value), name=name, timezone=timezone)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidInput(name, f"must be text, got {type(value).__name__}")
    return value


def _list(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise InvalidInput(name, f"must be a list, got {type(value).__name__}")
    return list(value)


def _tags(name: str, value: Any) -> tuple[str, ...]:
    return tuple(_text(name, one) for one in _list(name, value))


def _people(name: str, value: Any) -> tuple[Person, ...]:
    return tuple(read_person(one) for one in _list(name, value))


def _metadata(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidInput(name, f"must be an object, got {type(value).__name__}")
    return dict(value)


def _position(name: str, value: Any) -> int | None:
    if value is not None and type(value) is not int:
        raise InvalidInput(name, f"must be a whole number, got {value!r}")
    return value


_READERS: dict[str, Callable[[str, Any], Any]] = {
    "kind": lambda name, value: choice(name, value, Kind),
    "tags": _tags,
    "people": _people,
    "metadata": _metadata,
    "position": _position,
    "traits": lambda _, value: None if value is None else read_traits(value),
}

_CHOICES: dict[str, type[StrEnum]] = {"scope": Scope, "type": MemoryType, "status": Status}
_NUMBERS = ("confidence", "importance", "half_life_hours")


def _trait(name: str, value: Any) -> Any:
    if name in _CHOICES:
        return choice(name, value, _CHOICES[name])
    if name not in _NUMBERS:
        return _text(name, value)
    if name == "half_life_hours" and value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(name, f"must be a number, got {value!r}")
    return float(value)
