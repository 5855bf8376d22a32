"""Jupyter notebooks: one document for each, with its texts, its code and what that printed.

Knows the formats 3 and 4 of notebooks. Pictures among the results are left out. Reads cell by
cell.
"""

from collections.abc import Iterator
from typing import Any

import ijson

from simonides.importers.file_item import TEXT_CHARS_MAX, file_event, tidy
from simonides.ports.importer import ImportEvent, SourceFile
from simonides.text.clean import from_html

OUTPUT_CHARS_MAX = 2_000
"""So much of what one cell printed is kept: logs and tables without end say little more."""

_CELLS = ("cells.item", "worksheets.item.cells.item")
"""Where the cells stand in the formats 4 and 3."""


def read_notebook(file: SourceFile) -> Iterator[ImportEvent]:
    """Yield the notebook as one document, or why it is passed over."""
    texts: list[str] = []
    size, problem = 0, ""
    try:
        for cell in _cells(file):
            texts += filter(None, map(tidy, _texts(cell)))
            size = sum(map(len, texts))
            if size > TEXT_CHARS_MAX:
                break
    except (ijson.JSONError, ValueError, RecursionError) as error:
        problem = f"not whole: {' '.join(str(error).split())[:200]}"
    if texts or not problem:
        yield file_event(file, content="\n\n".join(texts), metadata={"format": "ipynb"})
    if problem:
        yield file.passed_over(problem, bytes_done=file.size_bytes)


def _cells(file: SourceFile) -> Iterator[dict[str, Any]]:
    for place in _CELLS:
        with file.path.open("rb") as stream:
            found = ijson.items(stream, place, use_float=True)
            yield from (one for one in found if isinstance(one, dict))


def _texts(cell: dict[str, Any]) -> Iterator[str]:
    """Yield the texts of one cell: its own, then what it printed."""
    kind = cell.get("cell_type")
    source = _joined(cell.get("source") or cell.get("input"))
    if kind == "heading":
        level = cell.get("level")
        source = f"{'#' * level if isinstance(level, int) and 0 < level < 7 else '#'} {source}"  # noqa: PLR2004
    yield f"```\n{source}\n```" if kind == "code" and source.strip() else source
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if isinstance(output, dict):
            yield _printed(output)[:OUTPUT_CHARS_MAX]


def _printed(output: dict[str, Any]) -> str:
    """Return what one result says, as text where it has one."""
    if "ename" in output:
        return f"{output.get('ename')}: {output.get('evalue')}"
    data = output.get("data")
    found = data if isinstance(data, dict) else output
    plain = _joined(found.get("text/plain") or found.get("text"))
    return plain or from_html(_joined(found.get("text/html")))


def _joined(lines: Any) -> str:
    if isinstance(lines, list):
        return "".join(one for one in lines if isinstance(one, str))
    return lines if isinstance(lines, str) else ""
