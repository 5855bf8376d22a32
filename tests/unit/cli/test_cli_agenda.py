"""`simonides agenda`, run in this process on a space of its own."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Call = Callable[..., tuple[int, str, str]]

CALENDAR = """BEGIN:VCALENDAR
BEGIN:VEVENT
UID:review
SUMMARY:Alpha review
DTSTART:20260309T100000Z
DTEND:20260309T110000Z
RRULE:FREQ=WEEKLY;COUNT=2
LOCATION:Room 4
ORGANIZER;CN=Sarah:mailto:sarah@example.com
ATTENDEE;CN=Tom;PARTSTAT=ACCEPTED:mailto:tom@example.com
ATTENDEE;CN=Jo;PARTSTAT=NEEDS-ACTION:mailto:jo@example.com
END:VEVENT
BEGIN:VEVENT
UID:review
RECURRENCE-ID:20260316T100000Z
SUMMARY:Alpha review
DTSTART:20260317T100000Z
END:VEVENT
BEGIN:VEVENT
UID:trip
SUMMARY:\x1b[31mTrip
STATUS:CANCELLED
DTSTART;VALUE=DATE:20260318
DTEND;VALUE=DATE:20260320
END:VEVENT
BEGIN:VEVENT
UID:night
SUMMARY:Night shift
DTSTART:20260319T220000Z
DTEND:20260320T060000Z
END:VEVENT
BEGIN:VTODO
UID:slides
SUMMARY:Send the slides
STATUS:NEEDS-ACTION
DUE;VALUE=DATE:20260317
END:VTODO
BEGIN:VTODO
UID:call
SUMMARY:Call back
DUE:20260317T150000Z
END:VTODO
BEGIN:VEVENT
UID:odd
SUMMARY:Odd
DTSTART:20260318T100000Z
RRULE:FREQ=SECONDLY
END:VEVENT
END:VCALENDAR
"""


@pytest.fixture
def call(call_at_nine: Call, tmp_path: Path) -> Call:
    """Run `simonides …` on a space that holds a calendar."""
    path = tmp_path / "mine.ics"
    path.write_text(CALENDAR)
    assert call_at_nine("import", str(path))[0] == 0
    return call_at_nine


def without_ids(out: str) -> list[str]:
    return [line for line in out.splitlines() if len(line.split()[-1]) != 26]


def test_an_agenda_is_drawn_day_by_day(call: Call) -> None:
    status, out, err = call("agenda", "--since", "2026-03-09", "--until", "2026-03-20")

    assert status == 0
    assert without_ids(out) == [
        "Monday 9 March 2026",
        "  10:00-11:00  Alpha review  Room 4",
        "               by Sarah; with Tom (accepted), Jo",
        "Tuesday 17 March 2026",
        "  due          Send the slides",
        "               needs action",
        "  10:00        Alpha review",
        "               moved from Monday 16 March 2026, 10:00",
        "  due 15:00    Call back",
        "Wednesday 18 March 2026",
        "  all day      [31mTrip",
        "               cancelled; until Thursday 19 March 2026",
        "  10:00        Odd",
        "Thursday 19 March 2026",
        "  22:00        Night shift",
        "               until Friday 20 March 2026, 06:00",
    ]
    assert err == "note: 'Odd': RRULE: repeats secondly; that is not expanded\n"


def test_the_json_is_that_of_the_operation_and_pages_go_on(call: Call) -> None:
    status, out, _ = call("agenda", "--limit", "1", "--json")
    first = json.loads(out)

    assert status == 0
    assert [one["title"] for one in first["entries"]] == ["Send the slides"]
    assert (first["since"], first["until"]) == ("2026-03-12T00:00:00Z", "2026-03-20T00:00:00Z")
    _, out, _ = call("agenda", "--limit", "1", "--cursor", first["cursor"], "--json")
    assert [one["title"] for one in json.loads(out)["entries"]] == ["Alpha review"]
    _, _, err = call("agenda", "--limit", "1")
    assert f"more: --cursor {first['cursor']}" in err


def test_an_empty_agenda_says_so(call: Call) -> None:
    status, out, err = call("agenda", "--since", "2027-01-01", "--person", "nobody@example.com")

    assert (status, out, err) == (0, "", "nothing takes place, nothing is due\n")


def test_a_time_that_is_none_is_refused(call: Call) -> None:
    status, _, err = call("agenda", "--since", "soon")

    assert status != 0
    assert "--since" in err


def test_history_shows_where_the_versions_differ(
    call_at_nine: Callable[..., tuple[int, str, str]],
) -> None:
    same = "The harbor of the town of Alpha has forty slots for"
    call_at_nine("add", f"{same} boats.", "--id", "a")
    call_at_nine("update", "a", "--content", f"{same} cars.")
    out = call_at_nine("history", "a")[1]

    assert "slots for boats." in out
    assert "slots for cars." in out
