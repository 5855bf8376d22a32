"""JSON Schemas of results, derived from the records, in the form that `to_wire` writes.

Knows the sorts that records are made of, and the few that have a form of their own on the wire.
Must not know any route.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from simonides.model.answer import (
    Contribution,
    Diagnostics,
    Hit,
    MultiSpaceResult,
    Plan,
    Replacement,
    SearchResult,
    SpaceHit,
)
from simonides.model.brief import Explained, Receipt
from simonides.model.chat import Retrieved
from simonides.model.filter import Filter
from simonides.model.import_report import ImportReport
from simonides.model.item import Item
from simonides.model.result import is_omissible
from simonides.model.stored import Surrogate

Schema = dict[str, Any]

_PLACE = "#/components/schemas/"


class Reference(dict[str, Any]):
    """A schema that refers to another one by name; `make` returns that one."""

    def __init__(self, name: str, make: Callable[[], Schema]) -> None:
        super().__init__({"$ref": f"{_PLACE}{name}"})
        self.name = name
        self.make = make


_PLAIN: dict[Any, Schema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": ["number", "null"]},
    datetime: {"type": "string", "format": "date-time"},
    NoneType: {"type": "null"},
    Any: {},
}
"""Numbers that are not finite are null on the wire."""


def text(**more: Any) -> Schema:
    """Return the schema of a text."""
    return {"type": "string", **more}


def array(of: Any) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": schema_of(of)}


def record(summary: str = "", /, **properties: Any) -> Schema:
    """Return the schema of an object with all of these properties."""
    made: Schema = {
        "type": "object",
        "properties": {name: schema_of(of) for name, of in properties.items()},
        "required": list(properties),
    }
    return {**made, "description": summary} if summary else made


def schema_of(sort: Any) -> Schema:
    """Return the schema of a type: a record by reference, or a schema unchanged.

    Raises:
        TypeError: The sort has no form on the wire.
    """
    if isinstance(sort, dict):
        return sort
    if sort in _PLAIN:
        return _PLAIN[sort]
    if isinstance(sort, type) and issubclass(sort, StrEnum):
        return {"type": "string", "enum": [one.value for one in sort]}
    if isinstance(sort, type) and is_dataclass(sort):
        return Reference(sort.__name__, partial(_of_record, sort))
    return _compose(sort)


def _compose(sort: Any) -> Schema:
    origin, parts = get_origin(sort), get_args(sort)
    if origin in (Union, UnionType):
        return {"anyOf": [schema_of(one) for one in parts]}
    if origin is tuple and len(parts) == 2 and parts[1] is not ...:  # noqa: PLR2004  a pair
        return {"type": "array", "prefixItems": [schema_of(one) for one in parts]}
    if origin in (tuple, list):
        return {"type": "array", "items": schema_of(parts[0])}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of(parts[1])}
    raise TypeError(f"{sort!r} has no form on the wire")


def _open() -> Schema:
    return {"type": "object"}


def _hit() -> Schema:
    hit = record(
        "An item found, with why.",
        entryId=str, summary=str, _score=float, relevance=float, item=Item,
        explanation=array(Contribution), lanes=array(str), passage=str, trust=str,
    )  # fmt: skip
    one = schema_of(Replacement)
    more = {"space": text(), "replaces": array(Replacement), "replaced_by": one}
    return {**hit, "properties": {**hit["properties"], **more}}


def _diagnostics_of_search() -> Reference:
    """Return a reference to the diagnostics of a search, which include the plan."""
    return Reference("SearchDiagnostics", _diagnostics)


def _diagnostics() -> Schema:
    return record("What ran.", **get_type_hints(Diagnostics), plan=Plan)


def _hits() -> Schema:
    return record(
        "What a search answers, in the designs' shape.",
        entries=array(Hit), latestContext=str, contextTimestamp=datetime | None, nothing=str,
        diagnostics=_diagnostics_of_search(),
    )  # fmt: skip


def _describe_search() -> Schema:
    """Return the schema of a search: the background that fits best only if it was asked for."""
    found = _hits()
    best = {
        "bestContext": str, "bestContextTimestamp": datetime | None,
        "bestContextScore": float | None,
    }  # fmt: skip
    more = {name: schema_of(sort) for name, sort in best.items()}
    return {**found, "properties": {**found["properties"], **more}}


def _describe_search_across() -> Schema:
    return record(
        "What several spaces answer: each entry says of which one it is.",
        entries=array(SpaceHit), latestContext=str, contextTimestamp=datetime | None,
        diagnostics={"type": "object", "additionalProperties": _diagnostics_of_search()},
    )  # fmt: skip


def _space_hit() -> Schema:
    hit = _hit()
    return {
        **hit, "description": "An item found, with why, and its space.",
        "required": [*hit["required"], "space"],
    }  # fmt: skip


def _describe_explained() -> Schema:
    found = _hits()
    own = {name: schema_of(sort) for name, sort in get_type_hints(Explained).items()}
    more = {name: own[name] for name in ("brief", "more", "more_items")}
    return {
        **found,
        "properties": {**found["properties"], **more},
        "required": [*found["required"], *more],
    }


def _describe_import() -> Schema:
    return record("What an import did.", read=int, **get_type_hints(ImportReport))


def _describe_retrieved() -> Schema:
    return record(
        "What a question finds among items and conversations.",
        found=int, items=array(Hit), entities=array(str), notes=array(str),
    )  # fmt: skip


def _surrogate() -> Schema:
    return record(
        "The summaries of one version of an item.",
        algorithm=str, version=int, source_hash=str, full=str, gist=str, micro=str,
    )  # fmt: skip


_OWN = {
    Surrogate: _surrogate,
    Hit: _hit,
    SearchResult: _describe_search,
    MultiSpaceResult: _describe_search_across,
    SpaceHit: _space_hit,
    Explained: _describe_explained,
    ImportReport: _describe_import,
    Retrieved: _describe_retrieved,
    Receipt: _open,
    Filter: _open,
}
"""Records whose form on the wire is not simply their fields."""


def components(roots: Iterable[Schema]) -> dict[str, Schema]:
    """Return the schemas of all records that these schemas refer to, by name."""
    made: dict[str, Schema] = {}
    waiting = list(_references(list(roots)))
    while waiting:
        one = waiting.pop()
        if one.name not in made:
            made[one.name] = one.make()
            waiting += _references(made[one.name])
    return dict(sorted(made.items()))


def _references(tree: Any) -> Iterator[Reference]:
    """Yield the references in a schema."""
    if isinstance(tree, Reference):
        yield tree
    parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    for one in parts:
        yield from _references(one)


def _of_record(kind: type[Any]) -> Schema:
    if kind in _OWN:
        return _OWN[kind]()
    summary = (kind.__doc__ or "").strip().splitlines()[0]
    hints = get_type_hints(kind)
    made = record(summary, **{one.name: hints[one.name] for one in fields(kind)})
    omissible = {one.name for one in fields(kind) if is_omissible(one)}
    return {**made, "required": [name for name in made["required"] if name not in omissible]}
