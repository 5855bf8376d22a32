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


def series(*lines: str) -> list[str]:
    return [*TIMES[:3], "DTSTART;TZID=Europe/Berlin:20260603T180000", *lines, "END:VEVENT"]


def edit(*lines: str, day: int = 10) -> list[str]:
    """Return the change of an instance to half an hour later."""
    named = f"RECURRENCE-ID;TZID=Europe/Berlin:202606{day}T180000"
    return event(named, f"DTSTART;TZID=Europe/Berlin:202606{day}T183000", *lines)


WITHOUT = ("RRULE:FREQ=WEEKLY;COUNT=3", "EXDATE;TZID=Europe/Berlin:20260610T180000")
OLD, NEW = "LAST-MODIFIED:20260501T080000Z", "LAST-MODIFIED:20260502T080000Z"


@pytest.mark.parametrize(
    ("of_series", "of_edit", "is_shown"),
    [
        (["SEQUENCE:2"], ["SEQUENCE:1"], False),
        (["SEQUENCE:2", OLD], ["SEQUENCE:1", NEW], False),
        ([NEW], [OLD], False),
        (["SEQUENCE:1", NEW], ["SEQUENCE:1", OLD], False),
        (["DTSTAMP:20260502T080000Z"], ["DTSTAMP:20260501T080000Z"], False),
        ([], [], True),
        ([OLD], [OLD], True),
        ([OLD], [NEW], True),
        (["SEQUENCE:1", NEW], ["SEQUENCE:2", OLD], True),
    ],
)
def test_an_edit_that_was_deleted_later_is_not_shown(
    memory: Memory, of_series: list[str], of_edit: list[str], *, is_shown: bool
) -> None:
    found = shown(memory, series(*WITHOUT, *of_series), edit(*of_edit))

    assert [begin for begin, _ in found] == [
        "03T18:00", *(["10T18:30"] if is_shown else []), "17T18:00"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "exception",
    ["EXDATE;VALUE=DATE:20260610", "EXDATE:20260610T160000Z", "EXDATE:20260610T180000"],
)
def test_a_deleted_edit_is_known_however_it_is_named(memory: Memory, exception: str) -> None:
    later = series("RRULE:FREQ=WEEKLY;COUNT=3", exception, "SEQUENCE:2")

    assert [begin for begin, _ in shown(memory, later, edit())] == ["03T18:00", "17T18:00"]


def test_an_older_edit_of_what_was_not_deleted_is_shown(memory: Memory) -> None:
    later = series("RRULE:FREQ=WEEKLY;COUNT=3", "SEQUENCE:2")

    assert [begin for begin, _ in shown(memory, later, edit())] == [
        "03T18:00", "10T18:30", "17T18:00",
    ]  # fmt: skip


def test_a_deleted_instance_that_is_said_to_be_cancelled_is_shown_so(memory: Memory) -> None:
    found = shown(memory, series(*WITHOUT, "SEQUENCE:2"), edit("STATUS:CANCELLED"))

    assert [begin for begin, _ in found] == ["03T18:00", "10T18:30", "17T18:00"]


@pytest.mark.parametrize("end", ["UNTIL=20260612", "UNTIL=20260610T160000Z", "COUNT=2"])
@pytest.mark.parametrize(("sequence", "is_shown"), [(2, False), (1, True)])
def test_an_edit_after_the_end_of_a_later_state_is_not_shown(
    memory: Memory, end: str, sequence: int, *, is_shown: bool
) -> None:
    later = series(f"RRULE:FREQ=WEEKLY;{end}", f"SEQUENCE:{sequence}")
    found = shown(memory, later, edit("SEQUENCE:1", day=17), edit("SEQUENCE:1"))

    assert [begin for begin, _ in found] == [
        "03T18:00", "10T18:30", *(["17T18:30"] if is_shown else []),
    ]  # fmt: skip


def test_an_older_edit_of_a_further_date_after_the_end_is_shown(memory: Memory) -> None:
    added = "RDATE;TZID=Europe/Berlin:20260617T180000"
    later = series("RRULE:FREQ=WEEKLY;COUNT=2", added, "SEQUENCE:2")

    assert shown(memory, later, edit(day=17))[-1] == ("17T18:30", "17T18:00")


@pytest.mark.parametrize(
    ("start", "until"),
    [
        (";TZID=Europe/Berlin:20260603T180000", "20260602T215959Z"),
        (";TZID=Europe/Berlin:20260603T180000", "20260603T155959Z"),
        (";TZID=Europe/Berlin:20260603T180000", "20260602"),
        (";VALUE=DATE:20260603", "20260602"),
        (":20260603T180000", "20260603T175959"),
    ],
)
def test_a_series_that_ends_before_its_start_has_no_time(
    memory: Memory, start: str, until: str
) -> None:
    assert shown(memory, event(f"DTSTART{start}", f"RRULE:FREQ=DAILY;UNTIL={until}")) == []


def test_a_series_that_ends_before_its_start_has_its_further_dates(memory: Memory) -> None:
    dates = ("RRULE:FREQ=DAILY;UNTIL=20260602", "RDATE;VALUE=DATE:20260609")

    assert shown(memory, event("DTSTART;VALUE=DATE:20260603", *dates)) == [("09", "")]


def test_a_series_that_ends_with_its_start_has_one_time(memory: Memory) -> None:
    lines = (
        "DTSTART;TZID=Europe/Berlin:20260603T180000",
        "RRULE:FREQ=DAILY;UNTIL=20260603T160000Z",
    )

    assert shown(memory, event(*lines)) == [("03T18:00", "")]
