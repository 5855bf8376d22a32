"""The number formats of the cells of an Excel workbook (.xlsx), which calamine does not tell.

The XML of a sheet is read by a pattern, block by block. What is damaged has no formats. Must not
know what a format shows.
"""

import re
import zipfile
from collections.abc import Iterator, Mapping
from posixpath import join, normpath
from typing import Any, BinaryIO
from xml.etree import ElementTree as ET

from simonides_formats.documents.number_formats import is_number_format
from simonides_formats.documents.office_parts import find_named

PART_BYTES_MAX = 16 << 20
"""Largest list of styles or sheets that is read."""

_BLOCK_BYTES = 1 << 20
_TAG = re.compile(rb"<(?:\w{1,20}:)?(c|row)(?=[\s/>])([^<>]{0,2000})>")
_PLACE = re.compile(rb"\sr=[\"']([A-Z]{0,3})(\d{1,7})[\"']")
_STYLE = re.compile(rb"\ss=[\"'](\d{1,6})[\"']")
_LETTERS = 26

_BUILT_IN = {
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    **dict.fromkeys((5, 6, 37, 38, 41, 42), "#,##0;-#,##0"),
    **dict.fromkeys((7, 8, 39, 40, 43, 44), "#,##0.00;-#,##0.00"),
}
"""Codes that files name by number; the money of some of them is that of the reader's country."""

DAMAGED = (KeyError, ValueError, SyntaxError, EOFError, RuntimeError, OSError, zipfile.BadZipFile)

RowFormats = Iterator[tuple[int, Mapping[int, str]]]
"""The codes of the cells of each row that has any, both counted from 0."""


class SheetFormats:
    """The formats of one workbook."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._codes: Mapping[int, str] = {}
        self._members: Mapping[str, str] = {}
        try:
            with zipfile.ZipFile(stream) as archive:
                self._codes = _codes(_parse(archive, "xl/styles.xml"))
                self._members = members_of(archive) if self._codes else {}
        except DAMAGED:
            self._codes = {}

    def rows(self, name: str) -> RowFormats:
        """Yield the formats of the sheet of this name, row by row; of a damaged part none."""
        member = self._members.get(name)
        if not (self._codes and member):
            return
        try:
            with zipfile.ZipFile(self._stream) as archive, archive.open(member) as sheet:
                yield from _row_formats(_tags(sheet), self._codes)
        except DAMAGED:
            return


def _parse(archive: zipfile.ZipFile, member: str) -> ET.Element:
    with archive.open(member) as stream:
        return ET.fromstring(stream.read(PART_BYTES_MAX))  # noqa: S314  expat bounds entities, and this process is bounded


def _codes(styles: ET.Element) -> Mapping[int, str]:
    """Return the code of each style of cells, by its number; those of no interest are left out."""
    own = {one.get("numFmtId"): one.get("formatCode", "") for one in find_named(styles, "numFmt")}
    cells = next(find_named(styles, "cellXfs"), ET.Element("none"))
    found = {}
    for number, style in enumerate(cells):
        key = style.get("numFmtId", "0")
        code = own.get(key) or _BUILT_IN.get(int(key), "")
        if is_number_format(code):
            found[number] = code
    return found


def members_of(archive: zipfile.ZipFile) -> Mapping[str, str]:
    """Return the member in which each sheet lies, by the name of the sheet."""
    links = _parse(archive, "xl/_rels/workbook.xml.rels")
    targets = {one.get("Id"): one.get("Target", "") for one in links}
    found = {}
    for sheet in find_named(_parse(archive, "xl/workbook.xml"), "sheet"):
        key = next((one for name, one in sheet.items() if name.endswith("}id")), "")
        target = targets.get(key, "")
        if target:
            found[sheet.get("name", "")] = normpath(join("/xl", target)).lstrip("/")
    return found


def _tags(sheet: Any) -> Iterator[re.Match[bytes]]:
    """Yield the start tags of rows and cells."""
    rest = b""
    while block := sheet.read(_BLOCK_BYTES):
        whole, mark, rest = (rest + block).rpartition(b"<")
        yield from _TAG.finditer(whole)
        rest = mark + rest
        if len(rest) > _BLOCK_BYTES:  # no tag is that long
            rest = b""
    yield from _TAG.finditer(rest)


def _row_formats(tags: Iterator[re.Match[bytes]], codes: Mapping[int, str]) -> RowFormats:
    row, column, found = -1, -1, dict[int, str]()
    for tag in tags:
        place = _PLACE.search(tag[2])
        if tag[1] == b"row":
            if found:
                yield row, found
            row, column, found = int(place[2]) - 1 if place else row + 1, -1, {}
            continue
        column = _column(place[1]) if place and place[1] else column + 1
        style = _STYLE.search(tag[2])
        code = codes.get(int(style[1])) if style else None
        if code:
            found[column] = code
    if found:
        yield row, found


def _column(letters: bytes) -> int:
    place = 0
    for one in letters:
        place = place * _LETTERS + one - ord("A") + 1
    return place - 1
