"""Documents as offices write them: their text, tables, pages, titles, people and dates."""

import datetime as dt
import io
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
import pytest
from pptx.util import Inches
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from simonides import Memory, Settings
from simonides.importers import extras, read
from simonides.importers.file_item import TEXT_CHARS_MAX
from simonides.model.item import Item, Kind, Role
from simonides.ports.importer import ImportEvent
from simonides_bench.testing import documents as make

CREATED = dt.datetime(2026, 3, 1, 9, 0)  # noqa: DTZ001  what these libraries take
CHANGED = dt.datetime(2026, 3, 2, 17, 30)  # noqa: DTZ001
CHANGED_UTC = CHANGED.replace(tzinfo=dt.UTC)


def events_of(folder: Path, name: str, content: bytes) -> list[ImportEvent]:
    path = folder / name
    path.write_bytes(content)
    return list(read(path))


def items_of(folder: Path, name: str, content: bytes) -> list[Item]:
    events = events_of(folder, name, content)
    assert [one.skipped for one in events if one.skipped] == []
    return [one.item for one in events if one.item]


def reasons_of(folder: Path, name: str, content: bytes) -> list[tuple[str, str]]:
    skipped = [one.skipped for one in events_of(folder, name, content)]
    return [(one.where, one.reason) for one in skipped if one]


def saved(document: Any, folder: Path, name: str) -> bytes:
    document.save(str(folder / name))
    return (folder / name).read_bytes()


def described(document: Any) -> None:
    properties = document.core_properties
    properties.title, properties.author = "Minutes of the board", "Mira Okafor"
    properties.created, properties.modified = CREATED, CHANGED
    properties.keywords, properties.subject = "alpha, beta", "Veneer"


