"""Laws of the readers of documents and archives: whatever the bytes, they give events."""

import io
import tarfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simonides.errors import ImportFailed
from simonides.importers.file_item import TITLE_CHARS_MAX, moment
from simonides.importers.formats import is_html
from simonides.importers.reading import read_file
from simonides.importers.table import parts_of
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_bench.testing import documents as make
from simonides_formats.archives.archive import inner_name
from simonides_formats.documents.document_marks import document_kind, is_archive
from simonides_formats.documents.pdf_pages import moment as pdf_moment


def _tar() -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as archive:
        info = tarfile.TarInfo("a/b.md")
        info.size = 4
        archive.addfile(info, io.BytesIO(b"text"))
    return written.getvalue()


WHOLE = {
    "docx": make.docx(make.paragraph("R&D & more") + make.docx_table([["a", "b"], ["1", "2"]])),
    "pptx": make.pptx(["One", "Two"], properties=make.core_properties(title="T", author="A")),
    "xlsx": make.xlsx(make.sheet_row(1, ["a", "b"]) + make.sheet_row(2, ["c", 3])),
    "odt": make.odt("<text:p>words</text:p>", meta="<dc:title>T</dc:title>"),
    "epub": make.epub(["<h1>One</h1><p>words</p>"], title="T"),
    "pdf": make.pdf(["one", "two"], info="/Title (T) /ModDate (D:20260304)"),
    "rtf": make.rtf(r"one \b two\b0 \'e4", info=r"{\title T}"),
    "ipynb": b'{"cells": [{"cell_type": "code", "source": ["1"], "outputs": [{"text": "2"}]}]}',
    "html": b"<html><head><title>T</title><meta name=date content=2026-03-04></head><p>x</p>",
    "csv": b'a,b\n"1,5",2\n',
    "zip": make.make_zip({"a/b.md": "text", "c.pdf": make.pdf(["one"])}),
    "tgz": _tar(),
}
MUTATIONS = st.lists(
    st.tuples(st.integers(0, 10**6), st.binary(max_size=4), st.integers(0, 3)), max_size=6
)
SLOW = settings(deadline=None, suppress_health_check=list(HealthCheck))


def mutated(raw: bytes, changes: list[tuple[int, bytes, int]]) -> bytes:
    """Return the bytes with some of them replaced, put in or cut out."""
    for place, new, old_count in changes:
        at = place % (len(raw) + 1)
        raw = raw[:at] + new + raw[at + old_count :]
    return raw


def events_of(folder: Path, name: str, content: bytes) -> list[ImportEvent]:
    """Return what reading a file says; an unknown format is the one refusal there is."""
    path = folder / name
    path.write_bytes(content)
    file = SourceFile(path=path, where=name, size_bytes=len(content))
    try:
        return list(read_file(file))
    except ImportFailed:
        return []


def check(events: list[ImportEvent], *, size_bytes: int) -> None:
    """Check what holds of the events of every file."""
    for one in events:
        assert (one.item is None) != (one.skipped is None)
        assert 0 <= one.bytes_done <= one.bytes_total == size_bytes
        if one.item is not None:
            assert len(one.item.title) <= TITLE_CHARS_MAX
            assert one.item.content.strip() or one.item.title
        elif one.skipped is not None:
            assert one.skipped.reason
            assert "importer" not in one.skipped.reason, one.skipped


@pytest.mark.parametrize("suffix", WHOLE)
@SLOW
@given(changes=MUTATIONS)
def test_a_damaged_file_gives_events(
    tmp_path: Path, suffix: str, changes: list[tuple[int, bytes, int]]
) -> None:
    content = mutated(WHOLE[suffix], changes)

    check(events_of(tmp_path, f"a.{suffix}", content), size_bytes=len(content))


@pytest.mark.parametrize("suffix", WHOLE)
def test_a_file_that_breaks_off_anywhere_gives_events(tmp_path: Path, suffix: str) -> None:
    whole = WHOLE[suffix]
    for cut in range(0, len(whole), max(1, len(whole) // 40)):
        check(events_of(tmp_path, f"a.{suffix}", whole[:cut]), size_bytes=cut)


MAGIC = st.sampled_from(
    [
        b"%PDF-1.7\n", b"{\\rtf1 ", b"PK\3\4", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"\x1f\x8b\x08",
        b"BZh9", b"\xfd7zXZ\0", b"<html>", b'{"cells":', b"\0" * 257 + b"ustar",
    ]
)  # fmt: skip


@SLOW
@given(magic=MAGIC, rest=st.binary(max_size=1_000), suffix=st.sampled_from(["bin", *WHOLE]))
def test_random_bytes_behind_the_right_mark_give_events(
    tmp_path: Path, magic: bytes, rest: bytes, suffix: str
) -> None:
    content = magic + rest

    check(events_of(tmp_path, f"a.{suffix}", content), size_bytes=len(content))


@given(sample=st.binary(max_size=300))
def test_marks_are_looked_for_in_any_bytes(
    tmp_path_factory: pytest.TempPathFactory, sample: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "sample.bin"
    path.write_bytes(sample)

    assert isinstance(document_kind(path, sample), str)
    assert isinstance(is_archive(path, sample), bool)
    assert isinstance(is_html(sample), bool)


@given(name=st.text(max_size=80))
def test_a_name_stays_in_its_archive(name: str) -> None:
    parts = inner_name(name).split("/")

    assert not {"..", "."} & set(parts)
    assert inner_name("/".join(parts)) == "/".join(parts)


CELLS = st.lists(st.lists(st.text(max_size=20), max_size=5), max_size=8)


@given(rows=CELLS)
def test_every_word_of_a_table_is_in_its_rows(rows: list[list[str]]) -> None:
    text = "\n".join(parts_of(rows))

    for cell in (cell for row in rows for cell in row):
        assert " ".join(cell.split()).replace("|", "\\|") in text


@given(rows=CELLS)
def test_every_line_from_the_head_of_a_table_on_is_a_row(rows: list[list[str]]) -> None:
    above, line, table = "\n".join(parts_of(rows)).rpartition("\n\n")

    assert not any(one.startswith("|") for one in above.split("\n"))
    assert bool(above) == bool(line)
    for one in filter(None, table.split("\n")):
        assert one.startswith("|")
        assert one.endswith("|")


@given(text=st.text(max_size=40))
def test_a_date_is_aware_or_none(text: str) -> None:
    when = moment(text)

    assert when is None or when.utcoffset() is not None


@given(text=st.from_regex(r"(D:)?[0-9]{0,16}([+\-Z][0-9']{0,6})?", fullmatch=True) | st.text())
def test_a_date_of_a_pdf_is_one_or_none(text: str) -> None:
    stated = pdf_moment(text)

    assert stated == "" or moment(stated) is not None
