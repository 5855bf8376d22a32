"""The base of result records: a short `repr`, a dictionary, and HTML for notebooks.

Whatever is written as HTML is escaped: what was kept is data. Knows how fields are cut short. Must
not know any record.
"""

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import Field, field, fields
from datetime import datetime
from enum import Enum
from functools import cache
from html import escape
from importlib import import_module
from typing import Any

CELL_CHARS_MAX = 400
"""So much of one text stands in a cell."""


def html_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return an HTML table; every cell is escaped, and long ones are cut."""
    head = "".join(f"<th>{escape(one)}</th>" for one in headings)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_paragraph(text: str) -> str:
    """Return a line of text as HTML."""
    return f"<p>{escape(text)}</p>"


def html_preformatted(text: str) -> str:
    """Return a text as preformatted HTML, with long lines wrapped."""
    return f'<pre style="white-space: pre-wrap">{escape(text)}</pre>'


def _cell(value: object) -> str:
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    shown = text if len(text) <= CELL_CHARS_MAX else f"{text[: CELL_CHARS_MAX - 1]}…"
    return f'<td style="text-align: left">{escape(shown)}</td>'


_OMITTED = "omitted"


def omit_when(default: Any) -> Any:
    """Return a field that is no part of JSON, or of an id made of all fields, with its default.

    So records of one space are written as they were before there were any of several.
    """
    return field(default=default, metadata={_OMITTED: True})


def is_omissible(one: Field[Any]) -> bool:
    """Return whether a field is left out of JSON while it has its default."""
    return _OMITTED in one.metadata


def fields_said(record: Any) -> list[str]:
    """Return the names of the fields that are written of a record."""
    kind: Any = type(record)
    names, omissible = _names_of(kind)
    if not omissible:
        return names
    return [n for n in names if not (n in omissible and getattr(record, n) == omissible[n])]


@cache
def _names_of(kind: Any) -> tuple[list[str], dict[str, Any]]:
    """Return the names of a record's fields, and the defaults of those that may be left out."""
    known = fields(kind)
    return [one.name for one in known], {o.name: o.default for o in known if is_omissible(o)}


VALUE_CHARS_MAX = 60
"""So much of one value stands in a `repr`."""

REPR_CHARS_MAX = 500
"""So long is a `repr`, whatever the record holds."""


class Result:
    """A result record, or a part of one: a short `repr`, and `to_dict`."""

    __slots__ = ()

    def __init_subclass__(cls, **rest: Any) -> None:
        """Define the short `repr` before `dataclass` defines its own, which shows everything."""
        super().__init_subclass__(**rest)
        if "__repr__" not in vars(cls):
            cls.__repr__ = Result.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """Return the name of the record and its fields, empty ones left out."""
        record: Any = self
        values = {one.name: getattr(record, one.name) for one in fields(record) if one.repr}
        shown = [f"{name}={short(value)}" for name, value in values.items() if _has_content(value)]
        return cut(f"{type(self).__name__}({', '.join(shown)})", REPR_CHARS_MAX)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of the record, the same as on the command line and over HTTP."""
        # By its name: the codec stands above the records, and most records are never written.
        written: dict[str, Any] = import_module("simonides.codec.write").to_wire(self)
        return written


def short(value: object) -> str:
    """Return a value as a `repr` shows it: texts cut, collections of records counted."""
    if isinstance(value, Enum):
        return repr(value.value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str):
        return repr(cut(value[: VALUE_CHARS_MAX + 1], VALUE_CHARS_MAX))
    if isinstance(value, Mapping):
        return f"{{… {len(value)}}}" if value else "{}"
    if isinstance(value, Sequence | set | frozenset):
        return _several(value)
    return cut(repr(value), VALUE_CHARS_MAX)


def cut(text: str, chars_max: int) -> str:
    """Return a text, cut with an ellipsis to at most `chars_max` characters."""
    return text if len(text) <= chars_max else f"{text[: chars_max - 1]}…"


def _several(values: Any) -> str:
    plain = [short(one) for one in values] if len(values) <= len("abc") else []
    listed = f"({', '.join(plain)})"
    return listed if plain and len(listed) <= VALUE_CHARS_MAX else f"(… {len(values)})"


def _has_content(value: object) -> bool:
    return value is not None and (not isinstance(value, Sized) or len(value) > 0)
