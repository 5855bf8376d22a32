"""One budget for all that lies in a mail or an archive, and what is read once counts once."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from base64 import encodebytes
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from simonides.importers import allowance, attachments, mime, read
from simonides.importers.allowance import TOO_LARGE
from simonides.importers.attachments import NOTHING_LEFT
from simonides.importers.folder import FolderNeighbours
from simonides.model.item import Kind
from simonides.ports.importer import ImportEvent
from simonides_bench.testing import documents as make
from simonides_formats.archives.xz_stream import TOO_MUCH_MEMORY

HEAD = "From: a@x.example\nMessage-ID: <m@x>\nContent-Type: multipart/mixed; boundary=b\n\n"
if TYPE_CHECKING:
    from collections.abc import Callable

TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"


def mail(files: dict[str, bytes], *, media_type: str = "text/plain") -> bytes:
    part = (
        "--b\nContent-Type: {}\nContent-Disposition: attachment; filename={}\n"
        "Content-Transfer-Encoding: base64\n\n"
    )
    parts = [
        part.format(media_type, name) + encodebytes(raw).decode() for name, raw in files.items()
    ]
    return (HEAD + "--b\n\nhi\n" + "".join(parts) + "--b--\n").encode()


def events_of(path: Path, raw: bytes) -> list[ImportEvent]:
    path.write_bytes(raw)
    return list(read(path))


def tgz(members: dict[str, bytes]) -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as archive:
        for name, raw in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(raw)
            archive.addfile(info, io.BytesIO(raw))
    return written.getvalue()


def reasons(events: list[ImportEvent]) -> list[str]:
    return [one.skipped.reason for one in events if one.skipped]


def attached(events: list[ImportEvent]) -> list[str]:
    return [one.item.content for one in events if one.item][1:]


def ods(row: str = "", cell: str = "", *, rows: int = 1) -> bytes:
    cells = f'<table:table-cell office:value-type="string"{cell}><text:p>harbor</text:p>'
    body = f"<table:table-row{row}>{cells}</table:table-cell></table:table-row>" * rows
    table = f'<table:table table:name="A">{body}</table:table>'
    sheet = f"<office:body><office:spreadsheet>{table}</office:spreadsheet></office:body>"
    names = f'xmlns:office="{OFFICE}" xmlns:table="{TABLE}" xmlns:text="{TEXT}"'
    content = f"<office:document-content {names}>{sheet}</office:document-content>"
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    members = {"mimetype": kind, "META-INF/manifest.xml": manifest, "content.xml": content}
    return make.make_zip(members)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a mail unpack to 20 times its attachments or 10,000 bytes."""
    monkeypatch.setattr(allowance, "RATIO_MAX", 2)
    monkeypatch.setattr(attachments, "MAIL_FREE_BYTES", 10_000)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("kind", ["zip", "gz", "bz2", "xz"])
def test_all_archives_of_a_mail_have_one_budget(tmp_path: Path, kind: str) -> None:
    packers: dict[str, Callable[[bytes], bytes]] = {
        "gz": gzip.compress,
        "bz2": bz2.compress,
        "xz": lzma.compress,
    }
    text = [f"{n} ".encode() * 2_000 for n in range(6)]
    files = {
        f"{n}.md.{kind}": make.make_zip({"a.md": raw}) if kind == "zip" else packers[kind](raw)
        for n, raw in enumerate(text)
    }
    events = events_of(tmp_path / "a.eml", mail(files))

    assert 0 < sum(map(len, attached(events))) <= 10_000
    assert len(attached(events)) == 2
    assert sum(TOO_LARGE in one for one in reasons(events)) == 4


@pytest.mark.usefixtures("small")
def test_archives_in_a_mail_in_an_archive_take_from_both(tmp_path: Path) -> None:
    inner = mail({f"{n}.zip": make.make_zip({"a.md": b"x " * 4_000}) for n in range(3)})
    outer = mail(
        {"a.zip": make.make_zip({"a.eml": inner, "b.eml": inner.replace(b"<m@x>", b"<n@x>")})}
    )
    events = events_of(tmp_path / "a.eml", outer)

    assert sum(map(len, attached(events))) <= 10_000
    assert any(TOO_LARGE in one for one in reasons(events))


