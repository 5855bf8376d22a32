"""Filters: what may be asked for, how conditions are read, and what each operator means."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final

import pytest

from simonides import Filter, Kind
from simonides.errors import InvalidInput
from simonides.model.bounds import DEPTH_MAX
from simonides.model.filter import (
    MISSING,
    AllOf,
    AnyOf,
    Compare,
    Not,
    Operator,
    holds,
    parse_condition,
)
from simonides.model.item import Scope, Status

WHEN: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)


def eq(key: str, value: Any) -> Compare:
    return Compare(key=key, operator=Operator.EQ, value=value)


def inside(key: str, *path: str, value: Any) -> Compare:
    return Compare(key=key, path=path, operator=Operator.EQ, value=value)


# ── filters ──────────────────────────────────────────────────────────────────────────────────────


def test_plain_values_take_their_form() -> None:
    given: dict[str, Any] = {
        "kinds": ["email"],
        "scopes": ("user",),
        "statuses": {"deleted"},
        "tags": ["a"],
        "since": WHEN.astimezone(timezone(timedelta(hours=3))),
    }
    wanted = Filter(**given)

    assert wanted.kinds == (Kind.EMAIL,)
    assert wanted.scopes == (Scope.USER,)
    assert wanted.statuses == (Status.DELETED,)
    assert wanted.tags == ("a",)
    assert wanted.since is not None
    assert wanted.since.tzinfo is UTC


def test_only_active_memories_unless_others_are_asked_for() -> None:
    assert Filter().statuses == (Status.ACTIVE,)
    assert Filter(statuses=()).statuses == ()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sources", "gmail"),
        ("ids", 5),
        ("tags", [1]),
        ("people", None),
        ("kinds", ("letter",)),
        ("kinds", "email"),
        ("statuses", ("gone",)),
        ("since", 3),
        ("until", "soon"),
        ("where", ["n", 1]),
        ("where", "n = 1"),
    ],
)
def test_what_does_not_fit_is_refused_by_the_fields_name(field: str, value: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        Filter(**{field: value})

    assert caught.value.field == field


# ── reading conditions ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("tree", "condition"),
    [
        ({"n": 1}, eq("n", 1)),
        ({"n": None}, eq("n", None)),
        ({"n": [1, 2]}, eq("n", [1, 2])),
        ({"n": {"gte": 3}}, Compare(key="n", operator=Operator.GTE, value=3)),
        (
            {"n": {"gt": 1, "lt": 3}},
            AllOf(
                parts=(
                    Compare(key="n", operator=Operator.GT, value=1),
                    Compare(key="n", operator=Operator.LT, value=3),
                )
            ),
        ),
        ({"a": 1, "b": 2}, AllOf(parts=(eq("a", 1), eq("b", 2)))),
        ({"or": [{"a": 1}, {"b": 2}]}, AnyOf(parts=(eq("a", 1), eq("b", 2)))),
        ({"and": [{"a": 1}]}, AllOf(parts=(eq("a", 1),))),
        ({"not": {"a": 1}}, Not(part=eq("a", 1))),
        ({"not": {}}, Not(part=AllOf(parts=()))),
        ({}, AllOf(parts=())),
        ({"or": []}, AnyOf(parts=())),
        ({"": {"eq": {"x": 1}}}, eq("", {"x": 1})),
        ({"n": {"in": (1, 2)}}, Compare(key="n", operator=Operator.IN, value=(1, 2))),
        ({"n": {"exists": False}}, Compare(key="n", operator=Operator.EXISTS, value=False)),
        ({"n": {"a": 1}}, inside("n", "a", value=1)),
        ({"n": {"a": {"b": [1]}}}, inside("n", "a", "b", value=[1])),
        (
            {"n": {"a": {"gt": 3}, "b": "x"}},
            AllOf(
                parts=(
                    Compare(key="n", path=("a",), operator=Operator.GT, value=3),
                    inside("n", "b", value="x"),
                )
            ),
        ),
        (
            {"n": {"or": [{"a": 1}, {"b": 2}]}},
            AnyOf(parts=(inside("n", "a", value=1), inside("n", "b", value=2))),
        ),
        ({"n": {"not": {"a": 1}}}, Not(part=inside("n", "a", value=1))),
        ({"n": {"eq": {"a": 1}}}, eq("n", {"a": 1})),
    ],
)
def test_a_tree_is_read_as_the_condition_it_describes(tree: Any, condition: Any) -> None:
    assert parse_condition(tree) == condition


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ({"name": "alpha"}, True),
        ({"name": "alpha", "size": 3}, True),
        ({"name": "beta"}, False),
        ({"Name": "alpha"}, False),
        ({}, False),
        ("alpha", False),
        ([{"name": "alpha"}], False),
        (None, False),
        (MISSING, False),
    ],
)
def test_a_condition_inside_an_object_asks_only_for_what_it_names(
    stored: Any, expected: bool
) -> None:
    condition = parse_condition({"project": {"name": "alpha"}})

    assert isinstance(condition, Compare)
    assert holds(condition, stored) is expected


def test_what_is_missing_inside_an_object_satisfies_what_a_missing_key_does() -> None:
    for operator, wanted in ((Operator.NE, "alpha"), (Operator.EXISTS, False)):
        one = Compare(key="project", path=("lead", "name"), operator=operator, value=wanted)

        assert holds(one, {"lead": "Sarah"})
        assert holds(one, MISSING)
        assert not holds(one, {"lead": {"name": "alpha"}})


def test_a_key_that_is_named_like_an_operator_is_reached_by_a_path() -> None:
    one = Compare(key="n", path=("in",), operator=Operator.EQ, value=1)

    assert holds(one, {"in": 1})
    with pytest.raises(InvalidInput, match=r"where\.path"):
        Compare(key="n", path="in", operator=Operator.EQ, value=1)  # type: ignore[arg-type]


def nested(depth: int) -> dict[str, Any]:
    tree: dict[str, Any] = {"n": 1}
    for _ in range(depth):
        tree = {"not": tree}
    return tree


@pytest.mark.parametrize(
    ("tree", "path"),
    [
        (5, "where"),
        ([], "where"),
        (None, "where"),
        ({"n": {"like": 1}}, "where.n"),
        ({"n": {"in": "abc"}}, "where.n"),
        ({"n": {"in": 5}}, "where.n"),
        ({"n": {"exists": "no"}}, "where.n"),
        ({"n": {"exists": 1}}, "where.n"),
        ({"and": {"a": 1}}, "where.and"),
        ({"or": [{"a": 1}, 5]}, "where.or[1]"),
        ({"or": [{"a": 1}, {"b": {"near": 2}}]}, "where.or[1].b"),
        ({"not": [1]}, "where.not"),
        ({"not": {"and": [{"x": {"$gt": 1}}]}}, "where.not.and[0].x"),
        ({"x": {"gt": 1, "name": "a"}}, "where.x"),
        ({"x": {"name": {"LIKE": "a"}}}, "where.x.name"),
        ({"x": {5: 1}}, "where.x.5"),
        ({"x": {"or": {"a": 1}}}, "where.x.or"),
        ({5: 1}, "where.5"),
        (nested(DEPTH_MAX + 1), "where" + ".not" * (DEPTH_MAX + 1)),
    ],
)
def test_what_is_malformed_is_refused_by_its_place(tree: Any, path: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_condition(tree)

    assert caught.value.field == path


def test_the_deepest_nesting_is_read() -> None:
    assert isinstance(parse_condition(nested(DEPTH_MAX)), Not)
    with pytest.raises(InvalidInput, match="nested more than 32 deep"):
        parse_condition(nested(5000))


def test_an_unknown_operator_is_told_which_there_are() -> None:
    with pytest.raises(InvalidInput, match=r"no operator 'like'; there are eq, ne, gt"):
        parse_condition({"n": {"like": 1}})


@pytest.mark.parametrize(
    ("operator", "key", "value"),
    [
        (Operator.IN, "n", "abc"),
        (Operator.IN, "n", {1, 2}),
        (Operator.EXISTS, "n", None),
        (Operator.EQ, 5, 1),
    ],
)
def test_a_comparison_made_by_hand_is_checked_as_well(
    operator: Operator, key: Any, value: Any
) -> None:
    with pytest.raises(InvalidInput, match="where"):
        Compare(key=key, operator=operator, value=value)


# ── what operators mean ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("operator", "stored", "wanted", "expected"),
    [
        ("eq", 1, 1.0, True),
        ("eq", True, 1, False),
        ("eq", "1", 1, False),
        ("eq", [1, "a"], [1, "a"], True),
        ("eq", [1], (1,), True),
        ("eq", [True], [1], False),
        ("eq", {"a": [0]}, {"a": [False]}, False),
        ("eq", {"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ("eq", {"a": 1}, {"a": 1, "b": 2}, False),
        ("eq", None, None, True),
        ("eq", MISSING, None, False),
        ("ne", MISSING, 1, True),
        ("ne", 1, 1, False),
        ("ne", True, 1, True),
        ("in", True, [1, 2], False),
        ("in", 1, [], False),
        ("in", MISSING, [None], False),
        ("in", [1], [[1]], True),
        ("gt", 2, 1, True),
        ("gt", 1, 1, False),
        ("gte", 1, 1.0, True),
        ("gt", "b", "a", True),
        ("gt", "2", 1, False),
        ("lt", True, 2, False),
        ("lt", 0, True, False),
        ("lte", None, None, False),
        ("lte", [1], [1], False),
        ("gt", 2**70, 1.5, True),
        ("contains", "Straße", "STRASSE", True),
        ("contains", "abc", "", True),
        ("contains", "abc", 1, False),
        ("contains", [1, "a"], "a", True),
        ("contains", [True], 1, False),
        ("contains", {"a": 1}, "a", True),
        ("contains", {"a": 1}, [1], False),
        ("contains", {"1": 1}, 1, False),
        ("contains", 15, 1, False),
        ("contains", None, None, False),
        ("exists", MISSING, False, True),
        ("exists", MISSING, True, False),
        ("exists", None, True, True),
        ("exists", None, False, False),
    ],
)
def test_operators_mean_what_they_say(
    operator: str, stored: Any, wanted: Any, expected: bool
) -> None:
    assert holds(Compare(key="n", operator=Operator(operator), value=wanted), stored) is expected
