"""JSON as the request of an operation: checked against its record, unknown fields refused.

msgspec reads and checks; this module says what does not fit and where, never what was sent. Must
not know any operation or interface.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from simonides.errors import InvalidInput
from simonides.model.coercion import nearest

Request = TypeVar("Request")

READ_OVER = frozenset({"space"})
"""Fields that are read over: the space comes from the credential, never from an argument."""

_PLACE = re.compile(r"(?P<problem>.*?)(?: - at `\$\.?(?P<field>.*)`)?", re.DOTALL)
"""How msgspec names the place of a problem (msgspec 0.22, "Expected `int` - at `$.limit`")."""


_MISSING = re.compile(r"Object missing required field `(.*)`")


class MalformedJson(ValueError):
    """The text of a request is not JSON."""


def decode(text: bytes) -> Any:
    """Return the value that JSON text holds.

    Raises:
        MalformedJson: It is no JSON, or nested too deeply to be read.
    """
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        raise MalformedJson("the body is nested too deeply") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise MalformedJson(f"the body is no JSON: {error}") from None


def read_request(kind: type[Request], given: Any, *, from_text: bool = False) -> Request:
    """Return the request that an object of JSON describes.

    `from_text` reads numbers and truth values that are written as texts, as query strings and
    command lines have them.

    Raises:
        InvalidInput: It is no object, has an unknown field, or a value does not fit.
    """
    if not isinstance(given, Mapping):
        raise InvalidInput("body", "must be an object")
    shape = _shape(kind)
    read_over = READ_OVER.difference(one.name for one in shape.fields)
    values = {name: value for name, value in given.items() if name not in read_over}
    checked = _known(shape, values, "")
    try:
        return msgspec.convert(checked, kind, strict=not from_text)
    except msgspec.ValidationError as error:
        raise _refusal(str(error)) from None


def _refusal(told: str) -> InvalidInput:
    """Return the refusal that msgspec's words stand for."""
    found = _PLACE.fullmatch(told)
    place, problem = (found["field"] or "", found["problem"]) if found else ("", told)
    missing = _MISSING.fullmatch(problem)
    if missing:
        return InvalidInput(f"{place}.{missing[1]}".lstrip("."), "is missing")
    return InvalidInput(place or "body", _plain(problem))


def _shape(kind: type[Any]) -> inspect.DataclassType:
    shape = _inspected(kind)  # type: ignore[arg-type]  # classes can be hashed
    assert isinstance(shape, inspect.DataclassType)  # noqa: S101  requests are dataclasses
    return shape


@cache
def _inspected(kind: type[Any]) -> inspect.Type:
    return inspect.type_info(kind)


def list_fields(kind: type[Any]) -> frozenset[str]:
    """Return the names of the fields that hold several values."""
    return frozenset(
        one.name for one in _shape(kind).fields
        if isinstance(_options(one.type)[0], inspect.VarTupleType)
    )  # fmt: skip


def _checked(shape: inspect.Type, value: Any, place: str) -> Any:
    """Return a value in which every name is known and every choice is one that there is.

    msgspec reads over the unknown fields of dataclasses, and repeats a choice that is none. A text
    of digits becomes a number where either may stand: so a revision can be in a query string.

    Raises:
        InvalidInput: A name is not known, or a choice is none.
    """
    shapes = _options(shape)
    for one in shapes:
        if isinstance(one, inspect.DataclassType) and isinstance(value, Mapping):
            return _known(one, value, place)
        if isinstance(one, inspect.VarTupleType) and isinstance(value, list | tuple):
            return [_checked(one.item_type, part, f"{place}[{i}]") for i, part in enumerate(value)]
        if isinstance(one, inspect.EnumType | inspect.LiteralType) and isinstance(value, str):
            return _chosen(one, value, place)
    return _number(shapes, value, place) if isinstance(value, str) else value


def _number(shapes: Iterable[inspect.Type], value: str, place: str) -> str | int:
    """Return a text, or the whole number that it is where that or a text may stand.

    Raises:
        InvalidInput: It is none, and nothing else may stand there.
    """
    kinds = {type(one) for one in shapes}
    is_whole = _WHOLE.fullmatch(value)
    if inspect.IntType not in kinds:
        return value
    if inspect.StrType in kinds:
        return int(value) if is_whole and not value.startswith("-") else value
    if not is_whole:
        raise InvalidInput(place, "must be a whole number")
    return value


_WHOLE = re.compile(r" *-?[0-9]{1,18} *")
"""A whole number in 64 bits, as a text."""


def _options(shape: inspect.Type) -> tuple[inspect.Type, ...]:
    """Return the shapes that a value may have, without what only describes them."""
    while isinstance(shape, inspect.Metadata):
        shape = shape.type
    if not isinstance(shape, inspect.UnionType):
        return (shape,)
    return tuple(one for part in shape.types for one in _options(part))


def _known(shape: inspect.DataclassType, given: Mapping[Any, Any], place: str) -> dict[str, Any]:
    known = {one.name: one.type for one in shape.fields}
    path = f"{place}." if place else ""
    checked = {}
    for name, value in given.items():
        if name not in known:
            there = f"; there are {', '.join(known)}" if known else "; none is taken"
            problem = f"is not known{nearest(str(name), known) or there}"
            raise InvalidInput(f"{path}{name}"[:80], problem)
        checked[name] = _checked(known[name], value, f"{path}{name}")
    return checked


def _chosen(shape: inspect.EnumType | inspect.LiteralType, value: str, place: str) -> str:
    values = shape.values if isinstance(shape, inspect.LiteralType) else tuple(shape.cls)
    choices = [str(one) for one in values]
    if value not in choices:
        problem = f"must be one of {', '.join(choices)}{nearest(value, choices)}"
        raise InvalidInput(place, problem)
    return value


def _plain(problem: str) -> str:
    """Return msgspec's words as the rest of a sentence whose subject is the field."""
    text = problem.replace("`", "")
    return f"{text[0].lower()}{text[1:]}" if text else "does not fit"


def request_schema(kind: type[Any], *, without: str = "") -> dict[str, Any]:
    """Return the JSON Schema of a request, without the field named `without`.

    Every object in it is closed; records within stand under `$defs`.
    """
    made = request_schemas([kind], template="#/$defs/{name}")
    schema = leaving_out(made.pop(kind.__name__), without)
    return {**schema, "$defs": made} if made else schema


def request_schemas(kinds: Iterable[type[Any]], *, template: str) -> dict[str, dict[str, Any]]:
    """Return the JSON Schemas of requests and of what they hold, by name; refer by `template`."""
    _, made = msgspec.json.schema_components(kinds, ref_template=template)
    return {name: _closed(schema) for name, schema in sorted(made.items())}


def leaving_out(schema: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the schema of an object without one of its fields."""
    properties = {one: told for one, told in schema["properties"].items() if one != name}
    required = [one for one in schema.get("required", ()) if one != name]
    plain = {one: told for one, told in schema.items() if one != "required"}
    made = {**plain, "properties": properties}
    return {**made, "required": required} if required else made


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    if "properties" not in schema:
        return schema
    properties = {name: _without_null_default(one) for name, one in schema["properties"].items()}
    return leaving_out({**schema, "properties": properties, "additionalProperties": False}, "")


def _without_null_default(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a field; that what is left out is not set needs no words."""
    default = schema.get("default", ...)
    if default is None:
        return {name: one for name, one in schema.items() if name != "default"}
    return {**schema, "default": list(default)} if isinstance(default, tuple) else schema
