"""The agenda: series expanded with their changes, days and zones, tasks, pages and bounds."""

from collections.abc import Iterator
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import pytest

from simonides import Agenda, AgendaEntry, InvalidInput, Item, Memory, Settings
from simonides.importers.calendar import items_of_calendar
from simonides.retrieval import agenda as subject
from simonides.retrieval import occurrences
from simonides.text import observed_zone

NOW = datetime(2026, 3, 4, 15, 30, tzinfo=UTC)


@pytest.fixture
def memory() -> Iterator[Memory]:
    settings = Settings(embedder="none", timezone="Europe/London")
    with Memory(":memory:", settings=settings, clock=lambda: NOW) as opened:
        yield opened


def keep(memory: Memory, *lines: str) -> None:
    raw = "\r\n".join(["BEGIN:VCALENDAR", *lines, "END:VCALENDAR"]).encode()
    found = list(items_of_calendar(raw))
    assert all(isinstance(one, Item) for one in found), found
    memory.add([one for one in found if isinstance(one, Item)])


def event(uid: str, *lines: str, title: str = "") -> str:
    return "\r\n".join(
        ["BEGIN:VEVENT", f"UID:{uid}", f"SUMMARY:{title or uid}", *lines, "END:VEVENT"]
    )


def times_and_titles(found: Agenda) -> list[tuple[str, str]]:
    return [(one.starts_at, one.title) for one in found.entries]


def starts(found: Agenda) -> list[str]:
    return [one.starts_at for one in found.entries]


def between(memory: Memory, since: str, until: str, **more: object) -> Agenda:
    return memory.agenda(since=since, until=until, **more)  # type: ignore[arg-type]


def only(found: Agenda) -> AgendaEntry:
    (entry,) = found.entries
    return entry


LONDON = "DTSTART;TZID=Europe/London"
LONDON_END = "DTEND;TZID=Europe/London"


def test_a_series_keeps_its_hour_over_a_change_of_the_clock(memory: Memory) -> None:
    keep(memory, event("run", f"{LONDON}:20260317T184500", "RRULE:FREQ=WEEKLY;COUNT=4"))

    assert starts(between(memory, "2026-01-01", "2026-12-01")) == [
        "2026-03-17T18:45:00+00:00",
        "2026-03-24T18:45:00+00:00",
        "2026-03-31T18:45:00+01:00",
        "2026-04-07T18:45:00+01:00",
    ]


@pytest.mark.parametrize(
    ("until", "count"),
    [
        ("20260331T174500Z", 3),
        ("20260331T174459Z", 2),
        ("20260331", 3),
        ("20260331T184500", 3),
        ("20260330", 2),
    ],
)
def test_the_end_of_a_series_counts_by_its_own_clock(
    memory: Memory, until: str, count: int
) -> None:
    keep(memory, event("run", f"{LONDON}:20260317T184500", f"RRULE:FREQ=WEEKLY;UNTIL={until}"))

    assert len(between(memory, "2026-01-01", "2026-12-01").entries) == count


def test_exceptions_and_further_dates(memory: Memory) -> None:
    keep(
        memory,
        event(
            "one",
            f"{LONDON}:20260302T100000",
            f"{LONDON_END}:20260302T110000",
            "RRULE:FREQ=DAILY;COUNT=5",
            "EXDATE;TZID=Europe/London:20260303T100000",
            "EXDATE;VALUE=DATE:20260305",
            "RDATE;TZID=Europe/London;VALUE=PERIOD:20260310T120000/PT30M",
            "RDATE:20260311T080000Z",
        ),
    )

    found = between(memory, "2026-03-01", "2026-04-01")
    assert [(one.starts_at[5:16], one.ends_at[5:16]) for one in found.entries] == [
        ("03-02T10:00", "03-02T11:00"),
        ("03-04T10:00", "03-04T11:00"),
        ("03-06T10:00", "03-06T11:00"),
        ("03-10T12:00", "03-10T12:30"),
        ("03-11T08:00", "03-11T09:00"),
    ]


SERIES = event(
    "one", f"{LONDON}:20260302T100000", f"{LONDON_END}:20260302T110000", "RRULE:FREQ=WEEKLY;COUNT=5"
)