def word_file(folder: Path) -> bytes:
    document = docx.Document()
    described(document)
    document.add_heading("What was decided", 1)
    document.add_paragraph("R&D takes the walnut veneer, if a < b and “quo” holds for x_1 * y_2.")
    table = document.add_table(rows=2, cols=2)
    for place, text in enumerate(["Name", "Cost", "Desk", "12 | 13"]):
        table.cell(place // 2, place % 2).text = text
    document.sections[0].header.paragraphs[0].text = "Confidential"
    return saved(document, folder, "made.docx")


def test_a_word_file_is_one_document(tmp_path: Path) -> None:
    [item] = items_of(tmp_path, "minutes.docx", word_file(tmp_path))

    assert (item.kind, item.source, item.source_id) == (Kind.DOCUMENT, "file", "minutes.docx")
    assert (item.title, item.session, item.position) == ("Minutes of the board", "", None)
    assert [(one.name, one.role) for one in item.people] == [("Mira Okafor", Role.AUTHOR)]
    assert item.tags == ("alpha", "beta")
    assert item.happened_at == CHANGED_UTC
    assert dict(item.metadata) == {
        "format": "docx",
        "subject": "Veneer",
        "created_at": "2026-03-01T09:00:00+00:00",
        "modified_at": "2026-03-02T17:30:00+00:00",
    }
    assert item.content.endswith("\n\nHeader: Confidential")


def test_who_and_when_of_a_librarys_template_are_nobody_and_no_time(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Nobody said who wrote this.")
    [item] = items_of(tmp_path, "plain.docx", saved(document, tmp_path, "made.docx"))

    assert item.people == ()
    assert item.happened_at is None
    assert item.metadata["created_at"] == "2013-12-23T23:15:00+00:00"


def test_the_date_of_a_template_is_none_whoever_is_named(tmp_path: Path) -> None:
    document = docx.Document()
    document.core_properties.author = "Mira Okafor"
    document.add_paragraph("Only the name was set.")
    [item] = items_of(tmp_path, "plain.docx", saved(document, tmp_path, "made.docx"))

    assert [one.name for one in item.people] == ["Mira Okafor"]
    assert item.happened_at is None


@pytest.mark.parametrize(
    "program", ["Microsoft Office User", "anonymous", "XlsxWriter", "User", "(unspecified)"]
)
def test_a_program_and_a_placeholder_are_no_author_but_their_dates_hold(
    tmp_path: Path, program: str
) -> None:
    document = docx.Document()
    described(document)
    document.core_properties.author = program
    document.add_paragraph("Nobody in particular wrote this.")
    [item] = items_of(tmp_path, "plain.docx", saved(document, tmp_path, "made.docx"))

    assert item.people == ()
    assert item.happened_at == CHANGED_UTC


def test_no_character_of_a_word_file_is_lost_or_escaped(tmp_path: Path) -> None:
    [item] = items_of(tmp_path, "minutes.docx", word_file(tmp_path))

    assert "R&D takes the walnut veneer, if a < b and “quo” holds for x_1 * y_2." in item.content


def test_a_table_of_a_word_file_is_rows_of_markdown(tmp_path: Path) -> None:
    [item] = items_of(tmp_path, "minutes.docx", word_file(tmp_path))

    assert item.content.startswith("# What was decided\n\n")
    assert "| Name | Cost |\n| --- | --- |\n| Desk | 12 \\| 13 |" in item.content


def test_numeric_references_of_a_word_file_are_read(tmp_path: Path) -> None:
    body = make.paragraph("x").replace("x", "Caf&#233; &#x26; bar &amp;lt;")
    [item] = items_of(tmp_path, "a.docx", make.docx(body))

    assert item.content == "Café & bar &lt;"


def slides(folder: Path) -> bytes:
    deck = pptx.Presentation()
    described(deck)
    for number in (1, 2):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = f"Kiln {number}"
        slide.placeholders[1].text = "R&D\nSecond"
        slide.notes_slide.notes_text_frame.text = f"Say “hello” {number}"
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Costs"
    box = (Inches(1), Inches(1), Inches(3), Inches(1))
    table = slide.shapes.add_table(2, 2, *box).table
    for place, text in enumerate(["Name", "Cost", "Desk", "12"]):
        table.cell(place // 2, place % 2).text = text
    return saved(deck, folder, "made.pptx")


def test_slides_are_one_document_each(tmp_path: Path) -> None:
    items = items_of(tmp_path, "deck.pptx", slides(tmp_path))

    assert [one.source_id for one in items] == [f"deck.pptx#page={n}" for n in (1, 2, 3)]
    assert {one.title for one in items} == {"Minutes of the board"}
    assert [(one.session, one.position) for one in items] == [("deck.pptx", n) for n in (1, 2, 3)]
    assert [(one.metadata["page"], one.metadata["pages"]) for one in items] == [
        (1, 3), (2, 3), (3, 3),
    ]  # fmt: skip
    assert {one.happened_at for one in items} == {CHANGED_UTC}


def test_the_notes_of_a_slide_and_its_table_are_kept(tmp_path: Path) -> None:
    _, second, third = items_of(tmp_path, "deck.pptx", slides(tmp_path))

    assert second.content == "## Kiln 2\n\nR&D\n\nSecond\n\nNotes:\n\nSay “hello” 2"
    assert third.content == "## Costs\n\n| Name | Cost |\n| --- | --- |\n| Desk | 12 |"


def printed(
    folder: Path, *, title: str = "Ferry", pages: tuple[str, ...] = ("one", "two")
) -> bytes:
    path = folder / "made.pdf"
    canvas = Canvas(str(path))
    canvas.setTitle(title)
    canvas.setAuthor("Odalys Brand")
    canvas.setKeywords("quay, dawn")
    for text in pages:
        canvas.drawString(100, 700, text)
        canvas.showPage()
    canvas.save()
    return path.read_bytes()


def test_the_pages_of_a_pdf_are_one_document_each(tmp_path: Path) -> None:
    pages = ("The ferry leaves quay nineteen.", "It is back at dusk.")
    first, second = items_of(tmp_path, "ferry.pdf", printed(tmp_path, pages=pages))

    assert (first.source_id, second.source_id) == ("ferry.pdf#page=1", "ferry.pdf#page=2")
    assert (first.content, second.content) == pages
    assert (first.title, first.tags) == ("Ferry", ("quay", "dawn"))
    assert [one.name for one in first.people] == ["Odalys Brand"]
    assert (second.session, second.position) == ("ferry.pdf", 2)
    assert (second.metadata["page"], second.metadata["pages"]) == (2, 2)


def test_the_dates_of_a_pdf_are_those_it_states(tmp_path: Path) -> None:
    info = "/CreationDate (D:20260301) /ModDate (D:20260302173000-05'00')"
    [item] = items_of(tmp_path, "a.pdf", make.pdf(["x"], info=info))

    assert item.happened_at == dt.datetime(2026, 3, 2, 22, 30, tzinfo=dt.UTC)
    assert item.metadata["created_at"] == "2026-03-01T00:00:00+00:00"


@pytest.mark.parametrize("info", ["/ModDate (D:16010101000000Z)", "/ModDate (yesterday)", ""])
def test_a_pdf_without_a_date_that_can_be_is_undated(tmp_path: Path, info: str) -> None:
    [item] = items_of(tmp_path, "a.pdf", make.pdf(["x"], info=info))

    assert item.happened_at is None


def test_a_day_in_the_name_dates_what_states_no_date(tmp_path: Path) -> None:
    [item] = items_of(tmp_path, "2026-03-04 scan.pdf", make.pdf(["x"]))

    assert item.happened_at == dt.datetime(2026, 3, 4, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("stated", "title"),
    [
        ("untitled", "letter"),
        ("", "letter"),
        ("Microsoft Word - Offer.doc", "Offer.doc"),
        ("Offer (2)", "Offer (2)"),
    ],
)
def test_titles_that_programs_invent_are_left_out(tmp_path: Path, stated: str, title: str) -> None:
    [item] = items_of(tmp_path, "letter.pdf", printed(tmp_path, title=stated, pages=("x",)))

    assert item.title == title


@pytest.mark.parametrize(
    ("stated", "subject"), [("unspecified", None), ("(Unspecified)", None), ("Offer", "Offer")]
)
def test_a_subject_that_programs_invent_is_left_out(
    tmp_path: Path, stated: str, subject: str | None
) -> None:
    document = docx.Document()
    document.core_properties.subject = stated
    document.add_paragraph("The offer stands.")
    [item] = items_of(tmp_path, "plain.docx", saved(document, tmp_path, "made.docx"))

    assert item.metadata.get("subject") == subject


def test_pages_without_text_are_reported_once(tmp_path: Path) -> None:
    events = events_of(tmp_path, "a.pdf", make.pdf(["one", "", "three", ""]))

    assert [one.item.metadata["page"] for one in events if one.item] == [1, 3]
    assert [(one.skipped.where, one.skipped.reason) for one in events if one.skipped] == [
        ("a.pdf: 2 of 4 pages", "it holds no text; pictures, such as scanned pages, are not read")
    ]


def test_a_scan_is_reported(tmp_path: Path) -> None:
    assert reasons_of(tmp_path, "a.pdf", make.pdf(["", ""])) == [
        ("a.pdf", "it holds no text; pictures, such as scanned pages, are not read")
    ]


def test_many_broken_pages_are_counted_in_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simonides_formats.documents.documents.PROBLEMS_MAX", 3)
    reasons = reasons_of(tmp_path, "a.pdf", make.pdf(["x"], kids="2 0 R", count=10))

    assert [where for where, _ in reasons] == [f"a.pdf: page {n}" for n in (1, 2, 3)] + ["a.pdf"]
    assert reasons[-1][1] == "7 more parts can not be read"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("R E C H N U N G", "RECHNUNG"),
        ("S p r e a d  w o r d s  h e r e", "Spread words here"),
        ("Total:  I N V O I C E", "Total: INVOICE"),
        ("1 2 3 4 5 6", "1 2 3 4 5 6"),
        ("a b c d", "a b c d"),
        ("A plain line of words", "A plain line of words"),
    ],
)
def test_words_in_spread_letters_are_whole(tmp_path: Path, line: str, text: str) -> None:
    [item] = items_of(tmp_path, "a.pdf", make.pdf([line]))

    assert item.content == text


def test_the_columns_of_a_table_stay_apart(tmp_path: Path) -> None:
    row = ") Tj 60 0 Td (".join("ABCDEF")
    [item] = items_of(tmp_path, "a.pdf", make.pdf([row]))

    assert item.content.split() == list("ABCDEF")


def test_a_word_parted_at_the_end_of_a_line_is_whole(tmp_path: Path) -> None:
    lines = "trans-) Tj 0 -14 Td (port of goods"
    [item] = items_of(tmp_path, "a.pdf", make.pdf([lines]))

    assert item.content in ("transport of goods", "trans-\nport of goods")


def workbook(folder: Path) -> bytes:
    book = openpyxl.Workbook()
    book.properties.title, book.properties.creator = "Costs", "Ana Lima"
    book.properties.modified = CHANGED
    plan = book.active
    assert plan is not None
    plan.title = "Plan"
    rows: list[list[object]] = [
        ["Name", "Due", "Cost", "Done", "At"],
        ["Desk | oak", dt.date(2026, 3, 1), 12.5, True, dt.time(9, 30)],
        [],
        ["Chair\nold", CHANGED, 10.0, False, None],
    ]
    for row in rows:
        plan.append(row)
    book.create_sheet("Empty")
    book.create_sheet("Two")["C5"] = "alone"
    return saved(book, folder, "made.xlsx")


def test_a_sheet_is_a_document_with_typed_cells(tmp_path: Path) -> None:
    plan, two = items_of(tmp_path, "costs.xlsx", workbook(tmp_path))

    assert plan.content.split("\n") == [
        "| Name | Due | Cost | Done | At |",
        "| --- | --- | --- | --- | --- |",
        "| Desk \\| oak | 2026-03-01 | 12.5 | TRUE | 09:30 |",
        "| Chair old | 2026-03-02 17:30 | 10 | FALSE |",
    ]
    assert (plan.title, two.title) == ("Costs: Plan", "Costs: Two")
    assert (plan.source_id, two.source_id) == ("costs.xlsx#sheet=Plan", "costs.xlsx#sheet=Two")
    assert (two.metadata["sheet"], two.content) == ("Two", "| alone |\n| --- |")
    assert [one.name for one in plan.people] == ["Ana Lima"]
    assert plan.session == two.session == "costs.xlsx"


def test_a_long_sheet_is_several_documents_with_its_first_row_each(tmp_path: Path) -> None:
    rows = [make.sheet_row(1, ["Name", "Note"])]
    rows += [make.sheet_row(n, [f"n{n}", "word " * 100]) for n in range(2, 452)]
    items = items_of(tmp_path, "a.xlsx", make.xlsx("".join(rows), name="Log"))

    assert [one.source_id for one in items] == [
        "a.xlsx#sheet=Log", "a.xlsx#sheet=Log&part=2", "a.xlsx#sheet=Log&part=3",
    ]  # fmt: skip
    assert all(one.content.startswith("| Name | Note |\n| --- | --- |\n| n") for one in items)
    assert sum(one.content.count("| n") for one in items) == 450


def test_an_open_document_is_read(tmp_path: Path) -> None:
    meta = "<dc:title>Plan</dc:title><dc:creator>Ann</dc:creator>"
    meta += "<dc:date>2026-03-02T17:30:00</dc:date>"
    [item] = items_of(tmp_path, "a.odt", make.odt("<text:p>R&amp;D, x_1</text:p>", meta=meta))

    assert (item.title, item.content) == ("Plan", "R&D, x_1")
    assert (item.people[0].name, item.happened_at) == ("Ann", CHANGED_UTC)


def test_the_footnotes_of_an_open_document_stand_in_its_text(tmp_path: Path) -> None:
    note = (
        '<text:note text:id="n"><text:note-citation>1</text:note-citation>'
        '<text:note-body><text:p text:style-name="f">of oak</text:p></text:note-body></text:note>'
    )
    body = f"<text:p>Veneer{note} for<text:s/>us</text:p>"
    [item] = items_of(tmp_path, "a.odt", make.odt(body))

    assert item.content == "Veneer (of oak) for us"


def test_open_slides_are_one_document_each(tmp_path: Path) -> None:
    frame = (
        "<draw:frame><draw:text-box><text:p>Kiln {} R&amp;D</text:p></draw:text-box></draw:frame>"
    )
    notes = '<presentation:notes draw:style="x"><text:p>hello</text:p></presentation:notes>'
    pages = [
        f'<draw:page draw:name="p">{frame.format(n)}{notes * (n == 2)}</draw:page>' for n in (1, 2)
    ]
    text = make.odt("BODY")
    with zipfile.ZipFile(io.BytesIO(text)) as archive:
        members = {one: archive.read(one).decode() for one in archive.namelist()}
    names = ' xmlns:draw="urn:d" xmlns:presentation="urn:p" xmlns:office='
    content = members["content.xml"].replace("office:text>", "office:presentation>")
    members["content.xml"] = content.replace(" xmlns:office=", names).replace(
        "BODY", "".join(pages)
    )
    members["mimetype"] = "application/vnd.oasis.opendocument.presentation"
    first, second = items_of(tmp_path, "a.odp", make.make_zip(members))

    assert (first.source_id, first.content) == ("a.odp#page=1", "Kiln 1 R&D")
    assert (second.metadata["page"], second.metadata["pages"]) == (2, 2)
    assert second.content == "Kiln 2 R&D\n\nNotes:\n\nhello"


def test_a_book_is_read(tmp_path: Path) -> None:
    chapters = ["<h1>One</h1><p>R&amp;D</p>", "<h1>Two</h1><p>end</p>"]
    [item] = items_of(tmp_path, "a.epub", make.epub(chapters, title="Kilns", author="Ann"))

    assert (item.title, item.people[0].name) == ("Kilns", "Ann")
    assert item.content == "# One\n\nR&D\n\n# Two\n\nend"


def book_members() -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(make.epub(["<p>Queen cells.</p>"], title="T"))) as book:
        return {one: book.read(one) for one in book.namelist()}


