"""What JSON may hold at a place: each sort takes its own and refuses the rest by that place."""

import json
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.codec.export import FORMAT, MARK, from_text, to_text
from simonides.codec.lossless import (
    form_of,
    json_flag,
    json_list,
    json_number,
    json_object,
    json_text,
    json_time,
    json_whole,
    read,
    to_tree,
)
from simonides.codec.read import read_item
from simonides.codec.write import to_line, to_wire
from simonides.errors import InvalidInput
from simonides.model.bounds import INT64_MAX
from simonides.model.export import (
    ErasedMark,
    ExportEnd,
    ExportHead,
    KeptBackground,
    KeptEngagement,
    KeptProposal,
    KeptReceipt,
    KeptVersion,
)
from simonides.model.filter import AllOf, AnyOf, Compare, Condition, Not, Operator
from simonides.model.item import Item, MemoryTraits

Reader = Callable[[Any, str], Any]

SORTS: dict[str, tuple[Reader, tuple[Any, ...], str]] = {
    "object": (json_object, ({}, {"a": 1}), "an object"),
    "list": (json_list, ([], [1, "a"]), "a list"),
    "text": (json_text, ("", "a"), "text"),
    "flag": (json_flag, (True, False), "true or false"),
    "whole": (json_whole, (0, -5, INT64_MAX, -INT64_MAX), "a whole number"),
    "number": (json_number, (0, 0.5, -2, 1e300), "a number, or one of nan, inf, -inf"),
}
OTHERS: tuple[Any, ...] = (None, {}, [], "x", True, 5, 0.5)


@pytest.mark.parametrize("name", SORTS)
def test_each_sort_is_taken_as_it_is(name: str) -> None:
    reader, taken, _ = SORTS[name]

    for value in taken:
        found = reader(value, "here")
        assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("name", SORTS)
def test_every_other_sort_is_refused_by_the_place_and_by_what_should_stand_there(
    name: str,
) -> None:
    reader, taken, called = SORTS[name]
    own = {type(one) for one in taken}

    for value in OTHERS:
        if type(value) in own:
            continue
        with pytest.raises(InvalidInput) as reported:
            reader(value, "a.b[3]")
        assert str(reported.value) == f"a.b[3]: must be {called}, got {type(value).__name__}"


@pytest.mark.parametrize("value", [INT64_MAX + 1, -INT64_MAX - 1, 10**40])
def test_a_number_beyond_64_bits_is_refused(value: int) -> None:
    for reader in (json_whole, json_number):
        with pytest.raises(InvalidInput, match="here: must fit 64 bits"):
            reader(value, "here")


@pytest.mark.parametrize(("text", "value"), [("inf", math.inf), ("-inf", -math.inf)])
def test_what_json_has_no_number_for_stands_as_a_text_alone(text: str, value: float) -> None:
    assert json_number(text, "here") == value
    assert math.isnan(json_number("nan", "here"))
    with pytest.raises(InvalidInput, match="here: must be a number, or one of nan, inf, -inf"):
        json_number(json.loads("1e999"), "here")


@given(st.datetimes(timezones=st.timezones()))
def test_a_time_comes_back_in_utc_and_to_the_microsecond(when: datetime) -> None:
    try:
        wanted = when.astimezone(UTC)
    except OverflowError:
        with pytest.raises(InvalidInput, match="lies outside the years 1 to 9999"):
            json_time(when.isoformat(), "at")
        return
    found = json_time(when.isoformat(), "at")

    assert abs(found - wanted) < timedelta(seconds=1)  # an ISO offset may lose its fractions
    assert found.tzinfo is UTC
    assert json_time(to_wire(found), "at") == found


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (5, "at: must be text, got int"),
        ("noon", "at: must be a time such as 2026-11-21T09:00:00Z, got 'noon'"),
        ("x" * 500, "at: must be a time such as"),
        ("2026-03-12T10:00:00", "at: needs a time zone"),
    ],
)
def test_what_is_no_time_is_refused(value: Any, problem: str) -> None:
    with pytest.raises(InvalidInput) as reported:
        json_time(value, "at")

    assert str(reported.value).startswith(problem)
    assert len(str(reported.value)) < 200