def test_a_moved_instance_stands_where_it_is_and_says_where_it_was(memory: Memory) -> None:
    moved = event(
        "one",
        f"{LONDON}:20260311T160000",
        f"{LONDON_END}:20260311T170000",
        "RECURRENCE-ID;TZID=Europe/London:20260309T100000",
        title="moved",
    )
    keep(memory, SERIES, moved)

    found = between(memory, "2026-03-09", "2026-03-16")
    assert times_and_titles(found) == [("2026-03-11T16:00:00+00:00", "moved")]
    assert only(found).instead_of == "2026-03-09T10:00:00+00:00"
    assert between(memory, "2026-03-09", "2026-03-10").entries == ()
    assert times_and_titles(between(memory, "2026-03-02", "2026-03-10")) == [
        ("2026-03-02T10:00:00+00:00", "one")
    ]


def test_a_cancelled_instance_is_reported_as_cancelled(memory: Memory) -> None:
    keep(
        memory,
        SERIES,
        event(
            "one",
            f"{LONDON}:20260309T100000",
            "RECURRENCE-ID:20260309T100000Z",
            "STATUS:CANCELLED",
        ),
    )

    entry = only(between(memory, "2026-03-09", "2026-03-10"))
    assert (entry.status, entry.instead_of) == ("cancelled", "")


def test_an_instance_that_is_named_by_its_day_alone_replaces_it(memory: Memory) -> None:
    keep(
        memory,
        SERIES,
        event("one", f"{LONDON}:20260309T120000", "RECURRENCE-ID;VALUE=DATE:20260309"),
    )

    assert starts(between(memory, "2026-03-09", "2026-03-10")) == ["2026-03-09T12:00:00+00:00"]


def test_a_change_for_good_moves_all_later_instances_by_the_clock(memory: Memory) -> None:
    keep(
        memory,
        SERIES,
        event(
            "one",
            f"{LONDON}:20260317T150000",
            f"{LONDON_END}:20260317T153000",
            "RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/London:20260316T100000",
            title="later",
        ),
        event(
            "one",
            f"{LONDON}:20260324T090000",
            "RECURRENCE-ID;TZID=Europe/London:20260323T100000",
            title="once",
        ),
    )

    found = between(memory, "2026-03-01", "2026-05-01")
    assert times_and_titles(found) == [
        ("2026-03-02T10:00:00+00:00", "one"),
        ("2026-03-09T10:00:00+00:00", "one"),
        ("2026-03-17T15:00:00+00:00", "later"),
        ("2026-03-24T09:00:00+00:00", "once"),
        ("2026-03-31T15:00:00+01:00", "later"),
    ]
    assert found.entries[-1].ends_at == "2026-03-31T15:30:00+01:00"
    assert found.entries[-1].instead_of == "2026-03-30T10:00:00+01:00"
    # what moved into the time asked for is found, too
    assert times_and_titles(between(memory, "2026-03-31", "2026-04-01")) == [
        ("2026-03-31T15:00:00+01:00", "later")
    ]


def test_a_changed_instance_stands_alone_where_its_series_is_not_kept(memory: Memory) -> None:
    keep(
        memory,
        event("one", f"{LONDON}:20260311T160000", "RECURRENCE-ID:20260309T100000Z", title="alone"),
    )

    assert times_and_titles(between(memory, "2026-03-09", "2026-03-16")) == [
        ("2026-03-11T16:00:00+00:00", "alone")
    ]


def test_days_are_days_in_every_zone(memory: Memory) -> None:
    keep(
        memory,
        event("trip", "DTSTART;VALUE=DATE:20260305", "DTEND;VALUE=DATE:20260308"),
        event("bins", "DTSTART;VALUE=DATE:20260305", "RRULE:FREQ=WEEKLY;UNTIL=20260319"),
    )

    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/London"):
        found = between(memory, "2026-03-07", "2026-03-20", timezone=zone)
        assert [(one.starts_at, one.ends_at, one.all_day) for one in found.entries] == [
            ("2026-03-05", "2026-03-07", True),
            ("2026-03-12", "2026-03-12", True),
            ("2026-03-19", "2026-03-19", True),
        ], zone
    assert times_and_titles(between(memory, "2026-03-08", "2026-03-12")) == []


def test_a_time_is_reported_in_the_zone_that_is_asked_for(memory: Memory) -> None:
    keep(memory, event("call", "DTSTART;TZID=America/Vancouver:20260310T090000"))

    found = between(memory, "2026-03-10", "2026-03-11", timezone="America/Toronto")
    assert starts(found) == ["2026-03-10T12:00:00-04:00"]
    assert found.timezone == "America/Toronto"


