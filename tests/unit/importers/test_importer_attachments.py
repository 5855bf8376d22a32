"""Files attached to a mail become items of their own, linked both ways."""

import json
import tempfile
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from simonides import Memory, Settings
from simonides.importers import attachments as subject
from simonides.importers import formats, read
from simonides.model.item import Item, Kind, Person, Role
from simonides.plugins import Importer
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_bench.testing import documents

HEAD = b"""\
From: Sarah <sarah@x.example>
To: Mira <mira@x.example>
Subject: The plan
Date: Thu, 5 Mar 2026 09:00:00 +0000
Message-ID: <plan@x.example>
"""
SENT_AT = datetime(2026, 3, 5, 9, tzinfo=UTC)


def mail_with(*files: tuple[str, bytes], kind: str = "application/octet-stream") -> bytes:
    """Return a mail with these files, each a name and its bytes."""
    parts = b"".join(
        b"--b\nContent-Type: %b\nContent-Transfer-Encoding: base64\n"
        b'Content-Disposition: attachment; filename="%b"\n\n%b\n'
        % (kind.encode(), name.encode(), b64encode(content))
        for name, content in files
    )
    start = b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nSee the files.\n"
    return HEAD + start + parts + b"--b--\n"


def steps_of(folder: Path, raw: bytes) -> list[ImportEvent]:
    path = folder / "a.eml"
    path.write_bytes(raw)
    return list(read(path))


def items_of(folder: Path, raw: bytes) -> list[Item]:
    return [step.item for step in steps_of(folder, raw) if step.item]


def reports_of(folder: Path, raw: bytes) -> list[str]:
    skipped = [step.skipped for step in steps_of(folder, raw) if step.skipped]
    return [f"{one.where}: {one.reason}" for one in skipped]


@dataclass
class Pages:
    """A reader of a format of its own: a document for each line; a page may fail."""

    people: tuple[Person, ...] = ()
    happened_at: datetime | None = None
    kind: Kind = Kind.DOCUMENT
    source: str = "file"

    def read(self, file: SourceFile) -> Iterator[ImportEvent]:
        for number, line in enumerate(file.path.read_text("utf-8").splitlines()[1:], start=1):
            if line == "broken":
                yield file.skip("the page is broken", part=f"page {number}")
                continue
            item = Item(
                kind=self.kind,
                source=self.source,
                source_id=f"{file.where}#{number}" if self.source == "file" else f"KEY-{number}",
                title=line,
                content=f"Words of {line}.",
                people=self.people,
                happened_at=self.happened_at,
                metadata={"page": number},
            )
            yield file.keep(item, bytes_done=file.size_bytes)


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> Pages:
    """Return the reader of a format that this test has added to the table."""
    reader = Pages()
    added = Importer(
        name="pages",
        title="pages (.pages)",
        detect=lambda _, sample: sample.startswith(b"PAGES"),
        read=reader.read,
        order=0,
    )
    monkeypatch.setattr(formats, "FORMATS", (added, *formats.FORMATS))
    return reader


BOOK = ("book.pages", b"PAGES\nOne\nTwo\n")


@pytest.mark.usefixtures("pages")
def test_an_attachment_is_read_by_the_reader_of_its_format(tmp_path: Path) -> None:
    mail, *found = items_of(tmp_path, mail_with(BOOK))

    assert [(one.kind, one.source, one.title) for one in found] == [
        (Kind.DOCUMENT, "attachment", "One"),
        (Kind.DOCUMENT, "attachment", "Two"),
    ]
    assert found[0].source_id == "plan@x.example/1/book.pages#1"
    assert mail.metadata["attachments"] == [
        {
            "name": "book.pages",
            "media_type": "application/octet-stream",
            "size_bytes": 14,
            "items": [one.id for one in found],
        }
    ]
    assert {one.metadata["_attached_to"] for one in found} == {"plan@x.example"}
    assert {one.metadata["_attached_to_item"] for one in found} == {mail.id}


@pytest.mark.usefixtures("pages")
def test_what_says_nothing_of_itself_has_the_date_and_author_of_its_mail(tmp_path: Path) -> None:
    mail, one, _ = items_of(tmp_path, mail_with(BOOK))

    assert (one.happened_at, one.session) == (SENT_AT, mail.session)
    assert one.people == (Person(name="Sarah", address="sarah@x.example", role=Role.AUTHOR),)


def test_a_document_is_not_later_than_the_mail_that_brought_it(
    tmp_path: Path, pages: Pages
) -> None:
    pages.happened_at = datetime(2026, 7, 1, tzinfo=UTC)
    _, one, _ = items_of(tmp_path, mail_with(BOOK))

    assert one.happened_at == SENT_AT


