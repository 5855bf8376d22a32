"""Salvage of a damaged file: readable data is copied to a new one, losses are listed.

Knows every table, and how to read around damage: row by row, by key, and from both ends. What lies
on a page that does not fit its checksum is read all the same, and named. What is derived is carried
over only from pages that fit, and where it says what its item says; else it is made anew, by who
is handed in. Must not know of locks, nor how files are named.
"""

from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
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
from simonides.storage.sqlite.pages import is_damage, unchecked
from simonides.storage.sqlite.queries import QUERIES
from simonides.storage.sqlite.salvage_reader import (
    DAMAGE,
    SALVAGE,
    Row,
    as_texts,
    columns,
    is_torn,
    read,
)
from simonides.storage.sqlite.transaction import add_chunks

_BESIDE = {
    "background": 2, "engagement": 2, "receipt": 2, "proposal": 3, "erased": 3, "revision": 4,
    "surrogate": 2,
}  # fmt: skip
"""Tables that are carried over as they are, with the format that they came with."""

_DERIVED = frozenset({"surrogate", "revision"})
"""Of these, rows that cannot be read or do not fit are no loss: they can be made again."""

_WORDS = frozenset({"background"})
"""Of these, rows hold what a person wrote: one letter that is gone does not take the rest away."""

_ITEM_COLUMNS = 21
"""Columns from `id` on that make an item."""