def test_a_floating_time_is_the_same_by_every_clock(memory: Memory) -> None:
    keep(memory, event("pill", "DTSTART:20260310T080000", "RRULE:FREQ=DAILY;COUNT=2"))

    for zone, offset in (("Asia/Tokyo", "+09:00"), ("America/Toronto", "-04:00")):
        found = between(memory, "2026-03-10", "2026-03-12", timezone=zone)
        assert starts(found) == [f"2026-03-{day}T08:00:00{offset}" for day in (10, 11)]


def test_a_zone_of_rules_alone_changes_its_clock(memory: Memory) -> None:
    keep(
        memory,
        "BEGIN:VTIMEZONE\r\nTZID:Office",
        "BEGIN:STANDARD\r\nDTSTART:19701025T030000\r\nRRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU",
        "TZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nEND:STANDARD",
        "BEGIN:DAYLIGHT\r\nDTSTART:19700329T020000\r\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU",
        "TZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nEND:DAYLIGHT\r\nEND:VTIMEZONE",
        event("one", "DTSTART;TZID=Office:20260327T100000", "RRULE:FREQ=WEEKLY;COUNT=2"),
    )

    assert starts(between(memory, "2026-03-01", "2026-05-01", timezone="UTC")) == [
        "2026-03-27T09:00:00+00:00",
        "2026-04-03T08:00:00+00:00",
    ]


def test_series_at_one_instant_keep_the_hour_of_their_own_clocks(memory: Memory) -> None:
    weekly = "RRULE:FREQ=WEEKLY"
    keep(
        memory,
        event("york", "DTSTART;TZID=America/New_York:20260220T100000", weekly),
        event("london", f"{LONDON}:20260220T150000", weekly),
    )

    assert times_and_titles(between(memory, "2026-03-13", "2026-03-14", timezone="UTC")) == [
        ("2026-03-13T14:00:00+00:00", "york"),
        ("2026-03-13T15:00:00+00:00", "london"),
    ]


def test_an_hour_that_is_skipped_or_comes_twice(memory: Memory) -> None:
    zone = "DTSTART;TZID=Europe/Berlin"
    keep(
        memory,
        event("spring", f"{zone}:20260328T023000", "RRULE:FREQ=DAILY;COUNT=3"),
        event("autumn", f"{zone}:20261024T023000", "RRULE:FREQ=DAILY;COUNT=3"),
    )

    # RFC 5545, section 3.3.5: a skipped time takes the offset before it, a double one is the first
    assert starts(between(memory, "2026-03-01", "2026-12-01", timezone="UTC")) == [
        "2026-03-28T01:30:00+00:00",
        "2026-03-29T01:30:00+00:00",
        "2026-03-30T00:30:00+00:00",
        "2026-10-24T00:30:00+00:00",
        "2026-10-25T00:30:00+00:00",
        "2026-10-26T01:30:00+00:00",
    ]


def test_who_comes_and_where_is_told_with_it(memory: Memory) -> None:
    keep(
        memory,
        event(
            "one",
            f"{LONDON}:20260305T100000",
            "LOCATION:Room 4",
            "ORGANIZER;CN=Sarah:mailto:sarah@example.com",
            "ATTENDEE;CN=Tom;PARTSTAT=DECLINED:mailto:tom@example.com",
        ),
    )

    entry = only(memory.agenda())
    assert (entry.location, entry.organizer) == ("Room 4", "Sarah")
    assert [(one.name, one.address, one.answer) for one in entry.attendees] == [
        ("Tom", "tom@example.com", "declined")
    ]
    assert only(memory.agenda(people=["tom@example.com"])).title == "one"
    assert memory.agenda(people=["nobody@example.com"]).entries == ()
    assert memory.agenda(sources=["gmail"]).entries == ()
    assert memory.agenda(collections=["other"]).entries == ()