@pytest.mark.usefixtures("small")
def test_what_is_passed_by_in_a_compressed_tar_counts(tmp_path: Path) -> None:
    hidden = {".hidden": b"x" * 6_000}
    packed = {f"{n}.tgz": tgz({**hidden, "a.md": b"note %d" % n}) for n in range(4)}
    events = events_of(tmp_path / "a.eml", mail(packed))

    assert len(attached(events)) == 1
    assert len(reasons(events)) == 3


def test_no_attachment_is_read_once_the_text_of_a_mail_is_used_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mime, "TEXT_CHARS_MAX", 5_000)
    files = {f"{n}.zip": make.make_zip({"a.md": f"{n} " * 1_500}) for n in range(4)}
    events = events_of(tmp_path / "a.eml", mail(files))

    assert len(attached(events)) == 1
    assert [NOTHING_LEFT in one for one in reasons(events)] == [False, True, True]


@pytest.mark.parametrize("place", ["row", "cell", "both"])
def test_a_sheet_that_repeats_itself_is_cut(tmp_path: Path, place: str) -> None:
    row = ' table:number-rows-repeated="1000000000"' if place != "cell" else ""
    cell = " table:number-columns-repeated = '1000000000'" if place != "row" else ""
    events = events_of(tmp_path / "a.ods", ods(row, cell))
    text = "".join(one.item.content for one in events if one.item)

    assert 10 < len(text) <= 300_000  # with the first row again in each part
    assert len(reasons(events)) == (1 if row else 0)
    assert text.count("harbor") == {"row": 100, "cell": 1_000}.get(place, text.count("harbor"))


def test_a_sheet_with_equal_rows_of_its_own_is_cut_and_reported(tmp_path: Path) -> None:
    events = events_of(tmp_path / "a.ods", ods(rows=150))
    (text,) = [one.item.content for one in events if one.item]

    assert text.count("harbor") == 100
    assert reasons(events) == ["rows that say the same as the 100 before them are left out"]


def test_many_sheets_of_a_mail_take_from_its_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(allowance, "RATIO_MAX", 1)
    monkeypatch.setattr(attachments, "MAIL_FREE_BYTES", 10_000)
    wide = " table:number-columns-repeated='900'"
    files = {f"{n}.ods": ods(cell=wide) for n in range(4)}
    events = events_of(tmp_path / "a.eml", mail(files))

    assert 6_000 < sum(map(len, attached(events))) <= 10_000
    assert sum(TOO_LARGE in one for one in reasons(events)) == 3


def test_neighbours_of_an_archive_are_read_and_counted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(allowance, "RATIO_MAX", 1)
    monkeypatch.setattr(allowance, "FREE_BYTES", 150_000)
    people = ",".join(
        f'{{"id": "U{n}", "profile": {{"real_name": "Nora {n}"}}}}' for n in range(1_000)
    )
    said = (
        '[{{"type": "message", "user": "U7", "text": "tide {0}", "ts": "17672250{0:02}.000100"}}]'
    )
    days = {f"general/2026-01-{n:02}.json": said.format(n) for n in range(1, 29)}
    events = events_of(tmp_path / "slack.zip", make.make_zip({"users.json": f"[{people}]", **days}))
    kept = [one.item for one in events if one.item]

    assert len(kept) == 28
    assert {one.people[0].name for one in kept} == {"Nora 7"}
    assert TOO_LARGE not in reasons(events)


def test_what_does_not_fit_is_read_again() -> None:
    asked: list[str] = []
    neighbours = FolderNeighbours(_bytes_left=10)

    def found(name: str, raw: bytes | None) -> bytes | None:
        def from_disk() -> bytes | None:
            asked.append(name)
            return raw

        return neighbours.read(name, from_disk)

    assert [found("a", b"12345"), found("a", b"no"), found("b", b"123456"), found("b", b"12")] == [
        b"12345", b"12345", b"123456", b"12",
    ]  # fmt: skip
    assert (found("c", None), asked) == (None, ["a", "b", "b", "c"])