def test_chapters_are_found_by_quoted_names(tmp_path: Path) -> None:
    members = book_members()
    members["Teil é 1.xhtml"] = members.pop("c0.xhtml")
    members["c.opf"] = members["c.opf"].replace(
        b'="c0.xhtml" media', b'="Teil%20%C3%A9%201.xhtml" media'
    )
    [item] = items_of(tmp_path, "a.epub", make.make_zip(members))

    assert item.content == "Queen cells."


def test_the_day_of_a_book_is_by_the_clock_of_the_user(tmp_path: Path) -> None:
    members = book_members()
    members["c.opf"] = members["c.opf"].replace(b"</meta", b"<dc:date>2019-04-01</dc:date></meta")
    (tmp_path / "a.epub").write_bytes(make.make_zip(members))
    [step] = read(tmp_path / "a.epub", timezone="America/Chicago")

    assert step.item is not None
    assert step.item.happened_at == dt.datetime(2019, 4, 1, 5, tzinfo=dt.UTC)


def test_rich_text_is_read(tmp_path: Path) -> None:
    info = r"{\title Visit}{\author Ann}{\creatim\yr2026\mo3\dy4\hr10\min5}"
    [item] = items_of(tmp_path, "a.rtf", make.rtf(r"W\b\'f6\b0 lf “x”", info=info))

    assert (item.title, item.content) == ("Visit", "Wölf “x”")
    assert item.happened_at == dt.datetime(2026, 3, 4, 10, 5, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("date", "hour"), [("2026-03-02T17:30:00", 23), ("2026-03-02T17:30:00Z", 17)]
)
def test_a_date_without_a_zone_is_by_the_clock_of_the_user(
    tmp_path: Path, date: str, hour: int
) -> None:
    meta = f"<dc:date>{date}</dc:date>"
    (tmp_path / "a.odt").write_bytes(make.odt("<text:p>Plan</text:p>", meta=meta))
    [step] = read(tmp_path / "a.odt", timezone="America/Chicago")

    assert step.item is not None
    assert step.item.happened_at == dt.datetime(2026, 3, 2, hour, 30, tzinfo=dt.UTC)
    assert step.item.metadata["modified_at"] == f"2026-03-02T{hour}:30:00+00:00"


