"""Archives: their members as files, and what is done with those that are none, or bombs."""

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from simonides.errors import ImportFailed
from simonides.importers import allowance, formats, read
from simonides.importers.allowance import TOO_LARGE
from simonides.plugins import Importer
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_bench.testing import documents as make
from simonides_formats.archives import archive_members
from simonides_formats.archives.archive import inner_name
from simonides_formats.archives.archive_members import ENCRYPTED, NOT_FOLLOWED

MAIL = "From: a@x.example\nMessage-ID: <{0}@x>\nSubject: Mail {0}\n\nText.\n"


def events_of(folder: Path, name: str, content: bytes) -> list[ImportEvent]:
    (folder / name).write_bytes(content)
    return list(read(folder / name))


def kept_in(events: list[ImportEvent]) -> list[tuple[str, str]]:
    return [(one.item.source_id, one.item.content) for one in events if one.item]


def reasons_in(events: list[ImportEvent]) -> list[tuple[str, str]]:
    return [(one.skipped.where, one.skipped.reason) for one in events if one.skipped]


def tar_of(members: dict[str, str], *, mode: str = "w") -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode=mode) as archive:  # type: ignore[call-overload]
        for name, text in members.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(text.encode()), 1_772_700_000
            archive.addfile(info, io.BytesIO(text.encode()))
    return written.getvalue()


NOTES = {"Takeout/b.md": "two", "Takeout/Mail/a.md": "one"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.zip", make.make_zip(NOTES)),
        ("x.tar", tar_of(NOTES)),
        ("x.tgz", tar_of(NOTES, mode="w:gz")),
        ("x.tar.bz2", tar_of(NOTES, mode="w:bz2")),
        ("x.tar.xz", tar_of(NOTES, mode="w:xz")),
    ],
)
def test_members_are_read_as_files_of_a_folder(tmp_path: Path, name: str, content: bytes) -> None:
    events = events_of(tmp_path, name, content)

    assert reasons_in(events) == []
    assert sorted(kept_in(events)) == [
        (f"{name}/Takeout/Mail/a.md", "one"), (f"{name}/Takeout/b.md", "two"),
    ]  # fmt: skip
    places = [one.bytes_done for one in events]
    assert places == sorted(places)
    assert places[-1] <= len(content)


def test_the_members_of_a_zip_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    events = events_of(tmp_path, "x.zip", make.make_zip(NOTES))

    assert [where for where, _ in kept_in(events)] == [
        "x.zip/Takeout/Mail/a.md", "x.zip/Takeout/b.md",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.md.gz", gzip.compress(b"walnut", mtime=0)),
        ("a.md.bz2", bz2.compress(b"walnut")),
        ("a.md.xz", lzma.compress(b"walnut")),
    ],
)
def test_a_single_compressed_file_is_read(tmp_path: Path, name: str, content: bytes) -> None:
    events = events_of(tmp_path, name, content)

    assert kept_in(events) == [(f"{name}/a.md", "walnut")]


def test_a_mailbox_in_an_archive_is_read_with_its_progress(tmp_path: Path) -> None:
    mbox = "".join(f"From x Thu Mar  5 10:00:00 2026\n{MAIL.format(n)}\n" for n in range(9))
    events = events_of(tmp_path, "x.zip", make.make_zip({"All mail.mbox": mbox}))

    assert [one.item.title for one in events if one.item] == [f"Mail {n}" for n in range(9)]
    places = [one.bytes_done for one in events]
    assert places == sorted(places)
    assert len(set(places)) > 5


def test_the_time_of_a_member_is_kept(tmp_path: Path) -> None:
    [zipped] = events_of(tmp_path, "x.zip", make.make_zip({"a.md": "one"}))
    [tarred] = events_of(tmp_path, "x.tar", tar_of({"a.md": "one"}))

    assert zipped.item is not None
    assert tarred.item is not None
    assert zipped.item.metadata["modified_at"] == "2026-03-04T10:00:00+00:00"
    assert tarred.item.metadata["modified_at"] == "2026-03-05T08:40:00+00:00"


