"""Where expressions stand in a text, what unit they have, and that long texts stay cheap."""

from datetime import UTC, datetime
from time import process_time

import pytest
from tests.unit.text.directions import direction_of
from tests.unit.text.time_ranges import find_range

from simonides.text.dates import (
    DateMatch,
    asks_when,
    find_ranges,
    holds_time,
)

THURSDAY = datetime(2023, 5, 25, 12, tzinfo=UTC)


def matches(text: str) -> tuple[DateMatch, ...]:
    return find_ranges(text, now=THURSDAY, timezone="UTC")


def units(text: str) -> list[str]:
    return [match.unit for match in matches(text)]


def test_every_expression_is_found_in_order_of_place() -> None:
    text = "Last week we met, on 5 May we did not, and in June 2024 we shall."

    assert [match.range.text for match in matches(text)] == ["Last week", "5 May", "June 2024"]


def test_offsets_are_those_of_the_words_read() -> None:
    text = "Ünder \U0001f600 what came \u0130n yesterday's mail and  May 5th,\n2023?"

    assert [text[m.start : m.stop] for m in matches(text)] == ["yesterday", "May 5th,\n2023"]
    assert all(text[m.start : m.stop] == m.range.text for m in matches(text))


def test_the_longest_reading_at_a_word_wins() -> None:
    assert [m.range.text for m in matches("the first week of April 2022")] == [
        "the first week of April 2022"
    ]
    assert [m.range.text for m in matches("from May 5 to 12 June")] == ["from May 5 to 12 June"]


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("an hour ago", "hour"),
        ("2023-05-03T14:30Z", "hour"),
        ("yesterday", "day"),
        ("Christmas", "day"),
        ("last Friday", "day"),
        ("last week", "week"),
        ("the first week of May", "week"),
        ("last weekend", "weekend"),
        ("in March", "month"),
        ("last quarter", "quarter"),
        ("Q3", "quarter"),
        ("last summer", "season"),
        ("in 2022", "year"),
        ("past 3 days", "span"),
        ("last night", "span"),
        ("H1 2024", "span"),
        ("since May", "span"),
        ("the 1990s", "span"),
    ],
)
def test_a_match_names_its_calendar_unit(text: str, unit: str) -> None:
    assert units(text) == [unit]


def test_the_words_read_leave_out_plain_prepositions_and_keep_those_with_a_meaning() -> None:
    found = find_range("What did Anna say in March 2022?", now=THURSDAY, timezone="UTC")
    bounded = find_range("What came since March 2022?", now=THURSDAY, timezone="UTC")

    assert found is not None
    assert found.text == "March 2022"
    assert bounded is not None
    assert bounded.text == "since March 2022"


def test_the_order_of_day_and_month_can_be_chosen() -> None:
    day_first = find_range("5/6/2023", now=THURSDAY, timezone="UTC")
    month_first = find_range("5/6/2023", now=THURSDAY, timezone="UTC", day_first=False)
    only_one_way = find_range("25/6/2023", now=THURSDAY, timezone="UTC", day_first=False)

    assert day_first is not None
    assert day_first.since == datetime(2023, 6, 5, tzinfo=UTC)
    assert month_first is not None
    assert month_first.since == datetime(2023, 5, 6, tzinfo=UTC)
    assert only_one_way is not None
    assert only_one_way.since == datetime(2023, 6, 25, tzinfo=UTC)


def test_a_day_that_its_month_lacks_is_read_as_the_month() -> None:
    assert [m.range.text for m in matches("29 February 2023")] == ["February 2023"]
    assert [m.range.text for m in matches("31 June 2023")] == ["June 2023"]


def test_a_part_that_does_not_exist_is_read_as_its_words() -> None:
    assert [m.range.text for m in matches("fifth Monday of February 2023")] == [
        "Monday",
        "February 2023",
    ]


def test_a_second_time_that_does_not_touch_the_first_is_left_out() -> None:
    found = find_range("on Monday, about the trip of 2019", now=THURSDAY, timezone="UTC")

    assert found is not None
    assert found.text == "Monday"


def test_a_text_without_time_has_no_range() -> None:
    assert matches("") == ()
    assert find_range("Where is my blue umbrella?", now=THURSDAY, timezone="UTC") is None


LONG = {
    "last": "last " * 20_000,
    "article": "a " * 50_000,
    "one long number": "1" * 100_000,
    "numbers": "1 " * 50_000,
    "dashed numbers": "1-" * 50_000,
    "ends of ends": "the end of " * 9_000,
    "years of years": "2022 early " * 9_000,
    "before before": "two days before " * 6_000,
    "from to": "from May to " * 8_000,
    "quotes": "'" * 100_000,
    "spaces": "last" + " " * 100_000,
    "one long word": "x" * 100_000,
    "when": "when what which " * 6_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("text", LONG.values(), ids=LONG.keys())
def test_a_long_text_is_read_in_linear_time(text: str) -> None:
    short_s, long_s = (_took_s(text[: len(text) // part]) for part in (16, 4))

    assert long_s < 9 * short_s + 0.5  # four times the text: quadratic work takes 16 times as long


def _took_s(text: str) -> float:
    """Return the processor's seconds that a text takes to be read for times."""
    started_s = process_time()
    matches(text)
    direction_of(text)
    holds_time(text)
    asks_when(text)
    return process_time() - started_s