def test_tasks_that_are_due_stand_among_the_events(memory: Memory) -> None:
    keep(
        memory,
        event("meeting", f"{LONDON}:20260305T120000"),
        "BEGIN:VTODO\r\nUID:t1\r\nSUMMARY:Invoice\r\nDUE;TZID=Europe/London:20260305T110000",
        "STATUS:IN-PROCESS\r\nEND:VTODO",
        "BEGIN:VTODO\r\nUID:t2\r\nSUMMARY:Taxes\r\nDUE;VALUE=DATE:20260305\r\nEND:VTODO",
        "BEGIN:VTODO\r\nUID:t3\r\nSUMMARY:Someday\r\nEND:VTODO",
        "BEGIN:VTODO\r\nUID:t4\r\nSUMMARY:Late\r\nDUE:20270305T110000Z\r\nEND:VTODO",
    )
    memory.add("odd", kind="task", metadata={"due": "soon"})
    memory.add("number", kind="task", metadata={"due": 5})

    found = memory.agenda()
    assert times_and_titles(found) == [
        ("2026-03-05", "Taxes"),
        ("2026-03-05T11:00:00+00:00", "Invoice"),
        ("2026-03-05T12:00:00+00:00", "meeting"),
    ]
    assert [(one.kind, one.all_day, one.status) for one in found.entries] == [
        ("task", True, ""),
        ("task", False, "in process"),
        ("event", False, ""),
    ]


def test_events_that_came_another_way_are_told_by_their_time(memory: Memory) -> None:
    memory.add("Client review", kind="event", source="calendar", happened_at="2026-03-05T10:00:00Z")
    memory.add("No time", kind="event")
    memory.add(
        "Odd metadata", kind="event", happened_at="2026-03-06T10:00:00Z",
        metadata={
            "starts_at": "whenever", "_recurrence": 5, "_attendees": ["x"], "location": 4,
            "time_zone": "Nowhere", "ends_at": "2026-03-06",
        },
    )  # fmt: skip

    assert times_and_titles(memory.agenda()) == [
        ("2026-03-05T10:00:00+00:00", "Client review"),
        ("2026-03-06T10:00:00+00:00", "Odd metadata"),
    ]


def test_an_event_that_was_moved_says_from_when(memory: Memory) -> None:
    for day, sequence in ((5, 0), (6, 1)):
        keep(
            memory,
            event(
                "one",
                f"{LONDON}:2026030{day}T100000",
                f"DTSTAMP:2026030{day}T000000Z",
                f"SEQUENCE:{sequence}",
            ),
        )

    entry = only(memory.agenda())
    assert (entry.starts_at, entry.instead_of) == (
        "2026-03-06T10:00:00+00:00",
        "2026-03-05T10:00:00+00:00",
    )
    before = only(memory.agenda(as_of=1))
    assert (before.starts_at, before.instead_of) == ("2026-03-05T10:00:00+00:00", "")


def test_without_times_it_is_today_and_the_seven_days_after(memory: Memory) -> None:
    keep(memory, event("daily", "DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY"))

    found = memory.agenda()
    assert starts(found) == [f"2026-03-{day:02}" for day in range(4, 12)]
    assert found.since == datetime(2026, 3, 4, tzinfo=UTC)
    later = memory.agenda(now="2026-07-01T23:30:00Z", timezone="Asia/Tokyo")
    assert starts(later)[0] == "2026-07-02"
    assert len(memory.agenda(since="2026-05-01").entries) == 8


def test_pages_follow_each_other_without_gaps(memory: Memory) -> None:
    keep(
        memory,
        *(event(f"e{n}", f"{LONDON}:20260305T100000") for n in range(5)),
        event("daily", f"{LONDON}:20260301T100000", "RRULE:FREQ=DAILY"),
    )
    whole = memory.agenda()
    assert len(whole.entries) == 13
    assert whole.cursor == ""

    seen: list[AgendaEntry] = []
    cursor = ""
    for _ in range(7):
        page = memory.agenda(limit=2, cursor=cursor)
        seen += page.entries
        cursor = page.cursor
    assert seen == list(whole.entries)
    assert cursor == ""


