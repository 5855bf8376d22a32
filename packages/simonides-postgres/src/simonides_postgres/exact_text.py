"""Texts as PostgreSQL can keep them, read back exactly as written.

PostgreSQL keeps no NUL. U+FDD0, which Unicode gives to no character for ever, begins what stands
for one, and for itself. Must not know whose texts these are.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from psycopg import adapters
from psycopg.adapt import AdaptersMap, Loader
from psycopg.pq import Format
from psycopg.types.string import StrBinaryDumper, StrDumper, TextBinaryLoader

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

Row = tuple[Any, ...]

_TEXT = adapters.types["text"].oid

_ESCAPE = "\ufdd0"
_ESCAPE_BYTES = _ESCAPE.encode()


def escape(text: str) -> str:
    """Return a text without NUL that `unescape` reads back."""
    if "\0" not in text and _ESCAPE not in text:
        return text
    return text.replace(_ESCAPE, _ESCAPE + "1").replace("\0", _ESCAPE + "0")


def unescape(text: str) -> str:
    """Return the text that was escaped."""
    if _ESCAPE not in text:
        return text
    return text.replace(_ESCAPE + "0", "\0").replace(_ESCAPE + "1", _ESCAPE)


def text_columns(cursor: "Cursor[Row]") -> list[int]:
    """Return the places of the columns of texts in the rows of a cursor."""
    return [at for at, one in enumerate(cursor.description or ()) if one.type_code == _TEXT]


def unescape_rows(rows: list[Row], texts: Sequence[int]) -> list[Row]:
    """Return rows whose texts, at these places, were loaded as they are kept.

    A column is looked through as one text: a loader that is called for each text takes as long as
    all else that a row costs.
    """
    columns = [[row[at] for row in rows if row[at] is not None] for at in texts]
    if not any(_ESCAPE in "".join(column) for column in columns):
        return rows
    return [tuple(unescape(one) if isinstance(one, str) else one for one in row) for row in rows]


class _Dumper(StrDumper):
    def dump(self, obj: str) -> bytes:
        return escape(obj).encode()


class _BinaryDumper(StrBinaryDumper):
    def dump(self, obj: str) -> bytes:
        return escape(obj).encode()


class _Loader(Loader):
    def load(self, data: bytes | bytearray | memoryview) -> str:
        text = str(data, "utf-8")  # asked for thousands of times by a question
        return unescape(text) if _ESCAPE in text else text


class _BinaryLoader(_Loader):
    format = Format.BINARY


def register(connection: "Connection[tuple[object, ...]]") -> None:
    """Let a connection keep texts exactly."""
    connection.adapters.register_dumper(str, _BinaryDumper)
    connection.adapters.register_dumper(str, _Dumper)  # the last one where neither is asked for
    connection.adapters.register_loader("text", _Loader)
    connection.adapters.register_loader("text", _BinaryLoader)


def load_as_kept(adapters: AdaptersMap) -> None:
    """Let a cursor load texts as they are kept, for `unescape_rows`."""
    adapters.register_loader("text", TextBinaryLoader)
