"""Where the head of a table is, and what parts its cells.

Banks and offices write lines above a table: whose account it is, from when to when. Must not know
what the columns mean.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

SEPARATORS = ",;\t|"
"""What parts cells; programs on systems with a decimal comma write semicolons."""

ROWS_LOOKED_AT = 64
"""So many rows tell how wide a table is."""

NAMED_SEPARATOR = re.compile(r"\ufeff?\"?sep=([,;\t|])\"?[ \t]*(?:\r\n?|\n)", re.IGNORECASE)
"""A line that tells Excel how the cells below are parted."""

_YEAR = re.compile(r"(?:19|20)\d\d")
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|$)")


def width_of(cells: Sequence[str]) -> int:
    """Return how many cells a row has up to the last with a word."""
    return max((place for place, cell in enumerate(cells, 1) if cell.strip()), default=0)


def find_head(rows: Iterable[Sequence[str]]) -> int:
    """Return the place of the head: of the first row as wide as most are.

    It is the first row of all where that one holds figures, which are no names of columns.
    """
    found = list(rows)
    usual = _usual_width(map(width_of, found))
    wide = ((place, row) for place, row in enumerate(found) if width_of(row) >= usual)
    place, head = next(wide, (0, ()))
    return 0 if any(map(_is_figure, head)) else place


def _is_figure(cell: str) -> bool:
    """Return whether a cell is an amount or a day; the name of a column may be a year."""
    text = cell.strip()
    has_digit = any(map(str.isdigit, text))
    return has_digit and not any(map(str.isalpha, text)) and not _YEAR.fullmatch(text)


def _usual_width(widths: Iterable[int]) -> int:
    counts = Counter(widths)
    return max(counts, key=lambda width: (counts[width], width), default=0)


def find_separator(text: str) -> str:
    """Return the mark between cells: the one a line names, else that of most rows of one width.

    Of several that do, the most frequent in the first row.
    """
    if named := NAMED_SEPARATOR.match(text):
        return named[1]
    first = text.lstrip().partition("\n")[0]

    def fits(mark: str) -> tuple[int, int]:
        counts = Counter(len(row) for row in first_rows(text, mark) if len(row) > 1)
        return max(counts.values(), default=0), first.count(mark)

    return max(SEPARATORS, key=fits)


def first_rows(text: str, separator: str) -> list[list[str]]:
    """Return the first rows that are not blank, as far as they can be read."""
    lines = (line[0].replace("\0", "") for line in _LINE.finditer(text))
    return list(islice(_read_rows(csv.reader(lines, delimiter=separator)), ROWS_LOOKED_AT))


def _read_rows(rows: Iterator[list[str]]) -> Iterator[list[str]]:
    try:
        yield from (row for row in rows if width_of(row))
    except csv.Error:
        return
