"""Each operation fits the method that does it, and its request is read strictly."""

import inspect
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import Any, get_args, get_type_hints, is_typeddict

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simonides
from simonides import Memory, Settings
from simonides.api.operations import OPERATIONS, Operation
from simonides.api.operations.arguments import FilterRequest, ViewerRequest
from simonides.api.operations.fields import ListPage
from simonides.api.operations.items import ItemRequest, PersonRequest, RecordUsage, TraitsRequest
from simonides.api.operations.proposals import ProposedRequest
from simonides.api.operations.search import SearchRequest
from simonides.api.operations.sessions import AddMessage
from simonides.codec.request import MalformedJson, decode, read_request, request_schema
from simonides.errors import InvalidInput, NotFound
from simonides.model.filter import Filter, Viewer
from simonides.model.item import Item, MemoryTraits, Person
from simonides.model.memories import ProposedMemory

NOW = datetime(2026, 3, 6, 15, 30, tzinfo=UTC)
ALL = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=lambda one: one.name)


@ALL
def test_the_request_has_the_arguments_of_the_method(operation: Operation, memory: Memory) -> None:
    method = inspect.signature(attrgetter(operation.name)(memory))
    named = {one.name: one for one in fields(operation.request)}
    without = IN_PROCESS | NOT_ASKED.get(operation.name, frozenset())
    taken = {name: one for name, one in _keywords(method).items() if name not in without}

    if operation.call is None:
        by_position = [
            one for one in method.parameters.values()
            if one.kind not in (one.KEYWORD_ONLY, one.VAR_KEYWORD)
        ]  # fmt: skip
        assert len(by_position) == len(operation.positional) + bool(operation.spread)
    only_here = {*operation.positional, operation.spread, *ONLY_IN_JSON.get(operation.name, ())}
    assert set(taken) == set(named) - only_here
    for name, default in taken.items():
        if default is not inspect.Parameter.empty and name not in TEXT_OR_NONE:
            assert named[name].default == default


def _keywords(method: inspect.Signature) -> dict[str, Any]:
    """Return the defaults of what is given by name; None for those of a typed dictionary."""
    found: dict[str, Any] = {}
    for one in method.parameters.values():
        if one.kind is one.KEYWORD_ONLY:
            found[one.name] = one.default
        elif one.kind is one.VAR_KEYWORD:
            named = get_args(one.annotation)[0]
            own = named if is_typeddict(named) else getattr(simonides, named.__forward_arg__)
            found |= dict.fromkeys(get_type_hints(own))
    return found


IN_PROCESS = frozenset(
    {"on_progress", "writer", "tools", "model", "on_event", "is_cancelled", "config"}
)
"""Arguments that only a caller in the same process can give: functions, and who writes."""

NOT_ASKED = {"update": frozenset({"id", "source_id"})}
"""Arguments that a method takes only to refuse them."""

TEXT_OR_NONE = frozenset({"time_filter", "content"})
"""An empty text in Python, nothing in JSON."""

ONLY_IN_JSON = {
    "search": ("query", "spaces"), "replay": ("receipt",), "diff": ("before", "after"),
    "add": ("content", "items", "forget"), "remember": ("text", "traits"),
    "proposals.propose": ("proposed",), "chat": ("message", "stream"),
}  # fmt: skip
"""What has a place of its own in Python: by position, or as another method or type."""


def test_every_method_of_a_memory_is_described(memory: Memory) -> None:
    parts = ("", "background.", "surrogates.", "sessions.", "preferences.", "proposals.", "keys.")
    there = {
        f"{part}{name}"
        for part in parts
        for name in dir(attrgetter(part.strip("."))(memory) if part else memory)
        if not name.startswith("_")
    }

    assert there - set(OPERATIONS) - NO_OPERATIONS == set()


NO_OPERATIONS = frozenset({
    "owner", "set_owner", "sessions.add_many",
    "aio", "background", "close", "in_space", "keys", "opening", "preferences", "proposals",
    "sessions", "settings", "space", "surrogates", "working", "erasure_mark", "search_across",
    "scrub", "surrogates.build_in_background", "proposals.make", "keys.check", "keys.exist",
    "keys.note", "proposals.wait", "watch", "write",
})  # fmt: skip
"""What is no operation of its own: handles, parts of others, and what takes or gives functions."""


@pytest.mark.parametrize(
    ("request_kind", "kind", "only_here"),
    [
        (FilterRequest, Filter, {"time"}),
        (ViewerRequest, Viewer, set()),
        (PersonRequest, Person, set()),
        (TraitsRequest, MemoryTraits, set()),
        (ItemRequest, Item, set()),
        (ProposedRequest, ProposedMemory, set()),
    ],
)
def test_a_record_within_has_the_fields_of_its_own(
    request_kind: Any, kind: Any, only_here: set[str]
) -> None:
    there = {one.name for one in fields(kind)} - {"stored_at", "revision", "version"}

    assert {one.name for one in fields(request_kind)} - only_here == there


