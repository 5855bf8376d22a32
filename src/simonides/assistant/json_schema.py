"""Python types as JSON Schema, and JSON values checked against them.

Knows which annotations a tool may have. A function of its arguments alone; must not know tools.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from simonides.errors import InvalidInput

KNOWN = "str, int, float, bool, list[…], dict, Literal, an Enum, or one of these | None"
"""What an annotation may be, as errors say it."""


class SchemaMismatch(Exception):
    """A value does not match its shape: `at` is its place, `problem` the mismatch."""

    def __init__(self, at: str, problem: str) -> None:
        super().__init__(f"{at}: {problem}")
        self.at = at
        self.problem = problem


Fit = Callable[[Any, str], Any]
"""Returns a JSON value as Python wants it; raises `SchemaMismatch` that names its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The required shape of a value: as JSON Schema, in words, and as a check."""

    schema: Mapping[str, Any]
    said: str
    fit: Fit


def shape_of(annotation: Any, *, at: str) -> Shape:
    """Return the shape of an annotation, with the text of an `Annotated` as its description.

    Raises:
        InvalidInput: It is no type that JSON has; `at` is the place that the message names.
    """
    if get_origin(annotation) is Annotated:
        plain, *notes = get_args(annotation)
        shape, said = shape_of(plain, at=at), next((n for n in notes if isinstance(n, str)), "")
        return replace(shape, schema={**shape.schema, "description": said}) if said else shape
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return _choice({one.value: one for one in annotation}, at=at)
    if get_origin(annotation) is Literal:
        return _choice({one: one for one in get_args(annotation)}, at=at)
    return _is_compound(annotation, at=at)


def _is_compound(annotation: Any, *, at: str) -> Shape:
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return _either([shape_of(part, at=at) for part in parts])
    if origin is list and len(parts) == 1:
        return _list_of(shape_of(parts[0], at=at))
    if origin is dict and parts[:1] == (str,):
        return _object_of(shape_of(parts[1], at=at))
    named = "nothing" if annotation is inspect.Parameter.empty else f"{annotation!r}"
    raise InvalidInput(at, f"is annotated with {named}; a tool's argument must be {KNOWN}")


def _misfit(at: str, wanted: str, value: Any) -> SchemaMismatch:
    return SchemaMismatch(
        at, f"must be {wanted}, got {_NAMES.get(type(value), type(value).__name__)}"
    )


_NAMES = {
    str: "text", int: "a whole number", float: "a number", bool: "true or false", list: "a list",
    dict: "an object", NoneType: "null",
}  # fmt: skip
"""What the values of JSON are called."""


def _text(value: Any, at: str) -> str:
    if not isinstance(value, str):
        raise _misfit(at, "text", value)
    return value


def _whole(value: Any, at: str) -> int:
    """Return a whole number; models write 3.0 for 3."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _misfit(at, "a whole number", value)
    return value


def _number(value: Any, at: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _misfit(at, "a number", value)
    try:
        return float(value)
    except OverflowError:
        raise SchemaMismatch(at, "is too large a number") from None


def _flag(value: Any, at: str) -> bool:
    if not isinstance(value, bool):
        raise _misfit(at, "true or false", value)
    return value


def _list(value: Any, at: str) -> list[Any]:
    if not isinstance(value, list):
        raise _misfit(at, "a list", value)
    return value


def _object(value: Any, at: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _misfit(at, "an object", value)
    return value


def _nothing(value: Any, at: str) -> None:
    if value is not None:
        raise _misfit(at, "null", value)


_PLAIN: dict[Any, Shape] = {
    str: Shape(schema={"type": "string"}, said="text", fit=_text),
    int: Shape(schema={"type": "integer"}, said="a whole number", fit=_whole),
    float: Shape(schema={"type": "number"}, said="a number", fit=_number),
    bool: Shape(schema={"type": "boolean"}, said="true or false", fit=_flag),
    list: Shape(schema={"type": "array"}, said="a list", fit=_list),
    dict: Shape(schema={"type": "object"}, said="an object", fit=_object),
    None: Shape(schema={"type": "null"}, said="null", fit=_nothing),
    NoneType: Shape(schema={"type": "null"}, said="null", fit=_nothing),
}


def _choice(members: Mapping[Any, Any], *, at: str) -> Shape:
    """Return the shape of a choice of texts or whole numbers."""
    kinds = {type(value) for value in members}
    if not kinds or not kinds <= {str, int}:
        raise InvalidInput(at, "must offer texts or whole numbers to choose from")
    names = {str: "string", int: "integer"}
    schema: dict[str, Any] = {"enum": list(members)}
    if len(kinds) == 1:
        schema["type"] = names[next(iter(kinds))]
    said = f"one of {', '.join(map(str, members))}"

    def fit(value: Any, at: str) -> Any:
        if type(value) not in kinds or value not in members:
            raise SchemaMismatch(at, f"must be {said}; got {value!r:.60}")
        return members[value]

    return Shape(schema=schema, said=said, fit=fit)


def _either(shapes: Sequence[Shape]) -> Shape:
    said = " or ".join(one.said for one in shapes)

    def fit(value: Any, at: str) -> Any:
        for one in shapes:
            try:
                return one.fit(value, at)
            except SchemaMismatch:
                continue
        raise _misfit(at, said, value)

    return Shape(schema={"anyOf": [one.schema for one in shapes]}, said=said, fit=fit)


def _list_of(part: Shape) -> Shape:
    def fit(value: Any, at: str) -> list[Any]:
        return [part.fit(one, f"{at}[{n}]") for n, one in enumerate(_list(value, at))]

    schema = {"type": "array", "items": part.schema}
    return Shape(schema=schema, said=f"a list of {part.said}", fit=fit)


def _object_of(part: Shape) -> Shape:
    def fit(value: Any, at: str) -> dict[str, Any]:
        return {name: part.fit(one, f"{at}.{name}") for name, one in _object(value, at).items()}

    schema = {"type": "object", "additionalProperties": part.schema}
    return Shape(schema=schema, said=f"an object of {part.said}", fit=fit)
