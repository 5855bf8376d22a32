"""Outlook data files: mails, folders, recipients and attachments."""

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from simonides.errors import ImportFailed
from simonides.importers import ImportEvent, read
from simonides.model.item import Item, Kind, Person, Role
from simonides_bench.testing.outlook import Values
from simonides_bench.testing.outlook_data_file import MailNode, data_file

SENT_AT = datetime(2026, 3, 5, 9, tzinfo=UTC)
VALUES: Values = {
    0x001A: "IPM.Note",
    0x0037: "\x01\x05Re: Möwe",
    0x0039: SENT_AT,
    0x0042: "Sarah Lindqvist",
    0x5D02: "sarah@x.example",
    0x1000: "The ferry leaves at ten.",
    0x1035: "<two@x.example>",
}
TO: Values = {0x3001: "Mira", 0x39FE: "mira@x.example", 0x0C15: 1}
COPY: Values = {0x3001: "Tom", 0x3003: "tom@x.example", 0x0C15: 2}
NOTES: Values = {0x3707: "notes.md", 0x3701: b"Walnut veneer. " * 2_000}


def steps(folder: Path, raw: bytes) -> list[ImportEvent]:
    path = folder / "a.pst"
    path.write_bytes(raw)
    return list(read(path))


def items(folder: Path, raw: bytes) -> list[Item]:
    return [step.item for step in steps(folder, raw) if step.item]


def simple(number: int, **more: str) -> MailNode:
    values = {0x0037: f"No. {number}", 0x1000: "Hello.", 0x1035: f"<{number}@x.example>"}
    return MailNode(values=values | {int(key[1:], 16): value for key, value in more.items()})


def test_a_mail_is_kept_with_all_that_its_properties_say(tmp_path: Path) -> None:
    (mail,) = items(
        tmp_path, data_file({"Inbox": [MailNode(values=VALUES, recipients=[TO, COPY])]})
    )

    assert (mail.kind, mail.source, mail.source_id) == (Kind.EMAIL, "outlook", "two@x.example")
    assert (mail.title, mail.content) == ("Re: Möwe", "The ferry leaves at ten.")
    assert mail.happened_at == SENT_AT
    assert mail.people == (
        Person(name="Sarah Lindqvist", address="sarah@x.example", role=Role.AUTHOR),
        Person(name="Mira", address="mira@x.example", role=Role.TO),
        Person(name="Tom", address="tom@x.example", role=Role.CC),
    )
    assert mail.metadata["folder"] == "Root/Inbox"


def test_attachments_longer_than_a_block_are_read(tmp_path: Path) -> None:
    mail, notes = items(tmp_path, data_file({"Inbox": [MailNode(values=VALUES, files=[NOTES])]}))

    assert notes.content == ("Walnut veneer. " * 2_000).strip()
    assert notes.source_id == "two@x.example/1/notes.md"
    assert mail.metadata["attachments"][0]["items"] == [notes.id]


def test_a_long_text_is_read_from_a_node_of_its_own(tmp_path: Path) -> None:
    text = "The ferry leaves. " * 3_000
    (mail,) = items(tmp_path, data_file({"Inbox": [simple(1, p1000=text)]}))

    assert mail.content == text.strip()


def test_an_attached_mail_is_forwarded_text(tmp_path: Path) -> None:
    inner = MailNode(values={0x0037: "Inner", 0x1000: "Deep inside."}, files=[NOTES])
    mail, notes = items(tmp_path, data_file({"Inbox": [MailNode(values=VALUES, mails=[inner])]}))

    assert mail.content.endswith("Forwarded message\nSubject: Inner\n\nDeep inside.")
    assert notes.title == "notes.md"


def test_many_mails_in_many_folders_are_all_found(tmp_path: Path) -> None:
    folders = {f"Folder {n}": [simple(10 * n + m) for m in range(10)] for n in range(8)}
    found = steps(tmp_path, data_file(folders))

    assert [step.item.title for step in found if step.item] == [f"No. {n}" for n in range(80)]
    assert [step.bytes_done for step in found] == sorted(step.bytes_done for step in found)
    assert found[-1].bytes_done == found[-1].bytes_total


def test_what_was_thrown_away_is_not_imported(tmp_path: Path) -> None:
    raw = data_file({"Deleted Items": [simple(1)], "Junk Email": [simple(2)], "Inbox": [simple(3)]})
    found = steps(tmp_path, raw)

    assert [step.item.title for step in found if step.item] == ["No. 3"]
    assert [step.skipped.reason for step in found if step.skipped] == [
        "was deleted, or lies in the trash; not imported",
        "lies in Spam; not imported",
    ]


def test_what_is_no_mail_is_a_document(tmp_path: Path) -> None:
    raw = data_file({"Notes": [simple(1, p001A="IPM.StickyNote"), simple(2, p001A="IPM.Note.X")]})

    assert [one.kind for one in items(tmp_path, raw)] == [Kind.DOCUMENT, Kind.EMAIL]


@pytest.mark.parametrize(
    ("place", "byte", "reason"),
    [(10, 14, "of Outlook 97 to 2002"), (10, 99, "of version 99"), (0x201, 2, "encrypted")],
)
def test_kinds_that_are_not_read_name_what_converts_them(
    tmp_path: Path, place: int, byte: int, reason: str
) -> None:
    raw = bytearray(data_file({"Inbox": [simple(1)]}))
    raw[place] = byte
    (step,) = steps(tmp_path, bytes(raw))

    assert step.skipped is not None
    assert reason in step.skipped.reason
    assert "readpst" in step.skipped.reason


def test_a_file_cut_off_anywhere_gives_mails_or_a_reason(tmp_path: Path) -> None:
    raw = data_file({"Inbox": [MailNode(values=VALUES, recipients=[TO], files=[NOTES])]})
    for size in range(4, len(raw), len(raw) // 60):
        with suppress(ImportFailed):
            assert steps(tmp_path, raw[:size])


def test_trees_that_run_in_a_circle_end(tmp_path: Path) -> None:
    raw = bytearray(data_file({"Inbox": [simple(1)]}))
    for root in (0xE0, 0xF0):
        page = int.from_bytes(raw[root : root + 8], "little")
        raw[page + 16 : page + 24] = page.to_bytes(8, "little")

    assert steps(tmp_path, bytes(raw))


@pytest.mark.parametrize("place", [0xE0, 0xF0])
def test_a_place_that_no_file_can_have_is_no_failure(tmp_path: Path, place: int) -> None:
    raw = bytearray(data_file({"Inbox": [MailNode(values=VALUES)]}))
    raw[place : place + 8] = b"\xff" * 8
    reasons = [one.skipped.reason for one in steps(tmp_path, bytes(raw)) if one.skipped]

    assert reasons
    assert not any("importer" in one for one in reasons)
