"""Records as HTML for notebooks. Whatever is written is escaped: what was kept is data."""

from collections.abc import Iterable, Sequence
from html import escape

CELL_CHARS_MAX = 400
"""So much of one text stands in a cell."""


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return an HTML table; every cell is escaped, and long ones are cut."""
    head = "".join(f"<th>{escape(one)}</th>" for one in headings)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def paragraph(text: str) -> str:
    """Return a line of text as HTML."""
    return f"<p>{escape(text)}</p>"


def preformatted(text: str) -> str:
    """Return a text as HTML with its lines as they are, wrapped where they are long."""
    return f'<pre style="white-space: pre-wrap">{escape(text)}</pre>'


def _cell(value: object) -> str:
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    shown = text if len(text) <= CELL_CHARS_MAX else f"{text[: CELL_CHARS_MAX - 1]}…"
    return f'<td style="text-align: left">{escape(shown)}</td>'
