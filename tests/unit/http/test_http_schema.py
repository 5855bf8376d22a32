"""Schemas are made of the records, and models turn into what the verbs take."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from simonides.errors import InvalidInput
from simonides.http.arguments import question, read_as_of, read_filter, receipt_text
from simonides.http.bodies import asking, chat, items, memories
from simonides.http.bodies.asking import FilterBody, SearchBody
from simonides.http.bodies.form import Body
from simonides.http.bodies.items import AddBody, ItemBody, UpdateBody
from simonides.http.openapi import problems_of
from simonides.http.records import RECORDS
from simonides.http.route import Route, Way
from simonides.http.routes import ROUTES
from simonides.http.schema import array, components, record, schema_of, text
from simonides.model.access import Permission
from simonides.model.filter import Filter, Viewer
from simonides.model.item import Item

NOW = datetime(2026, 3, 6, 15, 30, tzinfo=UTC)
BODIES = [
    one for subject in (asking, chat, items, memories) for one in vars(subject).values()
    if isinstance(one, type) and issubclass(one, Body) and one.__module__ == subject.__name__
]  # fmt: skip
NEEDED: dict[str, dict[str, Any]] = {
    route.body.__name__: route.example for route in ROUTES if route.body and route.example
}


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


@pytest.mark.parametrize("kind", RECORDS, ids=lambda one: one.__name__)
def test_every_record_is_described_by_name_with_its_first_line(kind: type[Any]) -> None:
    told = components()[kind.__name__]

    assert told["type"] == "object"
    assert told == {"type": "object"} or told["description"]


def test_a_record_of_its_own_fields_needs_just_those() -> None:
    told = components()["Item"]

    assert set(told["required"]) == {one.name for one in fields(Item)}
    assert told["properties"]["version"] == {"type": "integer"}


# ── bodies ───────────────────────────────────────────────────────────────────────────────────


def refused(model: type[BaseModel], given: dict[str, Any]) -> list[str]:
    with pytest.raises(ValidationError) as raised:
        model.model_validate(given)
    return [".".join(map(str, one["loc"])) for one in raised.value.errors()]


@pytest.mark.parametrize("model", BODIES, ids=lambda one: one.__name__)
def test_no_body_takes_a_field_that_it_does_not_know(model: type[Body]) -> None:
    known = NEEDED.get(model.__name__, {})

    assert "colour" in refused(model, {**known, "colour": "red"})


@pytest.mark.parametrize(
    "model", [one for one in BODIES if one.__name__ in NEEDED], ids=lambda one: one.__name__
)
def test_every_body_reads_over_a_space_of_any_sort(model: type[Body]) -> None:
    known = NEEDED[model.__name__]
    for space in ("mallory", None, 7, {"deep": ["x"]}):
        made = model.model_validate({**known, "space": space})
        assert "space" not in made.given()


def test_what_was_sent_as_null_counts_as_left_out() -> None:
    body = SearchBody.model_validate({"query": "x", "limit": None, "mode": "text"})

    assert body.given() == {"query": "x", "mode": "text"}
    assert body.given("limit", "mode", "scorer") == {"mode": "text"}


def test_an_item_is_handed_on_as_it_was_sent() -> None:
    sent = {"content": "x", "tags": ["a"], "traits": {"entity": "sarah"}, "space": "mallory"}

    assert ItemBody.model_validate(sent).record() == {
        "content": "x", "tags": ["a"], "traits": {"entity": "sarah"},
    }  # fmt: skip
    assert UpdateBody.model_validate({"title": None}).record() == {}


def test_one_item_or_several_come_as_a_list() -> None:
    one = AddBody.model_validate({"content": "a"})
    several = AddBody.model_validate({"items": [{"content": "a"}, {"content": "b"}]})

    assert one.records() == [{"content": "a"}]
    assert [each["content"] for each in several.records()] == ["a", "b"]
    assert refused(AddBody, {"items": []}) == ["items"]
    assert refused(AddBody, {"items": [{"content": "a"}] * 1_001}) == ["items"]


@pytest.mark.parametrize(
    ("depth", "fits"), [(30, True), (31, True), (32, False), (40, False)]
)  # fmt: skip
def test_metadata_is_nested_only_so_deep(depth: int, fits: bool) -> None:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value}
    given = {"content": "x", "metadata": {"a": value}}

    if fits:
        assert ItemBody.model_validate(given).metadata == {"a": value}
    else:
        assert refused(ItemBody, given) == ["metadata"]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_are_none_are_refused_however_deep_they_lie(number: float) -> None:
    given = {"content": "x", "metadata": {"a": [{"b": number}]}}

    assert refused(ItemBody, given)[0].startswith("metadata")


# ── what the verbs take ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (None, None), (7, 7), ("7", 7), (" 12 ", 12),
        ("2026-03-06", datetime(2026, 3, 6, tzinfo=UTC)),
        ("2026-03-06T12:00:00+02:00", datetime(2026, 3, 6, 10, tzinfo=UTC)),
    ],
)  # fmt: skip
def test_a_state_is_named_by_a_revision_or_a_time(given: Any, read: Any) -> None:
    assert read_as_of(given, timezone="UTC") == read


@pytest.mark.parametrize("given", ["soon", "", "9" * 19, "-1", "٣", "2026-13-01", "1.5"])
def test_what_is_neither_is_refused_by_its_field(given: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        read_as_of(given, timezone="UTC")

    assert raised.value.field == "as_of"


def test_a_time_without_a_zone_is_in_that_of_the_question() -> None:
    made = question(
        SearchBody(query="x", now="2026-03-06T12:00:00", timezone="Europe/Vienna"),
        now=NOW, timezone="UTC",
    )  # fmt: skip

    assert made["now"].astimezone(UTC) == datetime(2026, 3, 6, 11, tzinfo=UTC)
    with pytest.raises(InvalidInput):
        question(SearchBody(query="x", timezone="Mars/Base"), now=NOW, timezone="UTC")


def test_a_question_says_only_what_was_sent() -> None:
    assert question(SearchBody(query="x"), now=NOW, timezone="UTC") == {}


def test_a_filter_is_made_of_its_lists_its_times_and_its_viewer() -> None:
    body = FilterBody.model_validate({
        "sources": ["gmail"], "kinds": ["email"], "since": "2026-03-01", "until": "2026-03-05",
        "viewer": {"user_id": "u"}, "where": {"priority": {"gte": 3}},
    })  # fmt: skip

    made = read_filter(body, now=NOW, timezone="UTC")

    assert (made.sources, [str(one) for one in made.kinds]) == (("gmail",), ["email"])
    assert made.since == datetime(2026, 3, 1, tzinfo=UTC)
    assert made.until == datetime(2026, 3, 5, tzinfo=UTC)
    assert made.viewer == Viewer(user_id="u")
    assert made.where is not None
    assert read_filter(FilterBody(), now=NOW, timezone="UTC") == Filter()


def test_a_rolling_time_ends_now_and_stands_alone() -> None:
    made = read_filter(FilterBody(time="last_week"), now=NOW, timezone="UTC")

    assert made.since is not None
    assert NOW - timedelta(days=15) < made.since < NOW
    with pytest.raises(InvalidInput, match="leave out since"):
        read_filter(FilterBody(time="today", since="2026-03-01"), now=NOW, timezone="UTC")


def test_a_receipt_is_handed_on_as_its_text_or_its_id() -> None:
    assert receipt_text("some-id") == "some-id"
    assert receipt_text({"a": 1}) == '{"a": 1}'


# ── what a route may answer ──────────────────────────────────────────────────────────────────


def route(**more: Any) -> Route:
    given = {"method": "POST", "path": "/v1/x", "verb": "x", "told": "", "run": print, **more}
    return Route(**given)


@pytest.mark.parametrize(
    ("made", "may", "may_not"),
    [
        (route(), {401, 403, 422, 429, 502}, {400, 408, 409, 415}),
        (route(permission=None, path="/health/x"), {403, 421, 503}, {401, 422, 400}),
        (route(body=SearchBody), {400, 408, 415, 422}, {409}),
        (route(writes=True, body=AddBody), {400, 409}, {404}),
        (route(is_upload=True, way=Way.ASYNC), {400, 408, 413, 415, 422}, {409}),
        (route(way=Way.ASYNC, permission=Permission.READ), {401, 422}, {502}),
        (route(way=Way.ASYNC, permission=Permission.READ, path="/openai/v1/x"), {401}, {422}),
        (route(problems=(410,)), {410}, {404}),
    ],
)
def test_a_route_says_all_that_it_may_refuse_with(
    made: Route, may: set[int], may_not: set[int]
) -> None:
    told = problems_of(made)

    assert may <= set(told)
    assert not may_not & set(told)
    assert told == sorted(set(told))
