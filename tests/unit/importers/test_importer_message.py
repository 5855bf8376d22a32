"""One mail becomes items."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from simonides import Memory, Settings
from simonides.errors import ImportFailed
from simonides.importers import message as subject
from simonides.importers.attachments import items_of
from simonides.importers.message import NO_SUBJECT, read_message
from simonides.importers.mime import ParseBudget
from simonides.model.item import Item, Kind, Person, Role
from simonides.ports.importer import SourceFile

HEAD = b"""\
From: =?utf-8?q?Sarah_M=C3=B6we?= <Sarah@x.example>
To: Mira <mira@x.example>
Subject: =?iso-8859-1?q?F=E4hre?= moves
Date: Thu, 5 Mar 2026 10:00:00 +0100
Message-ID: <two@x.example>
In-Reply-To: <one@x.example>
References: <root@x.example> <one@x.example>
"""


def items_in(raw: bytes) -> list[Item]:
    file = SourceFile(path=Path("a.eml"), where="a.eml", size_bytes=len(raw))
    return items_of(read_message(raw), file, ParseBudget())


def only(raw: bytes, **options: str) -> Item:
    return read_message(raw, **options).mail  # type: ignore[arg-type]  # texts only


@pytest.mark.parametrize(
    ("head", "automatic"),
    [
        (b"Auto-Submitted: auto-replied", "auto-replied"),
        (b"Auto-Submitted: Auto-Generated; owner-email=x@x.example", "auto-generated"),
        (b"Auto-Submitted: no", None),
        (b"Precedence: auto_reply", "auto-replied"),
        (b"Precedence: bulk", "bulk"),
        (b"Precedence: first-class", None),
        (b"List-Unsubscribe: <https://x.example/off>", "bulk"),
    ],
)
def test_a_mail_that_a_program_sent_says_so(head: bytes, automatic: str | None) -> None:
    item = only(HEAD + head + b"\n\nI am away.\n")

    assert item.metadata.get("_automatic") == automatic


def test_a_mail_is_kept_with_all_that_its_head_says() -> None:
    item = only(HEAD + b"List-Id: The crew <crew.x.example>\n\nThe ferry leaves at ten.\n")

    assert (item.kind, item.source, item.source_id) == (Kind.EMAIL, "mail", "two@x.example")
    assert (item.title, item.content) == ("Fähre moves", "The ferry leaves at ten.")
    assert item.author == Person(name="Sarah Möwe", address="sarah@x.example", role=Role.AUTHOR)
    assert item.happened_at == datetime(2026, 3, 5, 9, 0, tzinfo=UTC)
    assert item.session == "root@x.example"
    assert item.metadata == {
        "_message_id": "two@x.example",
        "_in_reply_to": "one@x.example",
        "list_id": "crew.x.example",
    }


def test_quoted_words_and_signatures_are_kept_apart() -> None:
    item = only(
        HEAD
        + b"\nAt ten, then.\n\n-- \nSarah, x.example\n\n"
        + b"On Wed, 4 Mar 2026 at 09:00, Mira wrote:\n> When does the ferry leave?\n"
    )

    assert item.content == "At ten, then."
    assert "When does the ferry leave?" in item.quoted
    assert "Sarah, x.example" in item.quoted


def test_gmail_is_known_by_its_headers() -> None:
    item = only(b"X-GM-THRID: 184\nX-Gmail-Labels: Inbox,Boat\n" + HEAD + b"\nHi.\n")

    assert (item.source, item.session, item.tags) == ("gmail", "184", ("Inbox", "Boat"))


def test_the_caller_may_name_the_source() -> None:
    assert only(HEAD + b"\nHi.\n", source="outlook").source == "outlook"


def test_the_same_mail_has_one_id_wherever_it_lies() -> None:
    raw = b"From: a@x.example\nSubject: no id\n\nHello.\n"
    unix, windows = only(raw), only(raw.replace(b"\n", b"\r\n") + b"\r\n")

    assert unix.id == windows.id
    assert unix.id != only(raw + b"More.\n").id
    assert "_message_id" not in unix.metadata


def test_a_mail_without_subject_and_text_has_a_title() -> None:
    item = only(b"From: a@x.example\n\n")

    assert (item.title, item.content) == (NO_SUBJECT, "")


def test_a_mail_without_subject_has_no_title_of_its_own() -> None:
    assert only(b"From: a@x.example\n\nHello.\n").title == ""


def test_the_line_of_the_mbox_dates_an_undated_mail() -> None:
    item = only(b"From: a@x.example\n\nHi.\n", envelope="From a Thu Mar  5 09:00:00 2026")

    assert item.happened_at == datetime(2026, 3, 5, 9, 0, tzinfo=UTC)


def test_an_impossible_date_is_noted() -> None:
    item = only(b"From: a@x.example\nDate: Thu, 31 Feb 2026 10:00:00 +0100\n\nHi.\n")

    assert item.happened_at is None
    assert "31 Feb 2026" in item.metadata["_date_problem"]


def attached(kind: bytes, name: bytes, content: bytes, more: bytes = b"") -> bytes:
    return (
        HEAD
        + b"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
        + b"--b\nContent-Type: text/plain\n\nSee the file.\n"
        + b"--b\nContent-Type: %b\nContent-Disposition: attachment; %b\n%b\n%b\n--b--\n"
        % (kind, name, more, content)
    )


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (b"text/plain; charset=utf-8", "notes.txt"),
        (b"text/markdown", "notes.md"),
        (b"text/csv", "table.csv"),
        (b"text/calendar", "day.ics"),
        (b"application/octet-stream", "notes.md"),
    ],
)
def test_a_text_file_becomes_a_document(kind: bytes, name: str) -> None:
    raw = attached(kind, b'filename="%b"' % name.encode(), "Möwe,1\n".encode())
    mail, document = items_in(raw)

    assert (document.kind, document.source, document.title) == (Kind.DOCUMENT, "attachment", name)
    assert document.source_id == f"two@x.example/1/{name}"
    assert document.content == "Möwe,1"
    assert (document.session, document.happened_at) == (mail.session, mail.happened_at)
    assert document.people == mail.people[:1]
    assert document.metadata["_attached_to"] == "two@x.example"
    assert document.metadata["_attached_to_item"] == mail.id
    assert [one["items"] for one in mail.metadata["attachments"]] == [[document.id]]


def test_another_file_is_only_named() -> None:
    encoded = b"Content-Transfer-Encoding: base64\n"
    raw = attached(b"application/pdf", b'filename="plan.pdf"', b"JVBERi0xLjQ=", encoded)
    item = only(raw)

    assert item.metadata["attachments"] == [
        {"name": "plan.pdf", "media_type": "application/pdf", "size_bytes": 8}
    ]
    assert item.content == "See the file."


@pytest.mark.parametrize(
    ("written", "name"),
    [
        (b"filename*=UTF-8''M%C3%B6we.pdf", "Möwe.pdf"),
        (b"filename*0*=utf-8''M%C3%B6; filename*1*=we.pdf", "Möwe.pdf"),
        (b'filename="=?utf-8?q?M=C3=B6we.pdf?="', "Möwe.pdf"),
        (b'filename="M\xc3\xb6we.pdf"', "Möwe.pdf"),
        (b'filename="C:\\\\boats\\\\list.pdf"', "list.pdf"),
        (b'filename="../../etc/passwd"', "passwd"),
        (b"", "unnamed"),
    ],
)
def test_names_of_files_are_decoded_and_lose_their_folders(written: bytes, name: str) -> None:
    item = only(attached(b"application/pdf", written, b"x"))

    assert item.metadata["attachments"][0]["name"] == name


def test_an_empty_text_file_is_only_named() -> None:
    item = only(attached(b"text/plain", b'filename="a.txt"', b""))

    assert item.metadata["attachments"][0]["name"] == "a.txt"


def test_a_large_text_file_is_only_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simonides.importers.contents.ATTACHMENT_BYTES_MAX", 10)
    item = only(attached(b"text/plain", b'filename="a.txt"', b"more than ten bytes"))

    assert item.metadata["attachments"][0]["size_bytes"] >= 19


def test_signatures_of_machines_are_no_attachments() -> None:
    assert "attachments" not in only(attached(b"application/pgp-signature", b"", b"x")).metadata


def test_a_long_text_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simonides.importers.body.TEXT_BYTES_MAX", 1000)
    item = only(HEAD + b"\n" + b"word " * 1000)

    assert len(item.content) <= 1000
    assert item.metadata["_cut_from_bytes"] == 5000


def test_many_parts_are_cut_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "TEXT_BYTES_MAX", 1000)
    parts = b"--b\nContent-Type: text/plain\n\n" + b"word " * 100 + b"\n"
    item = only(HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + parts * 5 + b"--b--\n")

    assert len(item.content) == 1000
    assert item.metadata["_cut_from_bytes"] > 2000


def test_a_mail_that_was_not_held_whole_says_how_long_it_was() -> None:
    item = read_message(HEAD + b"\nHi.\n", size_bytes=70_000_000).mail

    assert item.metadata["_cut_from_bytes"] == 70_000_000


def test_nul_bytes_and_halves_of_characters_do_not_get_in() -> None:
    raw = (
        HEAD.replace(b"moves", b"mo\0ves \xed\xa0\x80")
        + b"Content-Type: text/plain; charset=utf-7\n\nA\0B +2AA- \xff\n"
    )
    item = only(raw)

    assert (item.title + item.content).encode()
    assert "\0" not in item.title + item.content


def test_what_is_no_mail_is_refused() -> None:
    with pytest.raises(ImportFailed, match="no mail headers"):
        read_message(b"Colour: blue\n\nText.\n")
    with pytest.raises(ImportFailed, match="no mail headers"):
        read_message(bytes(range(256)) * 10)


def test_a_mail_nested_without_end_is_read_to_some_depth_and_says_so() -> None:
    nest = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3000)
    )
    budget = ParseBudget()
    item = read_message(HEAD + nest, budget=budget).mail

    assert "b2999" in item.content
    assert [(one.part.count("."), one.reason) for one in budget.losses] == [
        (31, "nested deeper than 32 parts; not taken apart")
    ]


def test_a_fault_of_the_parser_is_a_bad_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise IndexError("list index out of range")

    monkeypatch.setattr(subject, "body_of", fail)

    with pytest.raises(ImportFailed, match="can not be read as a mail: list index"):
        read_message(HEAD + b"\nHi.\n")


def test_a_subject_without_an_end_costs_no_mail() -> None:
    budget = ParseBudget()
    long = "oars " * 5_000
    mail = read_message(f"Subject: {long}\n\nThe ferry leaves.\n".encode(), budget=budget).mail

    assert (len(mail.title), mail.content) == (10_000, "The ferry leaves.")
    assert [one.reason for one in budget.losses] == ["its subject is cut after 10000 characters"]


@pytest.mark.parametrize(
    "header",
    ["From: {} <zed@x.example>", "From: <{}@x.example>", "To: {} <ann@x.example>", "Keywords: {}",
     "X-GM-THRID: {}"],
)  # fmt: skip
def test_no_header_without_an_end_costs_a_mail(tmp_path: Path, header: str) -> None:
    long = header.format("oars" * 5_000)
    (tmp_path / "one.eml").write_text(f"Subject: Ferry\nMessage-ID: <1@x>\n{long}\n\nIt leaves.\n")
    memory = Memory(tmp_path / "home", settings=Settings(embedder="none"))

    report = memory.import_(tmp_path / "one.eml")

    cut = [] if "THRID" in header else ["a name, address or label is cut to 1000 characters"]
    assert [one.content for one in memory.list().items] == ["It leaves."]
    assert [one.reason for one in report.skipped] == cut
