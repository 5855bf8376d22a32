"""Contacts become documents by whose names and addresses people are found."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from simonides import Item, Kind, Memory, Settings
from simonides.importers import read
from simonides.ports.importer import ImportEvent
from simonides_formats.mail import vcard as subject

SARAH = """\
BEGIN:VCARD
VERSION:3.0
PRODID:-//Apple Inc.//iPhone OS 17.0//EN
N:Lindqvist;Sarah;Maria;;
FN:Sarah Lindqvist
NICKNAME:Sal,Salka
ORG:Tidewater;Harbor team
TITLE:Lead
item1.EMAIL;type=INTERNET;type=HOME;type=pref:Sarah@Home.example
EMAIL;TYPE=work:sarah@tidewater.example
TEL;type=CELL:+46 70 123 45 67
ADR;TYPE=HOME:;;Quay 4\\, top floor;Gothenburg;;411 04;Sweden
BDAY:1980-05-06
NOTE:Likes rowing\\nand rye bread
CATEGORIES:Friends,Rowing
URL:https://sarah.example
UID:1f2e
REV:20260301T100000Z
PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD
 /2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsL=
END:VCARD
"""


def steps(folder: Path, text: str | bytes) -> list[ImportEvent]:
    path = folder / "a.vcf"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read(path))


def contacts(folder: Path, text: str | bytes) -> list[Item]:
    return [step.item for step in steps(folder, text) if step.item]


def card(*lines: str) -> str:
    return "\n".join(["BEGIN:VCARD", "VERSION:4.0", *lines, "END:VCARD", ""])


def test_a_contact_is_kept_with_all_that_it_says(tmp_path: Path) -> None:
    (one,) = contacts(tmp_path, SARAH)

    assert (one.kind, one.source, one.source_id) == (Kind.DOCUMENT, "contacts", "1f2e")
    assert (one.title, one.tags) == ("Sarah Lindqvist", ("Friends", "Rowing"))
    assert one.happened_at is None
    assert one.metadata == {
        "emails": ["sarah@home.example", "sarah@tidewater.example"],
        "phones": ["+46 70 123 45 67"],
        "nicknames": ["Sal", "Salka"],
        "organization": "Tidewater, Harbor team",
        "job_title": "Lead",
        "birthday": "1980-05-06",
        "addresses": ["Quay 4, top floor, Gothenburg, 411 04, Sweden"],
        "urls": ["https://sarah.example"],
        "modified_at": "2026-03-01T10:00:00+00:00",
    }
    assert one.content.split("\n") == [
        "Also called: Sal, Salka",
        "Organization: Tidewater, Harbor team",
        "Job title: Lead",
        "E-mail: sarah@home.example, sarah@tidewater.example",
        "Phone: +46 70 123 45 67",
        "Birthday: 1980-05-06",
        "Address: Quay 4, top floor, Gothenburg, 411 04, Sweden",
        "Website: https://sarah.example",
        "",
        "Likes rowing",
        "and rye bread",
    ]


def test_a_contact_is_its_person_by_each_name_and_address(tmp_path: Path) -> None:
    (one,) = contacts(tmp_path, SARAH)
    addresses = {person.address for person in one.people}

    assert addresses == {"sarah@home.example", "sarah@tidewater.example"}
    assert {person.name for person in one.people if person.address == "sarah@home.example"} == {
        "Sarah Lindqvist", "Sarah Maria Lindqvist", "Sal", "Salka",
    }  # fmt: skip


def test_a_card_of_the_old_kind_is_read(tmp_path: Path) -> None:
    raw = (
        b"BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=B6we;J=\r\n"
        b"=C3=B6rg\r\nFN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:J=F6rg M=F6we\r\n"
        b"TEL;HOME;VOICE:040 123\r\nEMAIL;INTERNET:j@x.example\r\n"
        b"AGENT:\r\nBEGIN:VCARD\r\nFN:Somebody Else\r\nEND:VCARD\r\n"
        b"NOTE;ENCODING=QUOTED-PRINTABLE:Line one=0D=0Aline two\r\nBDAY:19800506\r\nEND:VCARD\r\n"
    )
    (one,) = contacts(tmp_path, raw)

    assert one.title == "Jörg Möwe"
    assert {person.name for person in one.people} == {"Jörg Möwe"}
    assert one.metadata["phones"] == ["040 123"]
    assert one.metadata["birthday"] == "1980-05-06"
    assert one.content.endswith("Line one\nline two")
    assert "Somebody" not in one.content


@pytest.mark.parametrize(
    ("written", "birthday"),
    [
        ("--0506", "--05-06"),
        ("BDAY;X-APPLE-OMIT-YEAR=1604:1604-05-06", "--05-06"),
        ("1980-05-06T00:00:00Z", "1980-05-06"),
        ("circa 1980", "circa 1980"),
    ],
)
def test_birthdays_are_written_alike(tmp_path: Path, written: str, birthday: str) -> None:
    line = written if written.startswith("BDAY") else f"BDAY:{written}"
    (one,) = contacts(tmp_path, card("FN:Sarah", line))

    assert one.metadata["birthday"] == birthday


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        (("N:Lindqvist;Sarah;;;",), "Sarah Lindqvist"),
        (("FN:", "ORG:Tidewater"), "Tidewater"),
        (("EMAIL:a@x.example",), "a@x.example"),
        (("TEL;VALUE=uri:tel:+46-70",), "+46-70"),
        (("FN:Sarah \\\n", " Lind"), "Sarah"),
    ],
)
def test_a_contact_without_a_whole_name_has_a_title(
    tmp_path: Path, lines: tuple[str, ...], title: str
) -> None:
    assert contacts(tmp_path, card(*lines))[0].title.startswith(title)


def test_many_contacts_in_a_file_are_one_item_each_and_the_same_again(tmp_path: Path) -> None:
    text = "".join(card(f"FN:Person {n}", f"EMAIL:p{n}@x.example") for n in range(50))
    found = contacts(tmp_path, text)

    assert [one.title for one in found] == [f"Person {n}" for n in range(50)]
    assert found == contacts(tmp_path, text.replace("\n", "\r\n"))
    assert len({one.id for one in found}) == 50


def test_a_contact_of_nobody_is_reported_and_the_rest_goes_on(tmp_path: Path) -> None:
    found = steps(tmp_path, card("NOTE:x") + card("FN:Sarah"))
    skipped = found[0].skipped

    assert skipped is not None
    assert skipped.where == "a.vcf: contact 1"
    assert found[1].item is not None


def test_a_contact_that_is_never_closed_is_kept(tmp_path: Path) -> None:
    assert [one.title for one in contacts(tmp_path, "BEGIN:VCARD\nFN:Sarah\nEMAIL:")] == ["Sarah"]


def test_fields_beyond_the_limit_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "FIELDS_MAX", 3)
    found = steps(tmp_path, card("FN:Sarah", *[f"TEL:{n}" for n in range(9)]))

    assert [step.item is not None for step in found] == [True, False]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    settings = Settings(embedder="none", timezone="UTC", durability="relaxed")
    with Memory(
        tmp_path / "home", settings=settings, clock=lambda: datetime(2026, 3, 12, 9, tzinfo=UTC)
    ) as memory:
        yield memory


def test_mails_from_any_address_of_a_contact_are_found_under_any_name(
    memory: Memory, tmp_path: Path
) -> None:
    mail = "From x Thu Mar  5 10:00:00 2026\nFrom: %s\nSubject: %s\n\nThe oars.\n\n"
    senders = ("sarah@home.example", "SARAH@tidewater.example", "tom@x.example")
    folder = tmp_path / "both"
    folder.mkdir()
    (folder / "in.mbox").write_text("".join(mail % (one, one) for one in senders))
    (folder / "people.vcf").write_text(SARAH)
    memory.import_(folder)

    for name in ("Sarah Lindqvist", "Sal"):
        found = [hit.item.title for hit in memory.search(f"What did {name} write?").hits]
        assert {"Sarah Lindqvist", *senders[:2]} == set(found[:3]), name
        filtered = [one.title for one in memory.list(filter={"people": [name]}).items]
        assert set(senders[:2]) == set(filtered), name
