"""Events whose times lie at the end of the calendar are kept, and stop no agenda."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from simonides import Memory, Settings

OpenMemory = Callable[..., Memory]


def test_a_date_that_the_clock_of_a_series_does_not_reach_stops_no_agenda(
    open_memory: OpenMemory, tmp_path: Path
) -> None:
    path = tmp_path / "far.ics"
    path.write_text(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:far\r\n"
        "DTSTAMP:20260101T000000Z\r\nDTSTART;TZID=Europe/Berlin:20260106T184500\r\nDURATION:PT1H\r\n"
        "RRULE:FREQ=WEEKLY\r\nRDATE:99991231T235959Z\r\nEXDATE:99991231T235958Z\r\n"
        "SUMMARY:Far run\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    memory = open_memory(embedder=None, settings=Settings(timezone="UTC"))
    report = memory.import_(path)
    agenda = memory.agenda(since="2026-03-01", until="2026-03-15")

    assert (report.added, report.skipped) == (1, ())
    assert [entry.title for entry in agenda.entries] == ["Far run", "Far run"]
    assert memory.search("far run", now=datetime(2026, 3, 1, tzinfo=UTC)).hits[0].title == "Far run"
