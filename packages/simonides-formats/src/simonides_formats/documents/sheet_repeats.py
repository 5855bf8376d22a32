"""OpenDocument sheets with fewer repetitions: a row can say that it stands there 10^9 times.

Bounds what the file states before the library makes cells of it, and has it read the text of
percentages and money. Must not know items. Loaded by
`child.py` alone.
"""

import io
import re
import zipfile
from typing import BinaryIO

from simonides_formats.documents.office_xml import UNPACKED_BYTES_MAX

EQUAL_ROWS_MAX = 100
"""Most rows in a row that say the same."""

_STATED_MAX = EQUAL_ROWS_MAX + 1
"""Most rows that one row stands for: one more than are kept, so that the others are reported."""

_COLUMNS_MAX = 1_000
"""Most cells that one cell stands for."""

_FREE_CELLS, _CELLS_OF_BYTE = 100_000, 50
"""How many cells a file may state by repetition: so many, or so many for each of its bytes."""

_CONTENT = "content.xml"
_DAMAGE = (OSError, ValueError, EOFError, RuntimeError, NotImplementedError, zipfile.BadZipFile)
_REPEATED = re.compile(
    rb"<table:table-row\b|(table:number-(rows|columns)-repeated\s*=\s*[\"'])\s*(\d+)"
)
_CELL = re.compile(rb"<table:table-cell\s[^<>]*+>(?=\s*+<text:p[\s>])")
"""The beginning of a cell that has a text."""
_KIND = re.compile(rb"(\soffice:value-type\s*=\s*[\"'])(?:percentage|currency)(?=[\"'])")
_VALUE = re.compile(rb"\soffice:value\s*=\s*(?:\"[^\"]*+\"|'[^']*+')")


def bound_sheets(stream: BinaryIO) -> BinaryIO:
    """Return the file with bounded repetitions, and percentages and money as the text they show.

    One that is damaged stays as it is.
    """
    raw = stream.read()
    written = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(written, "w") as new:
            needed = [one for one in old.infolist() if one.filename.endswith((".xml", "mimetype"))]
            if sum(one.file_size for one in needed) > UNPACKED_BYTES_MAX:
                return io.BytesIO(raw)
            bound = _Bound(_FREE_CELLS + _CELLS_OF_BYTE * len(raw))
            for one in needed:
                content = old.read(one)
                if one.filename == _CONTENT:
                    content = _CELL.sub(_as_shown, _REPEATED.sub(bound.rewrite, content))
                new.writestr(one.filename, content)
    except _DAMAGE:
        return io.BytesIO(raw)
    written.seek(0)
    return written


def _as_shown(cell: re.Match[bytes]) -> bytes:
    """Return the beginning of a cell; a percentage or money becomes the text that it shows."""
    text, count = _KIND.subn(rb"\1string", cell[0])
    return _VALUE.sub(b"", text) if count else text


class _Bound:
    """What the repetitions of one file may still add up to."""

    def __init__(self, cells: int) -> None:
        self._left, self._rows = cells, 1

    def rewrite(self, match: re.Match[bytes]) -> bytes:
        """Return a repetition as it may be; the cells of a repeated row count for each row."""
        if match[1] is None:
            self._rows = 1
            return match[0]
        count = int(match[3][:10])
        if match[2] == b"rows":
            self._rows = count = max(1, min(count, _STATED_MAX, self._left))
            self._left -= count
        else:
            count = max(1, min(count, _COLUMNS_MAX, self._left // self._rows))
            self._left -= count * self._rows
        return match[1] + b"%d" % count
