"""The rows of spreadsheets with typed cells, by calamine; runs in the extraction's own process.

Must not know items. Loaded by `child.py` alone.
"""

import zipfile
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from itertools import groupby, islice
from typing import Any, BinaryIO
from xml.etree import ElementTree as ET

import python_calamine

from simonides.importers.table import parts_of
from simonides_formats.documents.number_formats import show_number
from simonides_formats.documents.sheet_comments import comments_by_sheet
from simonides_formats.documents.sheet_formats import RowFormats, SheetFormats
from simonides_formats.documents.sheet_repeats import EQUAL_ROWS_MAX, bound_sheets

_PROPERTIES = {"xlsx": "docProps/core.xml", "xlsb": "docProps/core.xml", "ods": "meta.xml"}
_PROPERTIES_BYTES_MAX = 1 << 20
_FIELDS = {
    "title": "title",
    "creator": "authors",
    "initial-creator": "authors",
    "subject": "subject",
    "keywords": "keywords",
    "keyword": "keywords",
    "created": "created_at",
    "creation-date": "created_at",
    "modified": "modified_at",
    "date": "modified_at",
}
"""Elements of the properties of both families (Open XML and OpenDocument), by local name."""

_LISTS = ("authors", "keywords")


def read(stream: BinaryIO, kind: str) -> Iterator[dict[str, Any]]:
    """Yield what the file says of itself, then each sheet as Markdown rows, in parts if long."""
    book = python_calamine.CalamineWorkbook.from_filelike(
        bound_sheets(stream) if kind == "ods" else stream
    )
    sheets = [one for one in book.sheets_metadata if one.typ is _WORKSHEET]
    yield {"about": _about(stream, kind) | {"sheets": len(sheets)}}
    formats = SheetFormats(stream) if kind == "xlsx" else None
    comments = comments_by_sheet(stream) if kind == "xlsx" else {}
    for one in sheets:
        try:
            sheet = book.get_sheet_by_name(one.name)
        except python_calamine.CalamineError as error:
            yield {"problem": str(error), "part": f"sheet {one.name}"}
            continue
        cut: list[str] = []
        rows: Iterable[list[Any]] = sheet.iter_rows()
        if formats and sheet.start:
            rows = _as_shown(rows, formats.rows(one.name), first_column=sheet.start[1])
        parts = _ending(parts_of(_texts(rows, cut)), comments.get(one.name, []))
        for number, text in enumerate(parts, start=1):
            yield {"text": text, "sheet": one.name, "part": number}
        yield from ({"problem": problem, "part": f"sheet {one.name}"} for problem in cut[:1])


def _ending(parts: Iterator[str], comments: list[str]) -> Iterator[str]:
    """Yield the parts, the last with the comments below."""
    before = next(parts, "")
    for part in parts:
        yield before
        before = part
    if last := "\n\n".join(filter(None, (before, *comments))):
        yield last


_WORKSHEET = python_calamine.SheetTypeEnum.WorkSheet


def _as_shown(
    rows: Iterable[list[Any]], formats: RowFormats, *, first_column: int
) -> Iterator[list[Any]]:
    """Yield the rows with the numbers that have a format as text."""
    following = next(formats, None)
    for number, row in enumerate(rows):
        while following and following[0] < number:
            following = next(formats, None)
        codes = following[1] if following and following[0] == number else {}
        for column, code in codes.items():
            place = column - first_column
            if 0 <= place < len(row) and type(row[place]) in _NUMBERS:
                row[place] = show_number(row[place], code) or row[place]
        yield row


_NUMBERS = (int, float)


def _texts(rows: Iterable[list[Any]], cut: list[str]) -> Iterator[list[str]]:
    """Yield the rows in words; of equal ones in a row the first, and note that."""
    for _, equal in groupby(rows):
        for row in islice(equal, EQUAL_ROWS_MAX):
            yield (texts := [_cell(cell) for cell in row])
        if next(equal, None) is not None and any(map(str.strip, texts)):
            cut.append(f"rows that say the same as the {EQUAL_ROWS_MAX} before them are left out")


def _cell(value: Any) -> str:
    """Return a cell as a person reads it: days without a clock, whole numbers without a point."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:  # noqa: PLR2004  digits of a float
        return str(int(value))
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="auto" if value.second else "minutes")
    if isinstance(value, time):
        return value.isoformat(timespec="auto" if value.second else "minutes")
    return value.isoformat() if isinstance(value, date) else str(value)


def _about(stream: BinaryIO, kind: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, text in _properties(stream, kind):
        field = _FIELDS.get(name)
        if field in _LISTS:
            found.setdefault(field, []).append(text)
        elif field:
            found.setdefault(field, text)
    return found


def _properties(stream: BinaryIO, kind: str) -> list[tuple[str, str]]:
    """Return the properties in the order of the file, each by its local name; none if damaged."""
    if kind not in _PROPERTIES:
        return []
    try:
        stream.seek(0)
        with zipfile.ZipFile(stream) as archive, archive.open(_PROPERTIES[kind]) as member:
            raw = member.read(_PROPERTIES_BYTES_MAX)
        tree = ET.fromstring(raw)  # noqa: S314  expat bounds entities, and this process is bounded
    except (KeyError, ValueError, SyntaxError, EOFError, RuntimeError, OSError):
        return []
    except zipfile.BadZipFile:
        return []
    texts = [(one.tag.rpartition("}")[2], (one.text or "").strip()) for one in tree.iter()]
    return [(name, text) for name, text in texts if text]
