"""Laws of conditions on metadata: what operators mean to each other, and how trees are read."""

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.errors import InvalidInput
from simonides.model.filter import (
    MISSING,
    AllOf,
    AnyOf,
    Compare,
    Condition,
    Not,
    Operator,
    holds,
    parse_condition,
)

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.0, 1.0, -1.5, 2.5, float("inf")])
    | st.sampled_from(["", "a", "A", "ab", "1", "true", "Straße"])
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab1"), inner, max_size=2)
    ),
    max_leaves=4,
)
stored_values = values | st.just(MISSING)


def is_met(stored: Any, operator: Operator, wanted: Any) -> bool:
    return holds(Compare(key="n", operator=operator, value=wanted), stored)


def sort_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else type(value).__name__


# ── what operators mean to each other ────────────────────────────────────────────────────────────


@given(stored=stored_values, wanted=values)
def test_ne_is_whatever_eq_is_not(stored: Any, wanted: Any) -> None:
    assert is_met(stored, Operator.NE, wanted) is not is_met(stored, Operator.EQ, wanted)


@given(value=values)
def test_every_value_equals_itself_and_is_one_of_itself(value: Any) -> None:
    assert is_met(value, Operator.EQ, value)
    assert is_met(value, Operator.IN, [value])
    assert not is_met(MISSING, Operator.IN, [value])


@given(a=values, b=values)
def test_equality_is_the_same_from_both_sides_and_never_between_sorts(a: Any, b: Any) -> None:
    equal = is_met(a, Operator.EQ, b)

    assert equal is is_met(b, Operator.EQ, a)
    assert sort_of(a) == sort_of(b) or not equal


@given(a=values, b=values, c=values)
def test_what_equals_the_same_is_equal(a: Any, b: Any, c: Any) -> None:
    if is_met(a, Operator.EQ, b) and is_met(b, Operator.EQ, c):
        assert is_met(a, Operator.EQ, c)


@given(stored=stored_values, wanted=st.lists(values, max_size=4))
def test_in_is_to_equal_any_of_the_list(stored: Any, wanted: list[Any]) -> None:
    expected = any(is_met(stored, Operator.EQ, one) for one in wanted)

    assert is_met(stored, Operator.IN, wanted) is expected
    assert is_met(stored, Operator.IN, tuple(wanted)) is expected


@given(a=values, b=values)
def test_numbers_and_texts_are_ordered_one_way_and_nothing_else_is(a: Any, b: Any) -> None:
    less, more = is_met(a, Operator.LT, b), is_met(a, Operator.GT, b)
    at_most, at_least = is_met(a, Operator.LTE, b), is_met(a, Operator.GTE, b)

    if sort_of(a) == sort_of(b) in ("number", "str"):
        assert [less, is_met(a, Operator.EQ, b), more].count(True) == 1
        assert (at_most, at_least) == (not more, not less)
    else:
        assert not any((less, more, at_most, at_least))


@given(a=values, b=values)
def test_order_turns_round_with_its_sides(a: Any, b: Any) -> None:
    assert is_met(a, Operator.LT, b) is is_met(b, Operator.GT, a)
    assert is_met(a, Operator.LTE, b) is is_met(b, Operator.GTE, a)


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        (Operator.GT, (False, False, True)),
        (Operator.GTE, (False, True, True)),
        (Operator.LT, (True, False, False)),
        (Operator.LTE, (True, True, False)),
    ],
)
def test_each_order_says_of_less_the_same_and_more(
    operator: Operator, expected: tuple[bool, bool, bool]
) -> None:
    assert tuple(is_met(stored, operator, 2) for stored in (1, 2, 3)) == expected
    assert tuple(is_met(stored, operator, "b") for stored in ("a", "b", "c")) == expected


@given(members=st.lists(values, max_size=4), wanted=values)
def test_a_list_contains_its_members_and_nothing_else(members: list[Any], wanted: Any) -> None:
    assert is_met(members, Operator.CONTAINS, wanted) is is_met(wanted, Operator.IN, members)


@given(stored=stored_values, wanted=values)
def test_only_lists_objects_and_texts_contain_anything(stored: Any, wanted: Any) -> None:
    if is_met(stored, Operator.CONTAINS, wanted):
        assert isinstance(stored, list | dict | str)
        assert isinstance(stored, list) or isinstance(wanted, str)


@given(wanted=values)
def test_a_key_that_is_missing_satisfies_ne_and_not_exists_alone(wanted: Any) -> None:
    compared = [one for one in Operator if one not in (Operator.IN, Operator.EXISTS)]

    assert [one for one in compared if is_met(MISSING, one, wanted)] == [Operator.NE]
    assert is_met(MISSING, Operator.EXISTS, False)  # noqa: FBT003  what is asked for
    assert not is_met(MISSING, Operator.EXISTS, True)  # noqa: FBT003  what is asked for