def test_a_space_without_anything_has_an_empty_agenda(memory: Memory) -> None:
    found = memory.agenda()

    assert (found.entries, found.cursor, found.notes) == ((), "", ())


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"since": "2026-03-05", "until": "2026-03-05"}, "until"),
        ({"since": "2026-03-05", "until": "2026-03-01"}, "until"),
        ({"since": "2020-01-01", "until": "2026-01-01"}, "until"),
        ({"since": "9999-12-30"}, "since"),
        ({"since": "never"}, "since"),
        ({"limit": 0}, "limit"),
        ({"cursor": "x"}, "cursor"),
        ({"timezone": "Nowhere"}, "timezone"),
        ({"people": 5}, "people"),
    ],
)
def test_what_can_not_be_asked_is_refused(
    memory: Memory, arguments: dict[str, object], field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        memory.agenda(**arguments)  # type: ignore[arg-type]
    assert caught.value.field == field


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=DAILY;COUNT=1000000000",
        "FREQ=HOURLY",
        "FREQ=DAILY;BYHOUR=1,2,3,4,5,6,7,8,9,10;BYMINUTE=1,2,3,4,5,6,7,8,9,10",
    ],
)
def test_a_series_without_measure_is_told_by_its_first_time(memory: Memory, rule: str) -> None:
    keep(memory, event("endless", "DTSTART:18000101T000000Z", f"RRULE:{rule}"))
    keep(memory, event("good", f"{LONDON}:20260305T100000"))

    found = between(memory, "2026-01-01", "2026-12-31")
    assert [one.title for one in found.entries] == ["good"]
    assert found.notes[0].startswith("'endless': ")


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=YEARLY;INTERVAL=1000000000",
        "FREQ=YEARLY;BYWEEKNO=53;BYYEARDAY=100",
        "FREQ=WEEKLY;INTERVAL=999999999",
    ],
)
def test_a_rule_that_never_comes_true_ends_at_once(memory: Memory, rule: str) -> None:
    keep(memory, event("never", f"{LONDON}:20260305T100000", f"RRULE:{rule}"))

    found = between(memory, "2026-03-01", "2027-03-01")
    assert starts(found) == ["2026-03-05T10:00:00+00:00"]
    assert found.notes == ()


def test_many_endless_series_are_bounded_together(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "STEPS_MAX", 1_000)
    keep(
        memory,
        *(
            event(f"e{n}", "DTSTART:20250305T100000Z", "RRULE:FREQ=DAILY;COUNT=9999")
            for n in range(30)
        ),
    )

    found = memory.agenda()
    assert len(found.notes) == 21
    assert found.notes[-1].endswith("more events that could not be read")


def test_of_too_many_entries_some_are_left_out_and_counted(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "ENTRIES_MAX", 5)
    keep(memory, event("daily", f"{LONDON}:20260301T100000", "RRULE:FREQ=DAILY"))

    found = memory.agenda()
    assert len(found.entries) == 5
    assert found.notes == ("3 more entries are left out; ask for a shorter time",)


BERLIN = "DTSTART;TZID=Europe/Berlin"


@pytest.mark.parametrize(
    ("lines", "end"),
    [
        ((f"{BERLIN}:20260328T220000", "DTEND;TZID=Europe/Berlin:20260329T060000"),
         "2026-03-29T06:00:00+02:00"),
        ((f"{BERLIN}:20261024T220000", "DTEND;TZID=Europe/Berlin:20261025T060000"),
         "2026-10-25T06:00:00+01:00"),
        ((f"{BERLIN}:20260325T100000", "DURATION:P1W"), "2026-04-01T10:00:00+02:00"),
        ((f"{BERLIN}:20260328T100000", "DURATION:P1DT2H"), "2026-03-29T12:00:00+02:00"),
        ((f"{BERLIN}:20260328T100000", "DURATION:PT24H"), "2026-03-29T11:00:00+02:00"),
    ],
)  # fmt: skip
def test_an_end_is_right_over_a_change_of_the_clock(
    memory: Memory, lines: tuple[str, ...], end: str
) -> None:
    keep(memory, event("night", *lines))

    found = memory.agenda(since="2026-03-20", until="2026-11-01", timezone="Europe/Berlin")
    assert only(found).ends_at == end


# ── strangers' calendars ──────────────────────────────────────────────────────────────────────────


