"""Schemas of answers are made of the records that are answered."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Any

import pytest

from simonides.codec.schema import array, components, record, schema_of, text
from simonides.model.answer import MultiSpaceResult
from simonides.model.brief import Brief
from simonides.model.item import Item


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: int


@pytest.mark.parametrize(
    ("sort", "schema"),
    [
        (str, {"type": "string"}),
        (bool, {"type": "boolean"}),
        (int, {"type": "integer"}),
        (float, {"type": ["number", "null"]}),
        (datetime, {"type": "string", "format": "date-time"}),
        (Any, {}),
        (Colour, {"type": "string", "enum": ["red", "blue"]}),
        (Point, {"$ref": "#/components/schemas/Point"}),
        (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (tuple[str, ...], {"type": "array", "items": {"type": "string"}}),
        (list[Point], {"type": "array", "items": {"$ref": "#/components/schemas/Point"}}),
        (tuple[int, str], {"type": "array", "prefixItems": [schema_of(int), schema_of(str)]}),
        (Mapping[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (dict[str, Any], {"type": "object", "additionalProperties": {}}),
        ({"type": "null"}, {"type": "null"}),
    ],
)  # fmt: skip
def test_each_sort_of_value_has_its_schema(sort: Any, schema: dict[str, Any]) -> None:
    assert schema_of(sort) == schema


@pytest.mark.parametrize("sort", [bytes, complex, set[int], object, type])
def test_what_has_no_form_on_the_wire_has_no_schema(sort: Any) -> None:
    with pytest.raises(TypeError, match="no form on the wire"):
        schema_of(sort)


def test_an_object_needs_all_that_it_is_told_to_have() -> None:
    made = record("A thing.", name=str, tags=array(str), note=text(maxLength=3))

    assert made["required"] == ["name", "tags", "note"]
    assert made["properties"]["note"] == {"type": "string", "maxLength": 3}
    assert made["description"] == "A thing."
    assert "description" not in record(name=str)


def test_every_record_is_described_by_name_with_its_first_line() -> None:
    made = components([schema_of(Brief), schema_of(MultiSpaceResult)])

    assert {"Brief", "BriefItem", "SpaceHit", "SearchDiagnostics", "Plan"} <= set(made)
    for reported in made.values():
        assert reported["type"] == "object"
        assert reported == {"type": "object"} or reported["description"]


def test_a_record_of_its_own_fields_needs_just_those() -> None:
    reported = components([schema_of(Item)])["Item"]

    assert set(reported["required"]) == {one.name for one in fields(Item)}
    assert reported["properties"]["version"] == {"type": "integer"}
