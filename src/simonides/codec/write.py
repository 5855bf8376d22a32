"""Records as JSON: the one serialiser of all interfaces.

Knows the shape of every answer on the wire: snake_case, except that a search answers as
`{"entries": […], "latestContext": "…", "contextTimestamp": "…", "diagnostics": {…}}` (without a
background, "" and null). Must not know which door asks, nor how people read it.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from functools import cache, singledispatch
from pathlib import PurePath
from typing import Any, get_args, get_type_hints

import msgspec

from simonides.codec.lossless import to_tree
from simonides.model.answer import Hit, MultiSpaceResult, SearchResult, SpaceHit
from simonides.model.brief import Explained, Receipt
from simonides.model.chat import Retrieved
from simonides.model.filter import AllOf, AnyOf, Compare, Filter, Not
from simonides.model.import_report import ImportReport
from simonides.model.result import fields_said, is_omissible
from simonides.model.stored import Change, Outcome, Surrogate


def to_json(value: Any) -> bytes:
    """Return `value` as one line of JSON in UTF-8.

    Records become objects with all their fields, times ISO 8601 in UTC with a `Z`, numbers that
    are not finite null.

    Raises:
        TypeError: The value is of a sort that has no form on the wire.
    """
    shaped = _shape(value)
    try:
        return _ENCODER.encode(shaped)
    except UnicodeEncodeError:  # half a pair of surrogates, as in names of files of other systems
        text = json.dumps(msgspec.to_builtins(shaped, enc_hook=_other))
        return json.dumps(json.loads(text, parse_constant=lambda _: None)).encode()


def to_wire(value: Any) -> Any:
    """Return `value` as the dicts, lists, texts and numbers of its JSON.

    Raises:
        TypeError: As for `to_json`.
    """
    return json.loads(to_json(value))


def to_line(value: Any) -> str:
    """Return `value` as one line of ASCII JSON: safe in any encoding and on any terminal."""
    return json.dumps(to_wire(value), allow_nan=False)


def _other(value: Any) -> Any:
    """Return a value of a type that msgspec does not know as one that it does."""
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no form on the wire")


_ENCODER = msgspec.json.Encoder(enc_hook=_other)


@singledispatch
def _shape(value: Any) -> Any:
    """Return a value in which records with a shape of their own are dictionaries.

    The others are left as they are: msgspec writes them as objects with all their fields.
    """
    kind = type(value)
    if not is_dataclass(kind) or _is_plain(kind):
        return value
    return _fields(value)


@cache
def _is_plain(sort: Any) -> bool:
    """Return whether no record with a shape of its own can be within a value of this type."""
    if not is_dataclass(sort):
        return all(map(_is_plain, get_args(sort)))
    is_shaped = _shape.dispatch(sort) is not _shape.dispatch(object)
    if is_shaped or any(map(is_omissible, fields(sort))):
        return False
    hints = get_type_hints(sort)
    return all(_is_plain(hints[one.name]) for one in fields(sort))


def _fields(value: Any) -> dict[str, Any]:
    """Return the fields of a record, for a shape that adds to them."""
    return {name: _shape(getattr(value, name)) for name in fields_said(value)}


def outcomes_form(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the outcomes of added items: a count of each change, and each by itself."""
    counts = Counter(one.change for one in outcomes)
    return {**{change.value: counts[change] for change in Change}, "outcomes": to_wire(outcomes)}


@_shape.register(bytes)
@_shape.register(set)
def _(value: Any) -> Any:
    """Refuse what msgspec would guess a form for."""
    return _other(value)


@_shape.register
def _(value: datetime) -> datetime:
    return value.astimezone(UTC)


@_shape.register(Mapping)
def _(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key): _shape(one) for key, one in value.items()}


@_shape.register(list)
@_shape.register(tuple)
def _(value: Any) -> list[Any]:
    return [_shape(one) for one in value]


@_shape.register
def _(value: SearchResult) -> dict[str, Any]:
    return {
        "entries": _shape(value.hits),
        "latestContext": value.background.text if value.background else "",
        "contextTimestamp": _shape(value.background.created_at) if value.background else None,
        **_best_context(value),
        "nothing": value.nothing,
        "diagnostics": {
            **_fields(value.diagnostics),
            "plan": value.plan,
        },
    }


def _best_context(value: SearchResult) -> dict[str, Any]:
    """Return the background that fits best as fields of a search; none unless it was asked for."""
    if value.best_context is None:
        return {}
    best = next(iter(value.best_context), None)
    return {
        "bestContext": best.background.text if best else "",
        "bestContextTimestamp": _shape(best.background.created_at) if best else None,
        "bestContextScore": _shape(best.score) if best else None,
    }


@_shape.register
def _(value: Hit) -> dict[str, Any]:
    return {
        "entryId": value.id,
        "summary": value.item.summary or value.item.title or value.passage,
        "_score": value.score,
        "relevance": value.relevance,
        "item": value.item,
        "explanation": value.explanation.contributions,
        "lanes": value.explanation.lanes,
        "passage": value.passage,
        "trust": value.trust,
        **({"space": value.space} if value.space else {}),
        **({"replaces": _shape(value.replaces)} if value.replaces else {}),
        **({"replaced_by": _shape(value.replaced_by)} if value.replaced_by else {}),
    }


@_shape.register
def _(value: Surrogate) -> dict[str, Any]:
    """Return the JSON of a surrogate, without the store's key of its version."""
    return {
        "algorithm": value.algorithm,
        "version": value.version,
        "source_hash": value.source_hash.hex(),
        "full": value.full,
        "gist": value.gist,
        "micro": value.micro,
    }


@_shape.register
def _(value: ImportReport) -> dict[str, Any]:
    return {
        "read": value.read,
        **_fields(value),
    }


@_shape.register
def _(value: Explained) -> dict[str, Any]:
    """Return the JSON of a search, then the brief and the items that a larger one would have."""
    found: dict[str, Any] = _shape(value.result)
    further = [name for name in fields_said(value) if name != "result"]
    return {**found, **{name: _shape(getattr(value, name)) for name in further}}


@_shape.register
def _(value: SpaceHit) -> dict[str, Any]:
    return {**_shape(value.hit), "space": value.space}


@_shape.register
def _(value: MultiSpaceResult) -> dict[str, Any]:
    """Return the JSON of several spaces; the background is that of the first one."""
    answers = {space: _shape(result) for space, result in value.results.items()}
    first = next(iter(answers.values()))
    return {
        "entries": _shape(value.hits),
        "latestContext": first["latestContext"],
        "contextTimestamp": first["contextTimestamp"],
        "diagnostics": {space: answer["diagnostics"] for space, answer in answers.items()},
    }


@_shape.register
def _(value: Retrieved) -> dict[str, Any]:
    return {
        "found": value.found,
        "items": _shape(value.hits),
        "entities": _shape(value.entities),
        "notes": _shape(value.notes),
    }


@_shape.register(Receipt)
@_shape.register(Filter)
@_shape.register(AllOf)
@_shape.register(AnyOf)
@_shape.register(Not)
@_shape.register(Compare)
def _(value: Any) -> Any:
    """Return the lossless form of records that must be read back exactly."""
    return to_tree(value)
