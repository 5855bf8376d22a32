"""Times that name no zone are by the user's own clock, whatever the format."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from simonides import Memory, Settings

CALENDAR = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:party\r\nSUMMARY:Party\r\n"
    "DTSTART:20260304T223000\r\nDTEND:20260304T233000\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)
FILES = {
    "WhatsApp Chat with Tom.txt": "04.03.26, 22:30 - Tom Becker: The code of the garage is 7788\n",
    "chat.jsonl": '{"text": "The roof is mended.", "author": "Tom", "at": "2026-03-04T22:30:00"}\n',
    "late.md": "---\ntitle: Roof\ndate: 2026-03-04 22:30\n---\nThe roof was mended.\n",
    "party.ics": CALENDAR,
    "mail.eml": "From: tom@example.com\nDate: Wed, 4 Mar 2026 22:30:00\nSubject: Roof\n\nMended.\n",
}
DAYS = {
    "2026-03-04.md": "The car was washed.\n",
    "boiler.md": "---\ntitle: Boiler\ndate: 2026-03-04\n---\nThe boiler was serviced.\n",
    "page.html": '<html><head><meta name="date" content="2026-03-04"></head><body>Hi</body></html>',
    "todo.txt": "2026-03-04 Wash the car\n",
}


@pytest.fixture
def keep(tmp_path: Path) -> Callable[..., datetime | None]:
    def when(name: str, text: str, zone: str) -> datetime | None:
        (tmp_path / name).write_text(text, newline="")
        memory = Memory(tmp_path / "home", settings=Settings(timezone=zone, embedder="none"))
        memory.import_(tmp_path / name)
        [item] = memory.list().items
        return item.happened_at

    return when


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    ("zone", "hour"), [("Europe/Berlin", 21), ("America/New_York", 27), ("UTC", 22)]
)
def test_a_time_is_by_the_clock_of_the_user(
    keep: Callable[..., datetime | None], name: str, zone: str, hour: int
) -> None:
    day, own = divmod(hour, 24)

    assert keep(name, FILES[name], zone) == datetime(2026, 3, 4 + day, own, 30, tzinfo=UTC)


@pytest.mark.parametrize("name", DAYS)
@pytest.mark.parametrize(("zone", "hour"), [("America/New_York", 5), ("Australia/Hobart", -11)])
def test_a_day_begins_where_the_user_is(
    keep: Callable[..., datetime | None], name: str, zone: str, hour: int
) -> None:
    day, own = divmod(hour, 24)

    assert keep(name, DAYS[name], zone) == datetime(2026, 3, 4 + day, own, tzinfo=UTC)


@pytest.mark.parametrize(("zone", "hour"), [("Pacific/Auckland", -1), ("America/New_York", 17)])
def test_a_whole_day_is_at_noon_where_the_user_is(
    keep: Callable[..., datetime | None], zone: str, hour: int
) -> None:
    calendar = CALENDAR.replace("DTSTART:20260304T223000", "DTSTART;VALUE=DATE:20260304").replace(
        "DTEND:20260304T233000", "DTEND;VALUE=DATE:20260305"
    )
    day, own = divmod(hour, 24)

    assert keep("day.ics", calendar, zone) == datetime(2026, 3, 4 + day, own, tzinfo=UTC)


def test_the_zone_that_was_assumed_is_kept(tmp_path: Path) -> None:
    (tmp_path / "chat.jsonl").write_text(FILES["chat.jsonl"])
    memory = Memory(tmp_path / "home", settings=Settings(timezone="Asia/Tokyo", embedder="none"))
    memory.import_(tmp_path / "chat.jsonl")

    assert memory.list().items[0].metadata["_time_zone"] == "assumed Asia/Tokyo"
    assert memory.import_(tmp_path / "chat.jsonl").unchanged == 1


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        ("UTC", "22:30\u201323:30 (UTC)"),
        ("Etc/UTC", "22:30\u201323:30 (UTC)"),
        ("Europe/Oslo", "23:30"),
    ],
)
def test_an_event_in_utc_says_so_unless_it_is_shown_in_a_zone_that_the_user_chose(
    tmp_path: Path, zone: str, shown: str
) -> None:
    calendar = CALENDAR.replace("3000\r\n", "3000Z\r\n")
    (tmp_path / "party.ics").write_text(calendar, newline="")
    memory = Memory(tmp_path / "home", settings=Settings(timezone=zone, embedder="none"))
    memory.import_(tmp_path / "party.ics")

    assert shown in memory.list().items[0].content
    assert ("UTC" in memory.list().items[0].content) == ("UTC" in zone)
