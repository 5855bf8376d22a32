"""Web pages, notebooks, tables and other text files."""
# ruff: noqa: RUF001  letters that look like others are meant as they stand

import json
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from simonides.errors import ImportFailed
from simonides.importers import html, markdown, plain_text, read, table
from simonides.model.item import Item, Kind
from simonides_formats.documents.notebook_cells import OUTPUT_CHARS_MAX


def items_of(folder: Path, name: str, content: str | bytes) -> list[Item]:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return [one.item for one in read(path) if one.item]


def reasons_of(folder: Path, name: str, content: str | bytes) -> list[tuple[str, str]]:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return [(one.skipped.where, one.skipped.reason) for one in read(path) if one.skipped]


PAGE = """<!-- saved --><!DOCTYPE html>
<html><head><meta charset="utf-8"><title>Kiln &amp; clay</title>
<meta name="Author" content="Ann Li"><meta name=keywords content="clay, heat">
<meta property="article:published_time" content="2026-02-03T10:00:00+01:00">
<meta property="article:modified_time" content="2026-02-05T10:00:00Z">
<meta name="description" content="How hot it gets">
</head><body><svg><title>Logo</title></svg><h1>Kiln</h1><p>Nine hundred degrees.</p>
<table><tr><td>Clay</td><td>12 kg</td></tr></table></body></html>"""


@pytest.mark.parametrize("name", ["note.txt", "note.md", "table.csv"])
def test_a_guessed_character_set_is_reported(tmp_path: Path, name: str) -> None:
    raw = "Ключ;у Ольги\nОн;лежит на складе\n".encode("cp1251")

    assert "у Ольги" in items_of(tmp_path, name, raw)[0].content
    [(where, reason)] = reasons_of(tmp_path, name, raw)
    assert (where, reason) == (name, "its characters were guessed to be cp1251")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "Grüße – kiln\r\n" * 900),
        ("a.md", "kiln"),
        ("a.csv", "name;kiln\n"),
        ("a.html", "<html><body><p>kiln</p></body></html>"),
        ("a.ics", ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:kiln\n"
                  "DTSTART:20260310T100000Z\nEND:VEVENT\nEND:VCALENDAR\n")),
    ],
)  # fmt: skip
def test_utf16_without_a_mark_is_read(tmp_path: Path, codec: str, name: str, text: str) -> None:
    [item] = items_of(tmp_path, name, text.encode(codec))

    assert "kiln" in item.title + item.content
    assert "\ufffd" not in item.content


@pytest.mark.parametrize("raw", [bytes(range(256)) * 4, b"\x01\0\x02\0" * 99, b"\0\0\0\0", b"a\0"])
def test_other_bytes_with_zeros_are_binary(tmp_path: Path, raw: bytes) -> None:
    with pytest.raises(ImportFailed, match="binary"):
        items_of(tmp_path, "a.txt", raw)


def test_a_web_page_is_one_document(tmp_path: Path) -> None:
    [item] = items_of(tmp_path, "page.html", PAGE)

    assert (item.title, item.source_id) == ("Kiln & clay", "page.html")
    assert item.content == "# Kiln\n\nNine hundred degrees.\n\nClay | 12 kg"
    assert [one.name for one in item.people] == ["Ann Li"]
    assert item.tags == ("clay", "heat")
    assert item.happened_at == datetime(2026, 2, 3, 9, 0, tzinfo=UTC)
    assert item.metadata["modified_at"] == "2026-02-05T10:00:00+00:00"
    assert item.metadata["created_at"] == "2026-02-03T09:00:00+00:00"
    assert item.metadata["subject"] == "How hot it gets"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("page", "<html><body><p>kiln</p>"),
        ("page.txt.bak", "\ufeff <!doctype HTML><p>kiln</p>"),
        ("page.bin", '<?xml version="1.0"?>\n<!-- a --><!-- b --><html><p>kiln</p></html>'),
        ("page.htm", "<p>kiln</p>"),
        ("page.xhtml", "kiln"),
        ("wide.bin", "<html><p>kiln</p></html>".encode("utf-16")),
    ],
)
def test_a_web_page_is_known_by_its_beginning_or_name(
    tmp_path: Path, name: str, content: str | bytes
) -> None:
    [item] = items_of(tmp_path, name, content)

    assert item.content == "kiln"