def test_an_xz_that_asks_for_much_memory_is_refused(tmp_path: Path) -> None:
    raw = bytearray(lzma.compress(b"walnut"))
    assert raw[12] == 2 and raw[14] == 0x21  # noqa: PT018  a block header with one filter
    raw[16] = 40  # a dictionary of 4 GiB
    raw[20:24] = zlib.crc32(raw[12:20]).to_bytes(4, "little")
    events = events_of(tmp_path / "a.md.xz", bytes(raw))

    assert reasons(events) == [TOO_MUCH_MEMORY]


def test_a_zip_that_asks_for_much_memory_is_refused(tmp_path: Path) -> None:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr(zipfile.ZipInfo("b.md"), "two", zipfile.ZIP_DEFLATED)
        archive.writestr("a.md", "walnut", zipfile.ZIP_LZMA)
        place = archive.getinfo("a.md").header_offset + 30 + 4
    raw = bytearray(written.getvalue())
    raw[place + 5 : place + 9] = b"\xff\xff\xff\xff"
    events = events_of(tmp_path / "a.zip", bytes(raw))

    assert reasons(events) == [TOO_MUCH_MEMORY]
    assert [one.item.content for one in events if one.item] == ["two"]


def test_an_xz_of_several_streams_is_read_to_its_end(tmp_path: Path) -> None:
    packed = (
        lzma.compress(b"one ")
        + b"\0" * 8
        + lzma.compress(b"two " * 100_000)
        + lzma.compress(b"end")
    )
    (item,) = [one.item for one in events_of(tmp_path / "a.md.xz", packed) if one.item]

    assert item.content.startswith("one two")
    assert item.content.endswith("two end")


def test_an_xz_that_breaks_off_is_reported(tmp_path: Path) -> None:
    events = events_of(tmp_path / "a.md.xz", lzma.compress(b"one " * 1_000)[:-20])

    assert len(reasons(events)) == 1


def calendar(zones: int) -> bytes:
    rule = (
        "BEGIN:STANDARD\r\nDTSTART:19700{0}01T000000\r\nRRULE:FREQ=YEARLY;BYMONTH={0};BYDAY=1SU\r\n"
        "TZOFFSETFROM:+0500\r\nTZOFFSETTO:+0300\r\nEND:STANDARD\r\n"
    )
    inner = (rule.format(3) + rule.format(9)) * zones
    start = "DTSTART;TZID=Z:20260305T100000"
    return (
        f"BEGIN:VCALENDAR\r\nBEGIN:VTIMEZONE\r\nTZID:Z\r\n{inner}END:VTIMEZONE\r\n"
        f"BEGIN:VEVENT\r\nUID:u\r\nSUMMARY:x\r\n{start}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    ).encode()


def of_calendars(kind: str) -> bytes:
    """Return a mail of three calendars that have 8 rules each, attached in one of three ways."""
    texts = [calendar(4).replace(b"UID:u", f"UID:u{n}".encode()) for n in range(3)]
    if kind == "zip":
        packed = make.make_zip({f"{n}.ics": text.decode() for n, text in enumerate(texts)})
        return mail({"a.zip": packed}, media_type="application/zip")
    if kind == "mails":
        inner = [mail({"a.ics": text}, media_type="text/calendar") for text in texts]
        files = {f"{n}.eml": raw for n, raw in enumerate(inner)}
        return mail(files, media_type="application/octet-stream")
    return mail({f"{n}.ics": raw for n, raw in enumerate(texts)}, media_type="text/calendar")


@pytest.mark.parametrize("kind", ["files", "zip", "mails"])
def test_the_rules_of_zones_of_all_calendars_of_a_mail_are_bounded_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(attachments, "MAIL_ZONE_RULES_MAX", 20)
    events = events_of(tmp_path / "a.eml", of_calendars(kind))
    items = [one.item for one in events if one.item and one.item.kind is Kind.EVENT]

    assert [one.happened_at.hour for one in items if one.happened_at] == [7, 7, 10]
    (reason,) = reasons(events)
    assert "1 time zones are not known" in reason


def test_the_calendars_of_a_folder_have_rules_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attachments, "MAIL_ZONE_RULES_MAX", 8)
    for n in range(3):
        (tmp_path / f"{n}.ics").write_bytes(calendar(4))
        (tmp_path / f"{n}.eml").write_bytes(
            mail({"a.ics": calendar(4)}, media_type="text/calendar")
        )

    assert reasons(list(read(tmp_path))) == []
