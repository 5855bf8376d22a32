"""Laws of the readers of chats and notes: whatever the bytes and values, they give events."""

import json
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.test_importer_files_laws import MUTATIONS, SLOW, check, events_of, mutated

from simonides.importers.mapped import make_mapped_importer
from simonides.importers.run import read
from simonides.model.item import Kind
from simonides.ports.importer import SourceFile
from simonides_formats.chats.whatsapp import moment, order_of

TALK = {
    "title": "Bread", "current_node": "b", "conversation_id": "c",
    "mapping": {
        "a": {"id": "a", "parent": None, "children": ["b"], "message": {
            "author": {"role": "user"}, "create_time": 1767225600.0, "recipient": "all",
            "content": {"content_type": "text", "parts": ["How long?"]},
            "metadata": {"attachments": [{"name": "a.pdf", "size": 1}]}}},
        "b": {"id": "b", "parent": "a", "children": [], "message": {
            "author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["x"]}}},
    },
}  # fmt: skip
CLAUDE = {
    "uuid": "c", "name": "Boats", "created_at": "2026-03-04T10:00:00Z",
    "chat_messages": [
        {"uuid": "m", "sender": "human", "text": "Which oak?", "created_at": "2026-03-04T10:00:00Z",
         "content": [{"type": "text", "text": "Which oak?"}], "files": [{"file_name": "a.png"}],
         "attachments": [{"file_name": "n.txt", "extracted_content": "keel"}]},
    ],
    "docs": [{"uuid": "d", "filename": "s.md", "content": "slip"}],
}  # fmt: skip
SLACK = {
    "type": "message", "user": "U0000001", "ts": "1767225600.000100", "thread_ts": "1767225600.1",
    "text": "<@U0000001> see <https://x.example|this> &amp; that", "edited": {"ts": "1.5"},
    "files": [{"name": "a.pdf", "size": 1}], "reactions": [{"name": "anchor"}],
    "attachments": [{"title": "t", "text": "x"}], "user_profile": {"real_name": "Mira"},
}  # fmt: skip
TELEGRAM = {
    "name": "Yard", "type": "private_group", "id": 77, "messages": [
        {"id": 1, "type": "message", "date": "2026-03-04T11:00:00", "date_unixtime": "1772618400",
         "from": "Mira", "text": ["a ", {"type": "text_link", "text": "b", "href": "c"}],
         "file": "files/a.pdf", "poll": {"question": "q", "answers": [{"text": "a"}]}},
    ],
}  # fmt: skip
DISCORD = {
    "guild": {"id": "1", "name": "Boats"}, "channel": {"id": "9", "name": "yard"}, "messages": [
        {"id": "100", "type": "Default", "timestamp": "2026-03-04T11:00:00Z", "content": "x",
         "author": {"id": "5", "name": "mira"}, "attachments": [{"fileName": "a.png"}],
         "embeds": [{"title": "t", "fields": [{"name": "n", "value": "v"}]}],
         "mentions": [{"name": "jon"}], "reference": {"messageId": "1"}},
    ],
}  # fmt: skip
GEMINI = {
    "header": "Gemini Apps", "title": "Prompted x", "time": "2026-03-04T10:00:00Z",
    "safeHtmlItem": [{"html": "<p>y</p>"}], "attachedFiles": ["a.png"], "products": ["Gemini Apps"],
}  # fmt: skip
KEEP = {
    "title": "a", "textContent": "b", "userEditedTimestampUsec": 1_772_700_000_000_000,
    "listContent": [{"text": "c", "isChecked": True}], "labels": [{"name": "d"}],
    "annotations": [{"title": "e", "url": "https://x.example"}],
}  # fmt: skip
TASKS = {
    "kind": "tasks#taskLists", "items": [{"title": "a", "items": [
        {"id": "b", "title": "c", "notes": "d", "status": "completed",
         "due": "2026-03-20T00:00:00Z", "completed": "2026-03-02T10:00:00Z",
         "updated": "2026-03-02T10:00:00Z", "parent": "e"},
    ]}],
}  # fmt: skip
RECORDS: dict[str, Any] = {
    "chatgpt": TALK,
    "claude": CLAUDE,
    "slack": SLACK,
    "telegram": TELEGRAM,
    "discord": DISCORD,
    "gemini": GEMINI,
    "keep": KEEP,
    "tasks": TASKS,
}
WHOLE_FILES = frozenset(["telegram", "discord", "keep", "tasks"])
"""Formats that are one object a file."""

WHATSAPP = (
    "12/03/2026, 14:05 - Mira: The crane is back\nand greased\n"
    "\u200e[13.03.26, 2:05:33 PM] Jon: \u200e<attached: 1.jpg>\n13/03/2026, 08:00 - Jon: ok\n"
)
WHOLE = {
    f"{name}.json": json.dumps(one if name in WHOLE_FILES else [one]).encode()
    for name, one in RECORDS.items()
}
WHOLE["chat.txt"] = WHATSAPP.encode()
WHOLE["chat.md"] = b"[2026-03-04 10:00:00] Me: a\n(- Jon: b -)\n> c\n![d](./media/d.png)  \n"
WHOLE["a.vtt"] = (
    b"WEBVTT\n\n1\n00:00:01.000 --> 00:00:04.000\n<v Mira>a &amp; <i>b</i></v>\n\nNOTE c\n\n"
    b"01:00:05.000 --> 01:00:06.000 align:start\n>> Jon: d\ne\n"
)
WHOLE["a.srt"] = (
    b"1\n00:00:01,000 --> 00:00:04,000\n{\\an8}a\n\n2\n00:00:05,000 --> 00:00:06,000\nb\n"
)
WHOLE["a.enex"] = (
    b'<?xml version="1.0" encoding="utf-8"?><!DOCTYPE en-export SYSTEM "e"><en-export><note><title>'
    b"a</title><created>20260304T100000Z</created><tag>b</tag><content><![CDATA[<en-note>c <a "
    b'href="evernote:///view/1">d</a></en-note>]]></content><resource><mime>image/png</mime>'
    b"</resource></note></en-export>"
)
NOTION_ID = "0123456789abcdef" * 2
WHOLE[f"A {NOTION_ID}.md"] = (
    f"# A\n\nCreated: March 4, 2026\nTags: b\n\n[B](B%20{NOTION_ID}.md) #c".encode()
)
WHOLE["b.md"] = b"---\naliases: [a]\n---\n[[b|c]] [d](e%20f.md) #g `h`"
WHOLE["a.html"] = (
    b'<title>My Activity History</title>Gemini Apps<br><div class="outer-cell"><div class="'
    b'content-cell mdl-cell mdl-typography--body-1">Prompted x<br>Mar 4, 2026, 10:00 AM CET<br>y'
    b'<div class="content-cell mdl-cell">'
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda one: st.lists(one, max_size=3) | st.dictionaries(st.text(max_size=8), one, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize("name", WHOLE)
@SLOW
@given(changes=MUTATIONS)
def test_a_damaged_export_gives_events(
    tmp_path: Path, name: str, changes: list[tuple[int, bytes, int]]
) -> None:
    content = mutated(WHOLE[name], changes)

    check(events_of(tmp_path, name, content), size_bytes=len(content))


@pytest.mark.parametrize("name", WHOLE)
def test_an_export_that_breaks_off_anywhere_gives_events(tmp_path: Path, name: str) -> None:
    whole = WHOLE[name]
    for cut in range(0, len(whole), max(1, len(whole) // 40)):
        check(events_of(tmp_path, name, whole[:cut]), size_bytes=cut)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return every (container, key) of a JSON value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    listed = [(value, key) for key, _ in pairs] if isinstance(value, dict | list) else []
    return listed + [
        inner
        for container, key in listed
        if isinstance(container[key], dict | list)
        for inner in places(container[key])
    ]


@pytest.mark.parametrize("name", RECORDS)
@SLOW
@given(data=st.data())
def test_any_value_in_any_place_of_a_record_gives_events(
    tmp_path: Path, name: str, data: st.DataObject
) -> None:
    record = json.loads(json.dumps(RECORDS[name]))
    container, key = data.draw(st.sampled_from(places(record)))
    container[key] = data.draw(VALUES)
    whole = record if name in WHOLE_FILES else [record, RECORDS[name]]
    content = json.dumps(whole).encode()

    check(events_of(tmp_path, f"{name}.json", content), size_bytes=len(content))


@given(stamp=st.text(max_size=40) | st.from_regex(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? \d+:\d\d"))
def test_a_date_of_a_phone_is_aware_or_none_and_has_an_order(stamp: str) -> None:
    when = moment(stamp, order_of([stamp]))

    assert when is None or when.tzinfo is UTC


@SLOW
@given(raw=st.binary(max_size=200))
def test_lists_beside_messages_of_slack_may_hold_anything(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    root = tmp_path_factory.mktemp("slack")
    (root / "yard").mkdir()
    (root / "users.json").write_bytes(raw)
    (root / "channels.json").write_bytes(raw)
    (root / "yard" / "a.json").write_bytes(json.dumps([SLACK]).encode())

    assert [one.item.title for one in read(root / "yard" / "a.json") if one.item] == [""]
    assert len([one for one in read(root) if one.item and one.item.source == "slack"]) == 1


def test_a_file_alone_has_no_neighbours() -> None:
    assert SourceFile(path=Path("a"), where="a", size_bytes=0).neighbour("b") is None


@SLOW
@given(
    rows=st.lists(st.dictionaries(st.sampled_from(["a", "b", "c.d", ""]), VALUES), max_size=4),
    changes=MUTATIONS,
    suffix=st.sampled_from([".json", ".csv"]),
)
def test_any_table_with_any_mapping_gives_events(
    tmp_path: Path, rows: list[Any], changes: list[tuple[int, bytes, int]], suffix: str
) -> None:
    names = {"content": "a", "happened_at": "b", "tags": "c.d", "id": "a", "author": "b"}
    content = mutated(
        json.dumps(rows).encode() if suffix == ".json" else b"a,b,c.d\n1,2,3", changes
    )
    path = tmp_path / f"a{suffix}"
    path.write_bytes(content)

    steps = list(read(path, mapped=make_mapped_importer(names, Kind.MESSAGE)))
    check(steps, size_bytes=len(content))