def test_a_beginning_of_comments_without_end_is_no_page(tmp_path: Path) -> None:
    with pytest.raises(ImportFailed, match="nothing to import"):
        items_of(tmp_path, "a.bin", "<!-- a -->" * 800 + "<!-- ")


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("<html><title>  </title><h1>Clay</h1>", "Clay"),
        ("<html><head><meta property=og:title content=Heat></head>x", "Heat"),
        ("<html><body><svg><title>Logo</title></svg>x", "page"),
    ],
)
def test_the_title_of_a_page_is_what_it_states(tmp_path: Path, content: str, title: str) -> None:
    [item] = items_of(tmp_path, "page.html", content)

    assert item.title == title


def test_a_page_in_an_old_character_set_is_read(tmp_path: Path) -> None:
    page = "<html><head><meta charset=windows-1251></head><p>Привет</p></html>"
    [item] = items_of(tmp_path, "page.html", page.encode("cp1251"))

    assert item.content == "Привет"


def test_a_page_without_text_is_empty(tmp_path: Path) -> None:
    page = "<html><head><title>App</title></head><body><script>run()</script></body></html>"

    assert reasons_of(tmp_path, "page.html", page) == [("page.html", "empty")]


def test_a_page_without_a_date_is_undated(tmp_path: Path) -> None:
    [item] = items_of(tmp_path, "page.html", "<html><meta name=date content=today><p>x")

    assert item.happened_at is None


def test_a_long_page_is_cut_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "HTML_BYTES_MAX", 100)
    [item] = items_of(tmp_path, "page.html", "<html><p>" + "word " * 100)

    assert len(item.content) < 100
    assert item.metadata["_cut_from_bytes"] == 509


@pytest.mark.parametrize(
    ("reader", "limit", "name"),
    [
        (html, "HTML_BYTES_MAX", "a.html"),
        (markdown, "FILE_BYTES_MAX", "a.md"),
        (plain_text, "FILE_BYTES_MAX", "a.log"),
        (plain_text, "TABLE_BYTES_MAX", "a.csv"),
    ],
)
def test_what_is_cut_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: ModuleType, limit: str, name: str
) -> None:
    monkeypatch.setattr(reader, limit, 100)

    reasons = reasons_of(tmp_path, name, "word " * 100)

    assert reasons == [(name, "only 100 of 500 bytes are read")]


def written(*cells: dict[str, Any], **more: Any) -> str:
    return json.dumps({"cells": cells, "nbformat": 4, **more})


CODE = {
    "cell_type": "code",
    "source": ["total = 2\n", "total"],
    "outputs": [
        {"output_type": "execute_result", "data": {"text/plain": ["2"], "image/png": "iVBOR" * 9}},
        {"output_type": "stream", "text": "done\n"},
        {"output_type": "error", "ename": "ValueError", "evalue": "no kiln"},
        {"output_type": "display_data", "data": {"text/html": "<b>bold</b>"}},
    ],
}


def test_a_notebook_is_one_document(tmp_path: Path) -> None:
    text = {"cell_type": "markdown", "source": ["# Heat\n", "Degrees."]}
    [item] = items_of(tmp_path, "kiln.ipynb", written(text, CODE))

    assert item.title == "Heat"
    assert item.content.split("\n\n") == [
        "# Heat\nDegrees.", "```\ntotal = 2\ntotal\n```",
        "2", "done", "ValueError: no kiln", "bold",
    ]  # fmt: skip
    assert item.metadata["format"] == "ipynb"


def test_an_old_notebook_is_read(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Heat"},
        {"cell_type": "code", "input": "2", "outputs": [{"text": ["2"]}]},
    ]
    content = json.dumps({"worksheets": [{"cells": cells}], "nbformat": 3})
    [item] = items_of(tmp_path, "kiln.ipynb", content)

    assert item.content == "## Heat\n\n```\n2\n```\n\n2"


