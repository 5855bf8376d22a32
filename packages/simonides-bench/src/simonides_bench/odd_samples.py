"""Small valid files of every format that is imported, from which odd ones are made.

Must not know how they are damaged.
"""

import gzip
import io
import json
import tarfile
from collections.abc import Mapping
from typing import Any

from simonides_bench.testing import documents as make
from simonides_bench.testing.outlook import Values, compound_file, msg_tree, tnef
from simonides_bench.testing.outlook_data_file import MailNode, data_file

_MAIL = b"""\
From: Sarah <sarah@x.example>
To: =?utf-8?q?Mira?= <mira@x.example>, "Tom B." <tom@x.example>
Subject: The plan
Date: Thu, 5 Mar 2026 09:00:00 +0000
Message-ID: <plan-%d@x.example>
"""
_CALENDAR = b"""\
BEGIN:VCALENDAR
METHOD:REQUEST
BEGIN:VTIMEZONE
TZID:Quay
BEGIN:STANDARD
DTSTART:20250101T000000
TZOFFSETFROM:+0100
TZOFFSETTO:+0100
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
UID:visit-1@x.example
DTSTAMP:20260301T000000Z
DTSTART;TZID=Quay:20260310T090000
DURATION:PT1H
RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=4
EXDATE;TZID=Quay:20260317T090000
SUMMARY:Visit\\, at the quay
DESCRIPTION:<p>Bring the <b>plan</b>.
ORGANIZER;CN="Sarah L":mailto:sarah@x.example
ATTENDEE;PARTSTAT=ACCEPTED:mailto:mira@x.example
END:VEVENT
BEGIN:VTODO
UID:task-1
DUE:20260312
SUMMARY:Grease the dome
END:VTODO
END:VCALENDAR
"""
_MIXED = (
    b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nSee below.\n"
    b"--b\nContent-Type: text/html; charset=latin-1\n\n<p>Oars &amp; sails\n"
    b"--b\nContent-Type: text/calendar; method=REQUEST\n\n%b"
    b"--b\nContent-Disposition: attachment; filename*=utf-8''a.md\n"
    b"Content-Transfer-Encoding: base64\n\nIyBPYXJzCgpGb3VyLgo=\n--b--\n"
)
_OUTLOOK: Values = {
    0x001A: "IPM.Note", 0x0037: "The plan", 0x0042: "Sarah", 0x5D02: "sarah@x.example",
    0x1000: "The ferry leaves at ten.", 0x1035: "<two@x.example>",
}  # fmt: skip
_TO: Values = {0x3001: "Mira", 0x39FE: "mira@x.example", 0x0C15: 1}
_NOTES: Values = {0x3707: "notes.md", 0x3701: b"Walnut veneer. " * 20}
_CHAT = b'{"text": "The ferry leaves at ten.", "session": "s", "role": "user"}\n'


def _msg() -> bytes:
    return compound_file(msg_tree(_OUTLOOK, recipients=[_TO], attachments=[_NOTES]))


def _pst() -> bytes:
    return data_file({"Inbox": [MailNode(values=_OUTLOOK, recipients=[_TO], files=[_NOTES])]})


def _tar() -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        info = tarfile.TarInfo("a/b.md")
        info.size = 4
        archive.addfile(info, io.BytesIO(b"text"))
    return written.getvalue()


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode()


_JIRA = {
    "startAt": 0,
    "issues": [
        {
            "key": "YARD-1",
            "fields": {
                "summary": "Mend the crane",
                "created": "2026-03-02T09:00:00.000+0100",
                "status": {"name": "Done", "statusCategory": {"key": "done"}},
                "reporter": {"displayName": "Mira", "emailAddress": "mira@x.example"},
                "description": {"type": "doc", "content": [{"type": "text", "text": "It jams."}]},
            },
        }
    ],
}
_LINEAR = {
    "identifier": "ENG-12",
    "title": "Mend the crane",
    "url": "https://linear.app/yard/issue/ENG-12",
    "state": {"name": "Done"},
    "createdAt": "2026-03-01T10:00:00.000Z",
}
_GITHUB = {
    "number": 12,
    "title": "Mend the crane",
    "body": "It jams.",
    "html_url": "https://github.com/x/yard/issues/12",
    "user": {"login": "mira"},
    "created_at": "2026-03-01T10:00:00Z",
}
_MEM0 = {"id": "m1", "memory": "Mira mends cranes", "user_id": "mira", "metadata": {"a": [1]}}
_ENTITY = {"type": "entity", "name": "Mira", "entityType": "person", "observations": ["Sails"]}
_STORE = {"namespace": ["mira"], "key": "k1", "value": {"text": "Mira mends cranes"}}
_LETTA = {
    "agents": [{"name": "helper", "agent_type": "memgpt_agent", "block_ids": ["block-0"]}],
    "blocks": [{"id": "block-0", "label": "human", "value": "Mira mends cranes"}],
}
_CELLS = [{"cell_type": "code", "source": ["1 + 1"], "outputs": [{"text": "2"}]}]
_VCARD = "BEGIN:VCARD\nVERSION:3.0\nFN:Mira\nN:Holm;Mira;;;\nEMAIL:m@x.example\nEND:VCARD\n"

