"""Typed functions as tools: their schema, and arguments checked against it."""

from collections.abc import Callable
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal

import pytest

from simonides.assistant import tools
from simonides.assistant.actions import SCHEMAS
from simonides.assistant.tools import DESCRIPTION_CHARS_MAX, Tool, as_tools, bind_tool, tool
from simonides.errors import InvalidInput


class Size(Enum):
    SMALL = "s"
    LARGE = "l"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


def order(  # a signature of everything that a tool may have
    what: Annotated[str, "what to order"],
    count: int,
    *,
    price: float = 0.0,
    urgent: bool = False,
    tags: list[str] | None = None,
    extra: dict[str, int] | None = None,
    size: Size = Size.SMALL,
    level: Level = Level.LOW,
    colour: Literal["red", "blue"] = "red",
    free: dict = {},  # type: ignore[type-arg]  # noqa: B006  the shape is meant, not the value
    many: list = [],  # type: ignore[type-arg]  # noqa: B006
    either: int | str = 0,
) -> dict[str, Any]:
    """Order something.

    Costs money.
    """
    return locals()


def checked(text: str, function: Callable[..., Any] = order) -> dict[str, Any]:
    return tool(function).arguments(text)


def refusal(text: str, function: Callable[..., Any] = order) -> str:
    with pytest.raises(InvalidInput) as caught:
        checked(text, function)
    return caught.value.problem


def test_a_signature_becomes_a_schema() -> None:
    made = tool(order)

    assert (made.name, made.required) == ("order", ("what", "count"))
    assert made.schema.description == "Order something.\n\nCosts money."
    assert made.schema.parameters == {
        "type": "object",
        "properties": {
            "what": {"type": "string", "description": "what to order"},
            "count": {"type": "integer"},
            "price": {"type": "number"},
            "urgent": {"type": "boolean"},
            "tags": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
            "extra": {
                "anyOf": [
                    {"type": "object", "additionalProperties": {"type": "integer"}},
                    {"type": "null"},
                ]
            },
            "size": {"enum": ["s", "l"], "type": "string"},
            "level": {"enum": [1, 2], "type": "integer"},
            "colour": {"enum": ["red", "blue"], "type": "string"},
            "free": {"type": "object"},
            "many": {"type": "array"},
            "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        },
        "required": ["what", "count"],
        "additionalProperties": False,
    }


def test_arguments_that_fit_come_as_the_function_wants_them() -> None:
    text = """{"what": "tea", "count": 3.0, "price": 2, "urgent": true, "tags": ["a"],
               "extra": {"x": 1}, "size": "l", "level": 2, "colour": "blue", "either": "y"}"""

    assert checked(text) == {
        "what": "tea", "count": 3, "price": 2.0, "urgent": True, "tags": ["a"], "extra": {"x": 1},
        "size": Size.LARGE, "level": Level.HIGH, "colour": "blue", "either": "y",
    }  # fmt: skip
    assert type(checked(text)["count"]) is int


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("what", "7", "what: must be text, got a whole number"),
        ("count", "true", "count: must be a whole number, got true or false"),
        ("count", "2.5", "count: must be a whole number, got a number"),
        ("price", '"2"', "price: must be a number, got text"),
        ("price", "true", "price: must be a number, got true or false"),
        ("price", "1" + "0" * 400, "price: is too large a number"),
        ("urgent", "1", "urgent: must be true or false, got a whole number"),
        ("tags", '["a", 2]', "tags: must be a list of text or null, got a list"),
        ("tags", '{"a": 1}', "tags: must be a list of text or null, got an object"),
        ("extra", '{"x": "1"}', "extra: must be an object of a whole number or null"),
        ("size", '"m"', "size: must be one of s, l; got 'm'"),
        ("size", '["s"]', "size: must be one of s, l; got ['s']"),
        ("level", "true", "level: must be one of 1, 2; got True"),
        ("level", '"1"', "level: must be one of 1, 2; got '1'"),
        ("colour", '"green"', "colour: must be one of red, blue; got 'green'"),
        ("free", "[]", "free: must be an object, got a list"),
        ("many", "{}", "many: must be a list, got an object"),
        ("either", "[]", "either: must be a whole number or text, got a list"),
    ],
)
def test_a_value_of_another_type_is_refused_by_its_name(
    field: str, value: str, problem: str
) -> None:
    given = {"what": '"tea"', "count": "1"} | {field: value}
    text = ", ".join(f'"{name}": {written}' for name, written in given.items())

    assert problem in refusal(f"{{{text}}}")


def test_the_place_inside_of_a_list_and_an_object_is_named() -> None:
    def deep(rows: list[list[int]], names: dict[str, list[str]]) -> None:
        """Go deep."""

    said = refusal('{"rows": [[1], [2, "x"]], "names": {"a": ["b", 4]}}', deep)
    assert "rows[1][1]: must be a whole number, got text" in said
    assert "names.a[1]: must be text, got a whole number" in said


