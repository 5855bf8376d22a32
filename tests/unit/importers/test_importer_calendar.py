"""Calendars: events, tasks and journal entries as items, and what is passed over."""

from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest

from simonides.importers import detect, extras, read
from simonides.importers.calendar import items_of_calendar, read_calendar
from simonides.importers.calendar_components import (
    COMPONENT_BYTES_MAX,
    LINE_BYTES_MAX,
    components,
)
from simonides.model.item import Item, Kind, Role
from simonides.ports.importer import SourceFile


def calendar(*lines: str, **properties: str) -> bytes:
    head = [f"{name.replace('_', '-')}:{value}" for name, value in properties.items()]
    whole = ["BEGIN:VCALENDAR", "VERSION:2.0", *head, *lines, "END:VCALENDAR", ""]
    return "\r\n".join(whole).encode()


def event(*lines: str, uid: str = "one@example.com", summary: str = "Dentist") -> str:
    inside = [f"UID:{uid}", f"SUMMARY:{summary}", *lines]
    return "\r\n".join(["BEGIN:VEVENT", *inside, "END:VEVENT"])


def items(raw: bytes, **more: object) -> list[Item | str]:
    return list(items_of_calendar(raw, **more))  # type: ignore[arg-type]


def one(*lines: str, **properties: str) -> Item:
    (found,) = items(calendar(event(*lines), **properties))
    assert isinstance(found, Item)
    return found


LONDON = "DTSTART;TZID=Europe/London:20260305T100000"
MEETING = (
    LONDON,
    "DTEND;TZID=Europe/London:20260305T110000",
    "DTSTAMP:20260301T080000Z",
    "LOCATION:Room 4\\, second floor",
    "ORGANIZER;CN=Sarah Lindqvist:mailto:Sarah@Example.com",
    "ATTENDEE;CN=Tom Vance;PARTSTAT=ACCEPTED:mailto:tom@example.com",
    'ATTENDEE;CN="Okafor, Mira";PARTSTAT=DECLINED:MAILTO:mira@example.com',
    "ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:jo@example.com",
    "DESCRIPTION:Bring the plan.\\nAnd the numbers\\, please.",
    "CATEGORIES:Alpha,Planning",
)


def test_an_event_says_when_where_who_and_what() -> None:
    item = one(*MEETING)

    assert (item.kind, item.source, item.source_id) == (Kind.EVENT, "calendar", "one@example.com")
    assert item.title == "Dentist"
    assert item.content == (
        "When: Thursday 5 March 2026, 10:00–11:00 (Europe/London)\n"  # noqa: RUF001
        "Where: Room 4, second floor\n"
        "Organizer: Sarah Lindqvist\n"
        "Attendees: Tom Vance (accepted), Okafor, Mira (declined), jo@example.com\n"
        "\n"
        "Bring the plan.\nAnd the numbers, please."
    )
    assert item.happened_at == datetime(2026, 3, 5, 10, tzinfo=UTC)
    assert item.tags == ("Alpha", "Planning")


def test_an_event_in_utc_is_shown_in_the_users_zone_and_a_series_as_it_repeats() -> None:
    when = ("DTSTART:20261201T073000Z", "DTEND:20261201T081500Z")
    own, series, named = (
        found
        for raw in (
            calendar(event(*when)), calendar(event(*when, "RRULE:FREQ=WEEKLY")),
            calendar(event(*when), X_WR_TIMEZONE="Asia/Tokyo"),
        )
        for found in items(raw, timezone="Europe/Vienna")
        if isinstance(found, Item)
    )  # fmt: skip

    assert own.content.endswith("08:30–09:15")  # noqa: RUF001  one's own zone goes without saying
    assert (own.happened_at, own.metadata["time_zone"]) == (series.happened_at, "Europe/Vienna")
    assert "07:30–08:15 (UTC)" in series.content  # noqa: RUF001
    assert "16:30–17:15 (Asia/Tokyo)" in named.content  # noqa: RUF001


