"""Records as JSON: the one serialiser of all interfaces.

Knows the shape of every answer on the wire: snake_case, except that a search answers as
`{"entries": […], "latestContext": "…", "contextTimestamp": "…", "diagnostics": {…}}` (without a
background, "" and null). Must not know which door asks, nor how people read it.
"""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache, singledispatch
from pathlib import PurePath
from typing import Any

from simonides.codec.lossless import time_text, written
from simonides.model.answer import (
    Explanation,
    Hit,
    ImportReport,
    MultiSpaceResult,
    SearchResult,
    SpaceHit,
)
from simonides.model.brief import Explained, Receipt
from simonides.model.chat import Retrieved
from simonides.model.filter import AllOf, AnyOf, Compare, Filter, Not
from simonides.model.result import fields_said, is_omissible
from simonides.model.stored import Change, Outcome, Surrogate


@singledispatch
def to_wire(value: Any) -> Any:
    """Return `value` as JSON-able dicts, lists, texts and numbers.

    Records become objects with all their fields, times ISO 8601 in UTC with a `Z`, numbers that
    are not finite null.

    Raises:
        TypeError: The value is of a sort that has no form on the wire.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return _fields(value)
    raise TypeError(f"{type(value).__name__} has no form on the wire")


_AS_THEY_ARE = frozenset({str, int, bool, type(None)})
"""What JSON has too, and most of what is written: dispatching on each would take half the time."""


def _form(value: Any) -> Any:
    """Return `to_wire(value)`, with a short cut for the most frequent types."""
    if type(value) in _AS_THEY_ARE:
        return value
    return _finite(value) if type(value) is float else to_wire(value)


def _fields(value: Any) -> dict[str, Any]:
    kind: Any = type(value)
    said = _names(kind) or fields_said(value)
    return {name: _form(getattr(value, name)) for name in said}


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    """Return the names of a record's fields, cached by type; empty if some may be left out."""
    known = fields(kind)
    return () if any(map(is_omissible, known)) else tuple(one.name for one in known)


def to_line(value: Any) -> str:
    """Return `value` as one line of ASCII JSON: safe in any encoding and on any terminal."""
    return json.dumps(to_wire(value), allow_nan=False)


def outcomes_form(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return the outcomes of added items: a count of each change, and each by itself."""
    counts = Counter(one.change for one in outcomes)
    return {**{change.value: counts[change] for change in Change}, "outcomes": to_wire(outcomes)}


@to_wire.register(type(None))
@to_wire.register(bool)
@to_wire.register(int)
def _(value: Any) -> Any:
    return value


@to_wire.register(str)
@to_wire.register(PurePath)
def _(value: Any) -> str:
    return str(value)


@to_wire.register
def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


@to_wire.register
def _(value: datetime) -> str:
    return time_text(value)


@to_wire.register(Mapping)
def _(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key): _form(one) for key, one in value.items()}


@to_wire.register(list)
@to_wire.register(tuple)
def _(value: Any) -> list[Any]:
    return [_form(one) for one in value]


@to_wire.register
def _(value: SearchResult) -> dict[str, Any]:
    return {
        "entries": to_wire(value.hits),
        "latestContext": value.background.text if value.background else "",
        "contextTimestamp": to_wire(value.background.created_at) if value.background else None,
        **_best_context(value),
        "nothing": value.nothing,
        "diagnostics": {
            **_fields(value.diagnostics),
            "plan": to_wire(value.plan),
        },
    }


def _best_context(value: SearchResult) -> dict[str, Any]:
    """Return the background that fits best as fields of a search; none unless it was asked for."""
    if value.best_context is None:
        return {}
    best = next(iter(value.best_context), None)
    return {
        "bestContext": best.background.text if best else "",
        "bestContextTimestamp": to_wire(best.background.created_at) if best else None,
        "bestContextScore": to_wire(best.score) if best else None,
    }


@to_wire.register
def _(value: Hit) -> dict[str, Any]:
    return {
        "entryId": value.id,
        "summary": value.item.summary or value.item.title or value.passage,
        "_score": to_wire(value.score),
        "relevance": to_wire(value.relevance),
        "item": to_wire(value.item),
        "explanation": to_wire(value.explanation),
        "lanes": to_wire(value.explanation.lanes),
        "passage": value.passage,
        "trust": to_wire(value.trust),
        **({"space": value.space} if value.space else {}),
        **({"replaces": to_wire(value.replaces)} if value.replaces else {}),
        **({"replaced_by": to_wire(value.replaced_by)} if value.replaced_by else {}),
    }


@to_wire.register
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


@to_wire.register
def _(value: Explanation) -> list[Any]:
    return [_fields(part) for part in value.contributions]


@to_wire.register
def _(value: ImportReport) -> dict[str, Any]:
    return {
        "read": value.read,
        **_fields(value),
    }


@to_wire.register
def _(value: Explained) -> dict[str, Any]:
    """Return the JSON of a search, then the brief and the items that a larger one would have."""
    found: dict[str, Any] = to_wire(value.result)
    further = {name: to_wire(getattr(value, name)) for name in ("brief", "more", "more_items")}
    return {**found, **further}


@to_wire.register
def _(value: SpaceHit) -> dict[str, Any]:
    return {**to_wire(value.hit), "space": value.space}


@to_wire.register
def _(value: MultiSpaceResult) -> dict[str, Any]:
    """Return the JSON of several spaces; the background is that of the first one."""
    answers = {space: to_wire(result) for space, result in value.results.items()}
    first = next(iter(answers.values()))
    return {
        "entries": to_wire(value.hits),
        "latestContext": first["latestContext"],
        "contextTimestamp": first["contextTimestamp"],
        "diagnostics": {space: answer["diagnostics"] for space, answer in answers.items()},
    }


@to_wire.register
def _(value: Retrieved) -> dict[str, Any]:
    return {
        "found": value.found,
        "items": to_wire(value.hits),
        "entities": to_wire(value.entities),
        "notes": to_wire(value.notes),
    }


@to_wire.register(Receipt)
@to_wire.register(Filter)
@to_wire.register(AllOf)
@to_wire.register(AnyOf)
@to_wire.register(Not)
@to_wire.register(Compare)
def _(value: Any) -> Any:
    """Return the lossless form of records that must be read back exactly."""
    return written(value)