_SAID = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Rye?"]}}
_CHATGPT = {
    "title": "Bread",
    "conversation_id": "conv-1",
    "current_node": "q",
    "mapping": {
        "root": {"id": "root", "parent": None, "children": ["q"], "message": None},
        "q": {"id": "q", "parent": "root", "children": [], "message": {"id": "q-1", **_SAID}},
    },
}
_CLAUDE = {
    "uuid": "c-1",
    "name": "Bread",
    "created_at": "2026-03-04T10:00:00Z",
    "chat_messages": [{"uuid": "m-1", "sender": "human", "text": "Rye?"}],
}
_GOOGLE_TASK = {"id": "a", "title": "Mend", "due": "2026-03-20T00:00:00.000Z"}
_SLACK = {"type": "message", "user": "U0000001", "text": "Hi <@U2>", "ts": "1767225600.000100"}
_TELEGRAM_SAID = {
    "id": 1, "type": "message", "date": "2026-03-04T11:00:00", "from": "Mira",
    "text": ["Hi ", {"type": "bold", "text": "you"}],
}  # fmt: skip
_TELEGRAM = {"name": "Yard", "type": "private_group", "id": 77, "messages": [_TELEGRAM_SAID]}
_MESSENGER = {
    "participants": [{"name": "Mira"}],
    "messages": [{"sender_name": "Mira", "timestamp_ms": 1772700000000, "content": "Rye?"}],
}
_GOOGLE_CHAT = {
    "creator": {"name": "Mira", "email": "mira@x.example"},
    "created_date": "Tuesday, March 10, 2026 at 10:12:33 AM UTC",
    "text": "Rye?",
    "message_id": "a/b",
}
_TRELLO = {
    "name": "Yard",
    "shortUrl": "https://trello.com/b/AbCdEf12",
    "lists": [{"id": "l1", "name": "Done"}],
    "cards": [{"id": "69a7f000aa", "name": "Mend the crane", "idList": "l1"}],
    "checklists": [{"idCard": "69a7f000aa", "checkItems": [{"name": "Oil"}]}],
}
_DISCORD = {
    "guild": {"id": "1", "name": "Boats"},
    "channel": {"id": "9", "type": "GuildTextChat", "name": "yard"},
    "messages": [
        {
            "id": "100",
            "type": "Default",
            "timestamp": "2026-03-04T11:00:00+01:00",
            "content": "Hi",
            "author": {"id": "5", "name": "mira"},
        }
    ],
}
_ENEX = b"""<?xml version="1.0" encoding="UTF-8"?>
<en-export version="10"><note><title>Crane</title><created>20260304T100000Z</created><content>\
<![CDATA[<en-note><div>The crane is back</div></en-note>]]></content></note></en-export>
"""
_OASIS = "urn:oasis:names:tc:opendocument:xmlns"
_SHEET = (
    f'<office:document-content xmlns:office="{_OASIS}:office:1.0" xmlns:table="{_OASIS}:table:1.0"'
    f' xmlns:text="{_OASIS}:text:1.0"><office:body><office:spreadsheet><table:table'
    ' table:name="S"><table:table-row><table:table-cell office:value-type="string"><text:p>oars'
    "</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>"
    "</office:body></office:document-content>"
)
_ODS = {
    "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
    "content.xml": _SHEET,
    "META-INF/manifest.xml": "<m/>",
}

