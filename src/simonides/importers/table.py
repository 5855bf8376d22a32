"""Tables as rows of Markdown, in parts that each begin with the head; what stands above it is text.

Must not know where the cells come from.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from simonides.importers.table_head import ROWS_LOOKED_AT, find_head, width_of

PART_CHARS_MAX = 100_000
"""Longest part of a table; a longer sheet becomes several items, so that a change costs one."""


def parts_of(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield a table in parts; rows and last cells without words are left out."""
    filled = filter(width_of, rows)
    begun = list(islice(filled, ROWS_LOOKED_AT))
    if not begun:
        return
    place = find_head(begun)
    above = [_text(row) for row in begun[:place]]
    lines = map(_line, chain(begun[place + 1 :], filled))
    head = [_line(begun[place]), "|" + " --- |" * width_of(begun[place])]
    part, size = [*above, *([""] if above else []), *head], 0
    for line in lines:
        if size and size + len(line) > PART_CHARS_MAX:
            yield "\n".join(part)
            part, size = head.copy(), 0
        part.append(line)
        size += len(line)
    yield "\n".join(part)


def _line(cells: Sequence[str]) -> str:
    return "".join(f"| {_one_line(cell)} " for cell in cells[: width_of(cells)]) + "|"


def _text(cells: Sequence[str]) -> str:
    return " ".join(filter(None, map(_one_line, cells)))


def _one_line(cell: str) -> str:
    return " ".join(cell.split()).replace("|", "\\|")
