"""Mails as Outlook keeps and sends them: .msg files and winmail.dat."""

import struct
from base64 import b64encode
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from simonides.errors import ImportFailed
from simonides.importers import ImportEvent, read
from simonides.model.item import Item, Kind, Person, Role
from simonides_bench.testing.outlook import Values, compound_file, msg_tree, tnef
from simonides_formats.mail.rtf import text_of_rtf, unpack

SENT_AT = datetime(2026, 3, 5, 9, tzinfo=UTC)
MAIL: Values = {
    0x001A: "IPM.Note",
    0x0037: "\x01\x05Re: Möwe",
    0x0039: SENT_AT,
    0x0042: "Sarah Lindqvist",
    0x0065: "/O=TIDEWATER/CN=SARAH",
    0x5D02: "Sarah@x.example",
    0x0E07: 1,
    0x1000: "The ferry leaves at ten.",
    0x1035: "<two@x.example>",
    0x1042: "<one@x.example>",
}
TO: Values = {0x3001: "Mira, of the quay", 0x39FE: "mira@x.example", 0x0C15: 1}
COPY: Values = {0x3001: "tom@x.example", 0x3003: "tom@x.example", 0x0C15: 2}
NOTES: Values = {0x3707: "notes.md", 0x3701: b"Walnut veneer. " * 400}


def steps(folder: Path, raw: bytes, name: str = "a.msg") -> list[ImportEvent]:
    path = folder / name
    path.write_bytes(raw)
    return list(read(path))


def items(folder: Path, raw: bytes, name: str = "a.msg") -> list[Item]:
    return [step.item for step in steps(folder, raw, name) if step.item]


def msg(
    values: Values = MAIL, *, recipients: Sequence[Values] = (), attachments: Sequence[Values] = ()
) -> bytes:
    return compound_file(msg_tree(values, recipients=recipients, attachments=attachments))


def test_a_msg_file_is_a_mail_with_all_that_its_properties_say(tmp_path: Path) -> None:
    (mail,) = items(tmp_path, msg(recipients=[TO, COPY]))

    assert (mail.kind, mail.source, mail.source_id) == (Kind.EMAIL, "outlook", "two@x.example")
    assert (mail.title, mail.content) == ("Re: Möwe", "The ferry leaves at ten.")
    assert mail.happened_at == SENT_AT
    assert mail.people == (
        Person(name="Sarah Lindqvist", address="sarah@x.example", role=Role.AUTHOR),
        Person(name="Mira, of the quay", address="mira@x.example", role=Role.TO),
        Person(address="tom@x.example", role=Role.CC),
    )
    assert mail.metadata == {
        "_message_id": "two@x.example", "_in_reply_to": "one@x.example", "_marks": ["seen"],
    }  # fmt: skip


def test_the_headers_it_was_sent_with_are_believed_first(tmp_path: Path) -> None:
    head = "From: Tom <tom@x.example>\r\nMessage-ID: <sent@x.example>\r\nX-Other: x\r\n"
    (mail,) = items(tmp_path, msg({**MAIL, 0x007D: head}))

    assert (mail.source_id, mail.title) == ("sent@x.example", "Re: Möwe")
    assert [one.address for one in mail.people] == ["tom@x.example"]


def test_attachments_of_a_msg_file_are_items(tmp_path: Path) -> None:
    mail, notes = items(tmp_path, msg(attachments=[NOTES]))

    assert notes.content == ("Walnut veneer. " * 400).strip()
    assert notes.source_id == "two@x.example/1/notes.md"
    assert mail.metadata["attachments"] == [
        {"name": "notes.md", "media_type": "text/markdown", "size_bytes": 6000, "items": [notes.id]}
    ]


def test_a_mail_attached_to_a_msg_file_is_forwarded_text(tmp_path: Path) -> None:
    inner = msg_tree({0x0037: "Inner", 0x1000: "Deep inside."}, attachments=[NOTES], ahead=24)
    mail, notes = items(tmp_path, compound_file(msg_tree(MAIL, mails=[inner])))

    assert mail.content.endswith("Forwarded message\nSubject: Inner\n\nDeep inside.")
    assert notes.title == "notes.md"


@pytest.mark.parametrize(
    "body",
    [
        {0x1013: b"<p>The ferry leaves at <b>ten</b>.</p>"},
        {0x1013: "<p>The ferry leaves at ten.</p>"},
        {0x1009: b"\0" * 8 + b"MELA\0\0\0\0" + rb"{\rtf1\ansi The ferry leaves at ten.\par}"},
    ],
)
def test_where_there_is_no_plain_text_another_is_read(tmp_path: Path, body: Values) -> None:
    (mail,) = items(tmp_path, msg({**MAIL, 0x1000: "", **body}))

    assert mail.content == "The ferry leaves at ten."


