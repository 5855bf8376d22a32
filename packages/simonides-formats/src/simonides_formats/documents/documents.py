"""Documents of offices, printers and publishers: one item, or one for each page, slide or sheet.

Knows how their parts become items. Must not know how text is taken out of them: that is done in
a process of its own (`child.py`), which a hostile file may end without harm.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from simonides.errors import ImportFailed, InvalidInput
from simonides.importers.extras import check_installed
from simonides.importers.file_item import file_item, moment, tidy, title_for, within_years
from simonides.model.item import Item
from simonides.ports.importer import ImportEvent, SourceFile
from simonides_formats.documents.child import PROTECTED
from simonides_formats.documents.child_process import EXTRACTOR, Extracted
from simonides_formats.documents.document_marks import kind_of

FILE_BYTES_MAX = 256 << 20
"""Largest document that is read: the libraries hold it in memory."""

RATIO_MAX = 50
"""Most characters of a document for each of its bytes: packed XML of text shrinks to a tenth, and
cells that say how often they are repeated can claim anything."""

FREE_CHARS = 200_000
"""What a document may hold in any case: a hundred printed pages."""

PROBLEMS_MAX = 20
"""Most entries in the report for one document; a last one says how many more there are."""

NO_TEXT = "it holds no text; pictures, such as scanned pages, are not read"
"""Why a document, or a page of one, becomes no item."""

_LIBRARIES = {
    "pdf": ("pypdfium2", "PDF files"),
    "xlsx": ("python_calamine", "spreadsheets"),
    "xlsb": ("python_calamine", "spreadsheets"),
    "xls": ("python_calamine", "spreadsheets"),
    "ods": ("python_calamine", "spreadsheets"),
}
_OTHERS = ("kreuzberg", "documents of word processors, slides and books")


def read_document(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the items of a document, and what of it can not be read."""
    kind = kind_of(file.path)
    if kind == "encrypted":
        raise ImportFailed(PROTECTED)
    library, title = _LIBRARIES.get(kind, _OTHERS)
    check_installed(library, extra="documents", title=title)
    yield from _events(file, kind)