# ── exact forms ───────────────────────────────────────────────────────────────────────────────


class Colour(StrEnum):
    """Two colours."""

    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """A record in a record; refuses a negative share and clamps a large one."""

    share: float = 0.0

    def __post_init__(self) -> None:
        if self.share < 0:
            raise InvalidInput("share", "must be 0 or more")
        object.__setattr__(self, "share", min(self.share, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer:
    """One of each sort."""

    name: str
    count: int
    flag: bool
    ratio: float
    colour: Colour
    at: datetime
    maybe: Colour | None
    state: datetime | int | None
    many: tuple[Inner, ...]
    pair: tuple[str, int]
    anything: Any
    where: Condition | None
    inner: Inner = field(default_factory=Inner)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
moments = st.datetimes(timezones=st.just(UTC)).map(lambda when: when.replace(fold=0))
wholes = st.integers(-INT64_MAX, INT64_MAX)
finite = st.floats(allow_nan=False)
values = st.recursive(
    st.none() | st.booleans() | wholes | finite | texts,
    lambda one: (
        st.lists(one, max_size=3)
        | st.lists(one, max_size=3).map(tuple)
        | st.dictionaries(texts | st.just("$tuple") | st.just("$number"), one, max_size=3)
    ),
    max_leaves=6,
)
compares = st.builds(
    Compare, key=texts, operator=st.sampled_from([Operator.EQ, Operator.GT]), value=values
)
conditions: st.SearchStrategy[Any] = st.recursive(
    compares,
    lambda one: (
        st.lists(one, max_size=2).map(lambda parts: AllOf(parts=tuple(parts)))
        | st.lists(one, max_size=2).map(lambda parts: AnyOf(parts=tuple(parts)))
        | st.builds(Not, part=one)
    ),
    max_leaves=4,
)
inners = st.builds(Inner, share=st.floats(0.0, 1.0))
outers = st.builds(
    Outer, name=texts, count=wholes, flag=st.booleans(), ratio=finite,
    colour=st.sampled_from(Colour), at=moments, maybe=st.none() | st.sampled_from(Colour),
    state=st.none() | moments | wholes, many=st.lists(inners, max_size=2).map(tuple),
    pair=st.tuples(texts, wholes), anything=values, where=st.none() | conditions, inner=inners,
)  # fmt: skip


@given(record=outers)
def test_what_was_written_is_read_back_to_the_last_bit(record: Outer) -> None:
    line = json.dumps(to_tree(record), allow_nan=False)
    found = read(Outer, json.loads(line), path="outer")

    assert found == record
    assert repr(found) == repr(record)  # a tuple is no list, 1 is not 1.0
    assert json.dumps(to_tree(found), allow_nan=False) == line


SOUND: Any = {
    "name": "a", "count": 1, "flag": True, "ratio": 0.5, "colour": "red",
    "at": "2026-03-12T10:00:00Z", "maybe": None, "state": 7, "many": [{"share": 0.5}],
    "pair": ["a", 1], "anything": None, "where": None, "inner": {"share": 0.0},
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"name": 5}, "outer.name: must be text, got int"),
        ({"count": 1.0}, "outer.count: must be a whole number, got float"),
        ({"flag": 1}, "outer.flag: must be true or false, got int"),
        ({"ratio": True}, "outer.ratio: must be a number, or one of"),
        ({"colour": "green"}, "outer.colour: must be one of red, blue; got 'green'"),
        ({"at": None}, "outer.at: must be text, got NoneType"),
        ({"maybe": 1}, "outer.maybe: must be text, got int"),
        ({"state": 1.5}, "outer.state: must be a whole number, got float"),
        ({"state": "noon"}, "outer.state: must be a time such as"),
        ({"many": [{"share": 0.1}, {"share": "x"}]}, "outer.many[1].share: must be a number"),
        ({"many": {}}, "outer.many: must be a list, got dict"),
        ({"pair": ["a"]}, "outer.pair: must have 2 parts, got 1"),
        ({"pair": ["a", "b"]}, "outer.pair[1]: must be a whole number, got str"),
        ({"anything": {"$what": 1}}, "outer.anything: must not have keys that begin with $ but"),
        ({"anything": {"$tuple": 1}}, "outer.anything.$tuple: must be a list, got int"),
        ({"anything": {"$number": {}}}, "outer.anything.$number: must be a number"),
        ({"anything": [{"$object": []}]}, "outer.anything[0].$object: must be an object"),
        ({"where": []}, "outer.where: must be an object, got list"),
        ({"where": {"all": 1}}, "outer.where.all: must be a list, got int"),
        ({"where": {"not": None}}, "outer.where.not: must be an object, got NoneType"),
        ({"where": {"any": [{}]}}, "outer.where.any[0].key: is missing"),
        ({"inner": {"share": -1}}, "outer.inner: share: must be 0 or more"),
        ({"inner": {"share": 2.0}}, "outer.inner.share: is out of range: 2.0"),
        ({"inner": {"share": 0, "more": 1}}, "outer.inner.more: is not known; there are share"),
        ({"inner": {}}, "outer.inner.share: is missing"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_place(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidInput) as reported:
        read(Outer, {**SOUND, **change}, path="outer")

    assert str(reported.value).startswith(problem)


@pytest.mark.parametrize("value", [b"bytes", {1: 2}, object(), 1j, {"a": b"b"}])
def test_what_json_can_not_give_back_is_not_written(value: Any) -> None:
    record = read(Outer, SOUND, path="outer")
    reported = Outer(**{**{n: getattr(record, n) for n in Outer.__slots__}, "anything": value})

    with pytest.raises(TypeError, match="has no exact form"):
        to_tree(reported)


@pytest.mark.parametrize("sort", [bytes, complex, dict[str, int], list[int]])
def test_a_sort_without_an_exact_form_is_reported(sort: Any) -> None:
    with pytest.raises(TypeError, match="has no exact form"):
        form_of(sort)


# ── what answers are written in ───────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("value", "wire"),
    [
        (None, None), (True, True), (5, 5), (0.5, 0.5), (math.nan, None), (-math.inf, None),
        ("a", "a"), (Colour.RED, "red"), (PurePosixPath("a/b"), "a/b"),
        ((1, [2]), [1, [2]]), ({1: (2,)}, {"1": [2]}),
        (datetime(2026, 3, 12, 10, tzinfo=UTC), "2026-03-12T10:00:00Z"),
        (Inner(share=0.5), {"share": 0.5}),
    ],
)  # fmt: skip
def test_each_value_has_one_form_on_the_wire(value: Any, wire: Any) -> None:
    assert to_wire(value) == wire
    assert type(to_wire(value)) is type(wire)
    assert json.loads(to_line(value)) == wire


@pytest.mark.parametrize("value", [b"a", {1, 2}, object(), Inner, 1j])
def test_what_has_no_form_is_reported_and_not_guessed(value: Any) -> None:
    with pytest.raises(TypeError, match="has no form on the wire"):
        to_wire(value)


# ── exports ───────────────────────────────────────────────────────────────────────────────────

NOON = datetime(2026, 3, 12, 12, 0, 0, 250, tzinfo=UTC)
LINES: tuple[Any, ...] = (
    ExportHead(uuid="u", revision=5, floor=2),
    ErasedMark(id_hash=b"\x00\xff", at=NOON, version=3),
    KeptBackground(id="b", collection="main", text="a\u2028b", created_at=NOON, revision=1),
    KeptVersion(item=Item(content="x", stored_at=NOON, revision=1, version=1)),
    KeptVersion(
        item=Item(
            content="x", stored_at=NOON, revision=1, version=1,
            traits=MemoryTraits(half_life_hours=0.0, importance=0.0),
        ),
        died=4, died_at=NOON, cause="replaced",
    ),
    KeptEngagement(item_id="i", how="used", at=NOON, revision=2, times=7),
    KeptReceipt(id="r", at=NOON, text="{}"),
    KeptProposal(id="p", created_at=NOON, status="pending", decided_at=None, body="{}"),
    KeptProposal(id="p", created_at=NOON, status="accepted", decided_at=NOON, body="{}"),
    ExportEnd(lines=9, digest="00"),
)  # fmt: skip


@pytest.mark.parametrize("record", LINES, ids=lambda one: type(one).__name__)
def test_every_sort_of_line_comes_back_as_it_was(record: Any) -> None:
    text = to_text(record)

    assert from_text(text) == record
    assert text.splitlines() == [text]


@pytest.mark.parametrize("record", LINES, ids=lambda one: type(one).__name__)
def test_a_field_that_is_missing_is_reported_with_its_line(record: Any) -> None:
    tree = json.loads(to_text(record))
    inner = tree if MARK in tree else next(iter(tree.values()))
    optional = {MARK, "died", "decided_at"}

    for name in [one for one in inner if one not in optional]:
        kept = inner.pop(name)
        with pytest.raises(InvalidInput, match=rf"\.{name}: is missing"):
            from_text(json.dumps(tree))
        inner[name] = kept


@pytest.mark.parametrize(
    ("found", "problem"),
    [
        (FORMAT + 1, "export: has format 2, this engine reads up to 1; use the newer simonides"),
        (0, "export: has format 0; the first one is 1"),
        (-3, "export: has format -3; the first one is 1"),
        ("1", "simonides_export: must be a whole number, got str"),
        (True, "simonides_export: must be a whole number, got bool"),
    ],
)
def test_another_format_is_told(found: Any, problem: str) -> None:
    with pytest.raises(InvalidInput) as reported:
        from_text(json.dumps({MARK: found, "uuid": "u", "revision": 1, "floor": 0}))

    assert str(reported.value) == problem


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("", "line: is no JSON"),
        ("[]", "line: must be an object, got list"),
        ("{}", "line: must be an object of just one of"),
        ('{"item": {}}', "line: must be an object of just one of"),
        ('{"end": {}, "version": {}}', "line: must be an object of just one of"),
        ('{"end": []}', "end: must be an object, got list"),
        ('{"erased": {"id_hash": "xy"}}', "erased.id_hash: must be hexadecimal"),
        ("[" * 100_000, "line: is no JSON"),
        ('{"end": {"lines": ' + "9" * 5_000 + "}}", "line: is no JSON"),
        (
            '{"version": {"item": {"content": "x", "kin": "y"}}}',
            "kin: is not known; did you mean 'kind'?",
        ),
    ],
)
def test_what_is_no_line_is_refused_and_not_guessed(line: str, problem: str) -> None:
    with pytest.raises(InvalidInput) as reported:
        from_text(line)

    assert str(reported.value).startswith(problem)


# ── items ─────────────────────────────────────────────────────────────────────────────────────

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda one: st.lists(one, max_size=3) | st.dictionaries(st.text(max_size=5), one, max_size=3),
    max_leaves=6,
)
FIELDS = [name for name in Item.__slots__ if name != "id"]


@given(
    record=anything
    | st.dictionaries(st.sampled_from(FIELDS), anything, max_size=4).map(
        lambda given: {"content": "x", **given}
    )
)
def test_any_json_is_refused_or_is_an_item_that_comes_back(record: Any) -> None:
    with suppress(InvalidInput):
        item = read_item(record, timezone="UTC")
        assert read_item(json.loads(to_line(item)), timezone="UTC") == item


def test_half_a_character_and_a_number_without_end_are_written_at_once() -> None:
    value = {"name": "caf\udce9", "score": [math.nan, 1.5]}

    assert json.loads(to_line(value)) == {"name": "caf\udce9", "score": [None, 1.5]}
