"""JSON as the request of an operation: checked against its record, no unknown fields.

msgspec reads and checks; this module says what does not fit and where, never what was sent. Must
not know any operation or interface.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, get_origin, get_type_hints

import msgspec
from msgspec import inspect

from simonides.errors import InvalidInput
from simonides.model.coercion import nearest

Request = TypeVar("Request")

SPACE = "space"
"""A field that is read over: the space comes from the credential, never from an argument."""

_PLACE = re.compile(r"(?P<problem>.*?)(?: - at `\$\.?(?P<field>.*)`)?", re.DOTALL)
"""How msgspec names the place of a problem (msgspec 0.22, "Expected `int` - at `$.limit`")."""

_MISSING = re.compile(r"Object missing required field `(.*)`")


class MalformedJson(ValueError):
    """The text of a request is not JSON."""


def decode(text: bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        MalformedJson: It is no JSON, or nested too deeply to be read.
    """
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        raise MalformedJson("the body is nested too deeply") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        if holds_half_character(text):
            raise MalformedJson(f"the body {HALF_CHARACTER}") from None
        raise MalformedJson(f"the body is no JSON: {error}") from None


HALF_CHARACTER = r"holds half a character, such as \ud83c alone (a lone surrogate): send it whole"


def holds_half_character(text: bytes | str) -> bool:
    """Return whether a text is JSON but for an escape that is half of a character."""
    try:
        json.dumps(json.loads(text), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    except (ValueError, RecursionError):
        pass
    return False


def read_request(kind: type[Request], given: Any, *, from_text: bool = False) -> Request:
    """Return the request in a JSON object.

    `from_text` reads numbers and truth values that are written as texts, as query strings and
    command lines have them.

    Raises:
        InvalidInput: It is no object, has an unknown field, or a value does not fit.
    """
    if not isinstance(given, Mapping):
        raise InvalidInput("body", "must be an object")
    expected = _expect(kind)  # type: ignore[arg-type]  # classes can be hashed
    values = given
    if SPACE in given and SPACE not in (expected.names or ()):
        values = {name: value for name, value in given.items() if name != SPACE}
    checked = expected.check_fields(values, "")
    try:
        return msgspec.convert(checked, kind, strict=not from_text)
    except msgspec.ValidationError as error:
        raise _refusal(str(error)) from None


def _refusal(message: str) -> InvalidInput:
    """Return the error for msgspec's message."""
    found = _PLACE.fullmatch(message)
    place, problem = (found["field"] or "", found["problem"]) if found else ("", message)
    missing = _MISSING.fullmatch(problem)
    if missing:
        return InvalidInput(f"{place}.{missing[1]}".lstrip("."), "is missing")
    return InvalidInput(place or "body", _plain(problem))


def list_fields(kind: Any) -> frozenset[str]:
    """Return the names of the fields that are lists."""
    return _list_fields(kind)


@cache
def _list_fields(kind: Any) -> frozenset[str]:
    return frozenset(
        name for name, sort in get_type_hints(kind).items() if get_origin(sort) is tuple
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Expected:
    """The expected type of a value beyond msgspec's checks, which ignore unknown fields.

    An object has no other fields than `names`; each entry of a list is an `entry`; a text is one of
    `choices`, of which msgspec would repeat one that is none. A text of digits is a number where
    either may stand (`is_whole`, `is_text`): so a revision can be in a query string.
    """

    names: "Mapping[str, _Expected] | None" = None
    entry: "_Expected | None" = None
    choices: tuple[str, ...] = ()
    is_whole: bool = False
    is_text: bool = False

    def check(self, value: Any, place: str) -> Any:
        """Return a value in which every name and every choice is known.

        Raises:
            InvalidInput: A name is not known, or a choice is none.
        """
        if isinstance(value, str):
            return self._text(value, place)
        if self.names is not None and isinstance(value, Mapping):
            return self.check_fields(value, place)
        entry = self.entry
        if entry is not None and isinstance(value, list | tuple):
            return [entry.check(one, f"{place}[{i}]") for i, one in enumerate(value)]
        return value

    def check_fields(self, given: Mapping[Any, Any], place: str) -> dict[str, Any]:
        """Return an object that has no unknown field."""
        known, path = self.names or {}, f"{place}." if place else ""
        checked = {}
        for name, value in given.items():
            if name not in known:
                there = f"; there are {', '.join(known)}" if known else "; none is taken"
                problem = f"is not known{nearest(str(name), known) or there}"
                raise InvalidInput(f"{path}{name}"[:80], problem)
            expected = known[name]
            checked[name] = value if expected is _ANY else expected.check(value, path + name)
        return checked

    def _text(self, value: str, place: str) -> str | int:
        if self.choices and value not in self.choices:
            near = nearest(value, self.choices)
            raise InvalidInput(place, f"must be one of {', '.join(self.choices)}{near}")
        if not self.is_whole:
            return value
        is_number = _WHOLE.fullmatch(value)
        if not self.is_text and not is_number:
            raise InvalidInput(place, "must be a whole number")
        return int(value) if self.is_text and is_number and "-" not in value else value


_ANY = _Expected()
"""A value of which msgspec checks all that there is to check."""

_WHOLE = re.compile(r" *-?[0-9]{1,18} *")
"""A whole number in 64 bits, as a text."""


@cache
def _expect(kind: type[Any]) -> _Expected:
    return _expect_shape(inspect.type_info(kind))


def _expect_shape(shape: inspect.Type) -> _Expected:
    options = _options(shape)
    is_whole = any(isinstance(one, inspect.IntType) for one in options)
    found = _Expected(
        names=next(filter(None, map(_names, options)), None),
        entry=next(filter(None, map(_entry, options)), None),
        choices=next(filter(None, map(_choices, options)), ()),
        is_whole=is_whole,
        is_text=is_whole and any(isinstance(one, inspect.StrType) for one in options),
    )
    return _ANY if found == _ANY else found


def _names(shape: inspect.Type) -> dict[str, _Expected] | None:
    if not isinstance(shape, inspect.DataclassType):
        return None
    return {one.name: _expect_shape(one.type) for one in shape.fields}


def _entry(shape: inspect.Type) -> _Expected | None:
    if not isinstance(shape, inspect.VarTupleType):
        return None
    found = _expect_shape(shape.item_type)
    return None if found is _ANY else found


def _choices(shape: inspect.Type) -> tuple[str, ...]:
    if isinstance(shape, inspect.EnumType):
        return tuple(map(str, shape.cls))
    return tuple(map(str, shape.values)) if isinstance(shape, inspect.LiteralType) else ()


def _options(shape: inspect.Type) -> tuple[inspect.Type, ...]:
    """Return the possible types of a value, without annotations."""
    while isinstance(shape, inspect.Metadata):
        shape = shape.type
    if not isinstance(shape, inspect.UnionType):
        return (shape,)
    return tuple(one for part in shape.types for one in _options(part))


_BOUND = re.compile(r"Expected `(?:int|float)` (<=|>=) (\S+)")
_LENGTH = re.compile(r"Expected `(str|array)` of length (<=|>=) (\d+)")


def _plain(problem: str) -> str:
    """Return msgspec's message as the rest of a sentence whose subject is the field."""
    if bound := _BOUND.fullmatch(problem):
        return f"must be at {'most' if bound[1] == '<=' else 'least'} {bound[2]}"
    if length := _LENGTH.fullmatch(problem):
        if length[2] == ">=" and length[3] == "1":
            return "must not be empty"
        unit = "characters" if length[1] == "str" else "entries"
        return f"must have at {'most' if length[2] == '<=' else 'least'} {length[3]} {unit}"
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
    """Return the JSON Schemas of requests and of their parts, by name; refer by `template`."""
    _, made = msgspec.json.schema_components(kinds, ref_template=template)
    return {name: _close(schema) for name, schema in sorted(made.items())}


def leaving_out(schema: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the schema of an object without one of its fields."""
    properties = {one: value for one, value in schema["properties"].items() if one != name}
    required = [one for one in schema.get("required", ()) if one != name]
    plain = {one: value for one, value in schema.items() if one != "required"}
    made = {**plain, "properties": properties}
    return {**made, "required": required} if required else made


def _close(schema: dict[str, Any]) -> dict[str, Any]:
    if "properties" not in schema:
        return schema
    properties = {name: _without_null_default(one) for name, one in schema["properties"].items()}
    return leaving_out({**schema, "properties": properties, "additionalProperties": False}, "")


def _without_null_default(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a field without a null default, which goes without saying."""
    default = schema.get("default", ...)
    if default is None:
        return {name: one for name, one in schema.items() if name != "default"}
    return {**schema, "default": list(default)} if isinstance(default, tuple) else schema
