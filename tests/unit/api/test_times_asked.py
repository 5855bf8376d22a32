"""A time in a question lies behind or ahead; where both are possible both count, nearer first."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from simonides import Memory, Settings
from simonides_bench.testing.hashing import HashingEmbedder

OpenMemory = Callable[..., Memory]

NOW = datetime(2026, 11, 27, 9, tzinfo=UTC)
"""A Friday."""


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    memory = open_memory(embedder=HashingEmbedder(64), settings=Settings(timezone="UTC"))
    for name, text, day in (
        ("behind", "Lunch at Rosa with the team.", "2026-11-25"),
        ("ahead", "Lunch at Rosa with the board.", "2026-12-02"),
        ("before", "The heating was mended.", "2025-12-10"),
    ):
        memory.add(text, id=name, kind="event", happened_at=f"{day}T12:00:00Z")
    return memory


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what do I have on Wednesday?", "ahead"),
        ("Was habe ich am Mittwoch?", "ahead"),
        ("what happens in December?", "ahead"),
        ("what did we do on Wednesday?", "behind"),
        ("Was haben wir am Mittwoch gemacht?", "behind"),
        ("what happened in December?", "before"),
        ("lunch on Wednesday", "behind"),
        ("in December", "ahead"),
    ],
)
def test_the_verb_says_whether_a_day_lies_behind_or_ahead(
    memory: Memory, question: str, first: str
) -> None:
    assert memory.search(question, now=NOW).hits[0].id == first


def test_where_the_words_leave_it_open_both_count_and_the_nearer_is_first(memory: Memory) -> None:
    found = memory.search("lunch on Wednesday", now=NOW)
    time, other = found.plan.time, found.plan.other_time

    assert time is not None
    assert other is not None
    assert time.since == datetime(2026, 11, 25, tzinfo=UTC)
    assert other.since == datetime(2026, 12, 2, tzinfo=UTC)
    assert [hit.id for hit in found.hits[:2]] == ["behind", "ahead"]


def test_a_question_without_its_time_names_none(memory: Memory) -> None:
    plan = memory.search("lunch on Wednesday", now=NOW, ignore=["time"]).plan

    assert (plan.time, plan.other_time) == (None, None)


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("what do I have in January?", "nothing from 1 to 31 January 2027 (January)"),
        ("was habe ich im Januar?", "nothing from 1 to 31 January 2027 (im Januar)"),
        ("what do I have tomorrow?", "nothing from 28 November (tomorrow)"),
        ("what do I have from 31 December to 2 January?",
         "nothing from 31 December to 2 January 2027 (from 31 December to 2 January)"),
        ("what is scheduled after Christmas?", "nothing since 26 December (after Christmas)"),
    ],
)  # fmt: skip
def test_where_nothing_lies_in_the_time_that_is_named_the_answer_begins_with_it(
    memory: Memory, question: str, days: str
) -> None:
    assert days in memory.search(question, now=NOW).nothing
    assert days in memory.brief(question, now=NOW).text.splitlines()[1]


def test_nothing_of_a_person_in_the_time_named_is_said_and_their_latest_comes_first(
    memory: Memory,
) -> None:
    memory.add("The seeds have arrived.", kind="email", title="Seeds", id="anna",
               people=["Anna Berg"], happened_at="2026-11-20T09:00:00Z")  # fmt: skip
    memory.add("Your parcel waits.", kind="email", title="Parcel", id="shop",
               people=["Shop"], happened_at="2026-11-26T09:00:00Z")  # fmt: skip
    found = memory.search("what did Anna send me yesterday?", now=NOW)

    assert "nothing from 26 November (yesterday); the latest from Anna is of 20 November" in (
        found.nothing
    )
    assert found.hits[0].id == "anna"
    assert memory.search("what did the Shop send me yesterday?", now=NOW).nothing == ""
