"""Numbers of spreadsheets as the sheet shows them."""

import datetime as dt
import io
import zipfile
from pathlib import Path

import openpyxl
import pytest
from tests.unit.importers.task_files import items

from simonides_bench.testing import documents as make
from simonides_formats.documents.number_formats import show_number

EURO = '_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-'


@pytest.mark.parametrize(
    ("number", "code", "text"),
    [
        (0.4567, "0%", "46%"),
        (0.4567, "0.0%", "45.7%"),
        (0.455, "0%", "46%"),
        (-0.025, "0.00%", "-2.50%"),
        (0.5, '0"%"', "1%"),
        (12.0, "0.00", "12.00"),
        (1234.5, "#,##0.00", "1,234.50"),
        (1234567.0, "#,##0", "1,234,567"),
        (1.005, "0.00", "1.01"),
        (2.5, "0.0##", "2.5"),
        (0.0, "#.##", None),
        (7.0, "00000", "00007"),
        (2500000.0, '0.0,,"M"', "2.5M"),
        (1234.5, "[$€-407]#,##0.00", "€1,234.50"),
        (1234.5, "#,##0.00\\ [$kr.-406]", "1,234.50 kr."),
        (-3.0, '"$"#,##0.00', "-$3.00"),
        (-3.0, "#,##0_);[Red](#,##0)", "(3)"),
        (-3.0, "0.0;0.0", "3.0"),
        (-0.001, "0.0", "0.0"),
        (0.0, '0;-0;"none"', "none"),
        (1234.5, EURO, "1,234.50 €"),
        (-1234.5, EURO, "- 1,234.50 €"),
        (0.0, EURO, "- €"),
        (1e14, "#,##0", "100,000,000,000,000"),
        (1.0, ";;;", None),
        (1.0, "General", None),
        (1.0, "yyyy-mm-dd", None),
        (1.0, "[h]:mm", None),
        (1.0, "0.00E+00", None),
        (1.5, "# ?/?", None),
        (1.0, "[>100]0.0;0", None),
        (1.0, "@", None),
        (1.0, "", None),
        (1.0, "0." + "0" * 40, None),
        (1.0, "0" * 300, None),
        (1e300, "0.00", None),
    ],
)
def test_a_number_is_shown_as_its_code_says(number: float, code: str, text: str | None) -> None:
    assert show_number(number, code) == text


def workbook(*cells: tuple[str, object, str]) -> bytes:
    """Return a workbook with these cells: place, value and code."""
    book, written = openpyxl.Workbook(), io.BytesIO()
    sheet = book.active
    assert sheet is not None
    for place, value, code in cells:
        sheet[place] = value
        sheet[place].number_format = code
    book.save(written)
    return written.getvalue()


def text_of(folder: Path, raw: bytes) -> str:
    [sheet] = items(folder, raw, name="a.xlsx")
    return sheet.content


def test_cells_stand_as_the_sheet_shows_them(tmp_path: Path) -> None:
    raw = workbook(
        ("C3", "Share", "General"), ("D3", "Fee", "General"), ("E3", "Day", "General"),
        ("C5", 0.1234, "0.0%"), ("D5", 1234.5, "[$€-407]#,##0.00"),
        ("E5", dt.date(2026, 3, 4), "yyyy-mm-dd"),
        ("C7", 0.5, "General"), ("D7", "0.5", "0%"), ("E7", True, "0%"),
    )  # fmt: skip

    assert text_of(tmp_path, raw).splitlines()[2:] == [
        "| 12.3% | €1,234.50 | 2026-03-04 |",
        "| 0.5 | 0.5 | TRUE |",
    ]


def changed(raw: bytes, member: str, old: bytes, new: bytes) -> bytes:
    """Return a workbook in one of whose members this is replaced."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as before, zipfile.ZipFile(written, "w") as after:
        for name in before.namelist():
            content = before.read(name)
            assert name != member or old in content
            after.writestr(name, content.replace(old, new) if name == member else content)
    return written.getvalue()


SHEET, CELLS = "xl/worksheets/sheet1.xml", (("A1", "Share", "General"), ("A2", 0.25, "0%"))


def test_cells_without_their_place_are_counted(tmp_path: Path) -> None:
    raw = changed(workbook(*CELLS, ("B2", 0.75, "0%")), SHEET, b' r="A2"', b"")

    assert text_of(tmp_path, raw).splitlines()[-1] == "| 25% | 75% |"


def test_damaged_styles_leave_the_numbers_as_they_are(tmp_path: Path) -> None:
    assert text_of(tmp_path, workbook(*CELLS)).splitlines()[-1] == "| 25% |"
    raw = changed(workbook(*CELLS), "xl/styles.xml", b'numFmtId="9"', b'numFmtId="9999"')

    assert text_of(tmp_path, raw).splitlines()[-1] == "| 0.25 |"


def open_sheet(*cells: str) -> bytes:
    """Return an OpenDocument sheet with a row of these cells."""
    spaces = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text")
    )
    content = (
        f"<office:document-content{spaces}><office:body><office:spreadsheet>"
        f'<table:table table:name="A"><table:table-row>{"".join(cells)}</table:table-row>'
        "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    manifest = '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    members = {"mimetype": kind, "META-INF/manifest.xml": manifest, "content.xml": content}
    return make.make_zip(members)


def number(kind: str, value: str, text: str) -> str:
    """Return a cell of an OpenDocument sheet."""
    shown_text = f"<text:p>{text}</text:p>" if text else ""
    return (
        f'<table:table-cell office:value-type="{kind}" office:value="{value}">{shown_text}'
        "</table:table-cell>"
    )


def test_percentages_and_money_of_open_documents_stand_as_shown(tmp_path: Path) -> None:
    raw = open_sheet(
        number("percentage", "0.12345", "12.3%"), number("currency", "5", "5,00 €"),
        number("percentage", "0.25", ""), number("float", "1.5", "1,50"),
    )  # fmt: skip
    [sheet] = items(tmp_path, raw, name="a.ods")

    assert sheet.content.splitlines()[0] == "| 12.3% | 5,00 € | 0.25 | 1.5 |"