def test_the_people_of_an_event_have_their_roles_and_answers() -> None:
    item = one(*MEETING)

    assert [(one.name, one.address, one.role) for one in item.people] == [
        ("Sarah Lindqvist", "sarah@example.com", Role.AUTHOR),
        ("Tom Vance", "tom@example.com", Role.ATTENDEE),
        ("Okafor, Mira", "mira@example.com", Role.ATTENDEE),
        ("", "jo@example.com", Role.ATTENDEE),
    ]
    assert [one["answer"] for one in item.metadata["_attendees"]] == [
        "accepted",
        "declined",
        "needs-action",
    ]


def test_the_metadata_of_an_event_can_be_filtered_on() -> None:
    metadata = one(*MEETING, "SEQUENCE:2", "STATUS:TENTATIVE").metadata

    assert metadata["starts_at"] == "2026-03-05T10:00:00+00:00"
    assert metadata["ends_at"] == "2026-03-05T11:00:00+00:00"
    assert metadata["time_zone"] == "Europe/London"
    assert metadata["location"] == "Room 4, second floor"
    assert metadata["organizer"] == "Sarah Lindqvist"
    assert metadata["status"] == "tentative"
    assert metadata["_revised_at"] == "2026-03-01T08:00:00.000005+00:00"
    assert "all_day" not in metadata


def test_an_event_of_whole_days_ends_with_its_last_day() -> None:
    item = one("DTSTART;VALUE=DATE:20260305", "DTEND;VALUE=DATE:20260308")

    assert item.content.startswith("When: Thursday 5 March 2026 to Saturday 7 March 2026 (all day)")
    assert (item.metadata["starts_at"], item.metadata["ends_at"]) == ("2026-03-05", "2026-03-07")
    assert item.metadata["all_day"] is True
    assert item.happened_at == datetime(2026, 3, 5, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("lines", "ends_at"),
    [
        ((LONDON, "DURATION:PT1H30M"), "2026-03-05T11:30:00+00:00"),
        ((LONDON,), "2026-03-05T10:00:00+00:00"),
        ((LONDON, "DTEND:20260101T000000Z"), "2026-03-05T10:00:00+00:00"),
        ((LONDON, "DTEND:whenever"), "2026-03-05T10:00:00+00:00"),
        ((LONDON, "DURATION:-PT1H"), "2026-03-05T10:00:00+00:00"),
        (("DTSTART;VALUE=DATE:20260305",), "2026-03-05"),
        (("DTSTART;VALUE=DATE:20260305", "DURATION:P1W"), "2026-03-11"),
    ],
)
def test_an_end_is_written_or_follows_from_the_start(lines: tuple[str, ...], ends_at: str) -> None:
    assert one(*lines).metadata["ends_at"] == ends_at


CUSTOM = """BEGIN:VTIMEZONE
TZID:Office time
BEGIN:STANDARD
DTSTART:16011028T030000
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010325T020000
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
END:DAYLIGHT
END:VTIMEZONE"""


@pytest.mark.parametrize(
    ("zone", "starts_at", "name"),
    [
        ("Europe/Vienna", "2026-07-01T08:00:00+00:00", "Europe/Vienna"),
        ("W. Europe Standard Time", "2026-07-01T08:00:00+00:00", "Europe/Berlin"),
        ("/example.org/20070129_1/Europe/Rome", "2026-07-01T08:00:00+00:00", "Europe/Rome"),
        ("GMT+0530", "2026-07-01T04:30:00+00:00", "GMT+0530"),
        ("Office time", "2026-07-01T08:00:00+00:00", "Office time"),
        ("Nowhere time", "2026-07-01T10:00:00", None),
        ("../../etc/passwd", "2026-07-01T10:00:00", None),
    ],
)
def test_zones_are_known_by_their_names_and_rules(
    zone: str, starts_at: str, name: str | None
) -> None:
    raw = calendar(CUSTOM, event(f"DTSTART;TZID={zone}:20260701T100000"))
    item, *reported = items(raw)

    assert isinstance(item, Item)
    assert item.metadata["starts_at"] == starts_at
    assert item.metadata.get("time_zone") == name
    assert "10:00" in item.content
    reason = "not known, so the zone that the calendar names is assumed, or else your own"
    assert reported == ([] if name else [f"time zones: {zone!r}: {reason}"])