def test_dates_of_rich_text_are_by_the_clock_of_the_user(tmp_path: Path) -> None:
    info = r"{\creatim\yr2026\mo3\dy4\hr10\min5}"
    (tmp_path / "a.rtf").write_bytes(make.rtf("Wolf", info=info))
    [step] = read(tmp_path / "a.rtf", timezone="America/Chicago")

    assert step.item is not None
    assert step.item.happened_at == dt.datetime(2026, 3, 4, 16, 5, tzinfo=dt.UTC)


def test_a_document_is_known_by_its_content_not_its_name(tmp_path: Path) -> None:
    [item] = items_of(tmp_path, "report.bin", make.docx(make.paragraph("walnut")))

    assert (item.content, item.metadata["format"]) == ("walnut", "docx")


@pytest.mark.slow
def test_a_very_long_document_is_cut_and_says_so(tmp_path: Path) -> None:
    text = "word " * (TEXT_CHARS_MAX // 5 + 10)
    [item] = items_of(tmp_path, "a.rtf", make.rtf(text))

    assert TEXT_CHARS_MAX - 1 <= len(item.content) <= TEXT_CHARS_MAX
    assert item.metadata["_cut_from_chars"] > TEXT_CHARS_MAX


def test_a_hit_names_its_page(tmp_path: Path) -> None:
    (tmp_path / "ferry.pdf").write_bytes(make.pdf(["The kiln is hot.", "The ferry is late."]))
    with Memory(":memory:", settings=Settings(embedder="none")) as memory:
        memory.import_(tmp_path / "ferry.pdf")
        again = memory.import_(tmp_path / "ferry.pdf")
        [hit, *_] = memory.search("late ferry").hits

    assert (hit.item.title, hit.item.metadata["page"]) == ("ferry", 2)
    assert (again.added, again.updated, again.unchanged) == (0, 0, 2)


def test_reading_again_gives_the_same(tmp_path: Path) -> None:
    content = slides(tmp_path)

    assert items_of(tmp_path, "a.pptx", content) == items_of(tmp_path, "a.pptx", content)


def test_the_source_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(make.pdf(["x"]))
    [event] = read(tmp_path / "a.pdf", source="gdrive")

    assert event.item is not None
    assert event.item.source == "gdrive"


def compound_file(stream: str) -> bytes:
    """Return a file of Office 97 with one entry in its directory."""
    head = bytearray(512)
    head[:8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    head[30:32], head[48:52] = (9).to_bytes(2, "little"), (0).to_bytes(4, "little")
    name = stream.encode("utf-16-le") + b"\0\0"
    entry = name.ljust(64, b"\0") + len(name).to_bytes(2, "little")
    return bytes(head) + entry.ljust(512, b"\0")


def test_a_document_behind_a_password_says_so(tmp_path: Path) -> None:
    assert reasons_of(tmp_path, "a.docx", compound_file("EncryptedPackage")) == [
        ("a.docx", "is protected by a password")
    ]


def test_a_pdf_behind_a_password_says_so(tmp_path: Path) -> None:
    path = tmp_path / "made.pdf"
    canvas = Canvas(str(path), encrypt=StandardEncryption("secret", ownerPassword="other"))
    canvas.drawString(100, 700, "walnut")
    canvas.save()

    assert reasons_of(tmp_path, "a.pdf", path.read_bytes()) == [
        ("a.pdf", "is protected by a password")
    ]


@pytest.mark.parametrize("stream", ["WordDocument", "Workbook", "PowerPoint Document"])
def test_a_damaged_office_file_is_reported(tmp_path: Path, stream: str) -> None:
    [(where, reason)] = reasons_of(tmp_path, "old.bin", compound_file(stream))

    assert where == "old.bin"
    assert reason


@pytest.mark.parametrize(
    ("library", "content", "title"),
    [
        ("pypdfium2", make.pdf(["x"]), "PDF files"),
        ("python_calamine", make.xlsx(make.sheet_row(1, ["x"])), "spreadsheets"),
        ("kreuzberg", make.rtf("x"), "documents of word processors, slides and books"),
    ],
)
def test_a_missing_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str, content: bytes, title: str
) -> None:
    monkeypatch.setattr(
        extras, "find_spec", lambda name: None if name == library else find_spec(name)
    )

    assert reasons_of(tmp_path, "a.bin", content) == [
        ("a.bin", f"{title} are read by the extra documents: pip install 'simonides[documents]'")
    ]


def test_half_bold_words_of_a_word_file_are_whole(tmp_path: Path) -> None:
    document = docx.Document()
    line = document.add_paragraph("Total:\t12 EUR\nHel")
    line.add_run("lo wor").bold = True
    line.add_run("ld").italic = True
    line.add_run(" under").underline = True
    line.add_run("line").font.strike = True
    table = document.add_table(rows=1, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text = "two\nlines", "x"
    [item] = items_of(tmp_path, "a.docx", saved(document, tmp_path, "made.docx"))

    assert item.content == (
        "Total:\t12 EUR\nHello world underline\n\n| two lines | x |\n| --- | --- |"
    )


def test_half_bold_words_of_a_slide_are_whole(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Kiln"
    paragraph = slide.placeholders[1].text_frame.paragraphs[0]
    for text, is_bold in (("Hel", None), ("lo wor", True), ("ld * x_1", False)):
        run = paragraph.add_run()
        run.text, run.font.bold = text, is_bold
    paragraph.add_run().text = " end"
    paragraph.runs[-1].hyperlink.address = "http://x.example/"
    [item] = items_of(tmp_path, "a.pptx", saved(deck, tmp_path, "made.pptx"))

    assert item.content == "## Kiln\n\nHello world * x_1 end"


def test_half_bold_words_of_a_book_are_whole(tmp_path: Path) -> None:
    chapter = '<p>Hel<b>lo</b> w<span class="x">or</span>ld 2 * 3, snake_case</p>'
    [item] = items_of(tmp_path, "a.epub", make.epub([chapter], title="T"))

    assert item.content == "Hello world 2 * 3, snake_case"
