"""The one serialiser: records to JSON and back."""

import json
import math
from datetime import UTC, datetime, timedelta, timezone
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simonides.codec.lossless import time_text
from simonides.codec.read import read_item
from simonides.codec.write import to_line, to_wire
from simonides.errors import InvalidInput
from simonides.model.answer import (
    Contribution,
    Diagnostics,
    Explanation,
    Hit,
    Mode,
    Plan,
    Scorer,
    SearchResult,
)
from simonides.model.import_report import ImportReport, Skipped
from simonides.model.item import Item, Kind, MemoryTraits, Person, Role, Scope
from simonides.model.query import NamedTime, named_range
from simonides.model.times import in_zone, read_time

NOON = datetime(2026, 3, 12, 12, 0, tzinfo=UTC)


def _result(*hits: Hit) -> SearchResult:
    seen = Diagnostics(
        revision=3, mode_requested=Mode.HYBRID, mode_used=Mode.TEXT, scorer=Scorer.FUSED
    )
    return SearchResult(hits=hits, plan=Plan(words=("alpha",)), diagnostics=seen)


def _hit(item: Item) -> Hit:
    why = Explanation(
        contributions=(Contribution(name="words", value=0.25, detail="alpha"),), lanes=("lexical",)
    )
    return Hit(item=item, score=why.score, explanation=why, passage="the passage")


def test_a_search_answers_in_the_shape_that_its_clients_know() -> None:
    item = Item(content="Alpha is due on Friday", happened_at=NOON)

    wire = to_wire(_result(_hit(item)))

    assert list(wire) == [
        "entries", "latestContext", "contextTimestamp", "nothing", "diagnostics",
    ]  # fmt: skip
    assert wire["latestContext"] == ""
    assert wire["contextTimestamp"] is None
    [entry] = wire["entries"]
    assert entry["entryId"] == item.id
    assert (entry["_score"], entry["relevance"]) == (0.25, 1.0)
    assert entry["explanation"] == [{"name": "words", "value": 0.25, "detail": "alpha"}]
    assert entry["lanes"] == ["lexical"]
    assert entry["passage"] == "the passage"
    assert entry["item"]["happened_at"] == "2026-03-12T12:00:00Z"


def test_the_diagnostics_tell_the_mode_that_was_used_and_the_plan() -> None:
    seen = to_wire(_result())["diagnostics"]

    assert (seen["mode_requested"], seen["mode_used"]) == ("hybrid", "text")
    assert seen["plan"]["words"] == ["alpha"]


@pytest.mark.parametrize(
    ("item", "summary"),
    [
        (Item(content="c", title="t", summary="s"), "s"),
        (Item(content="c", title="t"), "t"),
        (Item(content="c"), "the passage"),
    ],
)
def test_the_summary_of_an_entry_is_the_items_own_or_its_title_or_its_passage(
    item: Item, summary: str
) -> None:
    assert to_wire(_hit(item))["summary"] == summary


def test_an_import_report_says_how_many_parts_were_read() -> None:
    report = ImportReport(added=2, unchanged=1, skipped=(Skipped(where="p. 4", reason="torn"),))

    assert to_wire(report) == {
        "read": 4,
        "added": 2,
        "unchanged": 1,
        "updated": 0,
        "withdrawn": 0,
        "skipped": [{"where": "p. 4", "reason": "torn"}],
        "kinds": {},
        "languages": {},
        "dry_run": False,
        "owner": [],
        "owner_maybe": [],
        "took_s": 0.0,
        "waiting": 0,
        "skipped_groups": [{"reason": "torn", "count": 1, "examples": ["p. 4"]}],
    }


def test_times_are_reported_in_utc_with_a_z() -> None:
    vienna = timezone(timedelta(hours=1))

    assert time_text(datetime(2026, 3, 12, 10, 0, tzinfo=vienna)) == "2026-03-12T09:00:00Z"
    assert time_text(NOON.replace(microsecond=5)) == "2026-03-12T12:00:00.000005Z"


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_json_does_not_know_becomes_null(number: float) -> None:
    assert to_line({"value": number}) == '{"value": null}'


