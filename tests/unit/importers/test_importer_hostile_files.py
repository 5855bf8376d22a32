"""Documents and archives that were made to harm: each is reported or read, and costs no other."""

import gzip
import io
import random
import tarfile
import zlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from simonides.importers import read
from simonides.ports.importer import ImportEvent
from simonides_bench.testing import documents as make
from simonides_bench.testing.depth import examples

DEEP = 20_000
LARGE = 70_000_000
"""More bytes than anything may unpack to that is small itself."""
_CATALOGUE = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"]
_PAGE = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R {} >>"


def laughs() -> str:
    names = "abcdefghijkl"
    entities = "".join(f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in pairwise(names))
    return f'<!DOCTYPE x [<!ENTITY a "ha">{entities}]>'


def referring(body: str, doctype: str) -> bytes:
    return make.docx(f"<w:p><w:r><w:t>walnut{body}</w:t></w:r></w:p>", doctype=doctype)


def stream(content: str, *, filtered: str = "") -> str:
    return f"<< /Length {len(content)} {filtered} >>\nstream\n{content}\nendstream"


def inflating_pdf() -> bytes:
    packed = zlib.compress(b"q " * 2_000_000).decode("latin-1")
    objects = [*_CATALOGUE, _PAGE.format(""), stream(packed, filtered="/Filter /FlateDecode")]
    return make.pdf_of(objects)


def calling_itself() -> bytes:
    own = "/Resources << /XObject << /X 5 0 R >> >>"
    form = f"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length 5 {own} >>"
    objects = [*_CATALOGUE, _PAGE.format(own), stream("/X Do"), f"{form}\nstream\n/X Do\nendstream"]
    return make.pdf_of(objects)


def claiming(size_bytes: int) -> bytes:
    info = tarfile.TarInfo("a.md")
    info.size = size_bytes
    return info.tobuf(tarfile.GNU_FORMAT) + b"abc"


def claiming_header(size_bytes: int) -> bytes:
    info = tarfile.TarInfo("a.md")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, size_bytes
    return gzip.compress(info.tobuf(tarfile.GNU_FORMAT) + b"\0" * 5_000_000)


def zip_in_itself() -> bytes:
    content = make.make_zip({"a.md": "x" * 1_000})
    for _ in range(3):
        content = make.make_zip({f"{n}.zip": content for n in range(6)})
    return content


def overlapping() -> bytes:
    """Return a zip whose directory names one member's bytes many times."""
    one = make.make_zip({"a.md": "a" * 100_000})
    at = one.index(b"PK\1\2")
    end = one.index(b"PK\5\6")
    entry = one[at:end]
    count = 1_000  # 100 MB, of 64 MiB and 150 times its size that are read
    size, place = (len(entry) * count).to_bytes(4, "little"), at.to_bytes(4, "little")
    counts = count.to_bytes(2, "little") * 2
    return one[:at] + entry * count + b"PK\5\6\0\0\0\0" + counts + size + place + b"\0\0"