SAMPLES: Mapping[str, bytes] = {
    "mail.eml": _MAIL % 1 + b"\nThe ferry leaves at ten.\n",
    "parts.eml": _MAIL % 2 + _MIXED % _CALENDAR,
    "box.mbox": b"From s@x Thu Mar  5 10:00:00 2026\n" + _MAIL % 3 + b"\nHi.\n",
    "apple.emlx": b"%d\n%b" % (len(_MAIL % 4) + 5, _MAIL % 4 + b"\nHi.\n<?xml?>"),
    "outlook.msg": _msg(),
    "data.pst": _pst(),
    "winmail.dat": tnef(_OUTLOOK, files=[("notes.md", b"Walnut veneer.")]),
    "people.vcf": _VCARD.encode(),
    "work.ics": _CALENDAR,
    "jira.json": _json(_JIRA),
    "linear.json": _json([_LINEAR]),
    "github.json": _json([_GITHUB]),
    "jira.csv": b"Issue key,Issue id,Summary,Status\nYARD-1,1,Mend,Done\n",
    "linear.csv": b"ID,Team,Title,Status,Creator\nENG-1,Yard,Mend,Done,Mira\n",
    "todo.txt": b"(A) 2026-03-01 Grease the dome +yard @quay due:2026-03-12\nx 2026-03-02 Mend\n",
    "mem0.json": _json({"results": [_MEM0]}),
    "graph.jsonl": json.dumps(_ENTITY).encode() + b"\n",
    "store.json": _json([_STORE]),
    "agent.af": _json(_LETTA),
    "chatgpt.json": _json([_CHATGPT]),
    "claude.json": _json([_CLAUDE]),
    "slack.json": _json([_SLACK]),
    "telegram.json": _json(_TELEGRAM),
    "discord.json": _json(_DISCORD),
    "messenger.json": _json(_MESSENGER),
    "messages.json": _json({"messages": [_GOOGLE_CHAT]}),
    "trello.json": _json(_TRELLO),
    "whatsapp.txt": b"[04.03.26, 10:00:07] Mira: Hi\n[04.03.26, 10:01:00] Jon: Hello\nyou\n",
    "signal.md": b"[2026-03-04, 10:00:00] Mira: Hi\n[2026-03-04, 10:01:00] Me: Hello\n",
    "meeting.vtt": b"WEBVTT\n\n1\n00:00:01.000 --> 00:00:04.000\n<v Mira>Hi</v>\n",
    "film.srt": b"1\n00:00:01,000 --> 00:00:04,000\nHi.\n\n2\n00:00:05,000 --> 00:00:06,000\nYou\n",
    "keep.json": _json({"userEditedTimestampUsec": 1772700000000000, "textContent": "Hi"}),
    "tasks.json": _json({"kind": "tasks#taskLists", "items": [{"items": [_GOOGLE_TASK]}]}),
    "notes.enex": _ENEX,
    "chat.jsonl": _CHAT * 2,
    "notes.md": b"---\ntitle: Oars\ntags: [a, b]\n---\n# Oars\n\nFour oars.\n",
    "plain.txt": "Smörgåsbord at the quay.\n".encode(),
    "read.rst": b"Oars\n====\n\nFour oars.\n",
    "page.html": b"<html><head><title>Kiln</title></head><body><p>Hot<table><tr><td>1</table>",
    "table.csv": b'a,b\n"1,5",2\n',
    "book.ipynb": _json({"cells": _CELLS}),
    "pages.pdf": make.pdf(["one", "two"], info="/Title (T) /ModDate (D:20260304)"),
    "letter.docx": make.docx(make.paragraph("R&D & more") + make.docx_table([["a", "b"]])),
    "sheet.xlsx": make.xlsx(make.sheet_row(1, ["a", "b"]) + make.sheet_row(2, ["c", 3])),
    "slides.pptx": make.pptx(["One", "Two"]),
    "letter.odt": make.odt("<text:p>words</text:p>", meta="<dc:title>T</dc:title>"),
    "sheet.ods": make.make_zip(_ODS),
    "letter.rtf": make.rtf(r"one \b two\b0 \'e4", info=r"{\title T}"),
    "book.epub": make.epub(["<h1>One</h1><p>words</p>"], title="T"),
    "folder.zip": make.make_zip({"a/b.md": "text", "c.eml": _MAIL % 5 + b"\nHi.\n"}),
    "folder.tar": _tar(),
    "folder.tgz": gzip.compress(_tar(), mtime=0),
    "notes.md.gz": gzip.compress(b"# Oars\n", mtime=0),
}
"""A valid file of each format by its name; none is larger than some 20 kB."""