def test_a_number_that_is_not_finite_is_null_beside_half_a_character_too() -> None:
    assert to_wire([math.inf, "\ud800"]) == [None, "\ud800"]


def test_within_records_and_lists_each_value_has_the_same_form_as_alone() -> None:
    values = [0.5, math.nan, True, 3, "a", None, NOON, Kind.EMAIL, PurePosixPath("a/b"), (1.5,)]

    assert to_wire(values) == [to_wire(one) for one in values]
    assert to_wire({"a": values})["a"] == to_wire(values)
    part = Contribution(name="lexical", value=math.inf)
    assert to_wire(part) == {"name": "lexical", "value": None, "detail": ""}


def test_a_line_is_ascii_and_one_line_whatever_is_kept() -> None:
    line = to_line({"text": "caf\u00e9\u2028 \x1b[31m \u009b \u202e"})

    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line)["text"] == "caf\u00e9\u2028 \x1b[31m \u009b \u202e"


def test_plain_values_stay_what_they_are() -> None:
    value = {"a": [1, True, None, "x"], 2: PurePosixPath("b/c"), "k": Kind.EMAIL}

    wire = to_wire(value)

    assert wire == {"a": [1, True, None, "x"], "2": "b/c", "k": "email"}
    assert type(wire["k"]) is str


def test_what_has_no_form_is_refused_and_not_guessed() -> None:
    with pytest.raises(TypeError, match="set has no form"):
        to_wire({1, 2})


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
words = texts.filter(lambda text: bool(text.strip()))
people = st.builds(Person, name=words, address=texts, role=st.sampled_from(Role))
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
shares = st.floats(min_value=0, max_value=1)
traits = st.builds(
    MemoryTraits,
    scope=st.sampled_from(Scope),
    confidence=shares,
    importance=shares,
    half_life_hours=st.none() | st.floats(min_value=0, max_value=1e6),
    entity=texts,
)
items = st.builds(
    Item,
    kind=st.sampled_from(Kind),
    content=words,
    source=words,
    source_id=texts,
    title=texts,
    tags=st.lists(texts, max_size=3).map(tuple),
    people=st.lists(people, max_size=2).map(tuple),
    metadata=st.dictionaries(texts, scalars.filter(lambda x: x not in (1e999, -1e999)), max_size=3),
    position=st.none() | st.integers(min_value=0, max_value=99),
    happened_at=st.none() | st.datetimes(timezones=st.just(UTC)),
    traits=st.none() | traits,
)


@given(item=items)
def test_an_item_comes_back_as_it_was_written(item: Item) -> None:
    assert read_item(json.loads(to_line(item))) == item


