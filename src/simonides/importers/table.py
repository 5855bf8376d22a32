"""Tables as rows of Markdown, in parts that each begin with the first row.

Must not know where the cells come from.
"""

from collections.abc import Iterable, Iterator, Sequence

PART_CHARS_MAX = 100_000
"""Longest part of a table; a longer sheet becomes several items, so that a change costs one."""


def parts_of(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield a table in parts; rows and last cells without words are left out."""
    lines = filter(None, map(_line, rows))
    first = next(lines, "")
    if not first:
        return
    head = [first, "|" + " --- |" * (first.replace("\\|", "").count("|") - 1)]
    part, size = head.copy(), 0
    for line in lines:
        if size and size + len(line) > PART_CHARS_MAX:
            yield "\n".join(part)
            part, size = head.copy(), 0
        part.append(line)
        size += len(line)
    yield "\n".join(part)


def _line(cells: Sequence[str]) -> str:
    """Return one row; empty where no cell has a word."""
    last = max((place for place, cell in enumerate(cells, 1) if cell.strip()), default=0)
    if not last:
        return ""
    return "".join(f"| {_one_line(cell)} " for cell in cells[:last]) + "|"


def _one_line(cell: str) -> str:
    return " ".join(cell.split()).replace("|", "\\|")
