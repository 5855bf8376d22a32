"""A tiny desk of our own writing, made in a folder: every format, and six questions."""

import json
from pathlib import Path
from typing import Any

OLD, NEW = "nine@harbour.example", "seven@harbour.example"

MAIL = f"""From mia@harbour.example Mon Mar  2 08:00:00 2026
From: Mia Kovac <mia@harbour.example>
To: Leo Brandt <leo@harbour.example>
Subject: Ferry
Date: Mon, 02 Mar 2026 08:00:00 +0000
Message-ID: <{OLD}>
Content-Type: text/plain

The ferry to Vela leaves at nine.

From mia@harbour.example Tue Mar  3 08:00:00 2026
From: Mia Kovac <mia@harbour.example>
To: Leo Brandt <leo@harbour.example>
Subject: Timetable
Date: Tue, 03 Mar 2026 08:00:00 +0000
Message-ID: <{NEW}>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="x"

--x
Content-Type: text/plain

From Monday on the ferry to Vela leaves at seven.
--x
Content-Type: text/plain; name="cabins.txt"
Content-Disposition: attachment; filename="cabins.txt"

Cabin 214 is booked for the crossing.
--x--
"""

CALENDAR = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Harbour//EN
BEGIN:VEVENT
UID:rowing@harbour.example
DTSTAMP:20260201T080000Z
DTSTART:20260302T170000Z
DTEND:20260302T180000Z
RRULE:FREQ=WEEKLY;COUNT=5
SUMMARY:Rowing practice
END:VEVENT
BEGIN:VEVENT
UID:rowing@harbour.example
RECURRENCE-ID:20260309T170000Z
DTSTAMP:20260201T080000Z
DTSTART:20260310T170000Z
DTEND:20260310T180000Z
SUMMARY:Rowing practice with the substitute coach
END:VEVENT
END:VCALENDAR
"""

CHATS: list[dict[str, Any]] = [
    {"session": "dock", "speaker": "Leo", "text": "fine", "at": "2026-03-01T10:00:00Z"},
    {"session": "dock", "speaker": "Leo", "text": "Carla bought the blue dinghy",
     "at": "2026-03-01T10:01:00Z"},
    {"session": "dock", "speaker": "Leo", "text": "fine", "at": "2026-03-01T10:02:00Z"},
]  # fmt: skip

TASK: dict[str, Any] = {
    "id": "7",
    "self": "https://harbour.example/rest/api/3/issue/7",
    "key": "BOAT-7",
    "fields": {
        "summary": "Order an anchor chain",
        "description": "Twelve metres, galvanised.",
        "created": "2026-03-01T09:00:00.000+0000",
        "updated": "2026-03-01T09:00:00.000+0000",
        "comment": {
            "total": 1,
            "comments": [
                {"id": "1", "body": "The chandler is out of stock until Easter.",
                 "created": "2026-03-02T09:00:00.000+0000"},
            ],
        },
    },
}  # fmt: skip

NOW = "2026-03-20T09:00:00+00:00"

MAIL_OLD, MAIL_NEW = {"file": "mail.mbox", "ref": f"<{OLD}>"}, {"file": "mail.mbox", "ref": NEW}
NOTE = {"file": "notes/boat.md"}
SALE = {"file": "chats.jsonl", "ref": "2"}
ROWING = {"file": "calendar.ics", "ref": "rowing@harbour.example"}
CHAIN = {"file": "tasks.json", "ref": "BOAT-7"}
MEMORY = {"file": "memories.jsonl", "ref": "1"}

FERRY_Q = "When does the ferry to Vela leave?"
CABIN_Q = "Which cabin is booked for the crossing?"
SALE_Q = "Who bought the blue dinghy?"
COACH_Q = "When does the substitute coach row?"
BOAT_Q = "What do the anchor, the varnish and the shellfish need?"
NOBODY_Q = "Which bassoon did the orchestra tune?"


def _asked(name: str, text: str, *evidence: dict[str, str], **rest: Any) -> dict[str, Any]:
    return {"id": name, "question": text, "now": NOW, "evidence": list(evidence), **rest}


QUESTIONS = [
    _asked("q1", FERRY_Q, MAIL_NEW, category="when", must_not=[MAIL_OLD], answer="At seven."),
    _asked("q2", CABIN_Q, MAIL_NEW, category="attachment", answer="Cabin 214"),
    _asked("q3", SALE_Q, SALE, category="who", also_ok=[NOTE], answer="Carla did."),
    _asked("q4", COACH_Q, ROWING, category="when", must_not=[CHAIN], answer="10 March"),
    _asked("q5", BOAT_Q, CHAIN, NOTE, MEMORY, category="list", answer="it varies"),
    _asked("q6", NOBODY_Q, category="abstention"),
]


def desk(folder: Path) -> Path:
    """Write the desk and return its folder."""
    (folder / "notes").mkdir(parents=True)
    (folder / "mail.mbox").write_text(MAIL, "utf-8")
    (folder / "calendar.ics").write_text(CALENDAR.replace("\n", "\r\n"), "utf-8")
    (folder / "notes" / "boat.md").write_text("# Boat\n\nThe mast needs varnish.\n", "utf-8")
    (folder / "tasks.json").write_text(
        json.dumps({"startAt": 0, "maxResults": 50, "total": 1, "issues": [TASK]}), "utf-8"
    )
    memory = {"text": "I am allergic to shellfish.", "happened_at": "2026-01-05T21:00:00+00:00"}
    lines(folder / "memories.jsonl", memory)
    lines(folder / "chats.jsonl", *CHATS)
    lines(folder / "questions.jsonl", *QUESTIONS)
    return folder


def write_correspondence(folder: Path) -> None:
    """Add mails by Leo and to Leo, enough of them to tell whose desk it is."""
    for number in range(12):
        writer, reader = ("leo", "mia") if number % 2 else ("ana", "leo")
        head = f"From {writer}@harbour.example Mon Mar  2 08:{number:02}:00 2026\n"
        fields = f"From: {writer}@harbour.example\nTo: {reader}@harbour.example\n"
        with (folder / "mail.mbox").open("a", encoding="utf-8") as file:
            file.write(f"\n{head}{fields}Message-ID: <{number}@x>\n\nBuoys, part {number}.\n")


def lines(path: Path, *values: Any) -> Path:
    """Write values as JSON Lines and return the path."""
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values), "utf-8")
    return path