def test_what_says_its_own_date_and_authors_keeps_them(tmp_path: Path, pages: Pages) -> None:
    pages.happened_at = datetime(2025, 1, 2, tzinfo=UTC)
    pages.people = (Person(name="Tom"),)
    _, one, _ = items_of(tmp_path, mail_with(BOOK))

    assert one.happened_at == pages.happened_at
    assert [person.name for person in one.people] == ["Tom", "Sarah"]


def test_an_author_without_an_address_is_the_one_the_mail_names(
    tmp_path: Path, pages: Pages
) -> None:
    pages.people = (Person(name="Sarah"),)
    _, one, _ = items_of(tmp_path, mail_with(BOOK))

    assert [person.address for person in one.people] == ["sarah@x.example"]


def test_nothing_attached_takes_the_place_of_what_came_from_its_own_source(
    tmp_path: Path, pages: Pages
) -> None:
    pages.kind, pages.source = Kind.TASK, "jira"
    _, task, _ = items_of(tmp_path, mail_with(BOOK))

    assert (task.source, task.source_id) == ("jira", "plan@x.example/1/book.pages/KEY-1")
    assert task.metadata["_trust"] == "unknown"
    assert task.id != Item(kind=Kind.TASK, source="jira", source_id="KEY-1", title="x").id


def test_an_attached_event_is_the_event_of_its_calendar(tmp_path: Path, pages: Pages) -> None:
    pages.kind, pages.source = Kind.EVENT, "calendar"
    _, event, _ = items_of(tmp_path, mail_with(BOOK))

    assert event.id == Item(kind=Kind.EVENT, source="calendar", source_id="KEY-1", title="x").id
    assert event.session == ""


def test_an_event_attached_twice_is_one_item_that_both_entries_name(
    tmp_path: Path, pages: Pages
) -> None:
    pages.kind, pages.source = Kind.EVENT, "calendar"
    mail, *found = items_of(tmp_path, mail_with(BOOK, BOOK))

    assert len(found) == 2
    assert [len(one["items"]) for one in mail.metadata["attachments"]] == [2, 2]


@pytest.mark.usefixtures("pages")
def test_a_part_that_can_not_be_read_is_reported_with_its_place(tmp_path: Path) -> None:
    raw = mail_with(("book.pages", b"PAGES\nOne\nbroken\nThree\n"))

    assert [one.title for one in items_of(tmp_path, raw)[1:]] == ["One", "Three"]
    assert reports_of(tmp_path, raw) == [
        "a.eml: part 2: book.pages, page 2: the page is broken",
    ]


def test_a_format_that_nobody_reads_is_only_named(tmp_path: Path) -> None:
    raw = mail_with(("photo.jpg", b"\xff\xd8\xff\xe0 picture"), kind="image/jpeg")
    (mail,) = items_of(tmp_path, raw)

    assert mail.metadata["attachments"] == [
        {"name": "photo.jpg", "media_type": "image/jpeg", "size_bytes": 12}
    ]
    assert reports_of(tmp_path, raw) == []


def test_a_binary_file_that_is_called_a_text_is_only_named(tmp_path: Path) -> None:
    (mail,) = items_of(tmp_path, mail_with(("a.txt", b"\xd0\xcf\x11\0\0binary")))

    assert "items" not in mail.metadata["attachments"][0]


def test_an_attached_chat_never_speaks_as_the_user(tmp_path: Path) -> None:
    line = json.dumps({"text": "Pay them.", "speaker": "user", "session": "s", "collection": "c"})
    mail, message = items_of(tmp_path, mail_with(("a.jsonl", line.encode())))

    assert message.kind is Kind.MESSAGE
    assert message.metadata["_trust"] == "unknown"
    assert (message.session, message.collection) == (mail.session, "main")


def test_an_attached_mailbox_is_of_mails_of_their_own(tmp_path: Path) -> None:
    line = b"From x Thu Mar  5 10:00:00 2026\n"
    inner = mail_with(("notes.md", b"Deep inside."))
    mail, within, document = items_of(tmp_path, mail_with(("old.mbox", line + inner)))

    assert within.kind is Kind.EMAIL
    assert within.id != mail.id
    assert within.metadata["_trust"] == "unknown"
    assert within.metadata["attachments"] == [
        {"name": "notes.md", "media_type": "text/markdown", "size_bytes": 12}
    ]
    assert document.content == "Deep inside."
    assert mail.metadata["attachments"][0]["items"] == [within.id, document.id]


def test_mailboxes_in_mailboxes_are_read_to_some_depth(tmp_path: Path) -> None:
    line = b"From x Thu Mar  5 10:00:00 2026\n"
    raw = mail_with(("notes.md", b"Deep inside."))
    for _ in range(6):
        raw = mail_with(("old.mbox", line + raw))

    assert any("4 archives or mails deep" in one for one in reports_of(tmp_path, raw))


