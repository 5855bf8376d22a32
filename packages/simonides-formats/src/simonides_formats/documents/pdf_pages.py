"""The text of a PDF page by page, by PDFium; runs in the extraction's own process.

Must not know items. Loaded by `child.py` alone.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Any, BinaryIO

import pypdfium2

from simonides_formats.documents.pdf_annotations import annotation_lines, read_attached_names

PAGES_MAX = 20_000
"""Most pages that are read; the longest printed works have fewer."""

BAD_PAGES_MAX = 20
"""Bad pages in a row after which the rest is given up: a damaged file may claim a billion."""

_LINE_END_HYPHEN = re.compile("[\ufffe\x02]\r?\n?")
"""How PDFium writes a hyphen that parts a word at the end of a line."""

_SPREAD = re.compile(r"(?<!\S)\S(?: \S){4,}(?!\S)")
"""Five and more letters with blanks between them."""

WORD_GAP = 1.4
"""A gap this many times the usual one parts words; between columns all are wider than letters."""

_DATE = re.compile(
    r"(?:D:)?(?P<digits>\d{4,14})(?:Z|(?P<sign>[+-])(?P<hours>\d\d)'?(?P<minutes>\d\d)?)?"
)
_DIGITS = "00010101000000"
"""What stands for the digits that a date leaves out."""


def read(stream: BinaryIO, _: str) -> Iterator[dict[str, Any]]:
    """Yield what the file says of itself, then the text of each page that has any."""
    document = pypdfium2.PdfDocument(stream)
    pages = len(document)
    yield {"about": _about(document, pages)}
    for name in read_attached_names(document):
        yield {"problem": "a file inside of a PDF is not read", "part": name}
    if document.get_formtype() == pypdfium2.raw.FORMTYPE_XFA_FULL:
        yield {"problem": "the fields of a form that is made of XFA are not read"}
    with suppress(pypdfium2.PdfiumError):  # a damaged form costs its fields and no page
        document.init_forms()
    bad = 0
    for number in range(1, min(pages, PAGES_MAX) + 1):
        try:
            yield {"text": _page_text(document, number), "page": number}
            bad = 0
        except pypdfium2.PdfiumError as error:
            yield {"problem": str(error), "part": f"page {number}"}
            bad += 1
        if bad >= BAD_PAGES_MAX:
            break
    left = pages - number if pages else 0
    if left:
        yield {"problem": f"{left} pages are not read", "part": f"after page {number}"}


def _page_text(document: pypdfium2.PdfDocument, number: int) -> str:
    page = document[number - 1]
    try:
        text_page = page.get_textpage()
        try:
            text = _LINE_END_HYPHEN.sub("", text_page.get_text_bounded())
            text = _close_up(text, text_page) if _SPREAD.search(text) else text
            beside = "\n".join(annotation_lines(document, page))
            return f"{text.rstrip()}\n\n{beside}" if beside else text
        finally:
            text_page.close()
    finally:
        page.close()


def _close_up(text: str, page: pypdfium2.PdfTextPage) -> str:
    """Return a text whose words that are set in spread letters (R E C H N U N G) are whole."""
    set_text = page.get_text_range()
    for found in _SPREAD.finditer(set_text):
        boxes = [page.get_charbox(at) for at in range(found.start(), found.end(), 2)]
        whole = _words_of(found[0][::2], boxes)
        text = text.replace(found[0], whole or found[0], 1)
    return text


def _words_of(letters: str, boxes: list[tuple[float, float, float, float]]) -> str:
    """Return the words of letters set apart, by the gaps between their boxes; "" for a table row.

    A box is (left, bottom, right, top), in points.
    """
    gaps = [after[0] - before[2] for before, after in pairwise(boxes)]
    usual, height = median(gaps), median(top - bottom for _, bottom, _, top in boxes)
    if usual > height or sum(map(str.isalpha, letters)) <= len(letters) / 2:
        return ""
    apart = [" " * (gap > WORD_GAP * usual) for gap in gaps]
    return letters[0] + "".join(map("".join, zip(apart, letters[1:], strict=True)))


def _about(document: pypdfium2.PdfDocument, pages: int) -> dict[str, Any]:
    found = document.get_metadata_dict()
    return {
        "title": found["Title"],
        "authors": [found["Author"]] if found["Author"] else [],
        "keywords": re.split(r"[,;]", found["Keywords"]),
        "subject": found["Subject"],
        "created_at": moment(found["CreationDate"]),
        "modified_at": moment(found["ModDate"]),
        "pages": pages,
    }


def moment(text: str) -> str:
    """Return a PDF's date (`D:20260304100500+01'00'`) as ISO 8601; empty where it is none.

    One that names no zone has no offset.
    """
    match = _DATE.match(text.strip())
    if match is None:
        return ""
    digits = match["digits"] + _DIGITS[len(match["digits"]) :]
    try:
        when = datetime.fromisoformat(f"{digits[:8]}T{digits[8:]}")
        away = timedelta(hours=int(match["hours"] or 0), minutes=int(match["minutes"] or 0))
        if match["sign"] or match[0].endswith("Z"):
            when = when.replace(tzinfo=UTC) - (away if match["sign"] == "+" else -away)
    except (ValueError, OverflowError):
        return ""
    return when.isoformat()