def test_a_long_output_is_cut(tmp_path: Path) -> None:
    cell = {"cell_type": "code", "source": "x", "outputs": [{"text": "a" * 99_999}]}
    [item] = items_of(tmp_path, "kiln.ipynb", written(cell))

    assert item.content.count("a") == OUTPUT_CHARS_MAX


def test_a_broken_notebook_is_reported(tmp_path: Path) -> None:
    [(where, reason)] = reasons_of(tmp_path, "kiln.ipynb", written(CODE)[:-60])

    assert where == "kiln.ipynb"
    assert "line 1" in reason


def test_a_notebook_nested_too_deeply_is_reported(tmp_path: Path) -> None:
    [(_, reason)] = reasons_of(tmp_path, "kiln.ipynb", '{"cells":' + "[" * 100_000)

    assert reason == "nested deeper than 200 levels"


def test_a_notebook_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    book = json.dumps({"cells": [{"cell_type": "code", "source": "1 + 1"}]})
    [item] = items_of(tmp_path, "kiln.ipynb", book.encode("utf-8-sig"))

    assert "1 + 1" in item.content


@pytest.mark.parametrize(
    "content",
    [
        '{"cells": 1}',
        '{"cells": [1, null, {"cell_type": 3, "source": {"a": 1}, "outputs": [7]}]}',
        '{"cells": []}',
    ],
)
def test_a_notebook_of_nothing_is_empty(tmp_path: Path, content: str) -> None:
    [(where, reason)] = reasons_of(tmp_path, "kiln.ipynb", content)

    assert where == "kiln.ipynb"
    assert "holds no text" in reason


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", 'Name,Note\nDesk,"oak, old\nand | heavy"\n'),
        ("a.csv", 'Name;Note\r\nDesk;"oak, old\r\nand | heavy"\r\n'),
        ("a.tsv", "Name\tNote\n\nDesk\toak, old and | heavy\n"),
    ],
)
def test_a_table_is_rows_of_markdown(tmp_path: Path, name: str, content: str) -> None:
    [item] = items_of(tmp_path, name, content)

    assert item.content.split("\n") == [
        "| Name | Note |", "| --- | --- |", "| Desk | oak, old and \\| heavy |",
    ]  # fmt: skip


SAVED_PAGE = """From: <Saved by Blink>
Snapshot-Content-Location: https://example.org/kiln?id=3
Subject: =?utf-8?Q?Kiln_=E2=80=93_clay?=
Date: Tue, 10 Mar 2026 09:15:00 +0000
MIME-Version: 1.0
Content-Type: multipart/related;
\ttype="text/html";
\tboundary="----MultipartBoundary--x----"

------MultipartBoundary--x----
Content-Type: text/html
Content-ID: <frame-1@mhtml.blink>
Content-Transfer-Encoding: quoted-printable
Content-Location: https://example.org/kiln?id=3

<!DOCTYPE html><html><head><meta charset=3D"utf-8"><title>x</title></head>
<body><h1>Firing</h1><p>The kiln is h=C3=B6t=2E</p></body></html>
------MultipartBoundary--x----
Content-Type: image/png
Content-Transfer-Encoding: base64
Content-Location: https://example.org/a.png

iVBORw0KGgo=
------MultipartBoundary--x------
"""


@pytest.mark.parametrize("name", ["page.mhtml", "page.mht", "page"])
def test_a_saved_page_is_a_document_with_its_address(tmp_path: Path, name: str) -> None:
    [item] = items_of(tmp_path, name, SAVED_PAGE.replace("\n", "\r\n"))

    assert (item.kind, item.source, item.title) == (Kind.DOCUMENT, "file", "Kiln \u2013 clay")
    assert item.content.split() == ["#", "Firing", "The", "kiln", "is", "höt."]
    assert item.metadata["url"] == "https://example.org/kiln?id=3"
    assert item.happened_at == datetime(2026, 3, 10, 9, 15, tzinfo=UTC)
    assert item.people == ()