def mailed(path: Path, *lines: str, sender: str = "zed@evil.example") -> Path:
    """Write a mail with an invitation."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, "me@x.example", "invitation"
    message["Message-ID"], message["Date"] = f"<{sender}>", "Mon, 02 Mar 2026 10:00:00 +0000"
    message.set_content("hi")
    raw = "\r\n".join(["BEGIN:VCALENDAR", *lines, "END:VCALENDAR"]).encode()
    message.add_attachment(raw, maintype="text", subtype="calendar", filename="a.ics")
    file = path / f"{sender}.eml"
    file.write_bytes(message.as_bytes())
    return file


DENTIST = event("own", "DTSTART:20260101T100000Z", "RRULE:FREQ=WEEKLY", title="Dentist")
HOURLY = "DTSTART:20260301T000000Z", "RRULE:FREQ=HOURLY"
DAY = ("2026-03-05T00:00:00Z", "2026-03-06T00:00:00Z")


def test_a_strangers_calendar_does_not_hide_the_users_own_events(
    memory: Memory, tmp_path: Path
) -> None:
    memory.import_(mailed(tmp_path, *(event(f"e{n}", *HOURLY) for n in range(60))))
    keep(memory, DENTIST)

    found = between(memory, *DAY)
    assert [one.title for one in found.entries].count("Dentist") == 1
    assert len(found.entries) == 51
    assert found.notes == ("1,390 more occurrences of what 'zed@evil.example' sent are left out",)
    assert "Dentist" in memory.brief("what is on today?", now="2026-03-05T07:00:00Z").text


def test_strangers_series_take_no_steps_of_others(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(occurrences, "SENDER_STEPS_MAX", 1)
    far = "DTSTART:20160101T100000Z", "RRULE:FREQ=DAILY;BYDAY=TH"
    memory.import_(mailed(tmp_path, *(event(f"e{n}", *far) for n in range(3))))
    memory.import_(mailed(tmp_path, event("ok", *far), sender="kim@x.example"))

    found = between(memory, *DAY)
    assert [one.title for one in found.entries].count("ok") == 1
    assert len(found.entries) == 2
    assert {note.partition(": ")[2] for note in found.notes} == {
        "there are too many series; only its first time is listed"
    }


def zone(name: str) -> str:
    """Return a zone that is at UTC+3 since 1970, by nine rules."""
    rule = (
        "BEGIN:STANDARD\r\nDTSTART:19700{0}01T000000\r\nRRULE:FREQ=YEARLY;BYMONTH={0};BYDAY=1SU\r\n"
        "TZOFFSETFROM:+0500\r\nTZOFFSETTO:+0300\r\nEND:STANDARD\r\n"
    )
    rules = "".join(rule.format(1 + n) for n in range(9))
    return f"BEGIN:VTIMEZONE\r\nTZID:{name}\r\n{rules}END:VTIMEZONE"


def test_the_zones_of_a_stranger_take_steps_of_the_stranger(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(occurrences, "SENDER_STEPS_MAX", 10 * occurrences.ZONE_RULE_STEPS)
    weekly = "RRULE:FREQ=WEEKLY"
    zones = [zone(f"Z{n}") for n in range(4)]
    far = [event(f"far{n}", f"DTSTART;TZID=Z{n}:20260212T100000", weekly) for n in range(4)]
    once = event("once", "DTSTART;TZID=Z3:20260305T110000")
    memory.import_(mailed(tmp_path, *zones, *far, once))
    own = event("own", "DTSTART;TZID=Z3:20260212T120000", weekly, title="Dentist")
    keep(memory, zones[3], own)

    found = between(memory, *DAY, timezone="UTC")
    assert times_and_titles(found) == [
        ("2026-03-05T07:00:00+00:00", "far0"),
        ("2026-03-05T08:00:00+00:00", "once"),
        ("2026-03-05T09:00:00+00:00", "Dentist"),
    ]


def test_single_times_ask_for_no_rules_of_zones(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = "BEGIN:VTODO\r\nUID:t\r\nSUMMARY:pay\r\nDUE;TZID=Z0:20260305T100000\r\nEND:VTODO"
    keep(memory, zone("Z0"), task)
    monkeypatch.setattr(observed_zone.ObservedZone, "_expand", lambda *_: pytest.fail("read"))

    assert times_and_titles(between(memory, *DAY, timezone="UTC")) == [
        ("2026-03-05T07:00:00+00:00", "pay")
    ]


def test_of_an_invitation_of_the_owners_own_nothing_is_left_out(tmp_path: Path) -> None:
    settings = Settings(embedder="none", timezone="UTC", owner=("me@x.example",))
    with Memory(":memory:", settings=settings, clock=lambda: NOW) as memory:
        series = [event(f"e{n}", *HOURLY) for n in range(4)]
        memory.import_(mailed(tmp_path, *series, sender="me@x.example"))

        found = between(memory, *DAY)
    assert len(found.entries) == 96
    assert found.notes == ()


def test_a_rule_that_could_not_be_read_is_reported(memory: Memory) -> None:
    keep(memory, event("odd", f"{LONDON}:20260305T100000", "RRULE:FREQ=SECONDLY"))

    found = memory.agenda()
    assert len(found.entries) == 1
    assert found.notes == ("'odd': RRULE: repeats secondly; that is not expanded",)