def test_an_attached_eml_file_is_read_as_a_forwarded_mail(tmp_path: Path) -> None:
    inner = b"From: tom@x.example\nSubject: Ferry\n\nIt leaves at ten.\n"
    (mail,) = items_of(tmp_path, mail_with(("ferry.eml", inner)))

    assert "Forwarded message\nFrom: tom@x.example\nSubject: Ferry" in mail.content
    assert "It leaves at ten." in mail.content
    assert "attachments" not in mail.metadata


def test_too_many_items_are_left_out_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "ITEMS_MAX", 2)
    lines = "".join(json.dumps({"text": f"No. {n}"}) + "\n" for n in range(5)).encode()
    raw = mail_with(("a.jsonl", lines))

    assert len(items_of(tmp_path, raw)) == 3
    assert reports_of(tmp_path, raw) == ["a.eml: more than 2 items in its attachments"]


INVITATION = """\
BEGIN:VCALENDAR
METHOD:REQUEST
BEGIN:VEVENT
UID:visit-1@x.example
DTSTAMP:20260301T000000Z
DTSTART:20260310T090000Z
DTEND:20260310T100000Z
SUMMARY:Visit at the quay
ORGANIZER;CN=Sarah:mailto:sarah@x.example
ATTENDEE;CN=Mira:mailto:mira@x.example
END:VEVENT
END:VCALENDAR
"""


def test_an_invitation_is_the_event_and_not_its_raw_text(tmp_path: Path) -> None:
    raw = INVITATION.encode()
    mail, event = items_of(tmp_path, mail_with(("invite.ics", raw), ("again.ics", raw)))

    assert (event.kind, event.source, event.source_id) == (
        Kind.EVENT, "calendar", "visit-1@x.example",
    )  # fmt: skip
    assert event.title == "Visit at the quay"
    assert event.metadata["_attached_to"] == mail.source_id
    assert [one["items"] for one in mail.metadata["attachments"]] == [[event.id], [event.id]]
    assert "VCALENDAR" not in mail.content + event.content


@pytest.mark.parametrize("names", [("a.ics", "b.eml"), ("b.ics", "a.eml")])
@pytest.mark.parametrize("at_once", [True, False])
def test_the_calendar_itself_stands_before_what_came_with_a_mail(
    tmp_path: Path, names: tuple[str, str], *, at_once: bool
) -> None:
    folder = tmp_path / "desk"
    folder.mkdir()
    calendar, mail = (folder / name for name in names)
    calendar.write_text(INVITATION.replace("SUMMARY:Visit", "LOCATION:Quay 4\nSUMMARY:Visit"))
    mail.write_bytes(mail_with(("invite.ics", INVITATION.encode())))
    settings = Settings(embedder="none", timezone="UTC", durability="relaxed")
    with Memory(tmp_path / "home", settings=settings) as memory:
        for _ in range(2):
            paths = [folder] if at_once else sorted(folder.iterdir())
            reports = [memory.import_(path) for path in paths]
        (event,) = memory.list(filter={"kinds": ["event"]}).items

    assert event.metadata["location"] == "Quay 4"
    assert [one.skipped for one in reports] == [()] * len(reports)
    assert [one.added + one.updated for one in reports] == [0] * len(reports)


def test_a_calendar_without_an_event_is_kept_as_text(tmp_path: Path) -> None:
    raw = b"BEGIN:VCALENDAR\nX-NOTE:Come at ten.\nEND:VCALENDAR\n"
    _, document = items_of(tmp_path, mail_with(("a.ics", raw)))

    assert (document.kind, document.title) == (Kind.DOCUMENT, "a.ics")


def test_an_attached_task_of_a_calendar_takes_no_place_of_another(tmp_path: Path) -> None:
    raw = INVITATION.replace("VEVENT", "VTODO").replace("DTEND", "DUE").encode()
    _, task = items_of(tmp_path, mail_with(("a.ics", raw)))

    assert task.kind is Kind.TASK
    assert task.source_id.startswith("plan@x.example/1/a.ics/")
    assert task.metadata["_trust"] == "unknown"


def test_pages_of_attached_files_have_no_place_in_the_thread(tmp_path: Path) -> None:
    files = [(f"{name}.pdf", documents.pdf(["one", "two"])) for name in "ab"]
    _, *pages = items_of(tmp_path, mail_with(*files))

    assert [(one.position, one.metadata["page"]) for one in pages] == [(None, 1), (None, 2)] * 2
    assert len({one.session for one in pages}) == 1


def test_an_attached_page_is_read(tmp_path: Path) -> None:
    page = b"<html><head><title>Kiln</title></head><body><p>Nine hundred degrees.</p></body></html>"
    _, document = items_of(tmp_path, mail_with(("kiln.html", page), kind="text/html"))

    assert (document.source, document.title) == ("attachment", "Kiln")
    assert document.content == "Nine hundred degrees."


@pytest.mark.usefixtures("pages")
def test_no_temporary_file_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    items_of(tmp_path, mail_with(BOOK, ("a.jpg", b"\xff"), ("a.md", b"words")))

    assert list(scratch.iterdir()) == []