def test_a_mail_without_an_id_has_one_id_each_time(tmp_path: Path) -> None:
    raw = msg({0x0037: "No id", 0x1000: "Hello."})

    assert items(tmp_path, raw) == items(tmp_path, raw)


def winmail(raw: bytes, text: str = "") -> bytes:
    return (
        b"From: s@x.example\nSubject: Plan\nMessage-ID: <w@x.example>\n"
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\n%b\n--b\n"
        b"Content-Type: application/ms-tnef; name=winmail.dat\n"
        b"Content-Transfer-Encoding: base64\n\n%b\n--b--\n" % (text.encode(), b64encode(raw))
    )


def test_files_in_a_winmail_are_attachments_of_its_mail(tmp_path: Path) -> None:
    raw = winmail(tnef({0x1000: "Wrapped."}, files=[("Möwe.md", b"In the shed.")]), "See the file.")
    mail, document = items(tmp_path, raw, "a.eml")

    assert mail.content == "See the file."
    assert [one["name"] for one in mail.metadata["attachments"]] == ["Möwe.md"]
    assert (document.title, document.content) == ("Möwe.md", "In the shed.")


def test_the_text_of_a_winmail_is_that_of_a_mail_without_one(tmp_path: Path) -> None:
    (mail,) = items(tmp_path, winmail(tnef({0x1000: "Wrapped."})), "a.eml")

    assert (mail.content, "attachments" in mail.metadata) == ("Wrapped.", False)


def test_a_mail_in_a_winmail_is_forwarded_text(tmp_path: Path) -> None:
    raw = winmail(tnef({}, mails=[tnef({0x0037: "Inner", 0x1000: "Deep inside."})]), "See below.")
    (mail,) = items(tmp_path, raw, "a.eml")

    assert mail.content == "See below.\n\nForwarded message\nSubject: Inner\n\nDeep inside."


def test_a_winmail_alone_is_a_mail(tmp_path: Path) -> None:
    (mail,) = items(tmp_path, tnef(MAIL), "winmail.dat")

    assert (mail.source_id, mail.content) == ("two@x.example", "The ferry leaves at ten.")


def test_what_is_called_winmail_and_is_none_is_only_named(tmp_path: Path) -> None:
    (mail,) = items(tmp_path, winmail(b"nonsense", "Hi."), "a.eml")

    assert [one["name"] for one in mail.metadata["attachments"]] == ["winmail.dat"]


@pytest.mark.parametrize("made", [msg, lambda: tnef(MAIL, files=[("a.md", b"x" * 99)])])
def test_a_file_cut_off_anywhere_gives_a_mail_or_a_reason(
    tmp_path: Path, made: Callable[[], bytes]
) -> None:
    raw = made()
    for size in range(8, len(raw), max(len(raw) // 60, 1)):
        with suppress(ImportFailed):
            assert steps(tmp_path, raw[:size])


def test_chains_that_run_in_a_circle_end(tmp_path: Path) -> None:
    raw = bytearray(msg(attachments=[NOTES]))
    for at in range(len(raw) - 512, len(raw), 4):
        struct.pack_into("<I", raw, at, 0)

    assert steps(tmp_path, bytes(raw))


@pytest.mark.parametrize(
    ("rich", "text"),
    [
        (rb"{\rtf1\ansi\ansicpg1251 \'c6\'fe\line two\tab x}", "Жю\ntwo\tx"),
        (rb"{\rtf1{\fonttbl{\f0 Arial;}}{\*\generator X;}\uc1\u8364?5 \{a\}\par b}", "€5 {a}\nb"),
        (rb"{\rtf1\fromhtml1{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 Hi\htmlrtf }\htmlrtf0 !}", "Hi!"),
        (rb"{\rtf1\u-10179?\u-8704?}", "\U0001f600"),
        (rb"{\rtf1 a" + b"{" * 5000 + b"b", "ab"),
        (b"", ""),
    ],
)
def test_rich_text_is_read(rich: bytes, text: str) -> None:
    assert text_of_rtf(rich) == text


def test_compressed_rich_text_is_unpacked() -> None:
    """The example of [MS-OXRTFCP], 4.1.1.1."""
    raw = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c0900206277"
        "05b06c647d0a800fa0"
    )

    assert unpack(raw) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    assert unpack(raw[:30]).startswith(b"{\\rtf1")
    assert unpack(b"") == b""


@pytest.mark.parametrize("size_bytes", [60, 80, 300, 511])
def test_a_file_shorter_than_its_header_is_reported(tmp_path: Path, size_bytes: int) -> None:
    (one,) = steps(tmp_path, msg()[:size_bytes])

    assert one.skipped is not None
    assert one.skipped.reason == "not a compound file"