@pytest.mark.parametrize("written", ["null", '""'])
def test_what_has_a_default_and_comes_empty_was_left_out(written: str) -> None:
    assert checked(f'{{"what": "tea", "count": 1, "size": {written}}}') == {
        "what": "tea", "count": 1,
    }  # fmt: skip


def test_an_empty_text_is_a_text_where_one_fits_and_missing_nowhere_else() -> None:
    assert checked('{"what": "", "count": 1}')["what"] == ""
    assert "count: must be a whole number" in refusal('{"what": "", "count": ""}')


@pytest.mark.parametrize("written", ["", "  ", "{}", "\n{ }\n"])
def test_nothing_at_all_is_no_arguments(written: str) -> None:
    def plain() -> None:
        """Do it."""

    assert checked(written, plain) == {}
    assert "there are none" in refusal('{"x": 1}', plain)


@pytest.mark.parametrize("annotation", [object, Any, bytes, tuple[int, ...], dict[int, str], set])
def test_an_annotation_without_a_type_of_json_is_refused(annotation: Any) -> None:
    def odd(x: str) -> str:
        """Odd."""
        return x

    odd.__annotations__["x"] = annotation
    with pytest.raises(InvalidInput, match=r"odd\.x: is annotated with .*must be str, int"):
        tool(odd)


def test_a_choice_of_what_is_no_text_and_no_number_is_refused() -> None:
    def odd(x: Literal[True, "x"]) -> str:
        """Odd."""
        return str(x)

    with pytest.raises(InvalidInput, match="texts or whole numbers"):
        tool(odd)


def test_a_choice_of_texts_and_numbers_has_no_one_type() -> None:
    def odd(x: Literal["auto", 1]) -> str:
        """Odd."""
        return str(x)

    assert tool(odd).schema.parameters["properties"]["x"] == {"enum": ["auto", 1]}


def test_what_can_not_be_given_by_name_is_refused() -> None:
    def stars(*args: str) -> str:
        """Take many."""
        return "".join(args)

    def first(x: str, /) -> str:
        """Take one."""
        return x

    for odd, name in ((stars, "args"), (first, "x")):
        with pytest.raises(InvalidInput, match=f"{name}: can not be given by its name"):
            tool(odd)


def test_a_coroutine_function_and_one_that_says_nothing_are_refused() -> None:
    async def later() -> None:
        """Wait."""

    def silent(x: str) -> str:
        return x

    with pytest.raises(InvalidInput, match="is a coroutine function"):
        tool(later)
    with pytest.raises(InvalidInput, match="write a docstring"):
        tool(silent)
    assert tool(silent, description="Says it.").schema.description == "Says it."


@pytest.mark.parametrize("name", ["<lambda>", "über", "a b", "x" * 65])
def test_a_name_that_no_endpoint_takes_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="give the tool a name"):
        tool(order, name=name)
    assert tool(order, name="buy-it_2").name == "buy-it_2"


def test_a_name_in_a_signature_that_is_not_there_is_refused() -> None:
    def odd(x: "Nowhere") -> str:  # type: ignore[name-defined]  # noqa: F821  this is the point
        """Odd."""
        return str(x)

    with pytest.raises(InvalidInput, match="has a signature that can not be read"):
        tool(odd)


def test_a_long_description_is_cut() -> None:
    assert len(tool(order, description="x" * 5000).schema.description) == DESCRIPTION_CHARS_MAX


def test_a_method_is_a_tool_without_its_self() -> None:
    class Shop:
        def buy(self, what: str) -> str:
            """Buy it."""
            return f"bought {what}"

    of_class, of_object = tool(Shop.buy), tool(Shop().buy)

    assert of_class.schema == of_object.schema
    assert bind_tool(of_class, Shop().buy).function(what="tea") == "bought tea"


def test_functions_of_a_module_are_read_once_and_those_of_a_function_are_not_remembered() -> None:
    def local() -> None:
        """Do it."""

    tools._lasting.cache_clear()
    first, second = as_tools([order, local]), as_tools([order, local])

    assert first[0] is second[0]
    assert first[1] is not second[1]
    assert tools._lasting.cache_info().currsize == 1


def test_tools_are_taken_as_they_are() -> None:
    made = tool(order, name="buy")

    assert as_tools([made]) == (made,)
    assert isinstance(as_tools([order])[0], Tool)


def test_the_assistants_own_tools_have_the_arguments_of_the_seed() -> None:
    reported = {one.name: one.parameters for one in SCHEMAS}

    assert list(reported) == ["retrieve_context", "remember", "note_preference", "ask_user"]
    assert list(reported["retrieve_context"]["properties"]) == [
        "query", "sources", "time_filter", "entity_filter",
    ]  # fmt: skip
    assert reported["retrieve_context"]["required"] == ["query"]
    choices = reported["retrieve_context"]["properties"]["time_filter"]["anyOf"][0]["enum"]
    assert choices == [
        "today", "yesterday", "last_week", "last_month", "last_3_months", "last_6_months",
    ]  # fmt: skip