def test_the_rules_of_a_zone_hold_in_winter_too_and_are_kept() -> None:
    raw = calendar(CUSTOM, event("DTSTART;TZID=Office time:20260105T100000"))
    (item,) = items(raw)

    assert isinstance(item, Item)
    assert item.metadata["starts_at"] == "2026-01-05T09:00:00+00:00"
    assert len(item.metadata["_zone_rules"]) == 2


def test_a_zone_without_an_offset_costs_no_event() -> None:
    raw = calendar(CUSTOM, event("DTSTART;TZID=Quay:20260701T100000", "SUMMARY:Visit"))
    zone = "BEGIN:VTIMEZONE\nTZID:Quay\nBEGIN:STANDARD\nDTSTART:20250101T000000\n"
    zone += "TZOFFSETFROM:+0100\nTZOFFSETTO:\nEND:STANDARD\nEND:VTIMEZONE\n"
    broken = raw.replace(b"BEGIN:VEVENT", zone.encode() + b"BEGIN:VEVENT", 1)
    found, reported = items_of_calendar(broken)

    assert isinstance(found, Item)
    assert found.metadata["starts_at"].startswith("2026-07-01T10:00:00")
    assert str(reported).startswith("time zones: 'Quay': not known")


def test_rules_of_a_zone_may_come_after_the_event_that_uses_them() -> None:
    raw = calendar(event("DTSTART;TZID=Office time:20260105T100000"), CUSTOM)
    (item,) = items(raw)

    assert isinstance(item, Item)
    assert item.metadata["starts_at"] == "2026-01-05T09:00:00+00:00"


def test_a_time_in_utc_is_shown_in_the_zone_of_the_calendar() -> None:
    item = one("DTSTART:20260701T090000Z", X_WR_TIMEZONE="Europe/London")

    assert "Wednesday 1 July 2026, 10:00 (Europe/London)" in item.content


def test_a_floating_time_says_that_its_zone_is_assumed() -> None:
    item = one("DTSTART:20260701T090000")

    assert item.metadata["_time_zone"] == "assumed UTC"
    assert item.happened_at == datetime(2026, 7, 1, 9, tzinfo=UTC)
    known = one("DTSTART:20260701T090000", X_WR_TIMEZONE="Europe/London")
    assert known.happened_at == datetime(2026, 7, 1, 8, tzinfo=UTC)
    assert known.metadata["starts_at"] == "2026-07-01T08:00:00+00:00"
    assert known.metadata["time_zone"] == "Europe/London"
    assert "_time_zone" not in known.metadata


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (
            "FREQ=WEEKLY;BYDAY=TU;UNTIL=20260630T235959Z",
            "every Tuesday until Wednesday 1 July 2026",
        ),
        ("FREQ=WEEKLY", "every Thursday"),
        ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "every weekday"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH", "every 2 weeks on Tuesday and Thursday"),
        ("FREQ=DAILY;COUNT=10", "every day, 10 times"),
        ("FREQ=DAILY;INTERVAL=3;BYMONTH=1,7", "every 3 days in January and July"),
        ("FREQ=MONTHLY", "every month on the 5th"),
        ("FREQ=MONTHLY;BYDAY=3TH", "every month on the third Thursday"),
        ("FREQ=MONTHLY;BYDAY=-1FR,2MO", "every month on the last Friday and the second Monday"),
        ("FREQ=MONTHLY;BYMONTHDAY=1,22,-1", "every month on the last day, the 1st and the 22nd"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "every month on the last weekday"),
        ("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "every month on every Friday that is the 13th"),
        ("FREQ=YEARLY", "every year on the 5th of March"),
        ("FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU", "every year on the last Sunday of October"),
        ("FREQ=YEARLY;BYDAY=20MO", "every year on the 20th Monday of the year"),
        ("FREQ=YEARLY;BYYEARDAY=100", "every year on day 100"),
        ("FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO", "every year in week 20 on every Monday"),
        ("FREQ=HOURLY;INTERVAL=6", "every 6 hours"),
        (
            "RSCALE=GREGORIAN;FREQ=MONTHLY;BYMONTHDAY=30;SKIP=BACKWARD",
            "every month on the 30th, else on the last day of a month without that day",
        ),
    ],
)
def test_a_recurrence_is_reported_in_words(rule: str, words: str) -> None:
    zone = "Pacific/Auckland" if "UNTIL" in rule else "Europe/London"
    item = one(f"DTSTART;TZID={zone}:20260305T100000", f"RRULE:{rule}")

    assert f"Repeats: {words}\n" in f"{item.content}\n"
    assert item.metadata["_recurrence"] == [f"RRULE:{rule}"]