def read_notebook(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield a notebook as one document, or why it is passed over."""
    yield from _events(file, "ipynb")


def _events(file: SourceFile, kind: str) -> Iterator[ImportEvent]:
    if file.size_bytes > FILE_BYTES_MAX:
        raise ImportFailed(f"is larger than {FILE_BYTES_MAX >> 20} MB")
    chars_max = max(FREE_CHARS, RATIO_MAX * file.size_bytes)
    if file.allowance is not None:
        file.allowance.take(0 if file.allowance.left else 1)
        chars_max = min(chars_max, file.allowance.left)
    found = EXTRACTOR.extract(file.path, kind, chars_max=chars_max)
    if file.allowance is not None:
        file.allowance.take(min(sum(len(one["text"]) for one in found.parts), chars_max))
    yield from _Document(file=file, kind=kind, found=found).events()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Document:
    """One document as it was extracted."""

    file: SourceFile
    kind: str
    found: Extracted

    def events(self) -> Iterator[ImportEvent]:
        """Yield an event for each part with text, and for each problem."""
        file, parts = self.file, [(one, tidy(one["text"])) for one in self.found.parts]
        filled = [(part, text) for part, text in parts if text]
        title = self._title(filled[0][1] if filled else "")
        for done, (part, text) in enumerate(filled, start=1):
            bytes_done = file.size_bytes * done // len(filled)
            try:
                item = self._item(part, text, title=title, position=done)
                yield file.keep(item, bytes_done=bytes_done)
            except InvalidInput as error:
                place = _place(part).lstrip("#")
                yield file.skip(str(error), part=place, bytes_done=bytes_done)
        yield from self._problems(empty=len(parts) - len(filled), count=len(parts))

    def _problems(self, *, empty: int, count: int) -> Iterator[ImportEvent]:
        file, done = self.file, self.file.size_bytes
        problems = self.found.problems
        for one in problems[:PROBLEMS_MAX]:
            yield file.skip(one["problem"], part=one.get("part", ""), bytes_done=done)
        if len(problems) > PROBLEMS_MAX:
            more = f"{len(problems) - PROBLEMS_MAX} more parts can not be read"
            yield file.skip(more, bytes_done=done)
        if self.found.end:
            yield file.skip(self.found.end, bytes_done=done)
        elif empty == count:
            if not problems:
                yield file.skip(NO_TEXT, bytes_done=done, empty=True)
        elif empty:
            part = f"{empty} of {count} pages"
            yield file.skip(NO_TEXT, part=part, bytes_done=done, empty=True)

    def _title(self, first_text: str) -> str:
        return title_for(self.file, self.found.about.get("title", ""), first_text)

    def _moment(self, name: str) -> datetime | None:
        """Return when the document says it was created or changed; some say it by their clock."""
        text = str(self.found.about.get(name, ""))
        if self.kind not in _BY_OWN_CLOCK:
            return within_years(moment(text))
        stated = text.removesuffix("Z") if self.kind == "rtf" else text
        return within_years(moment(stated, self.file.timezone))

    def _item(self, part: dict[str, Any], text: str, *, title: str, position: int) -> Item:
        about, place = self.found.about, _place(part)
        created, modified = map(self._moment, _DATES)
        named = about.get("authors", ())
        authors = [one for one in named if one.casefold() not in _TEMPLATE_AUTHORS | _NOBODY]
        is_template = any(one.casefold() in _TEMPLATE_AUTHORS for one in named)
        is_template = is_template or bool({created, modified} & _TEMPLATE_DATES)
        notes = {
            "format": self.kind,
            "page": part.get("page"),
            "pages": about.get("pages"),
            "sheet": part.get("sheet"),
            "subject": tidy(about.get("subject", "")),
            "created_at": created and created.isoformat(),
            "modified_at": modified and modified.isoformat(),
            "_cut_from_chars": part.get("chars"),
        }
        several_sheets = about.get("sheets", 1) > 1
        return file_item(
            self.file,
            content=text,
            title=f"{title}: {part['sheet']}" if several_sheets else title,
            authors=authors,
            tags=about.get("keywords", ()),
            dates=() if is_template else (modified, created),
            metadata={name: value for name, value in notes.items() if value},
            place=place,
            position=part.get("page", position) if place else None,
        )


_DATES = ("created_at", "modified_at")
_BY_OWN_CLOCK = frozenset(["odt", "ods", "odp", "rtf", "pdf", "epub"])
"""Formats whose dates may name no zone; for those of RTF, which never do, the library adds `Z`."""

_TEMPLATE_AUTHORS = frozenset({"python-docx", "openpyxl", "python-pptx", "apache poi", "docx4j"})
"""Whom libraries name as author where nobody does; the dates beside are those of their templates.

As their default properties have it: python-docx and python-pptx, openpyxl, Apache POI, docx4j.
"""

_TEMPLATE_DATES = frozenset(
    {datetime(2013, 12, 23, 23, 15, tzinfo=UTC), datetime(2013, 1, 27, 9, 14, 16, tzinfo=UTC),
     datetime(2013, 1, 27, 9, 15, 58, tzinfo=UTC)}
)  # fmt: skip
"""The dates in the templates of python-docx 1.2 and python-pptx 1.0, where only a name was set."""

_NOBODY = frozenset(
    one.replace("_", " ")
    for one in """
    microsoft_office_user microsoft_office-anwender microsoft_office_word windows_user
    windows-benutzer utilisateur_windows user users admin administrator author
    un-named unnamed default owner office
    libreoffice openoffice openoffice.org google_docs xlsxwriter phpexcel phpword phpspreadsheet
    phppresentation tcpdf fpdf reportlab wkhtmltopdf aspose aspose.words sheetjs exceljs
    crystal_reports jasperreports latex_with_hyperref pandoc canva
    """.split()
)
"""Programs and placeholders that documents name as authors; their dates are real."""


def _place(part: dict[str, Any]) -> str:
    """Return where a part lies in its document, as the end of its source id; empty for the whole.

    Page numbers are written as PDF readers understand them in addresses (RFC 8118, section 3).
    """
    if "page" in part:
        return f"#page={part['page']}"
    if "sheet" not in part:
        return ""
    again = f"&part={part['part']}" if part["part"] > 1 else ""
    return f"#sheet={part['sheet']}{again}"
