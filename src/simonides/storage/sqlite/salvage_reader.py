"""Reading a damaged file as far as SQLite can, tolerant of bytes that are not text.

Each row is read by its key; the keys are those that the table or an index on it leads to. SQLite
hands a text over whole or, where it is no UTF-8 any more, not at all. So texts are asked for as
bytes here, and U+FFFD stands for those that say nothing. Knows SQLite's types and which facts a
space tells of itself. Must not know what becomes of what was read.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import apsw

from simonides.model.stored import EmbedderIdentity
from simonides.storage.sqlite.meta import FACTS, Meta
from simonides.storage.sqlite.pages import is_damage, read_unchecked
from simonides.storage.sqlite.queries import statements

SALVAGE = statements("salvage.sql")

UNREADABLE = "\ufffd"
"""Stands for bytes that are no text (Unicode's replacement character)."""

DAMAGE = (apsw.Error, UnicodeDecodeError)
"""What reading a damaged file raises."""

_NAMES = ("id", "item_id")
"""Columns that name a row for people, each with an index on it."""

_HASHED = {"erased": "id_hash"}
"""Tables without row numbers, and their keys."""

_GAP = ("rows that neither the table nor an index leads to, if there are any", "both are damaged")
_GONE = "its row is gone"

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SalvagedRow:
    """One row with its id or key: whether its pages match, and whether a text in it is none."""

    name: str
    row: dict[str, Any]
    fits: bool
    is_torn: bool


def rows_of(
    sqlite: apsw.Connection,
    table: str,
    wanted: Mapping[str, bool],
    *,
    lose: Callable[[str, str], None],
    trusts: bool = True,
) -> Iterator[SalvagedRow]:
    """Yield the rows of a table that can be read, by rising key.

    `wanted` are the columns to read, and whether each holds text. `lose` gets the name of each row
    that cannot be read, and why. Those of pages that do not match their checksums are left out
    unless it `trusts` them.
    """
    asked = ", ".join(
        f'CAST("{one}" AS BLOB)' if text else f'"{one}"' for one, text in wanted.items()
    )
    key_name = _HASHED.get(table, "rowid")
    query = f"SELECT {asked} FROM {table} WHERE {key_name} = ?"  # noqa: S608  own names
    keys, is_whole = _keys(sqlite, table, key_name, [one for one in _NAMES if one in wanted])
    for key, name in sorted(keys.items()):
        try:
            rows, fits = read(sqlite, query, (key,), trusts=trusts)
        except DAMAGE as error:
            lose(name, str(error))
            continue
        if rows:
            yield _find(name, rows[0], wanted, fits=fits)
        else:
            lose(name, _GONE)
    if not is_whole:
        lose(*_GAP)


def _find(name: str, row: Row, wanted: Mapping[str, bool], *, fits: bool) -> SalvagedRow:
    texts = as_texts(row, blobs=tuple(n for n, text in enumerate(wanted.values()) if not text))
    pairs = zip(texts, row, strict=True)
    is_torn = any(isinstance(now, str) and now.encode() != was for now, was in pairs)
    return SalvagedRow(
        name=name, row=dict(zip(wanted, texts, strict=True)), fits=fits, is_torn=is_torn
    )


def _keys(
    sqlite: apsw.Connection, table: str, key_name: str, named_by: Iterable[str]
) -> tuple[dict[Any, str], bool]:
    """Return the keys of a table with the names of their rows, and whether these are all.

    They are read from both ends of the table and of an index on names, whichever is whole.
    """
    keys: dict[Any, str] = {}
    is_whole = False
    indexes = [(f'CAST("{one}" AS BLOB)', f'ORDER BY "{one}"') for one in named_by]
    for name, order in (*indexes, ("NULL", f"NOT INDEXED ORDER BY {key_name}")):
        query = f"SELECT {key_name}, {name} FROM {table} {order}"  # noqa: S608  own names
        for direction in ("ASC", "DESC"):
            with suppress(*DAMAGE), read_unchecked(sqlite):
                for key, said in sqlite.execute(f"{query} {direction}"):
                    keys.setdefault(key, said.decode(errors="replace") if said else _number(key))
                is_whole = True
                break
    return keys, is_whole


def _number(key: Any) -> str:
    return key.hex() if isinstance(key, bytes) else f"of key {key}"


def read(
    sqlite: apsw.Connection, query: str, values: Any = None, *, trusts: bool = True
) -> tuple[list[Row], bool]:
    """Return the rows of a statement, and whether all its pages match their checksums.

    Where one does not, what lies there is read as it is if the file is trusted that far.
    """
    try:
        return sqlite.execute(query, values).fetchall(), True
    except apsw.IOError as error:
        if not (trusts and is_damage(error)):
            raise
    with read_unchecked(sqlite):
        return sqlite.execute(query, values).fetchall(), False


def as_texts(row: Row, *, blobs: tuple[int, ...] = ()) -> Row:
    """Return a row whose bytes are texts again, but for those in the places `blobs`."""
    return tuple(
        value.decode(errors="replace") if isinstance(value, bytes) and n not in blobs else value
        for n, value in enumerate(row)
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

    `fallback` stands for an embedder that is not known; a uuid that cannot is empty, a number 0.
    """
    found: dict[str, Any] = {"floor": 0}
    with suppress(*DAMAGE):
        for row in read(sqlite, SALVAGE["facts"])[0]:
            name, value = as_texts(row)
            found[name] = value
    known = {
        name: found[name] for name, kind in FACTS.items() if _is_of_kind(found.get(name), kind)
    }
    own = EmbedderIdentity.__slots__
    lost = dict.fromkeys("embedder" if name in own else name for name in FACTS if name not in known)
    embedder = fallback
    if "embedder" not in lost:
        embedder = EmbedderIdentity(**{name: known[name] for name in own})
    revision, epoch, floor = (known.get(name, 0) for name in ("revision", "epoch", "floor"))
    meta = Meta(
        uuid=known.get("uuid", ""), embedder=embedder, revision=revision, epoch=epoch, floor=floor
    )
    return meta, tuple(lost)


def _is_of_kind(value: Any, kind: type) -> bool:
    """Return whether a fact is still said: a text that is whole, or a number that can be."""
    if kind is int:
        return isinstance(value, int) and value >= 0
    return isinstance(value, str) and bool(value) and UNREADABLE not in value
