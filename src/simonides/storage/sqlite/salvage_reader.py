"""Reading a damaged file, tolerant of bytes that are not text.

SQLite hands a text over whole or, where it is no UTF-8 any more, not at all. So texts are asked for
as bytes here, and U+FFFD stands for those that say nothing. Knows SQLite's types and which facts a
space tells of itself. Must not know what becomes of what was read.
"""

from contextlib import suppress
from typing import Any

import apsw

from simonides.model.stored import EmbedderIdentity
from simonides.storage.sqlite.meta import FACTS, Meta
from simonides.storage.sqlite.pages import is_damage, unchecked
from simonides.storage.sqlite.queries import statements

SALVAGE = statements("salvage.sql")

UNREADABLE = "\ufffd"
"""Stands for bytes that are no text (Unicode's replacement character)."""

DAMAGE = (apsw.Error, UnicodeDecodeError)
"""What reading a damaged file raises."""

Row = tuple[Any, ...]


def read(
    sqlite: apsw.Connection, query: str, values: dict[str, Any] | None = None
) -> tuple[list[Row], bool]:
    """Return the rows of a statement, and whether all its pages match their checksums.

    Where one does not, what lies there is read as it is.
    """
    try:
        return sqlite.execute(query, values).fetchall(), True
    except apsw.IOError as error:
        if not is_damage(error):
            raise
    with unchecked(sqlite):
        return sqlite.execute(query, values).fetchall(), False


def as_texts(row: Row, *, blobs: tuple[int, ...] = ()) -> Row:
    """Return a row whose bytes are texts again, but for those in the places `blobs`."""
    return tuple(
        value.decode(errors="replace") if isinstance(value, bytes) and n not in blobs else value
        for n, value in enumerate(row)
    )


def is_torn(row: Row, *, blobs: tuple[int, ...] = ()) -> bool:
    """Return whether bytes of a row that should be text are none, but for the places `blobs`."""
    return any(
        value.decode(errors="replace").encode() != value
        for n, value in enumerate(row)
        if isinstance(value, bytes) and n not in blobs
    )


def columns(sqlite: apsw.Connection, table: str) -> dict[str, bool]:
    """Return the names of a table's columns and whether each holds text; none if unreadable."""
    try:
        found, _fits = read(sqlite, f"PRAGMA table_info({table})")
        return {name: kind == "TEXT" for _, name, kind, *_ in found}
    except DAMAGE:
        return {}


def facts(sqlite: apsw.Connection, *, fallback: EmbedderIdentity) -> tuple[Meta, tuple[str, ...]]:
    """Return the properties of a space, and the names of the unreadable ones.

    `fallback` stands for an embedder that cannot be told; a uuid that cannot is empty, a number 0.
    """
    found: dict[str, Any] = {"floor": 0}
    with suppress(*DAMAGE):
        for row in read(sqlite, SALVAGE["facts"])[0]:
            name, value = as_texts(row)
            found[name] = value
    told = {name: found[name] for name, kind in FACTS.items() if _tells(found.get(name), kind)}
    own = EmbedderIdentity.__slots__
    lost = dict.fromkeys("embedder" if name in own else name for name in FACTS if name not in told)
    embedder = fallback
    if "embedder" not in lost:
        embedder = EmbedderIdentity(**{name: told[name] for name in own})
    revision, epoch, floor = (told.get(name, 0) for name in ("revision", "epoch", "floor"))
    meta = Meta(
        uuid=told.get("uuid", ""), embedder=embedder, revision=revision, epoch=epoch, floor=floor
    )
    return meta, tuple(lost)


def _tells(value: Any, kind: type) -> bool:
    """Return whether a fact is still said: a text that is whole, or a number that can be."""
    if kind is int:
        return isinstance(value, int) and value >= 0
    return isinstance(value, str) and bool(value) and UNREADABLE not in value