def test_exceptions_and_further_dates_are_told_and_kept_in_utc() -> None:
    item = one(
        "DTSTART;TZID=Europe/London:20260302T100000",
        "RRULE:FREQ=WEEKLY;COUNT=9",
        "EXDATE;TZID=Europe/London:20260316T100000,20260330T100000",
        "RDATE;TZID=Europe/London;VALUE=PERIOD:20260404T120000/PT2H",
    )

    assert (
        "Repeats: every Monday, 9 times; also on Saturday 4 April 2026, 12:00; "
        "not on Monday 16 March 2026 and Monday 30 March 2026"
    ) in item.content
    assert item.metadata["_recurrence"] == [
        "RRULE:FREQ=WEEKLY;COUNT=9",
        "EXDATE:20260316T100000Z",
        "EXDATE:20260330T090000Z",
        "RDATE:20260404T110000Z/7200",
    ]


def test_a_changed_instance_is_an_item_of_its_own_that_says_what_it_replaced() -> None:
    item = one(
        "DTSTART;TZID=Europe/London:20260417T113000",
        "RECURRENCE-ID;TZID=Europe/London:20260416T150000",
    )

    assert item.source_id == "one@example.com/20260416T140000Z"
    assert "Moved from Thursday 16 April 2026, 15:00" in item.content
    assert item.metadata["_recurrence_id"] == "2026-04-16T14:00:00+00:00"


def test_a_change_of_all_later_instances_says_so() -> None:
    item = one(
        "DTSTART;TZID=Europe/London:20260417T113000",
        "RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/London:20260416T150000",
    )

    assert "Changed for good, from the one of Thursday 16 April 2026, 15:00 on" in item.content
    assert item.metadata["_range"] == "this and future"


def test_a_cancelled_event_says_when_it_was_to_be() -> None:
    item = one(*MEETING, "STATUS:CANCELLED")

    assert item.content.startswith("Cancelled; it was to be on Thursday 5 March 2026, 10:00")
    assert item.metadata["status"] == "cancelled"


def test_a_cancellation_in_a_mail_cancels_without_a_status_or_a_start() -> None:
    by_method = one(LONDON, METHOD="CANCEL")
    bare = one(METHOD="CANCEL")

    assert by_method.metadata["status"] == bare.metadata["status"] == "cancelled"
    assert bare.content == "Cancelled"
    assert bare.happened_at is None


def test_the_time_of_a_mail_stands_in_for_that_of_its_event() -> None:
    sent = datetime(2026, 3, 2, 9, tzinfo=UTC)
    (item,) = items(calendar(event(LONDON)), sent_at=sent, source="gmail")

    assert isinstance(item, Item)
    assert item.metadata["_revised_at"] == "2026-03-02T09:00:00.000001+00:00"
    assert item.source == "gmail"


@pytest.mark.parametrize("method", ["REPLY", "COUNTER", "DECLINECOUNTER", "REFRESH"])
def test_answers_to_invitations_are_passed_over(method: str) -> None:
    (found,) = items(calendar(event(LONDON), METHOD=method))

    assert isinstance(found, str)
    assert found.startswith("event 1: ")


def test_a_later_sequence_is_later_also_in_the_same_second() -> None:
    states = [
        one(LONDON, "DTSTAMP:20260301T080000Z", f"SEQUENCE:{number}").metadata["_revised_at"]
        for number in (0, 1, 2, 10)
    ]

    assert states == sorted(states)
    assert len(set(states)) == 4


