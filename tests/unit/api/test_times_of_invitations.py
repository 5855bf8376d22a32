"""The times of events in UTC: those of the user's own zone, whether imported or sent by mail."""

from pathlib import Path

import pytest

from simonides import Memory, Settings

CALENDAR = """BEGIN:VCALENDAR
VERSION:2.0
METHOD:REQUEST
BEGIN:VEVENT
UID:1@shop.example
DTSTART:20261201T073000Z
DTEND:20261201T081500Z
SUMMARY:Fitting
END:VEVENT
END:VCALENDAR
"""
MAIL = f"""From: shop@shop.example
To: jonas@example.org
Subject: Your fitting
Date: Mon, 23 Nov 2026 10:00:00 +0000
Message-ID: <1@shop.example>
Content-Type: text/calendar; method=REQUEST; charset=utf-8

{CALENDAR}"""


@pytest.mark.parametrize(("name", "text"), [("fitting.ics", CALENDAR), ("fitting.eml", MAIL)])
def test_an_appointment_is_at_the_users_own_time(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    settings = Settings(embedder="none", timezone="Europe/Vienna")
    with Memory(tmp_path / "home", settings=settings) as memory:
        memory.import_(tmp_path / name)
        brief = memory.brief("when is the fitting", now="2026-11-24")

    assert "08:30\u201309:15" in brief.text
    assert "07:30" not in brief.text
