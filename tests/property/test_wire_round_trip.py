"""Every answer on the wire: plain JSON, keys in the order of the record, and items read back."""

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.codec.read import read_item
from simonides.codec.write import to_line, to_wire
from simonides.model import answer, import_report
from simonides.model.filter import Filter
from simonides.model.item import Item, Kind, MemoryTraits, Person, Role

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
words = texts.filter(lambda text: bool(text.strip()))
numbers = st.floats() | st.sampled_from([math.inf, -math.inf, math.nan])
finite = st.floats(allow_nan=False, allow_infinity=False)
moments = st.datetimes(timezones=st.just(UTC))
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | finite | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
shares = st.floats(0.0, 1.0)
people = st.builds(Person, name=words, address=texts, role=st.sampled_from(Role))
traits = st.builds(
    MemoryTraits,
    confidence=shares,
    importance=shares,
    half_life_hours=st.none() | st.floats(0.0, 1e9),
    entity=texts,
    workspace_id=texts,
    user_id=texts,
    session_id=texts,
    source_run_id=texts,
)
items = st.builds(
    Item,
    kind=st.sampled_from(Kind),
    content=words,
    source=words,
    source_id=texts,
    title=texts,
    summary=texts,
    quoted=texts,
    tags=st.lists(texts, max_size=3).map(tuple),
    people=st.lists(people, max_size=2).map(tuple),
    metadata=st.dictionaries(texts, plain, max_size=3),
    collection=words,
    session=texts,
    position=st.none() | st.integers(0, 10**6),
    happened_at=st.none() | moments,
    language=st.sampled_from(["", "en", "de"]),
    traits=st.none() | traits,
)
filters = st.builds(
    Filter, sources=st.lists(words, max_size=2).map(tuple), since=st.none() | moments
)

SIMPLE: Final[Mapping[Any, st.SearchStrategy[Any]]] = {
    str: texts, int: st.integers(), float: numbers, bool: st.booleans(), NoneType: st.none(),
    datetime: moments, Any: plain, Item: items, Filter: filters,
}  # fmt: skip


def of(sort: Any) -> st.SearchStrategy[Any]:
    """Return the values that an annotation of a record in `model.answer` allows."""
    if sort in SIMPLE:
        return SIMPLE[sort]
    arguments = get_args(sort)
    if get_origin(sort) in (Union, UnionType):
        return st.one_of(*map(of, arguments))
    if get_origin(sort) is tuple:
        return st.lists(of(arguments[0]), max_size=2).map(tuple)
    if get_origin(sort) in (dict, Mapping):  # of the spaces searched there is always one
        size_min = int(get_origin(sort) is Mapping)
        return st.dictionaries(of(arguments[0]), of(arguments[1]), min_size=size_min, max_size=2)
    if issubclass(sort, StrEnum):
        return st.sampled_from(sort)
    return st.builds(sort, **{name: of(kind) for name, kind in get_type_hints(sort).items()})


RECORDS: Final = tuple(
    one
    for module in (answer, import_report)
    for one in vars(module).values()
    if isinstance(one, type) and is_dataclass(one) and one.__module__ == module.__name__
)
SHAPED: Final = {
    answer.SearchResult, answer.Hit, answer.Explanation, import_report.ImportReport,
    answer.SpaceHit, answer.MultiSpaceResult,
}  # fmt: skip
"""Records that clients know under another shape than their own fields."""


def sorts_in(value: Any) -> set[type]:
    """Return the exact types of everything in a value, keys included."""
    found: set[type] = {type(value)}
    if isinstance(value, dict):
        inside = [*value.keys(), *value.values()]
    else:
        inside = value if isinstance(value, list) else []
    return found.union(*map(sorts_in, inside))


@pytest.mark.parametrize("record", RECORDS)
@given(data=st.data())
def test_every_record_is_written_in_plain_values_alone(record: type, data: st.DataObject) -> None:
    value = data.draw(of(record))
    wire, line = to_wire(value), to_line(value)

    assert sorts_in(wire) <= {dict, list, str, int, float, bool, NoneType}
    assert json.loads(json.dumps(wire, allow_nan=False)) == wire
    if record not in SHAPED:
        assert list(wire) == [one.name for one in fields(record)]
    assert line == to_line(value)
    assert line.isascii()
    assert "\n" not in line
    assert json.dumps(json.loads(line)) == line


@given(hit=of(answer.Hit))
def test_a_hit_has_the_keys_that_clients_know(hit: answer.Hit) -> None:
    wire = to_wire(hit)

    assert list(wire) == [
        "entryId", "summary", "_score", "relevance", "item", "explanation", "lanes", "passage",
        "trust", *(["space"] if hit.space else []),
        *(["replaces"] if hit.replaces else []), *(["replaced_by"] if hit.replaced_by else []),
    ]  # fmt: skip
    assert wire["entryId"] == wire["item"]["id"] == hit.item.id
    assert wire["_score"] == (hit.score if math.isfinite(hit.score) else None)
    assert [part["name"] for part in wire["explanation"]] == [
        part.name for part in hit.explanation.contributions
    ]


@given(result=of(answer.SearchResult))
def test_a_search_tells_its_hits_what_ran_and_the_plan(result: answer.SearchResult) -> None:
    wire = to_wire(result)

    asked = result.best_context is not None
    best = ["bestContext", "bestContextTimestamp", "bestContextScore"] if asked else []
    assert list(wire) == [
        "entries", "latestContext", "contextTimestamp", *best, "nothing", "diagnostics",
    ]  # fmt: skip

    assert [entry["entryId"] for entry in wire["entries"]] == [hit.id for hit in result]
    assert list(wire["diagnostics"]) == [
        *(one.name for one in fields(answer.Diagnostics)),
        "plan",
    ]
    assert wire["diagnostics"]["plan"] == to_wire(result.plan)


@given(report=of(import_report.ImportReport))
def test_an_import_says_first_how_many_parts_it_read(report: import_report.ImportReport) -> None:
    wire = to_wire(report)

    assert list(wire) == ["read", *(one.name for one in fields(import_report.ImportReport))]
    assert wire["read"] == report.added + report.unchanged + report.updated + len(report.skipped)


@given(item=items)
def test_an_item_read_from_what_was_written_is_the_same_item(item: Item) -> None:
    assert read_item(to_wire(item)) == item
    assert read_item(json.loads(to_line(item))) == item
    assert to_line(read_item(to_wire(item))) == to_line(item)


@given(item=items, left_out=st.sets(st.sampled_from([one.name for one in fields(Item)])))
def test_what_is_null_on_the_wire_is_as_if_it_were_not_there(
    item: Item, left_out: set[str]
) -> None:
    left_out -= {"content", "id"}
    wire = to_wire(item)
    nulled = {name: None if name in left_out else value for name, value in wire.items()}
    missing = {name: value for name, value in wire.items() if name not in left_out}

    assert read_item(nulled) == read_item(missing)