def test_of_one_revision_the_calendar_is_later_than_the_invitation() -> None:
    stamp = "DTSTAMP:20260301T080000Z"
    states = [
        one(LONDON, stamp, METHOD="REQUEST"),
        one(LONDON, stamp),
        one(LONDON, stamp, "SEQUENCE:1", METHOD="REQUEST"),
        one(LONDON, stamp, "SEQUENCE:1"),
    ]

    times = [item.metadata["_revised_at"] for item in states]
    assert times == sorted(set(times))


def test_the_last_change_counts_more_than_the_time_of_the_export() -> None:
    item = one(LONDON, "DTSTAMP:20261101T000000Z", "LAST-MODIFIED:20260201T000000Z")

    assert item.metadata["_revised_at"] == "2026-02-01T00:00:00.000001+00:00"


def test_a_description_in_html_becomes_text() -> None:
    item = one(LONDON, "DESCRIPTION:<p>Bring <b>the plan</b>.</p><br>Thanks")

    assert "Bring the plan.\n\nThanks" in item.content
    assert "<" not in item.content


def test_an_event_without_uid_or_title_is_kept_under_a_name_of_its_own() -> None:
    raw = calendar("BEGIN:VEVENT\r\nDTSTART:20260305T100000Z\r\nEND:VEVENT")
    (first,), (second,) = items(raw), items(raw)

    assert isinstance(first, Item)
    assert isinstance(second, Item)
    assert first.title == "(no title)"
    assert first.id == second.id


def test_what_is_said_of_an_event_in_further_words_is_kept() -> None:
    item = one(
        "DTSTART:20260301T090000Z",
        "DESCRIPTION:Bring photos",
        "COMMENT:Moved twice",
        "CONTACT:Jo Brandt\\, 555 0147",
        "RESOURCES:Projector,Easel",
        "ORGANIZER:Jo Brandt",
    )

    assert item.content.endswith(
        "Organizer: Jo Brandt\n\nBring photos\n\nMoved twice\n\n"
        "Contact: Jo Brandt, 555 0147\n\nResources: Projector,Easel"
    )
    assert [(person.name, person.role) for person in item.people] == [("Jo Brandt", Role.AUTHOR)]


def test_a_room_is_a_place_and_no_attendee() -> None:
    item = one(LONDON, "ATTENDEE;CUTYPE=ROOM;CN=Blue room:mailto:blue@example.com")

    assert "Where: Blue room" in item.content
    assert item.people == ()


TASK = """BEGIN:VTODO
UID:task-1
SUMMARY:Send the invoice
CREATED:20260301T080000Z
DUE;TZID=Europe/London:20260312T170000
PRIORITY:1
STATUS:IN-PROCESS
ORGANIZER;CN=Sarah:mailto:sarah@example.com
ATTENDEE;CN=Tom:mailto:tom@example.com
DESCRIPTION:To the usual address.
END:VTODO"""


def test_a_task_has_its_status_its_due_date_and_its_assignee() -> None:
    (item,) = items(calendar(TASK))

    assert isinstance(item, Item)
    assert (item.kind, item.source, item.source_id) == (Kind.TASK, "todo", "task-1")
    assert item.happened_at == datetime(2026, 3, 1, 8, tzinfo=UTC)
    assert item.metadata["due"] == "2026-03-12T17:00:00+00:00"
    assert (item.metadata["status"], item.metadata["priority"]) == ("in process", "high")
    assert item.metadata["open"] is True
    assert [(one.name, one.role) for one in item.people] == [
        ("Sarah", Role.AUTHOR),
        ("Tom", Role.ASSIGNEE),
    ]
    assert item.content == (
        "Due: Thursday 12 March 2026, 17:00 (Europe/London)\n"
        "Status: in process\nPriority: high\nAssigned to: Tom\n\nTo the usual address."
    )