HOSTILE: dict[str, Callable[[], bytes]] = {
    "bomb.docx": lambda: make.docx(make.paragraph("a" * 105_000_000)),
    "laughs.docx": lambda: referring("&l;", laughs()),
    "external.docx": lambda: referring("&e;", '<!DOCTYPE x [<!ENTITY e SYSTEM "/etc/hostname">]>'),
    "tables.docx": lambda: make.docx("<w:tbl><w:tr><w:tc>" * DEEP + make.paragraph("x")),
    "closed.docx": lambda: make.docx(
        "<w:tbl><w:tr><w:tc>" * DEEP + make.paragraph("x") + "</w:tc></w:tr></w:tbl>" * DEEP
    ),
    "open.docx": lambda: make.docx("<w:p>" * DEEP),
    "empty.docx": lambda: make.docx(""),
    "none.docx": lambda: make.make_zip({"word/document.xml": ""}),
    "lists.odt": lambda: make.odt("<text:list><text:list-item>" * DEEP),
    "laughs.odt": lambda: make.odt("<text:p>&l;</text:p>").replace(b"<x", b"<y"),
    "divs.epub": lambda: make.epub(["<div>" * DEEP]),
    "chapters.epub": lambda: make.epub(["<p>x</p>"] * 3_000),
    "missing.epub": lambda: make.make_zip({"mimetype": "application/epub+zip"}),
    "slides.pptx": lambda: make.pptx(["x"] * 1_000),
    "none.pptx": lambda: make.make_zip({"ppt/presentation.xml": "<p/>"}),
    "cells.xlsx": lambda: make.xlsx(
        "".join(make.sheet_row(n, [1.0] * 100) for n in range(1, 2_001))
    ),
    "corners.xlsx": lambda: make.xlsx(
        '<row r="1"><c r="A1"><v>1</v></c></row>'
        '<row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
    ),
    "wide.xlsx": lambda: make.xlsx('<row r="1"><c r="XFD1"><v>1</v></c></row>'),
    "wrong.xlsx": lambda: make.xlsx('<row r="0"><c r="A0"><v>1</v></c><c r="?"><v>x</v></c></row>'),
    "bomb.xlsx": lambda: make.xlsx(make.sheet_row(1, ["a" * 50_000_000])),
    "none.xlsx": lambda: make.make_zip({"xl/workbook.xml": "<workbook/>"}),
    "laughs.xlsx": lambda: make.xlsx(
        make.sheet_row(1, ["x"]), properties=f"{laughs()}<p><title>&l;</title></p>"
    ),
    "count.pdf": lambda: make.pdf(["walnut"], count=1_000_000_000),
    "negative.pdf": lambda: make.pdf(["walnut"], count=-5),
    "loop.pdf": lambda: make.pdf(["walnut"], kids="2 0 R", count=30),
    "itself.pdf": lambda: make.pdf(["walnut"], kids="4 0 R " * 500, count=500),
    "forms.pdf": calling_itself,
    "inflate.pdf": inflating_pdf,
    "arrays.pdf": lambda: b"%PDF-1.4\n1 0 obj\n" + b"[" * 500_000,
    "header.pdf": lambda: b"%PDF-1.4\n",
    "strings.pdf": lambda: make.pdf(["(" * 50_000]),
    "braces.rtf": lambda: b"{\\rtf1 " + b"{" * 500_000 + b"x",
    "binary.rtf": lambda: rb"{\rtf1 \bin99999999999 x}",
    "number.rtf": lambda: rb"{\rtf1 \u99999999999999999999 ?\u-99999?\'zz}",
    "open.rtf": lambda: b"{\\rtf1",
    "lists.ipynb": lambda: b'{"cells":' + b"[" * 100_000,
    "numbers.ipynb": lambda: (
        b'{"cells":[{"cell_type":"code","source":1e999999,"level":' + b"9" * 5_000
    ),
    "comments.html": lambda: b"<!-- a -->" * 100_000 + b"<html",
    "metas.html": lambda: b"<html>" + b"<meta name=author content=x>" * 100_000,
    "titles.html": lambda: b"<html>" + b"<title" * 200_000,
    "quotes.csv": lambda: b'a,b\n"' + b"x" * 500_000,
    "wide.csv": lambda: b"," * 500_000 + b"x\n" + b"," * 500_000,
    "bomb.zip": lambda: make.make_zip({"a.md": b"a" * LARGE}),
    "nested.zip": zip_in_itself,
    "overlap.zip": overlapping,
    "bomb.gz": lambda: gzip.compress(b"a" * LARGE),
    "claims.tar": lambda: claiming(10**11),
    "longname.tgz": lambda: claiming_header(10**10),
    "zeros.tgz": lambda: gzip.compress(b"\0" * LARGE),
}


def read_all(path: Path) -> list[ImportEvent]:
    return list(read(path))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_costs_no_other(tmp_path: Path, name: str) -> None:
    (tmp_path / f"a-{name}").write_bytes(HOSTILE[name]())
    (tmp_path / "b.pdf").write_bytes(make.pdf(["walnut"]))
    (tmp_path / "c.docx").write_bytes(make.docx(make.paragraph("veneer")))
    events = read_all(tmp_path)

    items = [one.item for one in events if one.item]
    assert [one.content for one in items[-2:]] == ["walnut", "veneer"]
    assert len(events) > 2, "it is passed over in silence"
    assert sum(len(one.content) for one in items) < 80_000_000


def text_of(folder: Path, content: bytes) -> str:
    path = folder / "a.bin"
    path.write_bytes(content)
    return "".join(one.item.content for one in read_all(path) if one.item)


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    assert len(text_of(tmp_path, HOSTILE["laughs.docx"]())) < 100


def test_no_file_outside_is_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the combination is 7-4-1")
    doctype = f'<!DOCTYPE x [<!ENTITY e SYSTEM "{secret.as_uri()}">]>'

    assert text_of(tmp_path, referring("&e;", doctype)).startswith("walnut")
    assert "combination" not in text_of(tmp_path, referring("&e;", doctype))


def test_a_page_that_lies_about_its_count_is_read(tmp_path: Path) -> None:
    assert text_of(tmp_path, HOSTILE["count.pdf"]()) == "walnut"


@pytest.mark.parametrize("seed", range(examples(50)))
def test_a_folder_of_noise_is_read_to_its_end(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    marks = [b"%PDF-1.7\n", b"{\\rtf1 ", b"PK\3\4", b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\0"]
    marks += [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"<html>", b'{"cells":']
    for number, mark in enumerate(marks):
        (tmp_path / f"a{number}").write_bytes(mark + rng.randbytes(rng.randrange(3_000)))
    (tmp_path / "z.md").write_text("walnut")
    events = read_all(tmp_path)

    assert events[-1].item is not None
    assert events[-1].item.content == "walnut"
    assert len({one.where for one in events}) >= len(marks)


def test_a_compressed_stream_is_not_read_for_ever(tmp_path: Path) -> None:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as archive:
        for number in range(2):
            info = tarfile.TarInfo(f"{number}.md")
            info.size = 40_000_000
            archive.addfile(info, io.BytesIO(b"\0" * info.size))
    (tmp_path / "a.tgz").write_bytes(written.getvalue())
    [*_, last] = read_all(tmp_path)

    assert last.skipped is not None
    assert "times the size" in last.skipped.reason
