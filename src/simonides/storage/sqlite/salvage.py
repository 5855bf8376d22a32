"""Salvage of a damaged file: readable data is copied to a new one, losses are listed.

Knows every table. What lies on a page that does not fit its checksum is kept all the same, and
named. What is derived is carried over only from pages that fit, and where it says what its item
says; else it is made anew, by who is handed in. Must not know how damage is read around, nor of
locks, nor how files are named.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import merge
from itertools import repeat
from typing import Any

import apsw

from simonides.errors import SimonidesError
from simonides.model.item import Item, digest
from simonides.model.maintenance import Lost
from simonides.model.stored import PreparedChunk
from simonides.ports.maintenance import Remade, Remake
from simonides.storage.rows import WAITING, pack, unpack
from simonides.storage.sqlite.connection import pragma
from simonides.storage.sqlite.meta import Meta, set_meta
from simonides.storage.sqlite.pages import read_unchecked
from simonides.storage.sqlite.salvage_reader import (
    DAMAGE,
    SALVAGE,
    Row,
    SalvagedRow,
    columns,
    read,
    rows_of,
)

_BESIDE = {
    "background": 2, "engagement": 2, "receipt": 2, "proposal": 3, "erased": 3, "revision": 4,
    "surrogate": 2,
}  # fmt: skip
"""Tables that are carried over as they are, with the format that they came with."""

_DERIVED = frozenset({"surrogate", "revision"})
"""Of these, rows that cannot be read or do not fit are no loss: they can be made again."""

_ITEMS = {"item": "item", "item_archive": "past version of item"}
"""The tables of versions, and what their rows are called."""

_DEATH = ("died", "died_us", "cause")
"""Columns that a past version has besides those of a present one."""

_TORN = "bytes that are no text; U+FFFD stands in their place"


@dataclass(slots=True, eq=False)
class Salvaged:
    """The counts of a salvage, and what is lost, altered or made again."""

    items: int = 0
    versions: int = 0
    prepared_anew: int = 0
    lost: list[Lost] = field(default_factory=list)
    altered: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)
    """Names of what is kept and lies on a page that does not fit its checksum."""


def salvage(old: apsw.Connection, new: apsw.Connection, *, meta: Meta, remake: Remake) -> Salvaged:
    """Carry over all that can be read of `old` into `new`, an empty space, in its transaction.

    `meta` are the space's own facts as far as they are known. Keys, versions, times and
    revisions stay; the revision is at least the highest that any row tells of.
    """
    work = _Work(old, new, meta=meta, remake=remake)
    work.carry_items()
    for table in _BESIDE:
        work.carry_side_table(table)
    set_meta(new, "uuid", meta.uuid)
    set_meta(new, "revision", max(meta.revision, work.revision))
    set_meta(new, "epoch", meta.epoch + 1)
    set_meta(new, "floor", meta.floor)
    return work.done


class _Work:
    """One salvage, from one file into another."""

    def __init__(
        self, old: apsw.Connection, new: apsw.Connection, *, meta: Meta, remake: Remake
    ) -> None:
        self.done = Salvaged()
        self.revision = 0
        self._old = old
        self._new = new
        with read_unchecked(old):  # the first page may differ from its checksum
            self._format = int(pragma(old, "user_version"))
        self._dimension = meta.embedder.dimension
        self._remake = remake
        self._born = 0
        self._item = [name for name in columns(new, "item") if name != "key"]

    # ── items ────────────────────────────────────────────────────────────────────────────────

    def carry_items(self) -> None:
        """Carry over every version that can be read, by rising key."""
        halves = (zip(repeat(table), self._rows(table)) for table in _ITEMS)
        last = 0
        for table, found in merge(*halves, key=lambda one: one[1].row["key"]):
            last = found.row["key"]
            self._carry(table, found)
        with suppress(*DAMAGE):
            given = [int(seq or 0) for (seq,) in read(self._old, SALVAGE["last_key"])[0]]
            last = max([last, *given])
        self._new.execute(SALVAGE["set_last_key"], {"key": last})

    def _carry(self, table: str, found: SalvagedRow) -> None:
        try:
            item = unpack(tuple(found.row[name] for name in self._item))
        except SimonidesError as error:
            self._lose(table, found.name, str(error))
            return
        if digest(item) != found.row["digest"]:
            self.done.altered.append(item.id)
        self._put(table, found.row, item)

    def _put(self, table: str, row: dict[str, Any], item: Item) -> None:
        remade = self._remake(item, self._chunks(table, row["key"]))
        born = max(self._born, item.revision)
        self._new.execute("SAVEPOINT version")
        try:
            self._insert(table, row, replace(item, revision=born), remade)
        except (apsw.ConstraintError, apsw.MismatchError, SimonidesError) as error:
            self._new.execute("ROLLBACK TO version")
            self._lose(table, item.id, str(error))
            return
        finally:
            self._new.execute("RELEASE version")
        self._born = born
        late = (one.embedded or 0 for one in remade.prepared.chunks)
        self.revision = max(self.revision, born, row.get("died", 0), *late)
        self.done.items += table == "item"
        self.done.versions += 1
        self.done.prepared_anew += remade.is_anew

    def _insert(self, table: str, row: dict[str, Any], item: Item, remade: Remade) -> None:
        packed = pack(remade.prepared, dimension=self._dimension)
        item_id, *more = packed.columns
        death = (row[name] for name in _DEATH if name in row)
        head = (row["key"], item_id, item.version, item.revision, row["stored_us"])
        self._add(table, (*head, *more, *death))
        for name, rows in (("chunk", packed.chunks), ("mention", packed.mentions)):
            for one in rows:
                self._add(table.replace("item", name), (row["key"], *one))

    def _add(self, table: str, values: tuple[Any, ...]) -> None:
        marks = ", ".join("?" * len(values))
        self._new.execute(f"INSERT INTO {table} VALUES ({marks})", values)  # noqa: S608  own names

    def _chunks(self, table: str, key: int) -> tuple[PreparedChunk, ...]:
        """Return the chunks of one version; none if they are unreadable or do not match."""
        query = (
            f"SELECT * FROM {table.replace('item', 'chunk')} WHERE item_key = ? ORDER BY ordinal"  # noqa: S608  own names
        )
        try:
            return tuple(_chunk(row) for row in self._old.execute(query, (key,)).fetchall())
        except (*DAMAGE, TypeError, ValueError):
            return ()

    # ── what lies beside them ────────────────────────────────────────────────────────────────

    def carry_side_table(self, table: str) -> None:
        """Carry over the rows of one table."""
        for found in self._rows(table):
            names, marks = (
                ", ".join(f'"{one}"' for one in found.row),
                ", ".join("?" * len(found.row)),
            )
            put = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608  own names
            try:
                self._new.execute(put, tuple(found.row.values()))
            except (apsw.ConstraintError, apsw.MismatchError) as error:
                self._lose(table, found.name, str(error))
                continue
            if found.is_torn:
                self._lose(f"part of {table}", found.name, _TORN)
            born = found.row.get("born", found.row.get("revision"))
            self.revision = max(self.revision, born if isinstance(born, int) else 0)

    def _rows(self, table: str) -> Iterator[SalvagedRow]:
        """Yield the rows of a table; note what is lost, and what lies on pages that do not fit."""
        there = columns(self._old, table)
        wanted = {name: text for name, text in columns(self._new, table).items() if name in there}
        if not wanted:
            if self._format >= _BESIDE[table]:
                self._lose(table, "all of it", "the table is not to be found")
            return
        lose = partial(self._lose, table)
        for found in rows_of(self._old, table, wanted, lose=lose, trusts=table not in _DERIVED):
            if not found.fits:
                self.done.doubtful.append(f"{_ITEMS.get(table, table)} {found.name}")
            yield found

    def _lose(self, table: str, which: str, reason: str) -> None:
        if table not in _DERIVED:
            what = _ITEMS.get(table, table)
            self.done.lost.append(Lost(what=what, which=which, reason=reason))


def _chunk(row: Row) -> PreparedChunk:
    _key, _ordinal, start, stop, words, dated, length, terms, vector, *more = row
    embedded = more[0] if more else None
    return PreparedChunk(
        start=start, stop=stop, words=words, dated=bool(dated), length=length, terms=bytes(terms),
        vector=b"" if embedded == WAITING else bytes(vector), embedded=embedded or None,
    )  # fmt: skip
