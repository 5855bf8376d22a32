"""Records as JSON and back, exactly: both directions from one table, by the records' annotations.

`write.to_wire` is for whoever reads an answer; it has no form for a number that is not finite, nor
for how conditions are joined. Records that must be read back exactly, such as receipts, are written
and read here: `read` undoes `to_tree`, and refuses everything else with its place in the tree. The
functions `json_…` check one value each. Knows sorts of values. Must not know what a record means,
nor where the JSON came from.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from simonides.errors import InvalidInput
from simonides.model.bounds import INT64_MAX
from simonides.model.coercion import one_of
from simonides.model.filter import AllOf, AnyOf, Compare, Condition, Not
from simonides.model.result import fields_said, is_omissible
from simonides.model.times import utc


def _refuse(at: str, wanted: str, value: Any) -> InvalidInput:
    return InvalidInput(at, f"must be {wanted}, got {type(value).__name__}")


def json_object(value: Any, at: str) -> dict[str, Any]:
    """Return the object at a place of a tree."""
    if not isinstance(value, dict):
        raise _refuse(at, "an object", value)
    return value


def json_list(value: Any, at: str) -> list[Any]:
    """Return the list at a place."""
    if not isinstance(value, list):
        raise _refuse(at, "a list", value)
    return value


def json_text(value: Any, at: str) -> str:
    """Return the text at a place."""
    if not isinstance(value, str):
        raise _refuse(at, "text", value)
    return value


def json_flag(value: Any, at: str) -> bool:
    """Return the boolean at a place."""
    if not isinstance(value, bool):
        raise _refuse(at, "true or false", value)
    return value


def json_whole(value: Any, at: str) -> int:
    """Return the whole number of 64 bits at a place."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise _refuse(at, "a whole number", value)
    if abs(value) > INT64_MAX:
        raise InvalidInput(at, "must fit 64 bits")
    return value


NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
"""Numbers that JSON has no word for, by the texts that stand for them."""


def json_number(value: Any, at: str) -> float:
    """Return the number at a place, also from a text."""
    if isinstance(value, str) and value in NOT_FINITE:
        return NOT_FINITE[value]
    if isinstance(value, float) and math.isfinite(value):  # JSON's 1e999 is endless, unsaid
        return value
    if isinstance(value, bool) or not isinstance(value, int):
        raise _refuse(at, f"a number, or one of {', '.join(NOT_FINITE)}", value)
    return json_whole(value, at)


def json_time(value: Any, at: str) -> datetime:
    """Return the aware time at a place, as UTC."""
    try:
        when = datetime.fromisoformat(json_text(value, at))
    except ValueError:
        problem = f"must be a time such as 2026-11-21T09:00:00Z, got {value!r:.80}"
        raise InvalidInput(at, problem) from None
    return utc(when, field=at)


def time_text(when: datetime) -> str:
    """Return an aware time in UTC, to the second, or to the µs if it has a fraction."""
    return when.astimezone(UTC).isoformat().replace("+00:00", "Z")


Record = TypeVar("Record")


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonForm:
    """The two directions of one type of value: its writer and its reader."""

    write: Callable[[Any], Any]
    read: Callable[[Any, str], Any]


def to_tree(record: Any) -> Any:
    """Return a record as JSON-able dicts, lists, texts and finite numbers.

    Raises:
        TypeError: It holds a value that JSON can not give back.
    """
    return form_of(type(record)).write(record)


def read(kind: type[Record], tree: Any, *, path: str) -> Record:
    """Return the record that `to_tree` wrote as `tree`.

    Raises:
        InvalidInput: A field is missing, unknown or of another sort; names its place.
    """
    found: Record = form_of(kind).read(tree, path)
    return found


def form_of(sort: Any) -> JsonForm:
    """Return the form of an annotation: a record, an enumeration, a tuple, or a JSON type.

    Raises:
        TypeError: It is none of these.
    """
    if sort not in _FORMS:
        _FORMS[sort] = _compose(sort)
    return _FORMS[sort]