@pytest.mark.parametrize(
    ("line", "due"),
    [
        ("DUE;TZID=America/Chicago:20260415T190000", "2026-04-15T19:00:00-05:00"),
        ("DUE:20260416T000000Z", "2026-04-15T19:00:00-05:00"),
        ("DUE:20260415T190000", "2026-04-15T19:00:00"),
        ("DUE;VALUE=DATE:20260415", "2026-04-15"),
    ],
)
def test_a_task_is_due_on_the_day_of_the_user(tmp_path: Path, line: str, due: str) -> None:
    path = tmp_path / "tasks.ics"
    path.write_bytes(calendar(f"BEGIN:VTODO\r\nUID:a\r\nSUMMARY:Rent\r\n{line}\r\nEND:VTODO"))
    (step,) = read(path, timezone="America/Chicago")

    assert step.item is not None
    assert step.item.metadata["due"] == due


@pytest.mark.parametrize(
    "line", ["STATUS:COMPLETED", "STATUS:CANCELLED", "COMPLETED:20260311T090000Z"]
)
def test_a_task_with_nothing_left_to_do_is_not_open(line: str) -> None:
    (item,) = items(calendar(TASK.replace("STATUS:IN-PROCESS", line)))

    assert isinstance(item, Item)
    assert item.metadata["open"] is False


def test_a_journal_entry_is_a_document() -> None:
    raw = calendar(
        "BEGIN:VJOURNAL\r\nUID:j1\r\nSUMMARY:Day one\r\nDTSTART;VALUE=DATE:20260305\r\n"
        "DESCRIPTION:We moved in.\r\nEND:VJOURNAL"
    )
    (item,) = items(raw)

    assert isinstance(item, Item)
    assert (item.kind, item.title, item.content) == (Kind.DOCUMENT, "Day one", "We moved in.")


def test_a_broken_event_is_passed_over_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "mine.ics"
    raw = calendar(
        event(LONDON, uid="good-1"),
        event("DTSTART:some day", uid="bad"),
        event(uid="none"),
        "BEGIN:VFREEBUSY\r\nUID:fb\r\nEND:VFREEBUSY",
        "BEGIN:VEVENT\r\nUID:open",
        event(LONDON, uid="good-2"),
    )
    path.write_bytes(raw)
    steps = list(read(path))

    assert [step.item.source_id for step in steps if step.item] == ["good-1", "good-2"]
    assert [(step.skipped.where, step.skipped.reason) for step in steps if step.skipped] == [
        ("mine.ics: event 2", "time: 'some day' is none"),
        ("mine.ics: event 3", "DTSTART: is missing"),
        (
            "mine.ics: VFREEBUSY 1",
            "is neither an event nor a task nor a journal entry",
        ),
        ("mine.ics: event 4", "has no END:VEVENT"),
    ]
    done = [step.bytes_done for step in steps]
    assert done == sorted(done)
    assert done[-1] <= len(raw)


def test_an_event_that_is_cut_off_by_the_end_of_the_file_is_reported() -> None:
    raw = calendar(event(LONDON))
    (found,) = items(raw[: raw.index(b"END:VEVENT")])

    assert found == "event 1: has no END:VEVENT"


def test_an_empty_calendar_says_so(tmp_path: Path) -> None:
    path = tmp_path / "mine.ics"
    path.write_bytes(calendar())
    file = SourceFile(path=path, where="mine.ics", size_bytes=path.stat().st_size)
    (step,) = read_calendar(file)

    assert step.skipped is not None
    assert step.skipped.reason == "a calendar without entries"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_a_calendar_is_known_by_its_beginning_in_any_encoding(
    tmp_path: Path, encoding: str
) -> None:
    path = tmp_path / "whatever.txt"
    path.write_bytes(calendar(event(LONDON, summary="Übergabe")).decode().encode(encoding))

    assert detect(path).name == "calendar"
    (step,) = read(path)
    assert step.item is not None
    assert step.item.title == "Übergabe"


def test_lines_are_unfolded_also_inside_a_character() -> None:
    raw = calendar(event(LONDON, summary="Übergabe und noch viel mehr")).replace(
        "Ü".encode(), b"\xc3\r\n \x9c"
    )
    (item,) = items(raw)

    assert isinstance(item, Item)
    assert item.title == "Übergabe und noch viel mehr"