def test_the_time_in_utc_is_preferred(tmp_path: Path) -> None:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        info = zipfile.ZipInfo("a.md", (2026, 3, 4, 10, 0, 0))
        info.extra = struct.pack("<2sHBI", b"UT", 5, 1, 1_772_700_000)
        archive.writestr(info, "one")
    [event] = events_of(tmp_path, "x.zip", written.getvalue())

    assert event.item is not None
    assert event.item.metadata["modified_at"] == "2026-03-05T08:40:00+00:00"


@pytest.mark.parametrize(
    ("name", "inner"),
    [
        ("a/b.md", "a/b.md"),
        ("../../etc/passwd", "etc/passwd"),
        ("/abs.md", "abs.md"),
        ("C:\\docs\\win.md", "docs/win.md"),
        ("a//./b.md", "a/b.md"),
        ("folder/", ""),
        (".hidden/a.md", ""),
        ("a/.DS_Store", ""),
        ("__MACOSX/a.md", ""),
        ("..", ""),
    ],
)
def test_names_are_only_names(name: str, inner: str) -> None:
    assert inner_name(name) == inner


def test_nothing_is_written_outside_of_the_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    names = ["../../up.md", "/abs.md", "a/../../b.md", "x" * 300 + ".md", "nul\x01.md", "é.md"]
    events = events_of(tmp_path, "x.zip", make.make_zip(dict.fromkeys(names, "text")))

    assert len(kept_in(events)) == len(names)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["temporary", "x.zip"]
    assert list(temporary.iterdir()) == []


def test_names_of_old_zips_are_read_as_what_they_are(tmp_path: Path) -> None:
    content = make.make_zip({"MXXwe.md": "text"}).replace(b"MXXwe", "Möwe".encode())
    events = events_of(tmp_path, "x.zip", content)

    assert kept_in(events) == [("x.zip/Möwe.md", "text")]


def test_of_equal_names_both_are_handed_out(tmp_path: Path) -> None:
    written = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(written, "w") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("a.md", "one")
        archive.writestr("a.md", "two")
    events = events_of(tmp_path, "x.zip", written.getvalue())

    assert kept_in(events) == [("x.zip/a.md", "one"), ("x.zip/a.md", "two")]


def test_an_encrypted_member_is_reported(tmp_path: Path) -> None:
    content = bytearray(make.make_zip({"a.md": "one", "b.md": "two"}, deflated=False))
    place = content.index(b"PK\1\2")
    content[place + 8] |= 1
    events = events_of(tmp_path, "x.zip", bytes(content))

    assert reasons_in(events) == [("x.zip/a.md", ENCRYPTED)]
    assert kept_in(events) == [("x.zip/b.md", "two")]


def test_links_and_devices_are_not_followed(tmp_path: Path) -> None:
    written = io.BytesIO()
    kinds = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE)
    with tarfile.open(fileobj=written, mode="w") as archive:
        for number, kind in enumerate(kinds):
            info = tarfile.TarInfo(f"{number}.md")
            info.type, info.linkname = kind, "/etc/hostname"
            archive.addfile(info)
    events = events_of(tmp_path, "x.tar", written.getvalue())

    assert reasons_in(events) == [(f"x.tar/{n}.md", NOT_FOLLOWED) for n in range(4)]


