"""What stands beside the text of documents: comments, headers, boxes, charts, fields of forms."""

import io
import zipfile
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pytest
from openpyxl.comments import Comment
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Cm
from reportlab.pdfgen.canvas import Canvas
from tests.unit.importers.task_files import items, skip

from simonides_bench.testing import documents as make


def content(folder: Path, raw: bytes, name: str) -> str:
    [item] = items(folder, raw, name=name)
    return item.content


def saved(document: Any) -> bytes:
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def with_parts(raw: bytes, parts: dict[str, str]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        members = {one: archive.read(one) for one in archive.namelist()}
    return make.make_zip({**members, **parts})


def test_a_comment_of_a_word_file_stands_where_it_was_made(tmp_path: Path) -> None:
    document = docx.Document()
    rent = document.add_paragraph().add_run("The rent is 900 & more.")
    document.add_comment(rent, text="Too <high>?", author="Ana & Jo", initials="A")
    document.add_paragraph("It begins in May.")

    assert content(tmp_path, saved(document), "lease.docx") == (
        "The rent is 900 & more. [Comment by Ana & Jo: Too <high>?]\n\nIt begins in May."
    )


def test_headers_and_footers_of_a_word_file_end_its_text_each_once(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Dear Ms Brandt")
    for _ in range(2):
        section = document.add_section()
        section.header.is_linked_to_previous = section.footer.is_linked_to_previous = False
        section.header.paragraphs[0].text = "Kiln & Co, tel. 555 0147"
        section.footer.paragraphs[0].text = "- 3 / 12 -"
        section.footer.add_paragraph("555 0147")

    assert content(tmp_path, saved(document), "letter.docx") == (
        "Dear Ms Brandt\n\nHeader: Kiln & Co, tel. 555 0147\n\nFooter: 555 0147"
    )


def test_what_follows_a_text_box_in_its_paragraph_is_kept(tmp_path: Path) -> None:
    box = f"<w:txbxContent>{make.paragraph('Boxed')}{make.paragraph('twice')}</w:txbxContent>"
    shape = (
        '<mc:AlternateContent xmlns:mc="urn:mc"><mc:Choice>'
        f"<w:drawing>{box}</w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent>"
    )
    body = f"<w:p><w:r>{shape}</w:r><w:r><w:t>After the box</w:t></w:r></w:p>"

    text = content(tmp_path, make.docx(body + make.paragraph("End")), "a.docx")

    assert text == "After the box\n\nBoxed\n\ntwice\n\nEnd"


def test_a_damaged_part_beside_a_text_costs_that_part_alone(tmp_path: Path) -> None:
    raw = with_parts(
        make.docx(make.paragraph("Kept")),
        {"word/comments.xml": "<w:comments", "word/header1.xml": "<p><t>Lost"},
    )

    assert content(tmp_path, raw, "a.docx") == "Kept"


def test_charts_of_a_slide_are_lines_of_its_text(tmp_path: Path) -> None:
    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[5])
    slide.shapes.title.text = "Sales"
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["Spring", "Autumn"]
    data.add_series("Kilns", (4.5, 7))
    frame = slide.shapes.add_chart(XL_CHART_TYPE.PIE, Cm(1), Cm(5), Cm(9), Cm(9), data)
    frame.chart.has_title = True
    frame.chart.chart_title.text_frame.text = "Sold in 2025"

    text = content(tmp_path, saved(slides), "a.pptx")

    assert text.endswith("Sales\n\nChart: Sold in 2025\n\nKilns: Spring 4.5, Autumn 7")


def test_diagrams_comments_and_fields_of_a_slide_are_read(tmp_path: Path) -> None:
    targets = ["diagrams/data1.xml", "diagrams/drawing1.xml", "comments/comment1.xml"]
    relations = "".join(f'<Relationship Id="{t}" Type="t" Target="../{t}"/>' for t in targets)
    said = '<p:l xmlns:p="urn:p"><p:cm authorId="2"><p:text>Why?</p:text></p:cm></p:l>'
    words = "".join(f"<a:p><a:r><a:t>{one}</a:t></a:r></a:p>" for one in ("Mix, fire", "2024"))
    drawn = f'<d:x xmlns:d="urn:d" xmlns:a="urn:a">{words}</d:x>'
    raw = make.pptx(["Steps"])
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        slide = archive.read("ppt/slides/slide1.xml").decode()
    fields = (
        '<a:fld type="datetime1"><a:rPr/><a:t>3 May </a:t></a:fld>'
        '<a:fld type="slidenum"><a:t>77</a:t></a:fld><a:r><a:t>Steps'
    )
    parts = {
        "ppt/slides/slide1.xml": slide.replace("<a:r><a:t>Steps", fields),
        "ppt/slides/_rels/slide1.xml.rels": f"<Relationships>{relations}</Relationships>",
        "ppt/diagrams/data1.xml": drawn,
        "ppt/diagrams/drawing1.xml": drawn,
        "ppt/commentAuthors.xml": '<p:l xmlns:p="urn:p"><p:cmAuthor id="2" name="Ana"/></p:l>',
        "ppt/comments/comment1.xml": said,
    }

    text = content(tmp_path, with_parts(raw, parts), "a.pptx")

    assert text.replace("## ", "") == "3 May Steps\n\nMix, fire\n\n2024\n\n[Comment by Ana: Why?]"


def test_comments_on_cells_stand_below_the_rows_of_their_sheet(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet, other = book.active, book.create_sheet("Notes")
    assert sheet is not None
    sheet.append(["Rent", 1200])
    sheet["B1"].comment = Comment("Check with Ana", "Jo")
    other["C3"].comment = Comment("Nothing else here", "Jo")

    rent, notes = items(tmp_path, saved(book), name="a.xlsx")

    assert rent.content == "| Rent | 1200 |\n| --- | --- |\n\nB1: [Comment by Jo: Check with Ana]"
    assert notes.content == "C3: [Comment by Jo: Nothing else here]"


def test_a_thread_on_a_cell_stands_there_once(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["A1"] = "Rent"
    sheet["A1"].comment = Comment("[Threaded comment] Your version shows it so: Too high?", "tc=1")
    relations = "xl/worksheets/_rels/sheet1.xml.rels"
    raw = saved(book)
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        known = archive.read(relations).decode()
    thread = '<Relationship Id="t" Type="t" Target="../threadedComments/threadedComment1.xml"/>'
    said = '<threadedComment ref="A1" personId="{1}"><text>%s</text></threadedComment>'
    parts = {
        relations: known.replace("</Relationships>", f"{thread}</Relationships>"),
        "xl/persons/person.xml": '<personList><person id="{1}" displayName="Ana"/></personList>',
        "xl/threadedComments/threadedComment1.xml": f"<l>{said % 'Too high?'}{said % 'No.'}</l>",
    }

    assert content(tmp_path, with_parts(raw, parts), "a.xlsx").endswith(
        "\n\nA1: [Comment by Ana: Too high?] [Comment by Ana: No.]"
    )


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<text:p>a <text:span><text:span>b</text:span> c</text:span> d</text:p>", "a b c d"),
        ("<text:p>at <text:a><text:span>the kiln</text:span></text:a></text:p>", "at the kiln"),
        ("<text:p>on <text:date>3 May</text:date></text:p>", "on 3 May"),
        (
            (
                "<text:p><text:ruby><text:ruby-base>東</text:ruby-base>"
                "<text:ruby-text>とう</text:ruby-text></text:ruby></text:p>"
            ),
            "東 (とう)",
        ),
        (
            (
                "<text:p>Oak<office:annotation><dc:creator>Ana</dc:creator>"
                "<text:p>Or <text:span>ash</text:span>?</text:p></office:annotation>.</text:p>"
            ),
            "Oak [Comment by Ana: Or ash?].",
        ),
    ],
)
def test_words_of_an_open_document_are_kept_however_they_are_nested(
    tmp_path: Path, body: str, text: str
) -> None:
    assert content(tmp_path, make.odt(body), "a.odt") == text


def test_of_a_picture_in_a_book_its_description_is_kept(tmp_path: Path) -> None:
    chapter = (
        "<p>Before</p><svg><text>drawn</text></svg><p><img alt='A kiln'/></p>"
        "<p><math><mi>x</mi></math> is hot</p>"
    )

    text = content(tmp_path, make.epub([chapter], title="Kilns"), "a.epub")

    assert "data:" not in text
    assert text.split() == "Before A kiln x is hot".split()


def test_the_header_of_an_open_document_ends_its_text(tmp_path: Path) -> None:
    header = (
        '<style:header><text:p xmlns:text="urn:t">Kiln<text:tab/><text:span>& Co</text:span>'
        "</text:p></style:header><style:footer><text:p><text:page-number>3</text:page-number>"
        "</text:p></style:footer>"
    ).replace("& ", "&amp; ")
    raw = with_parts(make.odt("<text:p>Dear Ana</text:p>"), {"styles.xml": header})

    assert content(tmp_path, raw, "a.odt") == "Dear Ana\n\nHeader: Kiln & Co"


def test_the_fields_of_a_form_are_read_where_they_are_filled_in(tmp_path: Path) -> None:
    written = io.BytesIO()
    canvas = Canvas(written, invariant=True)
    canvas.drawString(72, 720, "Application")
    form = canvas.acroForm
    form.textfield(name="surname", tooltip="Family name", value="Brandt", x=72, y=600)
    form.textfield(name="given", value="", x=72, y=560)
    form.checkbox(name="agreed", checked=True, x=72, y=520)
    form.checkbox(name="spam", checked=False, x=72, y=500)
    canvas.showPage()
    canvas.save()

    text = content(tmp_path, written.getvalue(), "form.pdf")

    assert text == "Application\n\nFamily name: Brandt\nagreed: Yes"


def test_comments_of_a_pdf_are_read(tmp_path: Path) -> None:
    note = "<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /T (Ana) /Contents (Pay\\nfirst) >>"
    page = f"/Type /Page /Annots [{note}] "
    raw = make.pdf(["Invoice"]).replace(b"/Type /Page ", page.encode())

    assert content(tmp_path, raw, "a.pdf") == "Invoice\n\n[Comment by Ana: Pay first]"


def test_a_file_inside_of_a_pdf_is_reported(tmp_path: Path) -> None:
    tree = "/Names << /EmbeddedFiles << /Names [(a) << /F (order.xml) /UF (order.xml) >>] >> >>"
    raw = make.pdf(["Invoice"]).replace(b"/Type /Catalog", b"/Type /Catalog " + tree.encode())

    assert skip(tmp_path, raw, name="a.pdf") == [
        ("order.xml", "a file inside of a PDF is not read")
    ]
