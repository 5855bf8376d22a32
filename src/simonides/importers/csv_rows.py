"""The rows of a CSV file, one by one, whatever its encoding and separator.

Must not know what the columns mean.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from io import TextIOWrapper
from itertools import islice

from simonides.importers.charset import decode, is_binary, stream_encoding
from simonides.importers.table_head import find_head, find_separator, first_rows
from simonides.ports.importer import SourceFile

CELL_CHARS_MAX = 16 << 20
"""Longest cell; a longer one, such as one whose quote is never closed, is reported."""

CELLS_MAX = 20_000
"""Most cells of one row; Jira writes a column for each comment of the longest thread."""

_HEADER_BYTES_MAX = 1 << 20
"""In so many first bytes of a file its header is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row below the header, or why it cannot be read; `number` counts lines from 1."""

    number: int
    cells: tuple[str, ...] = ()
    problem: str = ""
    bytes_done: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Header:
    """The names of the columns, what parts them, and how many rows stand above."""

    cells: tuple[str, ...] = ()
    separator: str = ","
    above: int = 0


def read_head(file: SourceFile) -> bytes:
    """Return the first bytes of a file, among which the header of a table lies."""
    with file.path.open("rb") as stream:
        return stream.read(_HEADER_BYTES_MAX)


def header_of(sample: bytes) -> tuple[str, ...]:
    """Return the names of the columns in lower case; none where it is no CSV."""
    return tuple(cell.strip().lower() for cell in cells_of(sample))


def cells_of(sample: bytes) -> list[str]:
    """Return the names of the columns as they stand; none where it is no CSV."""
    return list(_find_header(sample).cells)


@lru_cache(maxsize=1)
def _find_header(sample: bytes) -> _Header:
    """Return the header of a table that begins with `sample`: several formats ask for it."""
    if is_binary(sample):
        return _Header()
    text = decode(sample)
    separator = find_separator(text)
    found = first_rows(text, separator)
    above = find_head(found)
    cells = tuple(found[above]) if found else ()
    return _Header(cells=cells, separator=separator, above=above) if len(cells) > 1 else _Header()


def rows(file: SourceFile) -> Iterator[Row]:
    """Yield the rows below the header; blank ones are left out."""
    csv.field_size_limit(CELL_CHARS_MAX)  # of the whole process, and each reader sets its own
    sample = read_head(file)
    header = _find_header(sample)
    encoding = stream_encoding(sample)
    with file.path.open("rb") as stream:
        text = TextIOWrapper(stream, encoding=encoding, errors="replace", newline="")
        lines = iter(lambda: text.readline(CELL_CHARS_MAX), "")
        reader = csv.reader((line.replace("\0", "") for line in lines), delimiter=header.separator)
        for cells, problem in islice(_read_filled(reader), header.above + 1, None):
            yield Row(
                number=reader.line_num,
                cells=tuple(cells[:CELLS_MAX]),
                problem=problem,
                bytes_done=min(stream.tell(), file.size_bytes),
            )


def _read_filled(reader: Iterator[list[str]]) -> Iterator[tuple[list[str], str]]:
    """Yield the rows that are not blank, or why one cannot be read."""
    while True:
        try:
            cells, problem = next(reader), ""
        except StopIteration:
            return
        except csv.Error as error:
            cells, problem = [], f"CSV: {error}"
        if problem or any(map(str.strip, cells)):
            yield cells, problem