def test_a_link_in_a_zip_is_not_followed(tmp_path: Path) -> None:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        info = zipfile.ZipInfo("a.md")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/hostname")

    assert reasons_in(events_of(tmp_path, "x.zip", written.getvalue())) == [
        ("x.zip/a.md", NOT_FOLLOWED)
    ]


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make everything a bomb that unpacks to 20 times its size."""
    monkeypatch.setattr(allowance, "RATIO_MAX", 20)
    monkeypatch.setattr(allowance, "FREE_BYTES", 100)


@pytest.mark.usefixtures("strict")
def test_a_bomb_is_not_unpacked_and_the_rest_is_read(tmp_path: Path) -> None:
    events = events_of(tmp_path, "x.zip", make.make_zip({"a.md": "a" * 1_000_000, "b.md": "two"}))

    assert reasons_in(events) == [("x.zip/a.md", TOO_LARGE)]
    assert kept_in(events) == [("x.zip/b.md", "two")]


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("name", ["x.gz", "x.tar.gz"])
def test_a_compressed_bomb_is_stopped(tmp_path: Path, name: str) -> None:
    text = "a" * 1_000_000
    raw = tar_of({"a.md": text}) if "tar" in name else text.encode()
    events = events_of(tmp_path, name, gzip.compress(raw))

    assert kept_in(events) == []
    assert {reason for _, reason in reasons_in(events)} == {TOO_LARGE}


@pytest.mark.usefixtures("strict")
def test_archives_in_archives_share_what_they_may_unpack_to(tmp_path: Path) -> None:
    inner = make.make_zip({f"{n}.md": "abcdefghij" * 30 for n in range(40)})
    content = make.make_zip({f"{n}.zip": inner for n in range(50)})
    events = events_of(tmp_path, "x.zip", content)

    assert reasons_in(events)[-1][1] == TOO_LARGE
    assert 0 < len(kept_in(events)) < 50 * 40
    assert sum(len(text) for _, text in kept_in(events)) <= 20 * len(content)


def test_archives_in_archives_end_at_a_depth(tmp_path: Path) -> None:
    content = make.make_zip({"a.md": "deep"})
    for _ in range(6):
        content = make.make_zip({"a.zip": content})
    [(where, reason)] = reasons_in(events_of(tmp_path, "x.zip", content))

    assert where.startswith("x.zip/a.zip/a.zip/")
    assert "deep" in reason


def test_too_many_members_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_members, "MEMBERS_MAX", 3)
    members = {f"{n}.md": str(n) for n in range(5)}
    for name, content in (("x.zip", make.make_zip(members)), ("x.tar", tar_of(members))):
        events = events_of(tmp_path, name, content)

        assert 3 <= len(kept_in(events)) <= 4
        assert "the rest is left out" in reasons_in(events)[-1][1]


@pytest.mark.parametrize("cut", [30, 600])
def test_a_tar_that_breaks_off_is_reported(tmp_path: Path, cut: int) -> None:
    content = tar_of({"a.md": "a" * 400, "b.md": "b" * 400})[:-9_000][:-cut]
    (tmp_path / "x.tar").write_bytes(content)
    events = list(read(tmp_path / "x.tar"))

    assert reasons_in(events)


def test_damage_in_the_middle_of_a_tar_is_reported(tmp_path: Path) -> None:
    content = bytearray(tar_of({"a.md": "one", "b.md": "two"}))
    content[1024:1100] = b"\xff" * 76
    events = events_of(tmp_path, "x.tar", bytes(content))

    assert kept_in(events) == [("x.tar/a.md", "one")]
    assert reasons_in(events) == [("x.tar", "a damaged archive: damaged from byte 1024 on")]


def test_a_damaged_member_costs_no_other(tmp_path: Path) -> None:
    content = bytearray(make.make_zip({"a.md": "one " * 50, "b.md": "two"}, deflated=False))
    content[content.index(b"one one")] ^= 1
    events = events_of(tmp_path, "x.zip", bytes(content))

    assert kept_in(events) == [("x.zip/b.md", "two")]
    assert reasons_in(events)[0][0] == "x.zip/a.md"


def test_a_member_without_a_name_costs_no_other(tmp_path: Path) -> None:
    raw = make.make_zip({"x.md": "lost", "y.md": "kept"}).replace(b"x.md", b"\0.md")
    events = events_of(tmp_path, "x.zip", raw)

    assert reasons_in(events) == [("x.zip: member 1", "has no name")]
    assert [one.item.content for one in events if one.item] == ["kept"]


def test_a_member_that_names_the_type_and_is_damaged_costs_no_import(tmp_path: Path) -> None:
    raw = make.make_zip({"mimetype": "application/vnd.oasis.opendocument.text" * 2})
    at = raw.index(b"mimetype") + len(b"mimetype")
    (tmp_path / "a.odt").write_bytes(raw[:at] + b"\xff" * 8 + raw[at + 8 :])
    (tmp_path / "b.md").write_text("kept")
    events = list(read(tmp_path))

    assert [one.item.content for one in events if one.item] == ["kept"]
    assert any(one.skipped and "damaged" in one.skipped.reason for one in events)


@pytest.mark.parametrize("content", [make.make_zip({}), make.make_zip({".hidden": "x", "a/": ""})])
def test_an_empty_archive_says_so(tmp_path: Path, content: bytes) -> None:
    assert reasons_in(events_of(tmp_path, "x.zip", content)) == [("x.zip", "empty")]


def test_a_member_of_an_unknown_format_is_reported(tmp_path: Path) -> None:
    [(where, reason)] = reasons_in(
        events_of(tmp_path, "x.zip", make.make_zip({"photo.jpg": b"\xff\xd8\xff\xe0\0"}))
    )

    assert where == "x.zip/photo.jpg"
    assert reason == ".jpg files are not read"


def test_a_document_in_an_archive_is_read(tmp_path: Path) -> None:
    events = events_of(tmp_path, "x.zip", make.make_zip({"docs/a.pdf": make.pdf(["one", "two"])}))

    assert kept_in(events) == [
        ("x.zip/docs/a.pdf#page=1", "one"), ("x.zip/docs/a.pdf#page=2", "two"),
    ]  # fmt: skip


def _reads_neighbours(file: SourceFile) -> Iterator[ImportEvent]:
    found = [file.neighbour(name) for name in ("../users.json", "none.json", "../../../etc/passwd")]
    yield file.skip(repr(found))


@pytest.mark.parametrize("mode", ["zip", "w", "w:gz"])
def test_a_member_can_ask_for_its_neighbours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    asking = Importer(
        name="asking", detect=lambda path, _: path.suffix == ".ask", read=_reads_neighbours, order=0
    )
    monkeypatch.setattr(formats, "FORMATS", (asking, *formats.FORMATS))
    members = {"e/general/a.ask": "x", "e/users.json": "[]"}
    content = make.make_zip(members) if mode == "zip" else tar_of(members, mode=mode)
    reasons = [reason for _, reason in reasons_in(events_of(tmp_path, "x.bin", content))]

    assert "[b'[]', None, None]" in reasons


def test_the_directory_of_a_zip_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simonides_formats.documents.document_marks.DIRECTORY_BYTES_MAX", 100)
    content = make.make_zip({f"{n}.md": "x" for n in range(9)})

    assert reasons_in(events_of(tmp_path, "x.zip", content)) == [
        ("x.zip", "a damaged archive: the directory of its members is too long")
    ]


def test_times_that_can_not_be_are_left_out(tmp_path: Path) -> None:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr(zipfile.ZipInfo("a.md"), "one")  # 1980, the zero of its clock
    [event] = events_of(tmp_path, "x.zip", written.getvalue())

    assert event.item is not None
    assert dict(event.item.metadata) == {}
    assert event.item.happened_at is None


@pytest.mark.parametrize("name", ["app.jar", "book.PAGES", "package.whl"])
def test_a_program_or_package_is_no_archive(tmp_path: Path, name: str) -> None:
    with pytest.raises(ImportFailed, match="nothing to import"):
        events_of(tmp_path, name, make.make_zip({"a.md": "text"}))
