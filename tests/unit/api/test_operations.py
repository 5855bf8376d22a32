"""Each operation fits the method that does it, and its request is read strictly."""

import inspect
from dataclasses import MISSING, fields
from operator import attrgetter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides import Memory
from simonides.api.operations import OPERATIONS, Operation
from simonides.api.operations.requests import AddMessage, ListPage, RecordUsage
from simonides.codec.request import MalformedJson, decode, read_request, request_schema
from simonides.errors import InvalidInput, NotFound

ALL = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=lambda one: one.name)


@ALL
def test_the_request_has_the_arguments_of_the_method(operation: Operation, memory: Memory) -> None:
    method = inspect.signature(attrgetter(operation.name)(memory))
    taken = {name: one for name, one in method.parameters.items() if name not in IN_PROCESS}
    named = {one.name: one for one in fields(operation.request)}

    by_position = [one for one in taken.values() if one.kind is not one.KEYWORD_ONLY]
    assert len(by_position) == len(operation.positional) + bool(operation.spread)
    assert {name for name, one in taken.items() if one.kind is one.KEYWORD_ONLY} == (
        set(named) - {*operation.positional, operation.spread}
    )
    for name, one in taken.items():
        if one.kind is one.KEYWORD_ONLY and one.default is not one.empty:
            assert named[name].default == one.default


IN_PROCESS = frozenset({"on_progress", "writer", "due"})
"""Arguments that only a caller in the same process can give: functions, and times of the store."""


@ALL
def test_the_example_is_a_request(operation: Operation) -> None:
    needed = {one.name for one in fields(operation.request) if one.default is MISSING}
    sent = {**dict.fromkeys(needed, "x"), **operation.example}
    if operation.spread:
        sent.setdefault(operation.spread, ["x"])
    if "role" in needed:
        sent.setdefault("role", "user")

    assert read_request(operation.request, sent) is not None


@ALL
def test_the_schema_is_closed_and_has_no_id_of_the_path(operation: Operation) -> None:
    made = request_schema(operation.request, without=operation.id_field)

    assert made["additionalProperties"] is False
    assert operation.id_field not in made["properties"]
    assert operation.id_field not in made.get("required", ())


def test_what_is_not_there_is_named(memory: Memory) -> None:
    operation = OPERATIONS["engagement"]

    with pytest.raises(NotFound, match="nobody"):
        operation.run(memory, operation.request(item_id="nobody"))


def test_a_result_that_is_a_record_stands_alone_and_others_have_a_name(memory: Memory) -> None:
    put, best = OPERATIONS["background.put"], OPERATIONS["background.best"]
    asked = put.request(text="The demo is on Friday.")
    made = put.run(memory, asked)
    question = best.request(query="demo")

    assert put.answer(asked, made) is made
    assert best.answer(question, best.run(memory, question))["snapshots"][0].background == made
    gone = OPERATIONS["background.delete"].request(background_id=made.id)
    assert OPERATIONS["background.delete"].answer(gone, result=True) == {"deleted": [made.id]}


@pytest.mark.parametrize(
    ("sent", "field", "problem"),
    [
        ({"limt": 3}, "limt", "did you mean 'limit'"),
        ({"colour": 3}, "colour", "there are limit, cursor"),
        ({"limit": "3"}, "limit", "expected int, got str"),
        ({"limit": 0}, "limit", ">= 1"),
        ({"limit": True}, "limit", "got bool"),
        ({"limit": None}, "limit", "got null"),
        ([], "body", "must be an object"),
        (None, "body", "must be an object"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_field(sent: Any, field: str, problem: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        read_request(ListPage, sent)

    assert raised.value.field == field
    assert problem in str(raised.value)


def test_a_problem_inside_a_list_says_where_and_never_what_was_sent() -> None:
    with pytest.raises(InvalidInput) as raised:
        read_request(RecordUsage, {"ids": ["a", {"secret": 4711}]})

    assert raised.value.field == "ids[1]"
    assert "4711" not in str(raised.value)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(InvalidInput, match="content"):
        read_request(AddMessage, {"session_id": "s", "role": "user"})


def test_the_space_is_read_over() -> None:
    assert read_request(ListPage, {"space": "other", "limit": 3}) == ListPage(limit=3)


def test_texts_are_read_as_numbers_where_they_come_as_texts() -> None:
    assert read_request(ListPage, {"limit": "3"}, from_text=True) == ListPage(limit=3)


@pytest.mark.parametrize(
    "text", [b"", b"{", b"\xff", b'"\xed\xa0\x80"', b"NaN", b'{"a": "\\ud800"}', b'{"a":' * 100_000]
)
def test_what_is_no_json_is_malformed(text: bytes) -> None:
    with pytest.raises(MalformedJson):
        decode(text)


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
))  # fmt: skip
def test_whatever_is_sent_is_a_request_or_refused(sent: Any) -> None:
    for operation in OPERATIONS.values():
        try:
            read_request(operation.request, sent)
        except InvalidInput:
            continue