_DIGEST = 5
"""The column of a version's row that holds bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Half:
    """The tables of the present or the past: their statements, and names for lost rows."""

    keys: str
    ids: str
    row: str
    chunks: str
    what: str


_PRESENT = _Half(keys="item_keys", ids="item_ids", row="item_row", chunks="chunks_of", what="item")
_PAST = _Half(
    keys="archived_keys", ids="archived_ids", row="archived_row", chunks="archived_chunks_of",
    what="past version of item",
)  # fmt: skip


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
        work.carry_beside(table)
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
        with unchecked(old):  # the first page may differ from its checksum
            self._format = int(pragma(old, "user_version"))
        self._dimension = meta.embedder.dimension
        self._remake = remake
        self._born = 0

    # ── items ────────────────────────────────────────────────────────────────────────────────

    def carry_items(self) -> None:
        """Carry over every version that can be read, by rising key."""
        halves = {half: self._keys(half) for half in (_PRESENT, _PAST)}
        named = {half: self._names(half) for half in halves}
        last = 0
        for key in sorted(
            {key for keys, _ in halves.values() for key in keys}.union(*named.values())
        ):
            last = key
            for half, (keys, is_sure) in halves.items():
                if key in keys or key in named[half]:
                    self._carry(half, key, name=named[half].get(key, ""), is_sure=is_sure)
        self._new.execute(SALVAGE["begin_last_key"], {"key": last})
        self._new.execute(SALVAGE["set_last_key"], {"key": self._last_key(default=last)})

    def _keys(self, half: _Half) -> tuple[frozenset[int] | range, bool]:
        """Return the keys of one half and whether they are certain; if not, all possible ones."""
        try:
            rows, _fits = read(self._old, SALVAGE[half.keys])
            return frozenset(key for (key,) in rows), True
        except DAMAGE:
            return range(1, self._last_key(default=0) + 1), False

    def _last_key(self, *, default: int) -> int:
        with suppress(*DAMAGE):
            rows, _fits = read(self._old, SALVAGE["last_key"])
            return max(default, *(int(seq or 0) for (seq,) in rows), 0)
        return default

    def _names(self, half: _Half) -> dict[int, str]:
        """Return the ids by key, as far as the index on them can be read."""
        names: dict[int, str] = {}
        with suppress(*DAMAGE):
            for row in read(self._old, SALVAGE[half.ids])[0]:
                key, names[key] = as_texts(row)
        return names

    def _carry(self, half: _Half, key: int, *, name: str, is_sure: bool) -> None:
        called = name or f"of key {key}"
        try:
            rows, fits = read(self._old, SALVAGE[half.row], {"key": key})
            if not rows:
                self._miss(half, name)
                return
            row = as_texts(rows[0], blobs=(_DIGEST,))
            item = unpack(row[1 : 1 + _ITEM_COLUMNS])
        except (*DAMAGE, SimonidesError) as error:
            if name or is_sure or not isinstance(error, DAMAGE):
                self.done.lost.append(Lost(what=half.what, which=called, reason=str(error)))
            return
        if not fits:
            self.done.doubtful.append(f"{half.what} {called}")
        self._put(half, row, item)

    def _miss(self, half: _Half, name: str) -> None:
        """Yield the ids that are in the index but not in the table, whose page was damaged."""
        if name:
            reason = "the index names it, and its row is gone"
            self.done.lost.append(Lost(what=half.what, which=name, reason=reason))

    def _put(self, half: _Half, row: Row, item: Item) -> None:
        remade = self._remake(item, self._chunks(half, row[0]))
        if digest(item) != row[5]:
            self.done.altered.append(item.id)
        born = max(self._born, item.revision)
        self._new.execute("SAVEPOINT version")
        try:
            self._insert(half, row, replace(item, revision=born), remade)
        except (apsw.ConstraintError, apsw.MismatchError, SimonidesError) as error:
            self._new.execute("ROLLBACK TO version")
            self.done.lost.append(Lost(what=half.what, which=item.id, reason=str(error)))
            return
        finally:
            self._new.execute("RELEASE version")
        self._born = born
        late = (one.embedded or 0 for one in remade.prepared.chunks)
        self.revision = max(self.revision, born, row[-3] or 0, *late)
        self.done.items += half is _PRESENT
        self.done.versions += 1
        self.done.prepared_anew += remade.is_anew

    def _insert(self, half: _Half, row: Row, item: Item, remade: Remade) -> None:
        key, stored_us, death = row[0], row[4], row[-3:]
        prepared = remade.prepared
        packed = pack(prepared, dimension=self._dimension)
        item_id, *columns = packed.columns
        head = (key, item_id, item.version, item.revision, stored_us, *columns)
        if half is _PRESENT:
            self._new.execute(SALVAGE["put_item"], head)
            add_chunks(self._new, [(key, *one) for one in packed.chunks])
            mentions = QUERIES["add_mention"]
        else:
            self._new.execute(SALVAGE["put_archived"], (*head, *death))
            chunks = [(key, *one) for one in packed.chunks]
            self._new.executemany(SALVAGE["put_archived_chunk"], chunks)
            mentions = SALVAGE["put_archived_mention"]
        self._new.executemany(mentions, [(key, *one) for one in packed.mentions])

    def _chunks(self, half: _Half, key: int) -> tuple[PreparedChunk, ...]:
        """Return the chunks of one version; none if they are unreadable or do not match."""
        try:
            rows = self._old.execute(SALVAGE[half.chunks], {"key": key}).fetchall()
            return tuple(_chunk(row) for row in rows)
        except (*DAMAGE, TypeError, ValueError):
            return ()

    # ── what lies beside them ────────────────────────────────────────────────────────────────

    def carry_beside(self, table: str) -> None:
        """Carry over the rows of one table; those in the middle of damage are lost."""
        there = columns(self._old, table)
        wanted = {name: text for name, text in columns(self._new, table).items() if name in there}
        if not wanted:
            if self._format >= _BESIDE[table]:
                self._lose(table, which="all of it", reason="the table is not to be found")
            return
        names = ", ".join(f'"{name}"' for name in wanted)
        marks = ", ".join("?" * len(wanted))
        put = f"INSERT INTO {table} ({names}) VALUES ({marks})"  # noqa: S608  own names
        blobs = tuple(n for n, is_text in enumerate(wanted.values()) if not is_text)
        for row, fits in self._readable(table, wanted):
            named = dict(zip(wanted, as_texts(row, blobs=blobs), strict=True))
            if not fits:
                self.done.doubtful.append(f"{table} {_called(named)}")
            self._put_beside(table, put, named, torn=is_torn(row, blobs=blobs))

    def _put_beside(self, table: str, put: str, row: dict[str, Any], *, torn: bool) -> None:
        which = _called(row)
        if torn and table not in _WORDS:
            self._lose(table, which=which, reason="holds bytes that are no text")
            return
        try:
            self._new.execute(put, tuple(row.values()))
        except (apsw.ConstraintError, apsw.MismatchError) as error:
            self._lose(table, which=which, reason=str(error))
            return
        if torn:
            reason = "bytes that are no text; U+FFFD stands in their place"
            self._lose(f"part of {table}", which=which, reason=reason)
        born = row.get("born", row.get("revision"))
        self.revision = max(self.revision, born if isinstance(born, int) else 0)

    def _lose(self, what: str, *, which: str, reason: str) -> None:
        if what not in _DERIVED:
            self.done.lost.append(Lost(what=what, which=which, reason=reason))

    def _readable(self, table: str, wanted: dict[str, bool]) -> Iterator[tuple[Row, bool]]:
        """Yield the rows of a table, each once, and whether its pages match their checksums.

        They are read from both ends up to where they cannot be; then once more, whatever the
        checksums say, unless they can be made again.
        """
        asked = ", ".join(
            f'CAST("{name}" AS BLOB)' if is_text else f'"{name}"'
            for name, is_text in wanted.items()
        )
        query = f'SELECT {asked} FROM {table} ORDER BY "{next(iter(wanted))}"'  # noqa: S608  own names
        seen: set[Any] = set()
        broken = yield from self._from_both_ends(query, seen, fits=True)
        if broken is not None and is_damage(broken) and table not in _DERIVED:
            with unchecked(self._old):
                broken = yield from self._from_both_ends(query, seen, fits=False)
        if broken is not None:
            which = "rows between the first and the last that can be read, if there are any"
            self._lose(table, which=which, reason=str(broken))

    def _from_both_ends(
        self, query: str, seen: set[Any], *, fits: bool
    ) -> Generator[tuple[Row, bool], None, Exception | None]:
        """Yield the rows not `seen` from both ends; return the error that ended it."""
        broken: Exception | None = None
        for direction in ("ASC", "DESC"):
            try:
                for row in self._old.execute(f"{query} {direction}"):
                    if row[0] not in seen:
                        seen.add(row[0])
                        yield row, fits
            except DAMAGE as error:
                broken = error
            else:
                return None
        return broken


def _called(row: dict[str, Any]) -> str:
    """Return the name of a row of a side table: its id, or else its key."""
    name = next((row[one] for one in ("id", "item_id") if one in row), next(iter(row.values())))
    return name.hex() if isinstance(name, bytes) else str(name)


def _chunk(row: Row) -> PreparedChunk:
    _key, _ordinal, start, stop, words, dated, length, terms, vector, *more = row
    embedded = more[0] if more else None
    return PreparedChunk(
        start=start, stop=stop, words=words, dated=bool(dated), length=length, terms=bytes(terms),
        vector=b"" if embedded == WAITING else bytes(vector), embedded=embedded or None,
    )  # fmt: skip
