"""Ends of events over changes of the clock, as the agenda and the item itself say them."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from simonides import Agenda, Item, Memory, Settings
from simonides.importers.calendar import items_of_calendar

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def read(*lines: str) -> list[Item]:
    whole = ["BEGIN:VEVENT", "UID:shift", "SUMMARY:Shift", *lines, "END:VEVENT"]
    return [one for one in items_of_calendar("\r\n".join(whole).encode()) if isinstance(one, Item)]


def agenda(items: list[Item], zone: str) -> Agenda:
    settings = Settings(embedder="none", timezone="UTC")
    with Memory(":memory:", settings=settings, clock=lambda: NOW) as memory:
        memory.add(items)
        return memory.agenda(since="2026-01-01", until="2026-12-31", timezone=zone)


CHANGES = [
    # the clock is put forward at 02:00 or 24:00, and back at 03:00, 02:00 or 24:00
    ("Europe/Madrid", "20260328T2300"),
    ("Europe/Madrid", "20261024T2300"),
    ("America/Chicago", "20260307T2300"),
    ("America/Chicago", "20261031T2300"),
    ("Australia/Lord_Howe", "20260404T2300"),
    ("Australia/Lord_Howe", "20261003T2300"),
    ("America/Santiago", "20260404T2200"),
    ("America/Santiago", "20260905T2200"),
    ("Africa/Cairo", "20260423T2200"),
    ("Africa/Cairo", "20261029T2200"),
]


def ends(begin: datetime) -> list[tuple[str, datetime]]:
    """Return lines that say an end, each with when that is: hours are exact, days by the clock."""
    later = begin.replace(tzinfo=None) + timedelta(hours=8)
    by_clock = later.replace(tzinfo=begin.tzinfo)
    exact = begin.astimezone(UTC)
    day, week = (
        (begin.replace(tzinfo=None) + timedelta(days=days)).replace(tzinfo=begin.tzinfo)
        for days in (1, 7)
    )
    return [
        (f"DTEND;TZID={begin.tzinfo}:{later:%Y%m%dT%H%M%S}", by_clock),
        (f"DTEND:{exact + timedelta(hours=5):%Y%m%dT%H%M%SZ}", exact + timedelta(hours=5)),
        ("DURATION:PT8H", exact + timedelta(hours=8)),
        ("DURATION:PT24H", exact + timedelta(hours=24)),
        ("DURATION:P1D", day),
        ("DURATION:P1W", week),
        ("DURATION:P1DT2H", day.astimezone(UTC) + timedelta(hours=2)),
    ]


@pytest.mark.parametrize(("zone", "start"), CHANGES)
@pytest.mark.parametrize("asked", ["UTC", "Europe/Madrid", "Asia/Kolkata"])
def test_an_event_over_a_change_of_the_clock_begins_and_ends_when_it_says(
    zone: str, start: str, asked: str
) -> None:
    begin = datetime.strptime(start, "%Y%m%dT%H%M").replace(tzinfo=ZoneInfo(zone))
    for line, end in ends(begin):
        items = read(f"DTSTART;TZID={zone}:{start}00", line)
        (entry,) = agenda(items, asked).entries
        times = [datetime.fromisoformat(one) for one in (entry.starts_at, entry.ends_at)]
        kept = datetime.fromisoformat(items[0].metadata["ends_at"])

        assert [one.astimezone(UTC) for one in times] == [
            begin.astimezone(UTC), end.astimezone(UTC),
        ], line  # fmt: skip
        assert kept == end.astimezone(UTC), line


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # hours are exact: the night of 23 or 25 hours ends at another time by the clock
        ("DURATION:PT8H", ["06:00", "07:00", "06:00", "06:00", "05:00", "06:00"]),
        ("DTEND;TZID=Europe/Madrid:{}T060000", ["06:00"] * 6),
    ],
)
def test_the_ends_of_single_nights(line: str, expected: list[str]) -> None:
    nights = ["0327", "0328", "0329", "1023", "1024", "1025"]
    found = []
    for night in nights:
        day = int(night) + 1
        lines = (f"DTSTART;TZID=Europe/Madrid:2026{night}T220000", line.format(f"2026{day:04}"))
        (entry,) = agenda(read(*lines), "Europe/Madrid").entries
        found.append(entry.ends_at[11:16])

    assert found == expected


def test_every_time_of_a_series_lasts_as_long_as_the_first() -> None:
    lines = ("DURATION:PT8H", "RRULE:FREQ=DAILY;COUNT=3")
    found = agenda(read("DTSTART;TZID=Europe/Madrid:20260327T220000", *lines), "Europe/Madrid")

    assert [(one.starts_at, one.ends_at) for one in found.entries] == [
        ("2026-03-27T22:00:00+01:00", "2026-03-28T06:00:00+01:00"),
        ("2026-03-28T22:00:00+01:00", "2026-03-29T07:00:00+02:00"),
        ("2026-03-29T22:00:00+02:00", "2026-03-30T06:00:00+02:00"),
    ]


def test_a_series_over_midnight_ends_where_its_further_dates_say() -> None:
    further = "RDATE;TZID=Europe/Madrid;VALUE=PERIOD:{0}T230000/{0}T233000,{0}T010000/PT3H"
    lines = ("DURATION:PT1H", further.format("20261025"))
    found = agenda(read("DTSTART;TZID=Europe/Madrid:20261020T220000", *lines), "Europe/Madrid")

    assert [(one.starts_at, one.ends_at) for one in found.entries][1:] == [
        ("2026-10-25T01:00:00+02:00", "2026-10-25T03:00:00+01:00"),
        ("2026-10-25T23:00:00+01:00", "2026-10-25T23:30:00+01:00"),
    ]


@pytest.mark.parametrize(
    ("start", "duration", "expected"),
    [
        ("20260327T100000", "P1D", ["28T10:00", "29T10:00", "30T10:00"]),
        # the first one is the short one
        ("20260328T100000", "P1D", ["29T10:00", "30T10:00", "31T10:00"]),
        ("20261023T100000", "P1D", ["24T10:00", "25T10:00", "26T10:00"]),
        ("20261024T100000", "P1DT1H", ["25T11:00", "26T11:00", "27T11:00"]),
        ("20260327T100000", "PT24H", ["28T10:00", "29T11:00", "30T10:00"]),
        ("20260323T100000", "P1W", ["30T10:00", "31T10:00", "01T10:00"]),
    ],
)
def test_days_of_a_duration_are_days_by_the_clock_each_time(
    start: str, duration: str, expected: list[str]
) -> None:
    lines = (f"DURATION:{duration}", "RRULE:FREQ=DAILY;COUNT=3")
    found = agenda(read(f"DTSTART;TZID=Europe/Madrid:{start}", *lines), "Europe/Madrid")

    assert [one.ends_at[8:16] for one in found.entries] == expected
