"""What a question pins down: its times, names, numbers and quotes, and how specific that is."""

from datetime import UTC, datetime
from typing import Any

import pytest
from tests.unit.text.directions import direction_of
from tests.unit.text.time_ranges import find_range

from simonides.context.summary_level import NO_SIGNALS, QuerySignals, signals_of
from simonides.model.answer import Direction, Plan, TimeRange
from simonides.text.analyse import words
from simonides.text.dates import asks_when

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)


def signals(text: str, **fields: Any) -> QuerySignals:
    """Return the signals of a question planned as a search plans it, but for names and phrases."""
    plan = Plan(
        words=tuple(words(text)),
        time=find_range(text, now=NOW, timezone="UTC"),
        direction=direction_of(text),
        asks_when=asks_when(text),
        **fields,
    )
    return signals_of(plan, text)


@pytest.mark.parametrize(
    ("text", "temporal"),
    [
        ("what happened last week?", True),
        ("the latest plan", True),
        ("when did the lamp break?", True),
        ("what is the plan?", False),
        ("the last straw", False),
    ],
)
def test_a_time_asked_for_or_named_is_temporal(text: str, temporal: bool) -> None:
    assert signals(text).temporal is temporal


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What is the plan?", 0),
        ("Budget?", 0),
        ("what did I say to Sarah and Tom?", 2),
        ("The lamp broke. Who fixed it?", 0),
        ("What Is The Plan For The Budget", 0),
        ("WHAT IS THE PLAN", 0),
        ("what did Sarah Okafor say to Sarah?", 2),
        ("what is due in March?", 0),
        ("was sagt Herr Müller?", 2),
    ],
)
def test_only_a_capital_that_tells_something_makes_a_name(text: str, names: int) -> None:
    assert signals(text).names == names


def test_names_that_the_space_knows_count_however_they_are_written() -> None:
    known = {"people": ("person:~sarah okafor",), "entities": ("issue:alpha-7",)}

    assert signals("sarah on alpha-7", **known).names == 3
    assert signals("Sarah?", people=("person:~sarah okafor", "person:~sarah lindqvist")).names == 1
    assert signals("what did she send?", people=("person:s.l@example.com",)).names == 1


def test_numbers_are_words_with_a_digit_that_no_time_and_no_name_holds() -> None:
    assert signals("invoice 4711 for room 12b").numbers == 2
    assert signals("what happened in March 2025?").numbers == 0
    assert signals("alpha-7", entities=("issue:alpha-7",)).numbers == 0
    assert signals("4711 and 4711").numbers == 1


def test_quotes_are_counted_once_each() -> None:
    assert signals("a", phrases=("red lamp", "red lamp", "old stone")).quotes == 2


def test_specificity_is_the_sum_of_its_documented_parts() -> None:
    plan = Plan(
        words=("sarah", "owes", "50", "for", "the", "lamp"),
        time=TimeRange(since=NOW, until=None, text="since monday"),
        people=("person:~sarah",),
        phrases=("for the lamp",),
    )
    found = signals_of(plan, "Sarah owes 50 for the lamp")

    assert (found.temporal, found.names, found.numbers, found.quotes) == (True, 1, 1, 1)
    assert found.specificity == pytest.approx(0.4 * 4 / 8 + 0.35 * (1 - 1 / 8) + 0.25 * (1 - 1 / 2))


def test_an_empty_question_has_no_signals() -> None:
    assert signals_of(Plan(), "") == NO_SIGNALS
    assert signals("what is it?").specificity == 0.0


def test_longer_questions_are_not_all_worth_the_same() -> None:
    found = [
        signals(text).specificity
        for text in (
            "the plan",
            "the plan for the garden",
            "the plan for the garden fence and gate",
            "the plan for the garden fence and gate of Sarah",
            "the plan for the garden fence and gate of Sarah and Tom in March",
        )
    ]

    assert found == sorted(set(found))
    assert found[-1] < 1.0


def test_stop_words_say_nothing_and_neither_does_the_direction_alone() -> None:
    assert signals("lamp").specificity == signals("what is that lamp of mine?").specificity
    assert Direction.NEWEST is direction_of("the latest lamp")
    assert signals("the latest lamp").specificity == signals("the broken lamp").specificity
