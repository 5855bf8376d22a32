"""The cheap questions: is there a time, which end of time is asked for, is a time asked for."""

import pytest
from tests.unit.text.directions import direction_of

from simonides.model.answer import Direction
from simonides.text.dates import asks_when, cues, holds_time

DATED = """
I met her yesterday | on Monday | the Fridays there | in May | may 5 | 5th of March | Sep. 5
last week | this summer | 3 years ago | at 5pm | 5 p.m. | at 17:30 | in 1999 | it was 2021 then
by Q3 | the '90s | the nineties | two days | a few weeks | next month | 12/05/2023 | 25.05.2023
2023-05-25T10:00 | in the summer | a couple of hours | Christmas | New Year | at noon | 5-May
the past 10 days | o\u2019clock | 1990s | 20 January | Yesterday! | since march
"""

UNDATED = """
I may go | we march on | first of all | the last one | version 2.1.3 | call 555-1234 | room 42
a nice day | sun cream | blast | broadcast | the seconds | sundae | 123456 | 19999 | marching
unfriday | once in a while | past the house | next door | fall over | 10 apples |
"""


def entries(block: str) -> list[str]:
    return [entry.strip() for line in block.strip().splitlines() for entry in line.split("|")]


@pytest.mark.parametrize("text", [*entries(DATED), "last\nweek"])
def test_a_passage_with_any_time_holds_time(text: str) -> None:
    assert holds_time(text)


@pytest.mark.parametrize("text", entries(UNDATED))
def test_a_passage_without_time_holds_none(text: str) -> None:
    assert not holds_time(text)


@pytest.mark.parametrize("text", [*entries(DATED), *entries(UNDATED)])
def test_time_is_found_by_the_runs_as_by_a_search(text: str) -> None:
    around = f"Nothing is said (or done)\n{text}\u2003and so on."

    assert holds_time(text) == (cues._TIME.search(cues._plain(text)) is not None)
    assert holds_time(text, runs=text.split()) == holds_time(text)
    assert holds_time(around) == (cues._TIME.search(cues._plain(around)) is not None)


@pytest.mark.parametrize(
    ("text", "said"),
    [("on Monday, I", ".!."), ("for two days", "..?"), ("at 5 p.m.", ".??"), ("I may go", ".?.")],
)
def test_a_run_says_that_it_is_or_may_end_an_expression(text: str, said: str) -> None:
    assert "".join(map(cues._TIME_MARKS.__getitem__, text.split())) == said


def test_white_space_of_two_characters_parts_a_number_from_its_half_of_the_day() -> None:
    assert holds_time("at 5 pm")
    assert not holds_time("at 5  pm")


def test_many_figures_are_searched_through_at_once() -> None:
    figures = "10 apples and 20 pears, " * 20

    assert not holds_time(figures)
    assert holds_time(f"{figures} then 3 days")


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("my latest mail", Direction.NEWEST),
        ("What did I LAST say?", Direction.NEWEST),
        ("the most recent note", Direction.NEWEST),
        ("the newest task", Direction.NEWEST),
        ("the last meeting in March", Direction.NEWEST),
        ("the last 3 messages", Direction.NEWEST),
        ("When did I see Anna last?", Direction.NEWEST),
        ("my first meeting last week", Direction.OLDEST),
        ("the earliest note", Direction.OLDEST),
        ("the oldest mail", Direction.OLDEST),
        ("what we originally said", Direction.OLDEST),
        ("When is my next meeting?", Direction.NEXT),
        ("upcoming trips", Direction.NEXT),
        ("What's next?", Direction.NEXT),
        ("at last, the next one", Direction.NEXT),
        ("last week", Direction.NONE),
        ("the first week of May", Direction.NONE),
        ("next Friday", Direction.NONE),
        ("How long did it last?", Direction.NONE),
        ("will it last?", Direction.NONE),
        ("it lasted", Direction.NONE),
        ("blast", Direction.NONE),
        ("breakfast", Direction.NONE),
        ("nextcloud", Direction.NONE),
        ("at last", Direction.NONE),
        ("at the latest", Direction.NONE),
        ("the first name of Anna", Direction.NONE),
        ("her last name", Direction.NONE),
        ("next to me", Direction.NONE),
        ("first of all", Direction.NONE),
        ("first-class", Direction.NONE),
        ("where is it?", Direction.NONE),
        ("", Direction.NONE),
    ],
)
def test_the_direction_of_time_is_read_from_whole_words(text: str, direction: Direction) -> None:
    assert direction_of(text) is direction


@pytest.mark.parametrize(
    "text",
    [
        "When did I go?",
        "when was it",
        "When?",
        "When\u2019s the exam?",
        "when didn't it work?",
        "Tell me when Anna moved",
        "Since when do we know?",
        "What date is it?",
        "On which day did we meet?",
        "What month was that?",
        "What time is the call?",
        "What was the date of the exam?",
        "How long did it take?",
        "How often do I run?",
        "How many days were we in Rome?",
        "How many more weeks are there?",
        "In what order did I visit them?",
        "Which came first, the house or the dog?",
    ],
)
def test_a_question_for_a_time_or_an_order_asks_when(text: str) -> None:
    assert asks_when(text)


@pytest.mark.parametrize(
    "text",
    [
        "What did I eat when I was in Rome?",
        "whenever you like",
        "How many mails came?",
        "What did Anna order?",
        "time management tips",
        "What happened yesterday?",
        "Who is Anna?",
        "",
    ],
)
def test_another_question_does_not_ask_when(text: str) -> None:
    assert not asks_when(text)
