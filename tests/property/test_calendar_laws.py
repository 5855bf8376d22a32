"""Laws of calendars: nothing makes their reader fail, and rules are expanded as others do."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import takewhile

import recurring_ical_events  # type: ignore[import-untyped]
from dateutil.rrule import rrulestr
from hypothesis import Phase, assume, example, given, settings
from hypothesis import strategies as st
from icalendar import Calendar

from simonides import Memory, Settings
from simonides.importers.calendar import items_of_calendar
from simonides.model.item import Item
from simonides.text.recurrence import occurrences, parse_rule
from simonides_bench.testing.depth import examples

LINES = st.sampled_from(
    [b"BEGIN:VCALENDAR", b"END:VCALENDAR", b"BEGIN:VEVENT", b"END:VEVENT", b"BEGIN:VTODO",
     b"END:VTODO", b"BEGIN:VJOURNAL", b"END:VJOURNAL", b"BEGIN:VALARM", b"END:VALARM", b"UID:a/b",
     b"BEGIN:VTIMEZONE", b"END:VTIMEZONE", b"BEGIN:STANDARD", b"END:STANDARD", b"TZID:Mine",
     b"TZOFFSETFROM:+9900", b"TZOFFSETTO:-0500", b"TZOFFSETFROM:+0100", b"X-WR-TIMEZONE:Mine",
     b"DTSTART;TZID=Mine:20260305T100000", b"DTSTART;VALUE=DATE:20260305", b"DTSTART:00010101",
     b"DTSTART:99991231T235959Z", b"DTSTART;TZID=Pacific/Kiritimati:00010101T000000",
     b"DTEND:99991231", b"DTEND:20260305T110000Z", b"DURATION:P999999W", b"DURATION:PT1H",
     b"RECURRENCE-ID;RANGE=THISANDFUTURE:20260305T100000Z", b"RECURRENCE-ID:20260305",
     b"RRULE:FREQ=YEARLY;BYDAY=-53SU;UNTIL=00010101T000000Z", b"RRULE:FREQ=DAILY;COUNT=999999999",
     b"EXDATE:20260305T100000Z,,x", b"RDATE;VALUE=PERIOD:20260305T100000Z/PT1H,20260305/20260306",
     b"DUE:20260305", b"STATUS:CANCELLED", b"METHOD:CANCEL", b"SEQUENCE:99999999999999999999",
     b'SUMMARY;LANGUAGE="', b"ATTENDEE;CN=\xff;PARTSTAT=:mailto:", b"ORGANIZER:MAILTO:a@b",
     b"DTSTAMP:20261301T000000Z", b"LAST-MODIFIED:00010101T000000Z", b" folded", b"\tfolded", b":",
     b"DESCRIPTION:<p>\\n\\,\0", b"PRIORITY:x", b"CATEGORIES:,,a", b"\xff\xfe", b"DTSTART:"]
)  # fmt: skip
SECOND = timedelta(seconds=1)
RAW = st.one_of(st.binary(max_size=300), st.lists(LINES, max_size=40).map(b"\r\n".join))


@given(raw=RAW)
def test_any_calendar_gives_items_or_reasons(raw: bytes) -> None:
    found = list(items_of_calendar(raw))

    assert all(one.title if isinstance(one, Item) else one for one in found)
    assert found == list(items_of_calendar(raw))
    assert len(found) <= raw.count(b":") + 1


@given(lines=st.lists(LINES, max_size=12))
def test_whatever_is_in_an_event_the_next_one_is_read(lines: list[bytes]) -> None:
    assume(not any(line.startswith((b"BEGIN", b"END", b"METHOD", b"X-WR")) for line in lines))
    good = b"BEGIN:VEVENT\r\nUID:good\r\nDTSTART:20260305T100000Z\r\nEND:VEVENT"
    odd = b"\r\n".join([b"BEGIN:VEVENT", *lines, b"END:VEVENT"])
    parts = list(items_of_calendar(odd + b"\r\n" + good))
    found = [one for one in parts if not str(one).startswith("time zones: ")]

    assert len(found) == 2
    assert isinstance(found[1], Item)


def _numbers(name: str, *values: int) -> st.SearchStrategy[str]:
    chosen = st.lists(st.sampled_from(values), min_size=1, max_size=3, unique=True)
    named = chosen.map(lambda one: f";{name}={','.join(map(str, one))}")
    return st.one_of(st.just(""), st.just(""), named)


_NTH_DAYS = st.tuples(
    st.sampled_from(["1", "2", "-1", "5"]),
    st.sampled_from(["MO", "TU", "WE", "TH", "FR", "SA", "SU"]),
)


@st.composite
def rules(draw: st.DrawFn) -> str:
    """Return a rule that every library that can be compared with expands."""
    frequency = draw(st.sampled_from(["YEARLY", "MONTHLY", "WEEKLY", "DAILY"]))
    parts = [f"FREQ={frequency}", f";INTERVAL={draw(st.integers(1, 4))}"]
    if frequency != "DAILY":
        months = _numbers("BYMONTH", 1, 2, 3, 7, 10, 12)
        days = draw(st.lists(_NTH_DAYS, max_size=3, unique=True))
        # dateutil takes `MO,1FR` for days that are both, which RFC 5545 means as either
        is_nth = frequency != "WEEKLY"
        is_counted = is_nth and draw(st.booleans())
        named = [(which if is_counted else "") + day for which, day in days]
        parts += [draw(months), f";BYDAY={','.join(named)}" if named else ""]
        # dateutil counts the places of a week from the start on, not from the week's first day
        parts.append(draw(_numbers("BYSETPOS", 1, -1, 2)) if named and is_nth else "")
    if frequency in ("YEARLY", "MONTHLY"):
        parts.append(draw(_numbers("BYMONTHDAY", 1, 13, 28, -1, -28)))
    if frequency == "YEARLY":
        parts.append(draw(_numbers("BYWEEKNO", 1, 2, 20, 52, -1)))
        parts.append(draw(_numbers("BYYEARDAY", 1, 59, 100, 365, -1)))
    parts += [draw(_numbers("BYHOUR", 9, 17)), draw(st.sampled_from(["", ";WKST=SU"]))]
    parts.append(draw(st.sampled_from(["", ";COUNT=1", ";COUNT=7", ";COUNT=40"])))
    return "".join(parts)


@settings(max_examples=examples(60), phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(
    text=rules(),
    day=st.datetimes(datetime(2015, 1, 1), datetime(2027, 1, 1)),  # noqa: DTZ001  wall-clock times
    after=st.integers(0, 1_500),
    length=st.integers(1, 400),
)
def test_a_rule_is_expanded_as_dateutil_does(
    text: str, day: datetime, after: int, length: int
) -> None:
    rule = parse_rule(text)
    start = day.replace(minute=30, second=0, microsecond=0)
    far = start + timedelta(days=30 * 365)
    unbounded = replace(rule, count=None)
    first = next(occurrences(unbounded, start, since=start + SECOND, until=far), None)
    assume(first is not None)  # dateutil would look for an occurrence until the year 9999
    assert first is not None
    since = first + timedelta(days=after)
    until = since + timedelta(days=length)
    theirs = takewhile(lambda when: when < until, rrulestr(text, dtstart=first))

    found = list(occurrences(rule, first, since=since, until=until))
    theirs_since = [when for when in theirs if when >= since]
    assert found == theirs_since, (text, first)


ZONES = ("Europe/London", "America/New_York", "Australia/Lord_Howe", "UTC")


@st.composite
def calendars(draw: st.DrawFn) -> str:
    """Return a series with exceptions, further dates and changed instances."""
    zone = draw(st.sampled_from(ZONES))
    first = datetime(2026, 1, 1, 4)  # noqa: DTZ001  wall-clock times
    start = first + timedelta(days=draw(st.integers(0, 330)), hours=draw(st.integers(0, 15)))
    assume(start.day <= 28)
    every = draw(st.sampled_from(["DAILY", "WEEKLY", "MONTHLY"]))
    step = {"DAILY": 1, "WEEKLY": 7, "MONTHLY": 0}[every]
    count = draw(st.integers(2, 12))
    at = f";TZID={zone}:{{:%Y%m%dT%H%M%S}}".format
    end = at(start + timedelta(minutes=45))
    lines = [f"DTSTART{at(start)}", f"DTEND{end}", f"RRULE:FREQ={every};COUNT={count}"]
    days = draw(st.lists(st.integers(1, count), max_size=3, unique=True)) if step else []
    lines += [f"EXDATE{at(start + timedelta(days=step * day))}" for day in days[:1]]
    lines += [f"RDATE{at(start + timedelta(days=400 + day, hours=1))}" for day in days[1:2]]
    series = ["BEGIN:VEVENT", "UID:one", "DTSTAMP:20260101T000000Z", *lines, "END:VEVENT"]
    for day in (one for one in days[2:] if one < count):
        original = start + timedelta(days=step * day)
        moved = original + timedelta(hours=draw(st.integers(-50, 50)))
        series += [
            "BEGIN:VEVENT", "UID:one", "DTSTAMP:20260102T000000Z", f"DTSTART{at(moved)}",
            f"DTEND{at(moved + timedelta(minutes=30))}", f"RECURRENCE-ID{at(original)}",
            "END:VEVENT",
        ]  # fmt: skip
    head = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//"]
    return "\r\n".join([*head, *series, "END:VCALENDAR", ""])


@settings(max_examples=examples(60))
@given(text=calendars(), day=st.integers(0, 400), length=st.integers(1, 300))
def test_an_agenda_holds_what_another_library_finds(text: str, day: int, length: int) -> None:
    since = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day)
    until = since + timedelta(days=length)
    theirs = recurring_ical_events.of(Calendar.from_ical(text)).between(since, until)
    expected = sorted(one["DTSTART"].dt.astimezone(UTC) for one in theirs)

    found = [one for one in items_of_calendar(text.encode()) if isinstance(one, Item)]
    with Memory(":memory:", settings=Settings(embedder="none", timezone="UTC")) as memory:
        memory.add(found)
        agenda = memory.agenda(since=since, until=until, limit=1_000)
    assert sorted(datetime.fromisoformat(one.starts_at) for one in agenda.entries) == expected


TIMES = st.sampled_from(
    ["2026-03-05", "2026-03-05T10:00:00+00:00", "2026-03-05T10:00:00", "9999-12-31", "0001-01-01",
     "9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+00:00", "2026-03-05T10:00:00+14:00", "x", ""]
)  # fmt: skip
RULES = st.lists(
    st.sampled_from(
        ["RRULE:FREQ=DAILY", "RRULE:FREQ=YEARLY;COUNT=99", "EXDATE:20260306", "EXDATE:x",
         "RDATE:99991231T235959Z/999999999", "RDATE:00010101", "RRULE:FREQ=WEEKLY;UNTIL=00010101",
         "RRULE:", "x", "RDATE:20260307T100000Z/x", "RRULE:FREQ=HOURLY;INTERVAL=5"]
    ),
    max_size=4,
)  # fmt: skip
METADATA = st.fixed_dictionaries(
    {},
    optional={
        "starts_at": TIMES, "ends_at": TIMES, "_recurrence_id": TIMES, "due": TIMES,
        "_recurrence": RULES, "_range": st.just("this and future"), "_uid": st.sampled_from("ab"),
        "time_zone": st.sampled_from(["Pacific/Kiritimati", "America/Toronto", "..", ""]),
        "_zone_rules": st.sampled_from(
            [["19700101T000000 +0100 +0100"], ["x"], [5], ["00010101T000000 +1 -2359 FREQ=DAILY"]]
        ),
        "_attendees": st.sampled_from([5, [5], [{"name": []}], [{}]]), "location": st.just(5),
        "_duration_days": st.sampled_from([1, 10_000, -5, 10**12, "x"]),
    },
)  # fmt: skip


@settings(max_examples=examples(60))
@given(
    items=st.lists(st.tuples(METADATA, st.sampled_from(["event", "task"])), max_size=5),
    day=st.dates(datetime(2, 1, 2).date(), datetime(9998, 1, 1).date()),  # noqa: DTZ001  days
    zone=st.sampled_from(["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"]),
)
@example(items=[({"starts_at": "2026-03-05", "ends_at": "9999-12-31"}, "event")],
         day=datetime(2026, 3, 5).date(), zone="UTC")  # fmt: skip  # noqa: DTZ001  a day
def test_an_agenda_is_made_of_any_metadata(
    items: list[tuple[dict[str, object], str]], day: date, zone: str
) -> None:
    with Memory(":memory:", settings=Settings(embedder="none", timezone="UTC")) as memory:
        for number, (metadata, kind) in enumerate(items):
            memory.add(f"item {number}", kind=kind, metadata=metadata, happened_at="2026-03-05")
        for since in (day, date(2026, 3, 1)):
            found = memory.agenda(since=since, until=since + timedelta(days=60), timezone=zone)
            assert len(found.entries) <= 100
