"""Days that a question says were moved, cancelled or confirmed: they may still be to come."""

from datetime import UTC, datetime

import pytest

from simonides.text.dates import find_ranges, ranges_asked

WEDNESDAY = datetime(2026, 10, 14, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "question",
    ["did Teo move saturday?", "Did Priya cancel the Friday lunch?",
     "has Tom changed Saturday's time",
     "did she reschedule Tuesday", "a Bia desmarcou domingo?", "o Caio mudou o sábado?",
     "Ana canceló el viernes?", "a-t-elle annulé vendredi ?", "ha spostato il venerdì?"],
)  # fmt: skip
def test_a_day_that_was_moved_is_the_last_or_the_next(question: str) -> None:
    asked = ranges_asked(question, find_ranges(question, now=WEDNESDAY, timezone="UTC"))

    assert {one.since is not None and one.since > WEDNESDAY for one in asked} == {True, False}


@pytest.mark.parametrize(
    "question",
    ["when did I move in March", "what did we cancel in July", "did I pay on Friday",
     "what did we move last Friday", "when did she confirm on Monday"],
)  # fmt: skip
def test_a_time_at_which_something_was_moved_is_past(question: str) -> None:
    (asked,) = ranges_asked(question, find_ranges(question, now=WEDNESDAY, timezone="UTC"))

    assert asked.until is not None
    assert asked.until <= WEDNESDAY