def test_what_the_store_sets_is_read_over() -> None:
    item = Item(content="x", stored_at=NOON, revision=9, version=2)

    read = read_item(to_wire(item))

    assert (read.stored_at, read.revision, read.version) == (None, 0, 0)
    assert read.id == item.id


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ([], "item: must be an object, got list"),
        ({"text": "x"}, "text: is not known; there are "),
        ({"content": 3}, "content: must be text"),
        ({"content": "x", "kind": "mail"}, "kind: must be one of email, document"),
        ({"content": "x", "tags": "alpha"}, "tags: must be a list, got str"),
        ({"content": "x", "tags": [1]}, "tags: must be text, got int"),
        ({"content": "x", "metadata": []}, "metadata: must be an object, got list"),
        ({"content": "x", "position": True}, "position: must be a whole number, got bool"),
        ({"content": "x", "happened_at": "soon"}, "happened_at: 'soon' is no date"),
        ({"content": "x", "happened_at": 5}, "happened_at: must be text, got int"),
        ({"content": "x", "people": [{"role": "author"}]}, "people: a person needs a name"),
        ({"content": "x", "people": [{"name": 1}]}, "people.name: must be text, got int"),
        (
            {"content": "x", "people": [{"name": "a", "role": "boss"}]},
            "people.role: must be one of",
        ),
        ({"content": "x", "people": [3]}, "people: must be an object, got int"),
        ({"content": "x", "people": [{"mail": "a"}]}, "people: knows no field 'mail'; there are"),
        ({"content": "x", "traits": {"mood": "a"}}, "traits.mood: is not known; there are"),
        ({"content": "x", "traits": {"importance": True}}, "traits.importance: must be a number"),
        ({"content": "x", "traits": {"scope": "all"}}, "scope: must be one of workspace"),
        (
            {"content": "x", "traits": {"importance": "high"}},
            "traits.importance: must be a number, got str",
        ),
        ({"content": "x", "traits": {"importance": 2}}, r"importance: must lie in \[0, 1\]"),
        ({"content": "x", "traits": {"entity": 2}}, "traits.entity: must be text, got int"),
        ({"content": " "}, "content: is empty"),
    ],
)
def test_an_item_that_does_not_fit_is_refused_by_the_name_of_its_field(
    record: Any, problem: str
) -> None:
    with pytest.raises(InvalidInput, match=problem):
        read_item(record)


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("Sarah Johnson", Person(name="Sarah Johnson")),
        ("sarah@example.com", Person(address="sarah@example.com")),
        ('"Sarah J" <sarah@example.com>', Person(name="Sarah J", address="sarah@example.com")),
        ("<sarah@example.com>", Person(address="sarah@example.com")),
    ],
)
def test_a_person_may_be_written_as_in_a_mail(text: str, person: Person) -> None:
    assert read_item({"content": "x", "people": [text]}).people == (person,)


def test_a_naive_time_is_read_in_the_users_zone() -> None:
    read = read_time("2026-03-12T09:00", name="--now", timezone="Europe/Vienna")

    assert read == datetime(2026, 3, 12, 8, 0, tzinfo=UTC)


def test_an_aware_time_keeps_its_moment_and_a_date_is_its_midnight() -> None:
    assert read_time("2026-03-12T12:00Z", name="x", timezone="Asia/Tokyo") == NOON
    assert read_time("2026-03-12", name="x", timezone="UTC") == NOON.replace(hour=0)


@pytest.mark.parametrize("text", ["", "tomorrow", "2026-13-01", "12/03/2026", "2026-03-12T25:00"])
def test_what_is_no_time_is_refused_by_the_name_of_the_flag(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"^--since: .* is no date"):
        read_time(text, name="--since", timezone="UTC")


def test_the_machines_own_zone_is_used_where_none_is_named() -> None:
    assert in_zone(NOON, "") == NOON
    assert in_zone(datetime(2026, 3, 12, 12, 0), "").utcoffset() is not None  # noqa: DTZ001  naive


@pytest.mark.parametrize(
    ("name", "days"),
    [("last_week", 7), ("last_month", 30), ("last_3_months", 90), ("last_6_months", 180)],
)
def test_a_rolling_range_is_whole_days_back_from_now(name: str, days: int) -> None:
    found = named_range(NamedTime(name), now=NOON, timezone="UTC")

    assert found.since == NOON - timedelta(days=days)
    assert found.until is not None
    assert NOON < found.until < NOON + timedelta(seconds=1)


def test_today_begins_at_the_users_midnight() -> None:
    found = named_range(NamedTime.TODAY, now=NOON, timezone="Asia/Tokyo")

    assert found.since == datetime(2026, 3, 11, 15, 0, tzinfo=UTC)


def test_yesterday_is_one_calendar_day_even_where_the_clocks_change() -> None:
    morning_after = datetime(2026, 3, 30, 8, 0, tzinfo=UTC)

    found = named_range(NamedTime.YESTERDAY, now=morning_after, timezone="Europe/Vienna")

    assert found.since == datetime(2026, 3, 28, 23, 0, tzinfo=UTC)
    assert found.until == datetime(2026, 3, 29, 22, 0, tzinfo=UTC)
