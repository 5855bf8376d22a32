"""Times, filters and fields as users write them in records."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any, get_type_hints

import pytest

from simonides import ContextConfig, Filter, Item, Kind, MemoryTraits, Person, Viewer
from simonides.errors import InvalidInput
from simonides.model.brief import ContextFields
from simonides.model.coercion import nearest, refuse_unknown
from simonides.model.filter import FilterFields, ViewerFields, as_filter, parse_condition
from simonides.model.item import (
    ItemFields,
    ItemRecordFields,
    PersonFields,
    StatementFields,
    TraitFields,
)
from simonides.model.times import as_time

NAIVE = datetime(2026, 3, 2, 9)  # noqa: DTZ001  the point
VIENNA = timezone(timedelta(hours=1))


def utc() -> str:
    return "UTC"


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("2026-03-02", datetime(2026, 3, 2, tzinfo=VIENNA)),
        (" 2026-03-02T09:00 ", datetime(2026, 3, 2, 9, tzinfo=VIENNA)),
        ("2026-03-02T09:00:00Z", datetime(2026, 3, 2, 9, tzinfo=UTC)),
        (date(2026, 3, 2), datetime(2026, 3, 2, tzinfo=VIENNA)),
        (NAIVE, datetime(2026, 3, 2, 9, tzinfo=VIENNA)),
        (NAIVE.replace(tzinfo=UTC), datetime(2026, 3, 2, 9, tzinfo=UTC)),
    ],
)
def test_a_time_is_taken_in_every_form_and_without_a_zone_in_the_one_named(
    given: Any, read: datetime
) -> None:
    found = as_time(given, field="now", timezone="Europe/Vienna")

    assert found == read
    assert found.tzinfo is UTC


@pytest.mark.parametrize("given", [None, 3, 1.5, "soon", "", b"2026-03-02", [], True])
def test_what_is_no_time_is_refused_by_its_name(given: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^until: .* is no date; write 2026-03-12"):
        as_time(given, field="until", timezone="UTC")


@pytest.mark.parametrize("given", ["0001-01-01", date(9999, 12, 31)])
def test_a_time_outside_the_years_is_refused(given: Any) -> None:
    zone = "Asia/Tokyo" if given == "0001-01-01" else "America/New_York"
    given = given if isinstance(given, str) else datetime(9999, 12, 31, 23)  # noqa: DTZ001

    with pytest.raises(InvalidInput, match="now"):
        as_time(given, field="now", timezone=zone)


def test_a_record_by_itself_reads_times_in_the_zone_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIMONIDES_TIMEZONE", "Europe/Vienna")
    midnight = datetime(2026, 3, 2, tzinfo=VIENNA)

    assert Item(content="x", happened_at="2026-03-02").happened_at == midnight
    assert MemoryTraits(expires_at=date(2026, 3, 2)).expires_at == midnight
    assert Filter(since="2026-03-02", until=NAIVE).since == midnight
    monkeypatch.setenv("SIMONIDES_TIMEZONE", "Nowhere/At_All")
    with pytest.raises(InvalidInput, match="timezone: no time zone is called 'Nowhere/At_All'"):
        Item(content="x", happened_at="2026-03-02")


def test_a_filter_takes_objects_for_its_condition_and_its_viewer() -> None:
    made = Filter(kinds=["email"], where={"priority": {"gte": 3}}, viewer={"user_id": "tom"})

    assert made.kinds == (Kind.EMAIL,)
    assert made.where == parse_condition({"priority": {"gte": 3}})
    assert made.viewer == Viewer(user_id="tom")


def test_a_dictionary_stands_for_a_filter() -> None:
    given = {"sources": ["note"], "kinds": ["email"], "since": "2026-03-01", "where": {"a": 1}}
    made = as_filter(given, timezone=utc)

    assert made == Filter(
        sources=("note",), kinds=(Kind.EMAIL,), since=datetime(2026, 3, 1, tzinfo=UTC),
        where=parse_condition({"a": 1}),
    )  # fmt: skip
    assert as_filter(made, timezone=utc) is made
    assert as_filter(None, timezone=utc) == as_filter({"since": None}, timezone=utc) == Filter()


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"surces": ["a"]}, r"^filter\.surces: is not known; did you mean 'sources'\?$"),
        ({"zzz": 1}, r"^filter\.zzz: is not known; there are authors, "),
        ({3: 1}, r"^filter\.3: is not known"),
        ({"viewer": {"userid": "x"}}, r"^viewer\.userid: .*did you mean 'user_id'\?"),
        ({"where": {"a": {"gt_": 1}}}, r"^where\.a: knows no operator"),
        ({"sources": "note"}, "^sources: must be a list"),
        ("note", "^filter: must be a Filter or a dictionary, got 'note'$"),
        (3, "^filter: must be a Filter or a dictionary"),
    ],
)
def test_what_is_no_filter_is_refused_with_the_nearest_name(given: Any, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        as_filter(given, timezone=utc)


def test_the_nearest_name_is_said_or_nothing() -> None:
    assert nearest("serach", ["search", "list"]) == "; did you mean 'search'?"
    assert nearest("zzz", ["search", "list"]) == ""
    refuse_unknown(["list"], ["search", "list"])
    with pytest.raises(InvalidInput, match=r"^x: is not known; there are list, search$"):
        refuse_unknown(["x"], ["search", "list"])


@pytest.mark.parametrize(
    ("given", "record"),
    [
        (FilterFields, Filter),
        (ViewerFields, Viewer),
        (ContextFields, ContextConfig),
        (TraitFields, MemoryTraits),
        (PersonFields, Person),
        (ItemRecordFields, Item),
    ],
    ids=lambda one: one.__name__,
)
def test_the_fields_that_type_checkers_see_are_those_of_the_record(given: Any, record: Any) -> None:
    assert set(get_type_hints(given)) == set(record.__slots__)


def test_what_may_be_said_of_a_text_is_what_a_record_holds() -> None:
    from simonides.memories.remember import OTHERS, TRAITS
    from simonides.model.compose import ITEM_FIELDS

    assert set(ItemFields.__annotations__) == ITEM_FIELDS - {"content"}
    assert set(StatementFields.__annotations__) == {*TRAITS, *OTHERS}
