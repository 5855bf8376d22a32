"""The rows of a CSV file, one by one, whatever its encoding and separator.

Must not know what the columns mean.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import TextIOWrapper

from simonides.importers.charset import decode, is_binary, stream_encoding
from simonides.ports.importer import SourceFile

CELL_CHARS_MAX = 16 << 20
"""Longest cell; a longer one, such as one whose quote is never closed, is reported."""

CELLS_MAX = 20_000
"""Most cells of one row; Jira writes a column for each comment of the longest thread."""

SEPARATORS = ",;\t|"
"""What parts cells; programs on systems with a decimal comma write semicolons."""

_SAMPLE_BYTES = 64 << 10
_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row below the header, or why it cannot be read; `number` counts lines from 1."""

    number: int
    cells: tuple[str, ...] = ()
    problem: str = ""
    bytes_done: int = 0


def header_of(sample: bytes) -> tuple[str, ...]:
    """Return the cells of the first row in lower case; none where it is no CSV."""
    return tuple(cell.strip().lower() for cell in cells_of(sample))


def cells_of(sample: bytes) -> list[str]:
    """Return the cells of the first row as they stand; none where it is no CSV."""
    return _header(sample)[0]


def _header(sample: bytes) -> tuple[list[str], str]:
    """Return the cells of the first row and the separator that gives the most of them."""
    if is_binary(sample):
        return [], ","
    line = next((line for line in _LINE_END.split(decode(sample)) if line.strip()), "")
    if not any(mark in line for mark in SEPARATORS):
        return [], ","
    tries = [(_cells(line, mark), mark) for mark in SEPARATORS]
    return max(tries, key=lambda one: len(one[0]))


def _cells(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return []


def rows(file: SourceFile) -> Iterator[Row]:
    """Yield the rows below the header; blank ones are left out."""
    csv.field_size_limit(CELL_CHARS_MAX)  # of the whole process, and each reader sets its own
    with file.path.open("rb") as stream:
        sample = stream.read(_SAMPLE_BYTES)
    separator = _header(sample)[1]
    encoding = stream_encoding(sample)
    with file.path.open("rb") as stream:
        text = TextIOWrapper(stream, encoding=encoding, errors="replace", newline="")
        lines = iter(lambda: text.readline(CELL_CHARS_MAX), "")
        reader = csv.reader((line.replace("\0", "") for line in lines), delimiter=separator)
        for cells, problem in _below_header(reader):
            yield Row(
                number=reader.line_num,
                cells=tuple(cells[:CELLS_MAX]),
                problem=problem,
                bytes_done=min(stream.tell(), file.size_bytes),
            )


def _below_header(reader: Iterator[list[str]]) -> Iterator[tuple[list[str], str]]:
    """Yield the rows that are not blank, or why one cannot be read; not the first one."""
    is_header = True
    while True:
        try:
            cells, problem = next(reader), ""
        except StopIteration:
            return
        except csv.Error as error:
            cells, problem = [], f"CSV: {error}"
        if problem or any(map(str.strip, cells)):
            if not is_header:
                yield cells, problem
            is_header = False