def _compose(sort: Any) -> JsonForm:
    parts = get_args(sort)
    if get_origin(sort) in (Union, UnionType):
        return _optional(parts)
    if get_origin(sort) is tuple:
        return _repeat(parts[0]) if parts[-1] is Ellipsis else _in_order(parts)
    if isinstance(sort, type) and issubclass(sort, StrEnum):
        return JsonForm(
            write=str, read=lambda value, at: one_of(sort, json_text(value, at), field=at)
        )
    if isinstance(sort, type) and is_dataclass(sort):
        return _record(sort)
    raise TypeError(f"{sort!r} has no exact form")


# ── sorts that are made of others ─────────────────────────────────────────────────────────────


def _optional(parts: tuple[Any, ...]) -> JsonForm:
    """Return the form of a condition, a state or one other type, each of them optional."""
    rest = frozenset(one for one in parts if one is not NoneType)
    inner = _SEVERAL[rest] if rest in _SEVERAL else form_of(*rest)
    if len(rest) == len(parts):
        return inner
    return JsonForm(
        write=lambda value: None if value is None else inner.write(value),
        read=lambda value, at: None if value is None else inner.read(value, at),
    )


def _repeat(sort: Any) -> JsonForm:
    inner = form_of(sort)

    def read_all(value: Any, at: str) -> tuple[Any, ...]:
        return tuple(inner.read(one, f"{at}[{n}]") for n, one in enumerate(json_list(value, at)))

    return JsonForm(write=lambda value: [inner.write(one) for one in value], read=read_all)


def _in_order(sorts: tuple[Any, ...]) -> JsonForm:
    forms = tuple(map(form_of, sorts))

    def write_each(value: Any) -> list[Any]:
        return [form.write(one) for form, one in zip(forms, value, strict=True)]

    def read_each(value: Any, at: str) -> tuple[Any, ...]:
        if len(json_list(value, at)) != len(forms):
            raise InvalidInput(at, f"must have {len(forms)} parts, got {len(value)}")
        pairs = enumerate(zip(forms, value, strict=True))
        return tuple(form.read(one, f"{at}[{n}]") for n, (form, one) in pairs)

    return JsonForm(write=write_each, read=read_each)


def _record(kind: type[Any]) -> JsonForm:
    forms = {name: form_of(sort) for name, sort in get_type_hints(kind).items()}
    omissible = frozenset(one.name for one in fields(kind) if is_omissible(one))

    def write_fields(value: Any) -> dict[str, Any]:
        return {name: forms[name].write(getattr(value, name)) for name in fields_said(value)}

    def read_fields(value: Any, at: str) -> Any:
        tree = json_object(value, at)
        said = {n: form for n, form in forms.items() if n in tree or n not in omissible}
        _check_names(tree, said, at)
        values = {name: form.read(value[name], f"{at}.{name}") for name, form in said.items()}
        return _make(kind, values, at)

    return JsonForm(write=write_fields, read=read_fields)


def _check_names(value: Mapping[str, Any], known: Mapping[str, Any], at: str) -> None:
    for name in known:
        if name not in value:
            raise InvalidInput(f"{at}.{name}", "is missing")
    for name in value:
        if name not in known:
            raise InvalidInput(f"{at}.{name:.80}", f"is not known; there are {', '.join(known)}")


def _make(kind: type[Any], values: Mapping[str, Any], at: str) -> Any:
    """Return the record, unless it rejects a value or replaces it by another."""
    try:
        record = kind(**values)
    except InvalidInput as error:
        raise InvalidInput(at, str(error)) from error
    for name, value in values.items():
        kept = getattr(record, name)
        if kept is not value and kept != value:
            raise InvalidInput(f"{at}.{name}", f"is out of range: {value!r:.80}")
    return record


def _write_number(value: float) -> float | str:
    return value if math.isfinite(value) else str(float(value))


# ── conditions ────────────────────────────────────────────────────────────────────────────────

