"""Small documents of every format, written with the standard library alone, and odd ones of them.

For tests and for measuring. Must not know how they are read.
"""

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from xml.sax.saxutils import escape

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_P = "http://schemas.openxmlformats.org/presentationml/2006/main"
_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_REL = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
_ZIP_TIME = (2026, 3, 4, 10, 0, 0)


def make_zip(members: Mapping[str, str | bytes], *, deflated: bool = True) -> bytes:
    """Return a zip of these members, the same bytes each time."""
    written = io.BytesIO()
    kind = zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED
    with zipfile.ZipFile(written, "w", kind) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, _ZIP_TIME)
            info.compress_type = kind
            archive.writestr(info, content)
    return written.getvalue()


def _open_xml(
    main: str, media_type: str, members: Mapping[str, str], *, properties: str = ""
) -> dict[str, str]:
    """Return the members of an Open XML file whose main part is `main`."""
    override = f'<Override PartName="/{main}" ContentType="{media_type}"/>'
    return {
        "[Content_Types].xml": f'<Types xmlns="{_TYPES}"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{override}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_REL}"><Relationship Id="rId1" '
        f'Type="{_R}/officeDocument" Target="{main}"/></Relationships>',
        **({"docProps/core.xml": properties} if properties else {}),
        **members,
    }


def core_properties(*, title: str = "", author: str = "", modified: str = "") -> str:
    """Return the properties of an Open XML file."""
    return (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/'
        'core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:dcterms="http://purl.org/dc/terms/">'
        f"<dc:title>{escape(title)}</dc:title><dc:creator>{escape(author)}</dc:creator>"
        f"<dcterms:modified>{modified}</dcterms:modified></cp:coreProperties>"
    )


def docx(body: str, *, properties: str = "", doctype: str = "") -> bytes:
    """Return a Word file with this XML as its body."""
    main = f'{doctype}<w:document xmlns:w="{_W}"><w:body>{body}</w:body></w:document>'
    media_type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    members = {"word/document.xml": main}
    return make_zip(_open_xml("word/document.xml", media_type, members, properties=properties))


def paragraph(text: str) -> str:
    """Return a paragraph of a Word file."""
    return f"<w:p><w:r><w:t>{escape(text)}</w:t></w:r></w:p>"


def docx_table(rows: Iterable[Sequence[str]]) -> str:
    """Return a table of a Word file."""
    lines = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return "<w:tbl>" + "".join(f"<w:tr>{line}</w:tr>" for line in lines) + "</w:tbl>"


def pptx(slides: Sequence[str], *, properties: str = "") -> bytes:
    """Return slides with one text each."""
    members = {}
    ids, relations = [], []
    for number, text in enumerate(slides, start=1):
        shape = f"<p:sp><p:txBody><a:p><a:r><a:t>{escape(text)}</a:t></a:r></a:p></p:txBody></p:sp>"
        members[f"ppt/slides/slide{number}.xml"] = (
            f'<p:sld xmlns:p="{_P}" xmlns:a="{_A}"><p:cSld><p:spTree>{shape}</p:spTree></p:cSld>'
            "</p:sld>"
        )
        ids.append(f'<p:sldId id="{255 + number}" r:id="rId{number}"/>')
        relations.append(
            f'<Relationship Id="rId{number}" Type="{_R}/slide" Target="slides/slide{number}.xml"/>'
        )
    members["ppt/presentation.xml"] = (
        f'<p:presentation xmlns:p="{_P}" xmlns:r="{_R}"><p:sldIdLst>{"".join(ids)}</p:sldIdLst>'
        "</p:presentation>"
    )
    members["ppt/_rels/presentation.xml.rels"] = (
        f'<Relationships xmlns="{_REL}">{"".join(relations)}</Relationships>'
    )
    media_type = (
        "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"
    )
    return make_zip(_open_xml("ppt/presentation.xml", media_type, members, properties=properties))