def test_a_saved_page_without_html_is_reported(tmp_path: Path) -> None:
    [(where, reason)] = reasons_of(tmp_path, "a.mht", "Subject: x\n\nwords\n")

    assert (where, reason) == ("a.mht", "it holds no page in HTML")


STATEMENT = """\
Kontonummer;DE89 3704
Zeitraum;01.02.2026 - 28.02.2026

Buchungstag;Verwendungszweck;Betrag
02.02.2026;REWE, Hafen;-23,50
03.02.2026;Miete, Garage;-80,00
"""


def test_lines_above_the_head_of_a_table_are_text_before_it(tmp_path: Path) -> None:
    [item] = items_of(tmp_path, "a.csv", STATEMENT)

    assert item.content.split("\n") == [
        "Kontonummer DE89 3704",
        "Zeitraum 01.02.2026 - 28.02.2026",
        "",
        "| Buchungstag | Verwendungszweck | Betrag |",
        "| --- | --- | --- |",
        "| 02.02.2026 | REWE, Hafen | -23,50 |",
        "| 03.02.2026 | Miete, Garage | -80,00 |",
    ]


def test_a_row_of_figures_is_no_head_though_the_first_row_is_narrower(tmp_path: Path) -> None:
    [item] = items_of(tmp_path, "a.csv", "Name,Phone\nAnn,555 1,home\nBo,555 2,work\n")

    assert item.content.startswith("| Name | Phone |\n| --- | --- |\n| Ann |")


def test_a_long_table_is_several_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "PART_CHARS_MAX", 40)
    items = items_of(tmp_path, "a.csv", "n,m\n" + "".join(f"{n},{n}\n" for n in range(10)))

    assert [one.source_id for one in items] == ["a.csv", "a.csv#part=2", "a.csv#part=3"]
    assert all(one.content.startswith("| n | m |\n| --- | --- |\n") for one in items)


def test_a_cell_that_never_ends_is_reported(tmp_path: Path) -> None:
    content = 'a,b\n1,2\n"' + "x" * 200_000
    [(where, reason)] = reasons_of(tmp_path, "a.csv", content)

    assert where == "a.csv: from line 3 on"
    assert "field larger" in reason


def test_a_table_without_a_word_is_empty(tmp_path: Path) -> None:
    assert reasons_of(tmp_path, "a.csv", ",,\n , \n") == [("a.csv", "empty")]


@pytest.mark.parametrize("first", ["sep=;\r\n", "\ufeffsep=;\r\n", '"sep=;"\n'])
def test_a_line_that_names_the_separator_is_no_row(tmp_path: Path, first: str) -> None:
    [item] = items_of(tmp_path, "a.csv", first + "Name, first;Sum\nWater;31,20\n")

    assert item.content == "| Name, first | Sum |\n| --- | --- |\n| Water | 31,20 |"


@pytest.mark.parametrize("name", ["a.rst", "a.org", "a.LOG", "README", "notes.tex"])
def test_other_text_is_one_document(tmp_path: Path, name: str) -> None:
    [item] = items_of(tmp_path, name, "Kiln\n====\n\nNine hundred.\n")

    assert item.title == Path(name).stem
    assert item.content == "Kiln\n====\n\nNine hundred."


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("program", b"\x7fELF\x02\x01\x01\0"),
        ("numbers", b"\x01\x02\x03"),
        ("latin", b"caf\xe9 caf\xe9 caf\xe9"),
        ("empty", b""),
        ("code.py", b"print(1)"),
        ("a.rst", b"\0\1"),
    ],
)
def test_what_is_no_text_is_left_alone(tmp_path: Path, name: str, content: bytes) -> None:
    with pytest.raises(ImportFailed, match="nothing to import"):
        items_of(tmp_path, name, content)


def test_a_text_cut_inside_a_character_by_the_sample_is_text(tmp_path: Path) -> None:
    [item] = items_of(tmp_path, "notes", "x" + "é" * 9_000)

    assert len(item.content) == 9_001