def test_attachments_and_alarms_are_left_out() -> None:
    item = one(
        LONDON,
        "ATTACH;ENCODING=BASE64;VALUE=BINARY:" + "QUJD" * 2_000,
        "BEGIN:VALARM",
        "TRIGGER:-PT15M",
        "DESCRIPTION:Reminder",
        "END:VALARM",
    )

    assert item.content == "When: Thursday 5 March 2026, 10:00 (Europe/London)"


def test_what_is_too_large_is_left_out_and_costs_no_memory() -> None:
    long = "DESCRIPTION:" + "x" * (2 * LINE_BYTES_MAX)
    (item,) = items(calendar(event(LONDON, long)))
    assert isinstance(item, Item)
    assert LINE_BYTES_MAX - 100 < len(item.content) < LINE_BYTES_MAX + 200

    many = [f"X-LINE:{'y' * 500}"] * (COMPONENT_BYTES_MAX // 500)
    found, kept = items(calendar(event(LONDON, *many), event(LONDON, uid="good")))
    assert found == "event 1: is longer than 4 MiB"
    assert isinstance(kept, Item)


def test_deep_nesting_is_cut_off() -> None:
    raw = b"BEGIN:VEVENT\r\n" + b"BEGIN:X\r\n" * 100_000
    found = list(components(BytesIO(raw)))

    assert all(one.problem for one in found)
    assert max(len(one.inner) for one in found) == 0


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ("FREQ=SECONDLY", "RRULE: repeats secondly; that is not expanded"),
        ("FREQ=NEVER", "RRULE: has no frequency 'NEVER'"),
        ("FREQ=DAILY;COUNT=0", "RRULE: COUNT must be 1 to 1,000,000,000, got '0'"),
        ("FREQ=DAILY;BYMONTH=13", "RRULE: BYMONTH can not be '13'"),
        ("FREQ=DAILY;BYDAY=XX", "RRULE: BYDAY can not be 'XX'"),
        ("FREQ=DAILY;BYHOUR=-1", "RRULE: BYHOUR can not be '-1'"),
        ("FREQ=DAILY;UNTIL=soon", "time: 'SOON' is none"),
    ],
)
def test_a_rule_that_can_not_be_is_named_and_the_event_is_kept(rule: str, problem: str) -> None:
    item = one(LONDON, f"RRULE:{rule}")

    assert item.metadata["_recurrence_problem"] == problem
    assert "_recurrence" not in item.metadata


def test_endless_lists_of_exceptions_are_cut() -> None:
    days = ",".join(["20260305T100000Z"] * 10_000)
    item = one(LONDON, "RRULE:FREQ=DAILY", f"EXDATE:{days}")

    assert item.metadata["_recurrence_problem"] == "EXDATE has more than 5,000"
    assert "and 4,970 more" in item.content


def test_without_the_extra_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    shown = "calendars (.ics) are read by the extra calendars: pip install 'simonides[calendars]'"
    path = tmp_path / "mine.ics"
    path.write_bytes(calendar(event(LONDON)))

    assert items(path.read_bytes()) == [shown]
    (step,) = read(path)
    assert step.skipped is not None
    assert step.skipped.reason == shown


def test_an_instance_of_a_calendar_with_a_zone_is_named_as_it_is_written() -> None:
    item = one(
        "DTSTART:20260701T090000", "RECURRENCE-ID:20260701T080000", X_WR_TIMEZONE="Asia/Tokyo"
    )

    assert item.source_id == "one@example.com/20260701T080000"
    assert item.metadata["_recurrence_id"] == "2026-06-30T23:00:00+00:00"


@pytest.mark.parametrize("kind", ["VEVENT", "VTODO", "VJOURNAL"])
@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_a_file_of_one_entry_without_a_calendar_is_read(
    tmp_path: Path, kind: str, end: str
) -> None:
    path = tmp_path / "entry.ics"
    path.write_bytes(end.join([f"BEGIN:{kind}", "UID:a", "SUMMARY:Rent", f"END:{kind}"]).encode())
    if kind == "VEVENT":
        raw = path.read_bytes().replace(b"SUMMARY", b"DTSTART:20260701\nSUMMARY")
        path.write_bytes(raw)
    (step,) = read(path)

    assert step.item is not None
    assert step.item.title == "Rent"