def xlsx(sheet_data: str, *, properties: str = "", name: str = "Sheet1") -> bytes:
    """Return a workbook whose one sheet holds this XML."""
    members = {
        "xl/workbook.xml": f'<workbook xmlns="{_S}" xmlns:r="{_R}"><sheets>'
        f'<sheet name="{escape(name)}" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_REL}"><Relationship Id="rId1" '
        f'Type="{_R}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_S}"><sheetData>{sheet_data}</sheetData>'
        "</worksheet>",
    }
    media_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
    return make_zip(_open_xml("xl/workbook.xml", media_type, members, properties=properties))


def sheet_row(number: int, cells: Iterable[str | float]) -> str:
    """Return one row of a sheet."""
    found = []
    for place, cell in enumerate(cells):
        at = f"{_column(place)}{number}"
        if isinstance(cell, str):
            found.append(f'<c r="{at}" t="inlineStr"><is><t>{escape(cell)}</t></is></c>')
        else:
            found.append(f'<c r="{at}"><v>{cell}</v></c>')
    return f'<row r="{number}">{"".join(found)}</row>'


def _column(place: int) -> str:
    letters = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        letters = chr(65 + letter) + letters
    return letters


def odt(body: str, *, meta: str = "") -> bytes:
    """Return an OpenDocument text with this XML as its body."""
    return make_zip(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f'<office:document-content xmlns:office="{_OFFICE}" '
            f'xmlns:text="{_TEXT}"><office:body><office:text>{body}</office:text></office:body>'
            "</office:document-content>",
            "meta.xml": f'<office:document-meta xmlns:office="{_OFFICE}" '
            'xmlns:dc="http://purl.org/dc/elements/1.1/" '
            'xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"><office:meta>'
            f"{meta}</office:meta></office:document-meta>",
            "META-INF/manifest.xml": "<manifest:manifest "
            'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        }
    )


def epub(chapters: Sequence[str], *, title: str = "", author: str = "") -> bytes:
    """Return a book whose chapters are this XHTML each."""
    names = [f"c{number}.xhtml" for number in range(len(chapters))]
    manifest = "".join(
        f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in names
    )
    spine = "".join(f'<itemref idref="{name}"/>' for name in names)
    return make_zip(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container version="1.0" '
            'xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="c.opf" media-type="application/oebps-package+xml"/>'
            "</rootfiles></container>",
            "c.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
            f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{escape(title)}</dc:title>'
            f"<dc:creator>{escape(author)}</dc:creator></metadata><manifest>{manifest}</manifest>"
            f"<spine>{spine}</spine></package>",
            **{
                name: f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{chapter}</body></html>'
                for name, chapter in zip(names, chapters, strict=True)
            },
        }
    )


def rtf(text: str, *, info: str = "") -> bytes:
    """Return an RTF file with this text."""
    body = "".join(one if ord(one) < 128 else f"\\u{ord(one)}?" for one in text)  # noqa: PLR2004
    return f"{{\\rtf1\\ansi{{\\info{info}}}{body}}}".encode()


def pdf(pages: Sequence[str], *, info: str = "", count: int | None = None, kids: str = "") -> bytes:
    """Return a PDF with one line of text on each page; `count` and `kids` may lie."""
    numbers = [4 + 2 * place for place in range(len(pages))]
    listed = kids or " ".join(f"{number} 0 R" for number in numbers)
    total = len(pages) if count is None else count
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{listed}] /Count {total} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in zip(numbers, pages, strict=True):
        drawn = f"BT /F1 12 Tf 40 700 Td ({text}) Tj ET"
        contents = f"/Contents {number + 1} 0 R /Resources << /Font << /F1 3 0 R >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] {contents} >>")
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    if info:
        objects.append(f"<< {info} >>")
    return pdf_of(objects, info=len(objects) if info else 0)


def pdf_of(objects: Sequence[str], *, info: int = 0) -> bytes:
    """Return a PDF of these objects, the first of which is its catalogue."""
    written, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, start=1):
        places.append(len(written))
        written += f"{number} 0 obj\n{one}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    trailer = f"/Size {size} /Root 1 0 R" + (f" /Info {info} 0 R" if info else "")
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer << {trailer} >>\n"
    return written + f"{end}startxref\n{len(written)}\n%%EOF\n".encode()