_JOINED: dict[str, tuple[type[Any], str]] = {
    "all": (AllOf, "parts"),
    "any": (AnyOf, "parts"),
    "not": (Not, "part"),
}
"""How conditions are joined: the one key of their object, their record, and its one field."""


def _write_condition(value: Any) -> dict[str, Any]:
    for name, (kind, field) in _JOINED.items():
        if isinstance(value, kind):
            return {name: _part_form(kind, field).write(getattr(value, field))}
    tree: dict[str, Any] = form_of(Compare).write(value)
    if not value.path:  # as it was written before there were paths
        del tree["path"]
    return tree


def _read_condition(value: Any, at: str) -> Any:
    for name, (kind, field) in _JOINED.items():
        if list(json_object(value, at)) == [name]:
            inner = _part_form(kind, field).read(value[name], f"{at}.{name}")
            return kind(**{field: inner})
    return form_of(Compare).read({"path": [], **value}, at)


def _part_form(kind: type[Any], field: str) -> JsonForm:
    return form_of(get_type_hints(kind)[field])


# ── any value that a condition compares with ──────────────────────────────────────────────────

_TUPLE, _NUMBER, _PLAIN = "$tuple", "$number", "$object"
"""Keys of objects that stand for what JSON does not have; the last keeps an object that has such
a key itself."""


def _write_value(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return str(value) if isinstance(value, StrEnum) else value
    if isinstance(value, float):
        number = _write_number(value)
        return {_NUMBER: number} if isinstance(number, str) else number
    if isinstance(value, list | tuple):
        parts = [_write_value(one) for one in value]
        return {_TUPLE: parts} if isinstance(value, tuple) else parts
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        entries = {key: _write_value(one) for key, one in value.items()}
        return {_PLAIN: entries} if any(key.startswith("$") for key in entries) else entries
    raise TypeError(f"{type(value).__name__} has no exact form")


def _read_value(value: Any, at: str) -> Any:
    if isinstance(value, list):
        return [_read_value(one, f"{at}[{n}]") for n, one in enumerate(value)]
    if not isinstance(value, dict):
        return value
    for key, undo in _UNDO.items():
        if list(value) == [key]:
            return undo(value[key], f"{at}.{key}")
    if any(key.startswith("$") for key in value):
        raise InvalidInput(at, f"must not have keys that begin with $ but {', '.join(_UNDO)}")
    return _read_entries(value, at)


def _read_entries(value: Any, at: str) -> dict[str, Any]:
    return {key: _read_value(one, f"{at}.{key}") for key, one in json_object(value, at).items()}


_UNDO: dict[str, Callable[[Any, str], Any]] = {
    _TUPLE: lambda value, at: tuple(_read_value(json_list(value, at), at)),
    _NUMBER: json_number,
    _PLAIN: _read_entries,
}


def _write_state(value: Any) -> Any:
    return time_text(value) if isinstance(value, datetime) else value


def _read_state(value: Any, at: str) -> Any:
    """Return the time in a text, or the revision in a number."""
    return json_time(value, at) if isinstance(value, str) else json_whole(value, at)


_CONDITION = JsonForm(write=_write_condition, read=_read_condition)
_SEVERAL = {
    frozenset(get_args(Condition)): _CONDITION,
    frozenset((datetime, int)): JsonForm(write=_write_state, read=_read_state),
}
"""What may be of several sorts."""
_FORMS: dict[Any, JsonForm] = {
    str: JsonForm(write=str, read=json_text),
    bool: JsonForm(write=bool, read=json_flag),
    int: JsonForm(write=int, read=json_whole),
    float: JsonForm(write=_write_number, read=json_number),
    datetime: JsonForm(write=time_text, read=json_time),
    Any: JsonForm(write=_write_value, read=_read_value),
    **dict.fromkeys((AllOf, AnyOf, Not), _CONDITION),
}
"""The sorts that are not made of others; those that are join them when first met."""
