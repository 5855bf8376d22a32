"""JSON as the request of an operation: checked against its record, unknown fields refused.

msgspec reads and checks; this module says what does not fit and where, never what was sent. Must
not know any operation or interface.
"""

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

import msgspec

from simonides.errors import InvalidInput
from simonides.model.coercion import nearest

Request = TypeVar("Request")

READ_OVER = frozenset({"space"})
"""Fields that are read over: the space comes from the credential, never from an argument."""

_PLACE = re.compile(r"(?P<problem>.*?)(?: - at `\$\.?(?P<field>.*)`)?", re.DOTALL)
"""How msgspec names the place of a problem (msgspec 0.22, "Expected `int` - at `$.limit`")."""


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
    values = {name: value for name, value in given.items() if name not in READ_OVER}
    known = [one.name for one in fields(kind)]  # type: ignore[arg-type]  # records are dataclasses
    for name in values:
        if name not in known:
            there = f"; there are {', '.join(known)}" if known else "; none is taken"
            problem = f"is not known{nearest(str(name), known) or there}"
            raise InvalidInput(str(name)[:80], problem)
    try:
        return msgspec.convert(values, kind, strict=not from_text)
    except msgspec.ValidationError as error:
        found = _PLACE.fullmatch(str(error))
        place, problem = (found["field"], found["problem"]) if found else ("", str(error))
        raise InvalidInput(place or "body", _plain(problem)) from None


def _plain(problem: str) -> str:
    """Return msgspec's words as the rest of a sentence whose subject is the field."""
    text = problem.replace("`", "")
    return f"{text[0].lower()}{text[1:]}" if text else "does not fit"


def request_schema(kind: type[Any], *, without: str = "") -> dict[str, Any]:
    """Return the JSON Schema of a request: a closed object, without the field named `without`."""
    _, components = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    made = components[kind.__name__]
    properties = {name: one for name, one in made["properties"].items() if name != without}
    required = [name for name in made.get("required", ()) if name != without]
    plain = {name: one for name, one in made.items() if name != "required"}
    closed = {**plain, "properties": properties, "additionalProperties": False}
    return {**closed, "required": required} if required else closed
