"""Days to come that items name in words: "the boiler is serviced on 8 December"."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from simonides.api.memory import Memory
from simonides.model.answer import Hit
from simonides.model.item import Person, Role
from simonides.model.metadata_keys import ASKS_KEY

NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
"""A Thursday."""
WRITTEN: Final = {
    "boiler": "The boiler is serviced on 18 March between 9 and 12, somebody has to be in.",
    "climbing": "A few of us go climbing on Saturday. Are you in?",
    "flight": "LHR to LIS 2026-03-18 11:05, seat 12A",
    "trip": "We are in Lisbon from 16 March to 20 March.",
    "report": "Bitte den Bericht bis zum 18. März schicken.",
    "other year": "The lease ended on 18 March 2024.",
    "whole month": "In March everything is cheaper.",
    "figures": "Rows 18 to 20 of the table lack a total.",
}


@pytest.fixture
def mails(open_memory: Callable[..., Memory]) -> Memory:
    """Mails of yesterday, and an event on 17 March."""
    memory = open_memory()
    for number, (id_, text) in enumerate(WRITTEN.items()):
        written = NOW - timedelta(days=1, minutes=number)
        memory.add(text, id=id_, kind="email", source="gmail", happened_at=written)
    memory.add("Choir", id="choir", kind="event", source="calendar", happened_at=at("2026-03-17"))
    return memory


def at(day: str) -> datetime:
    """Return the noon of a day."""
    return datetime.fromisoformat(f"{day}T12:00+00:00")


def agrees(hit: Hit) -> bool:
    """Return whether a hit gains in full by its time."""
    return any(one.name == "time" and one.value > 0.3 for one in hit.explanation.contributions)


def listed(memory: Memory, question: str) -> list[str]:
    """Return the ids of what certainly belongs to an answer, in order."""
    return [hit.id for hit in memory.search(question, limit=20) if hit.relevance >= 0.5]


@pytest.mark.parametrize(
    "question",
    [
        "what's happening on 18 March?",
        "am I free next Wednesday?",
        "was steht am 18. März an?",
        "who has to be in on 18 March?",
        "qu'est-ce qu'il y a le 18 mars ?",
    ],
)
def test_what_names_a_day_is_what_is_on_then(mails: Memory, question: str) -> None:
    found = mails.search(question)

    assert {hit.id for hit in found if agrees(hit)} == {"boiler", "flight", "report"}
    assert found.nothing == ""


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("From Thursday to Saturday (23 to 25 April) a room is booked.", []),
        ("The train leaves on 25 April, so Saturday it is.", []),
        ("The room is ready on 25 April. The choir meets on Saturday.", ["room"]),
        ("The room is ready on 20 April, and the choir meets on Saturday.", ["room"]),
    ],
)
def test_the_weekdays_of_a_date_in_a_sentence_are_no_others(
    open_memory: Callable[..., Memory], text: str, days: list[str]
) -> None:
    memory = open_memory()
    memory.add(text, id="room", kind="email", source="gmail", happened_at=NOW - timedelta(days=1))

    found = memory.search("am I free on Saturday?").hits
    assert [hit.id for hit in found if agrees(hit)] == days


def test_a_day_that_a_later_mail_of_the_thread_moved_is_not_that_of_the_earlier(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory()
    said = {
        "check": "Your check-up is on Wednesday 18 March.",
        "moved": "Your check-up has been moved to 24 March.",
        "other": "The choir has been moved to 25 March.",
    }
    for number, (id_, text) in enumerate(said.items()):
        memory.add(text, id=id_, kind="email", source="gmail",
                   session="choir" if id_ == "other" else "check-up",
                   happened_at=NOW - timedelta(days=3 - number))  # fmt: skip

    found = memory.search("what do I have on 18 March?")
    assert not any(agrees(hit) for hit in found)
    assert "nothing from 18 March" in found.nothing
    assert [hit.id for hit in memory.search("what do I have on 24 March?") if agrees(hit)] == [
        "moved"
    ]
    early = memory.search("what do I have on 18 March?", now=NOW - timedelta(days=2, hours=12))
    assert [hit.id for hit in early if agrees(hit)] == ["check"]


def test_a_question_of_the_owner_names_no_day(open_memory: Callable[..., Memory]) -> None:
    memory = open_memory()
    memory.add("what do I have on 18 March?", id="asked", kind="message", source="chat",
               happened_at=NOW - timedelta(hours=1), metadata={ASKS_KEY: True})  # fmt: skip

    assert memory.brief("what is on on 18 March?").items == ()


def test_a_month_is_a_list_of_the_days_that_are_named_in_it(mails: Memory) -> None:
    mails.add("The lease ends on 30 April.", id="lease", kind="document")

    assert listed(mails, "what do I have in April?") == ["lease"]
    assert "whole month" not in listed(mails, "what's on this month?")


def test_a_weekday_is_that_of_the_days_after_the_mail(mails: Memory) -> None:
    old = NOW - timedelta(days=30)
    mails.add("See you on Saturday!", id="long ago", kind="email", source="gmail", happened_at=old)

    assert listed(mails, "am I free on Saturday?") == ["climbing"]
    assert "nothing from" in mails.search("am I free on Sunday?").nothing


def test_a_weekday_with_its_number_is_that_day_however_long_before(mails: Memory) -> None:
    for id_, text in (
        ("far", "We meet on Saturday 28 at Paul's."),
        ("loin", "La classe ira au musée d'Orsay le samedi 28 mars avec un pique-nique."),
        ("début", "le samedi 28 mars"),
        ("count", "On Saturday 28 people came."),
    ):
        mails.add(text, id=id_, kind="email", source="gmail", happened_at=at("2026-03-02"))

    assert sorted(listed(mails, "what is on 28 March?")) == ["début", "far", "loin"]


@pytest.mark.parametrize(
    ("question", "is_found"),
    [("who is off on Thursday?", True), ("who is off today?", True), ("who was off today?", False)],
)
def test_the_day_that_runs_is_one_to_come_unless_the_past_is_asked_for(
    mails: Memory, question: str, *, is_found: bool
) -> None:
    mails.add("I take Thursday off.", id="off", kind="message", happened_at=at("2026-03-11"))
    agreeing = {hit.id for hit in mails.search(question) if agrees(hit)}

    assert ("off" in agreeing) is is_found


def test_tomorrow_is_the_day_after_the_message(mails: Memory) -> None:
    for id_, days in (("soon", 0), ("was", 1)):
        mails.add("Dinner at ours tomorrow?", id=id_, kind="message", source="chat", session="c",
                  happened_at=NOW - timedelta(days=days, hours=1))  # fmt: skip

    assert listed(mails, "what do I have on tomorrow?") == ["soon"]


def test_events_stand_before_what_only_names_their_days(mails: Memory) -> None:
    found = listed(mails, "what's on next week?")

    assert found[:2] == ["choir", "trip"]
    assert set(found) == {"choir", "trip", "boiler", "flight", "report"}
    assert set(listed(mails, "what is due by 19 March?")) == {*found, "climbing"}


def test_what_was_written_in_a_week_is_not_what_names_its_days(mails: Memory) -> None:
    mails.add("The meeting is on 13 March.", id="earlier", kind="email", source="gmail",
              happened_at=at("2026-03-01"))  # fmt: skip

    assert "earlier" not in listed(mails, "what did I get this week?")
    assert "earlier" in listed(mails, "what's on this week?")


def test_a_note_without_a_date_names_days_by_their_dates_alone(memory: Memory) -> None:
    memory.add("Friday: bins. On 20 March 2026 the street is closed.", id="dated", kind="document")
    memory.add("On Friday the bins are collected.", id="weekly", kind="document")

    assert listed(memory, "am I free next Friday?") == ["dated"]


@pytest.mark.parametrize("question", ["what did I spend in February?", "what was on 3 February?"])
def test_that_nothing_is_of_a_time_is_not_said_where_a_text_without_a_date_names_its_days(
    memory: Memory, question: str
) -> None:
    table = "| date | item | amount |\n| --- | --- | --- |\n| 2026-02-03 | groceries | 84.20 |"
    memory.add(table, id="table", kind="document", source="file")

    assert "nothing from" not in memory.search(question).nothing
    memory.update("table", happened_at=at("2026-03-11"))
    assert "nothing from" in memory.search(question).nothing


def test_a_brief_of_a_list_holds_the_list_alone(mails: Memory) -> None:
    week = mails.brief("what's on next week?")
    open_ended = mails.brief("Lisbon and the boiler next week?")

    assert [one.id for one in week.items] == listed(mails, "what's on next week?")
    assert {one.reason for one in week.dropped} == {"not_worth"}
    assert len(open_ended.items) > len(week.items)
    assert {one.id for one in mails.brief("am I free on Sunday?").items} >= {"choir"}


def test_a_newsletter_names_no_days_unless_one_writes_to_its_sender(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory(owner=("maya@own.example",))
    maya = Person(name="Maya", address="maya@own.example")
    tom = Person(name="club", address="tom@club.example", role=Role.TO)
    for id_, address in (("sale", "shop@shop.example"), ("club", "tom@club.example")):
        memory.add("All on Saturday!", id=id_, kind="email", source="mail",
                   people=[Person(name=id_, address=address)], metadata={"list_id": id_},
                   happened_at=NOW - timedelta(days=1))  # fmt: skip
    memory.add("I am in!", id="reply", kind="email", source="mail", happened_at=NOW,
               people=[maya, tom])  # fmt: skip

    assert listed(memory, "am I free on Saturday?") == ["club"]


def test_an_event_names_days_only_where_it_has_no_time_of_its_own(memory: Memory) -> None:
    timed = {"starts_at": "2026-03-17", "ends_at": "2026-03-17", "all_day": True}
    for id_, metadata in (("timed", timed), ("told", {})):
        memory.add("Friday 20 March 2026, 18:00, the pier", id=id_, kind="event", source="calendar",
                   metadata=metadata, happened_at=at("2026-03-02"))  # fmt: skip

    assert listed(memory, "am I free next Friday?") == ["told"]
    assert listed(memory, "what do I have on 17 March?") == ["timed"]
