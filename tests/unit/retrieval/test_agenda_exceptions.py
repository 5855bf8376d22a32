"""Exceptions of series in the agenda: however they name their time, and whether they still hold."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from simonides import Item, Memory, Settings
from simonides.importers.calendar import items_of_calendar


@pytest.fixture
def memory() -> Iterator[Memory]:
    settings = Settings(embedder="none", timezone="Europe/London")
    clock = datetime(2026, 3, 4, tzinfo=UTC)
    with Memory(":memory:", settings=settings, clock=lambda: clock) as opened:
        yield opened


def event(*lines: str) -> list[str]:
    return ["BEGIN:VEVENT", "UID:yoga", "SUMMARY:Yoga", *lines, "END:VEVENT"]


def shown(memory: Memory, *events: list[str], until: str = "2026-07-01") -> list[tuple[str, str]]:
    """Keep the events; return when each time in the agenda begins and was to begin."""
    lines = [line for one in events for line in one]
    found = items_of_calendar("\r\n".join(["BEGIN:VCALENDAR", *lines, "END:VCALENDAR"]).encode())
    memory.add([one for one in found if isinstance(one, Item)])
    agenda = memory.agenda(since="2026-06-01", until=until, timezone="Europe/Berlin")
    return [(one.starts_at[8:16], one.instead_of[8:16]) for one in agenda.entries]


DAYS = event("DTSTART;VALUE=DATE:20260603", "RRULE:FREQ=WEEKLY;COUNT=3")
TIMES = event("DTSTART;TZID=Europe/Berlin:20260603T180000", "RRULE:FREQ=WEEKLY;COUNT=3")
NAMES_OF_THE_TENTH = (
    ":20260610T000000Z",
    ":20260610T000000",
    ";TZID=Europe/Berlin:20260610T000000",
    ";TZID=Pacific/Auckland:20260610T000000",
    ";TZID=America/Denver:20260610T000000",
    ":20260609T220000Z",
    ":20260609T120000Z",
    ":20260610T060000Z",
    ";VALUE=DATE:20260610",
)


@pytest.mark.parametrize("name", NAMES_OF_THE_TENTH)
def test_an_instance_of_days_is_named_by_a_time_of_its_day(memory: Memory, name: str) -> None:
    moved = event(f"RECURRENCE-ID{name}", "DTSTART;VALUE=DATE:20260612")

    assert shown(memory, DAYS, moved) == [("03", ""), ("12", "10"), ("17", "")]


@pytest.mark.parametrize("name", NAMES_OF_THE_TENTH)
def test_an_exception_of_days_is_named_by_a_time_of_its_day(memory: Memory, name: str) -> None:
    series = [*DAYS[:-1], f"EXDATE{name}", DAYS[-1]]

    assert shown(memory, series) == [("03", ""), ("17", "")]


def test_a_day_that_becomes_a_time_is_named_by_midnight(memory: Memory) -> None:
    timed = event(
        "RECURRENCE-ID;TZID=Europe/Berlin:20260610T000000",
        "DTSTART;TZID=Europe/Berlin:20260610T180000",
    )

    assert shown(memory, DAYS, timed) == [("03", ""), ("10T18:00", "10"), ("17", "")]


def test_a_time_that_becomes_a_day_is_named_by_its_time(memory: Memory) -> None:
    whole = event("RECURRENCE-ID:20260610T160000Z", "DTSTART;VALUE=DATE:20260610")

    assert shown(memory, TIMES, whole) == [
        ("03T18:00", ""), ("10", "10T18:00"), ("17T18:00", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("start", "was"), [("20260610T180000", ""), ("20260611T090000", "10T18:00")]
)
def test_an_instance_of_times_is_named_by_its_day(memory: Memory, start: str, was: str) -> None:
    changed = event("RECURRENCE-ID;VALUE=DATE:20260610", f"DTSTART;TZID=Europe/Berlin:{start}")
    begin = f"{start[6:8]}T{start[9:11]}:00"

    assert shown(memory, TIMES, changed) == [("03T18:00", ""), (begin, was), ("17T18:00", "")]


def test_a_change_for_good_that_is_named_by_its_day_moves_by_hours(memory: Memory) -> None:
    changed = event(
        "RECURRENCE-ID;VALUE=DATE;RANGE=THISANDFUTURE:20260610",
        "DTSTART;TZID=Europe/Berlin:20260610T190000",
    )

    assert shown(memory, TIMES, changed) == [
        ("03T18:00", ""), ("10T19:00", "10T18:00"), ("17T19:00", "17T18:00"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", NAMES_OF_THE_TENTH)
def test_what_changed_only_its_title_was_not_moved(name: str) -> None:
    lines = event(f"RECURRENCE-ID{name}", "DTSTART;VALUE=DATE:20260610")
    (item,) = items_of_calendar("\r\n".join(lines).encode())

    assert isinstance(item, Item)
    assert "Moved" not in item.content