@ALL
def test_the_example_is_a_request(operation: Operation) -> None:
    needed = {one.name for one in fields(operation.request) if one.default is MISSING}
    sent = {**dict.fromkeys(needed, "x"), **operation.example}
    if operation.spread:
        sent |= {operation.spread: ["x"]}

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


@pytest.mark.parametrize("timezone", ["", "UTC", "Europe/Vienna"])
def test_a_filter_is_made_whatever_the_zone_of_the_settings(tmp_path: Path, timezone: str) -> None:
    settings = Settings(embedder="none", timezone=timezone)
    with Memory(tmp_path, settings=settings, clock=lambda: NOW) as memory:
        memory.add("Alpha is due on Friday", happened_at=NOW)
        operation = OPERATIONS["list"]
        for wanted in ({"time": "last_week"}, {"since": "2026-03-01"}, {"until": "2026-12-01"}):
            request = read_request(operation.request, {"filter": wanted})

            assert len(operation.run(memory, request, now=NOW).items) == 1


def test_a_rolling_time_stands_alone(memory: Memory) -> None:
    both = {"filter": {"time": "today", "since": "2026-03-01"}}
    operation = OPERATIONS["list"]

    with pytest.raises(InvalidInput, match="leave out since"):
        operation.run(memory, read_request(operation.request, both))


def test_a_trait_of_a_statement_stands_in_one_place(memory: Memory) -> None:
    sent = {"text": "Sarah likes tea", "scope": "user", "traits": {"scope": "global"}}
    operation = OPERATIONS["remember"]

    with pytest.raises(InvalidInput, match=r"traits\.scope"):
        operation.run(memory, read_request(operation.request, sent))


def test_several_items_stand_alone(memory: Memory) -> None:
    operation = OPERATIONS["add"]
    sent = {"items": [{"content": "a"}], "title": "b"}

    with pytest.raises(InvalidInput, match="items"):
        operation.run(memory, read_request(operation.request, sent))
    done = operation.run(memory, read_request(operation.request, {"items": [{"content": "a"}]}))
    assert (done.added, len(done.outcomes)) == (1, 1)


def test_an_update_of_nothing_is_refused(memory: Memory) -> None:
    kept = memory.add("Alpha is due on Friday")
    operation = OPERATIONS["update"]

    with pytest.raises(InvalidInput, match="no field"):
        operation.run(memory, operation.request(item_id=kept.id))
    changed = operation.run(memory, operation.request(item_id=kept.id, title="Alpha"))
    assert changed.title == "Alpha"


def test_a_proposal_is_made_of_json(memory: Memory) -> None:
    kept = memory.add("Sarah likes tea")
    sent = {
        "by": "me",
        "proposed": [
            {"text": "Sarah drinks tea.", "evidence": [kept.id], "happened_at": "2026-03-01",
             "traits": {"entity": "sarah"}},
        ],
    }  # fmt: skip
    operation = OPERATIONS["proposals.propose"]

    made = operation.run(memory, read_request(operation.request, sent))

    [one] = made.proposed
    assert (one.by, one.proposed.traits.entity) == ("me", "sarah")
    assert one.proposed.happened_at is not None


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
        ({"limit": 0}, "limit", "must be at least 1"),
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


@pytest.mark.parametrize(
    ("sent", "field", "problem"),
    [
        ({"filter": {"kind": ["email"]}}, "filter.kind", "did you mean 'kinds'"),
        ({"filter": {"viewer": {"user": "x"}}}, "filter.viewer.user", "did you mean 'user_id'"),
        ({"filter": {"kinds": ["mail"]}}, "filter.kinds[0]", "did you mean 'email'"),
        ({"filter": {"since": 3}}, "filter.since", "expected str"),
        ({"mode": "txt"}, "mode", "must be one of hybrid, text, vector"),
        ({"as_of": -1}, "as_of", "must be at least 0"),
        ({"as_of": True}, "as_of", "got bool"),
    ],
)
def test_a_record_within_is_read_as_strictly(sent: Any, field: str, problem: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        read_request(SearchRequest, {"query": "x", **sent})

    assert raised.value.field == field
    assert problem in str(raised.value)


def test_a_text_of_digits_is_a_revision() -> None:
    assert read_request(SearchRequest, {"query": "7", "as_of": "12"}).as_of == 12
    assert read_request(SearchRequest, {"query": "7", "as_of": "2026-03-01"}).as_of == "2026-03-01"


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
