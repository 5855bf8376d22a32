"""The texts of Jupyter notebooks: what was written, the code, and what that printed.

Knows the formats 3 and 4 of notebooks. Pictures among the results are left out. Runs in the
extraction's own process, since a small file may become many objects. Loaded by `child.py` alone.
"""

import encodings.utf_8_sig  # noqa: F401  needed when no file can be opened any more
from collections.abc import Iterator
from typing import Any, BinaryIO

from simonides.importers.json_parts import load_untrusted
from simonides.text.clean import from_html

OUTPUT_CHARS_MAX = 2_000
"""So much of what one cell printed is kept: logs and tables without end say little more."""


def read(stream: BinaryIO, _: str) -> Iterator[dict[str, Any]]:
    """Yield all texts of a notebook as one."""
    cells = _cells(load_untrusted(stream.read()))
    texts = (text.strip() for cell in cells for text in _texts(cell))
    yield {"text": "\n\n".join(filter(None, texts))}


def _cells(book: Any) -> Iterator[dict[str, Any]]:
    """Yield the cells, which in the format 3 lie in worksheets."""
    sheets = _objects(book.get("worksheets")) if isinstance(book, dict) else ()
    for holder in (book, *sheets):
        if isinstance(holder, dict):
            yield from _objects(holder.get("cells"))


def _objects(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _texts(cell: dict[str, Any]) -> Iterator[str]:
    """Yield the texts of one cell: its own, then what it printed."""
    kind = cell.get("cell_type")
    source = _join(cell.get("source") or cell.get("input"))
    if kind == "heading":
        level = cell.get("level")
        source = f"{'#' * level if isinstance(level, int) and 0 < level < 7 else '#'} {source}"  # noqa: PLR2004
    yield f"```\n{source}\n```" if kind == "code" and source.strip() else source
    for output in _objects(cell.get("outputs")):
        yield _read_output(output)[:OUTPUT_CHARS_MAX]


def _read_output(output: dict[str, Any]) -> str:
    """Return the text of one result; empty where it has none."""
    if "ename" in output:
        return f"{output.get('ename')}: {output.get('evalue')}"
    data = output.get("data")
    found = data if isinstance(data, dict) else output
    plain = _join(found.get("text/plain") or found.get("text"))
    return plain or from_html(_join(found.get("text/html")))


def _join(lines: Any) -> str:
    if isinstance(lines, list):
        return "".join(one for one in lines if isinstance(one, str))
    return lines if isinstance(lines, str) else ""