@given(stored=values)
def test_whatever_is_there_exists_even_null(stored: Any) -> None:
    assert is_met(stored, Operator.EXISTS, True)  # noqa: FBT003  what is asked for
    assert not is_met(stored, Operator.EXISTS, False)  # noqa: FBT003  what is asked for


@pytest.mark.parametrize(("a", "b"), [([1, 2], [2, 1]), ([1], [1, 1]), ([1, 3], [1, 2])])
def test_lists_are_equal_member_by_member(a: list[int], b: list[int]) -> None:
    assert not is_met(a, Operator.EQ, b)
    assert not is_met(b, Operator.EQ, a)
    assert is_met(a, Operator.EQ, list(a))


@pytest.mark.parametrize("other", [1, "a", None, [], [["a", 1]]])
def test_an_object_equals_nothing_of_another_sort(other: Any) -> None:
    assert not is_met({"a": 1}, Operator.EQ, other)
    assert not is_met(other, Operator.EQ, {"a": 1})
    assert not is_met({}, Operator.EQ, other)


# ── reading trees ────────────────────────────────────────────────────────────────────────────────

KEYS: Final = ("n", "team", "a.b", "", "größe")


@st.composite
def compares(draw: st.DrawFn) -> Compare:
    operator = draw(st.sampled_from(Operator))
    wanted: Any = draw(values)
    if operator is Operator.IN:
        wanted = draw(st.lists(values, max_size=2))
    if operator is Operator.EXISTS:
        wanted = draw(st.booleans())
    keys = draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=3))
    return Compare(key=keys[0], path=tuple(keys[1:]), operator=operator, value=wanted)


conditions = st.recursive(
    compares(),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda parts: AllOf(parts=tuple(parts)))
        | st.lists(inner, max_size=3).map(lambda parts: AnyOf(parts=tuple(parts)))
        | inner.map(lambda part: Not(part=part))
    ),
    max_leaves=5,
)


def written(condition: Condition) -> dict[str, Any]:
    match condition:
        case Compare(key=key, path=path, operator=operator, value=wanted):
            tree: dict[str, Any] = {operator.value: wanted}
            for one in reversed(path):
                tree = {one: tree}
            return {key: tree}
        case AllOf(parts=parts):
            return {"and": [written(part) for part in parts]}
        case AnyOf(parts=parts):
            return {"or": [written(part) for part in parts]}
        case Not(part=part):
            return {"not": written(part)}


@given(condition=conditions)
def test_a_condition_written_as_a_tree_is_read_as_itself(condition: Condition) -> None:
    assert parse_condition(written(condition)) == condition


steps = st.lists(st.sampled_from(["and", "or", "not"]) | st.integers(0, 2), max_size=6)


def buried(mistake: Any, steps: list[Any]) -> tuple[Any, str]:
    """Return a tree with the mistake somewhere inside it, and the place where it stands."""
    tree, path = mistake, ""
    for step in steps:
        if step == "not":
            tree, path = {"not": tree}, f".not{path}"
        else:
            place = step if isinstance(step, int) else 0
            word = "or" if step == "or" else "and"
            fine: list[Any] = [{"n": 1}] * place
            tree, path = {word: [*fine, tree, {"m": 2}]}, f".{word}[{place}]{path}"
    return tree, f"where{path}"


@pytest.mark.parametrize(
    ("mistake", "place", "problem"),
    [
        (7, "", "must be an object, got int"),
        ("n", "", "must be an object, got str"),
        (None, "", "must be an object, got NoneType"),
        ({"n": {"near": 1}}, ".n", "knows no operator 'near'; there are eq, ne"),
        ({"n": {"in": 1}}, ".n", "`in` needs a list"),
        ({"n": {"gte": 1, "exists": "yes"}}, ".n", "`exists` needs true or false"),
        ({"n": 1, "or": {}}, ".or", "must be a list of conditions"),
        ({"and": 1}, ".and", "must be a list of conditions"),
        ({"not": []}, ".not", "must be an object, got list"),
        ({3: 1}, ".3", "must be text"),
    ],
)
@given(steps=steps)
def test_a_mistake_is_reported_with_the_place_where_it_stands(
    mistake: Any, place: str, problem: str, steps: list[Any]
) -> None:
    tree, path = buried(mistake, steps)
    with pytest.raises(InvalidInput) as caught:
        parse_condition(tree)

    assert caught.value.field == path + place
    assert caught.value.problem.startswith(problem)
    assert str(caught.value) == f"{caught.value.field}: {caught.value.problem}"


@pytest.mark.parametrize("word", ["and", "or", "not"])
def test_every_kind_of_nesting_counts_towards_the_deepest(word: str) -> None:
    def nested(depth: int) -> Any:
        tree: Any = {"n": 1}
        for _ in range(depth):
            tree = {word: tree if word == "not" else [tree]}
        return tree

    parse_condition(nested(32))
    with pytest.raises(InvalidInput, match="is nested more than 32 deep"):
        parse_condition(nested(33))
