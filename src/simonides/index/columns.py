"""The columns of an index: fields of items and chunks, metadata, and thread order.

Arrays that only grow; a slot is a position in them. Must not know filters or scores.
"""

import json
import threading
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from simonides.errors import StoreCorrupt
from simonides.index.growing import Codes, Growing
from simonides.index.postings import TERM_BYTES
from simonides.model.filter import MISSING, Compare, holds
from simonides.model.item import short_hash
from simonides.ports.space import ChunkRow, ItemRow, Reader
from simonides.scoring.importance import UNDATED
from simonides.scoring.threads import ThreadOrder

ALIVE = np.iinfo(np.int64).max
"""Stands for no revision of death."""

NEVER = np.iinfo(np.int64).max
"""Stands for no time of expiry."""

WAITS = np.iinfo(np.int64).max
"""Stands for no revision at which a chunk's vector came: it is waited for."""

CODED = (
    "kind", "source", "collection", "session", "scope", "type", "status",
    "workspace_id", "user_id", "session_id", "language",
)  # fmt: skip
"""The item columns that hold few different texts."""

ID_BYTES, ID_HEAD_BYTES = 26, 18
"""Bytes of an id kept for ordering; derived ids fit. Of a longer one the head and a hash are kept:
what begins alike is distinguished, and compared whole where the order of ids matters."""


class ItemColumns:
    """The item columns in memory. Numbers: keys, revisions, microseconds, shares."""

    __slots__ = ("born", "codes", "died", "expires", "half_life", "happened", "ids", "importance",
                 "keys", "position", "stored")  # fmt: skip

    def __init__(self) -> None:
        self.keys = Growing(np.int64)
        self.born = Growing(np.int64)
        self.died = Growing(np.int64)
        self.happened = Growing(np.int64)
        self.stored = Growing(np.int64)
        self.expires = Growing(np.int64)
        self.position = Growing(np.int64)
        self.importance = Growing(np.float64)
        self.half_life = Growing(np.float64)
        self.ids = Growing(f"S{ID_BYTES}")
        self.codes = {name: Codes() for name in CODED}

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def growing(self) -> dict[str, Growing]:
        """All growing columns by name."""
        return {name: getattr(self, name) for name in self.__slots__ if name != "codes"}

    @property
    def nbytes(self) -> int:
        """Bytes reserved."""
        coded = sum(codes.column.nbytes for codes in self.codes.values())
        return coded + sum(column.nbytes for column in self.growing.values())

    def extend(self, rows: Sequence[ItemRow]) -> None:
        """Append rows by rising key.

        Raises:
            StoreCorrupt: A row holds a number that no column can: the store is damaged.
        """
        try:
            self._extend(rows)
        except (OverflowError, TypeError, ValueError) as error:
            problem = f"items {rows[0].id!r} to {rows[-1].id!r} do not fit the index ({error})"
            raise StoreCorrupt(f"{problem}; run `simonides verify`") from error

    def _extend(self, rows: Sequence[ItemRow]) -> None:
        self.keys.extend([row.key for row in rows])
        self.born.extend([row.born for row in rows])
        self.died.extend([ALIVE] * len(rows))
        self.happened.extend([_or(row.happened_us, UNDATED) for row in rows])
        self.stored.extend([row.stored_us for row in rows])
        self.expires.extend([_or(row.expires_us, NEVER) for row in rows])
        self.position.extend([_or(row.position, -1) for row in rows])
        self.importance.extend([_or(row.importance, np.nan) for row in rows])
        self.half_life.extend([_or(row.half_life_hours, np.nan) for row in rows])
        self.ids.extend([shorten_id(row.id) for row in rows])
        for name, codes in self.codes.items():
            codes.extend([getattr(row, name) for row in rows])


def shorten_id(item_id: str) -> bytes:
    """Return at most 26 bytes that order an id: itself, or its head and a hash."""
    raw = item_id.encode()
    if len(raw) <= ID_BYTES:
        return raw
    return raw[:ID_HEAD_BYTES] + short_hash(item_id).encode()[: ID_BYTES - ID_HEAD_BYTES]


def _or(value: float | None, missing: float) -> float:
    return missing if value is None else value


class ChunkColumns:
    """The chunk columns beside terms and vectors.

    `item` is the item's slot, `length` counts terms, `distinct` different ones, `words` the words
    of the chunk's own text, `embedded` the revision at which its vector came (0: with its item).
    """

    __slots__ = ("dated", "distinct", "embedded", "item", "length", "words")

    def __init__(self) -> None:
        self.item = Growing(np.int32)
        self.words = Growing(np.uint16)
        self.length = Growing(np.uint16)
        self.distinct = Growing(np.uint16)
        self.dated = Growing(np.bool_)
        self.embedded = Growing(np.int64)

    def __len__(self) -> int:
        return len(self.item)

    @property
    def growing(self) -> dict[str, Growing]:
        """All columns by name."""
        return {name: getattr(self, name) for name in self.__slots__}

    @property
    def nbytes(self) -> int:
        """Bytes reserved."""
        return sum(column.nbytes for column in self.growing.values())

    def extend(self, rows: Sequence[ChunkRow], *, slots: npt.ArrayLike) -> None:
        """Append rows; `slots` are their items' slots."""
        self.item.extend(slots)
        self.words.extend([min(row.words, 65535) for row in rows])
        self.length.extend([min(row.length, 65535) for row in rows])
        self.distinct.extend([min(len(row.terms) // TERM_BYTES, 65535) for row in rows])
        self.dated.extend([row.dated for row in rows])
        self.embedded.extend([_came(row.embedded) for row in rows])


def _came(embedded: int | None) -> int:
    """Return the revision at which a vector came, by what its row says."""
    return 0 if embedded is None else embedded or int(WAITS)


def tags_of(row: ItemRow) -> list[str]:
    """Return the tags of a row.

    Raises:
        StoreCorrupt: They are no list of texts: the store is damaged.
    """
    if row.tags in ("", "[]"):
        return []
    try:
        found = list(json.loads(row.tags))
        if all(isinstance(one, str) for one in found):
            return found
        problem = "they are no texts"
    except (RecursionError, TypeError, ValueError) as error:
        problem = str(error)
    message = f"the tags of item {row.id!r} cannot be read back ({problem})"
    raise StoreCorrupt(f"{message}; run `simonides doctor`")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """One metadata key: codes int32[items], and the value of each code. 0 is missing."""

    codes: npt.NDArray[np.int32]
    values: tuple[Any, ...]
    code_of: Mapping[str, int]


_EMPTY = _Column(codes=np.zeros(0, dtype=np.int32), values=(MISSING,), code_of={})


class MetadataColumns:
    """The metadata columns of one view; safe for concurrent readers."""

    __slots__ = ("_columns", "_lock")

    def __init__(self, inherited: "MetadataColumns | None" = None) -> None:
        self._columns: dict[str, _Column] = dict(inherited._columns) if inherited else {}  # noqa: SLF001  own class
        self._lock = threading.Lock()

    @property
    def nbytes(self) -> int:
        """Bytes of the codes."""
        return sum(column.codes.nbytes for column in list(self._columns.values()))

    def mask(
        self, compare: Compare, *, reader: Reader, keys: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_]:
        """Return bool[items]: which items (by their rising `keys`) satisfy one comparison.

        `reader` must look at the revision of the view; dead items answer as if they had no key.
        """
        column = self._column(compare.key, reader=reader, keys=keys)
        verdicts = np.array([holds(compare, value) for value in column.values], dtype=bool)
        return np.asarray(verdicts[column.codes])

    def counts(
        self,
        name: str,
        mask: npt.NDArray[np.bool_],
        *,
        reader: Reader,
        keys: npt.NDArray[np.int64],
    ) -> list[tuple[Any, int]]:
        """Return the values of a metadata key among items, each with how many have it."""
        column = self._column(name, reader=reader, keys=keys)
        found = np.bincount(column.codes[: len(keys)][mask], minlength=1)
        found[0] = 0  # has no such key
        return [(column.values[code], int(found[code])) for code in np.flatnonzero(found)]

    def _column(self, name: str, *, reader: Reader, keys: npt.NDArray[np.int64]) -> _Column:
        with self._lock:
            column = self._columns.get(name, _EMPTY)
            if len(column.codes) < len(keys):
                column = _extend_column(column, name, reader=reader, keys=keys)
                self._columns[name] = column
        return column


def _extend_column(
    column: _Column, name: str, *, reader: Reader, keys: npt.NDArray[np.int64]
) -> _Column:
    """Return the column extended to the items after its last one."""
    known = len(column.codes)
    codes = np.zeros(len(keys), dtype=np.int32)
    codes[:known] = column.codes
    values, code_of = list(column.values), dict(column.code_of)
    for key, value in reader.metadata(name, int(keys[known - 1]) if known else 0):
        text = json.dumps(value, sort_keys=True)
        if text not in code_of:
            code_of[text] = len(values)
            values.append(value)
        codes[int(np.searchsorted(keys, key))] = code_of[text]
    return _Column(codes=codes, values=tuple(values), code_of=code_of)


Slots = npt.NDArray[np.int32]


INSERTED_MAX = 64
"""New items that are put in their places one by one; more are sorted together with the rest."""


def thread_codes(items: ItemColumns, slots: Slots) -> npt.NDArray[np.int64]:
    """Return int64[n]: one number per thread of each slot; items without a session are alone."""
    sessions = items.codes["session"]
    codes = sessions.column.rows(len(items))[slots].astype(np.int64)
    alone = (codes == sessions.code("")) | (codes == 0)
    return np.where(alone, -1 - slots.astype(np.int64), codes)


def item_order(items: ItemColumns, slots: Slots) -> Slots:
    """Return `slots` sorted by thread, time, position, id."""
    happened = items.happened.rows(len(items))[slots]
    position = items.position.rows(len(items))[slots]
    threads = thread_codes(items, slots)
    order = np.lexsort((position, happened, threads))
    tied = np.ones(max(len(order) - 1, 0), dtype=bool)
    for column in (threads[order], happened[order], position[order]):
        tied &= column[1:] == column[:-1]
    if tied.any():
        ids = items.ids.rows(len(items))[slots]
        order = np.lexsort((ids, position, happened, threads))
    return slots[order].astype(np.int32)


def insert(items: ItemColumns, ordered: Slots, new: Slots) -> Slots:
    """Return `item_order` of `ordered` (already in order) and a few `new` slots together."""
    fresh = item_order(items, new)
    place = _Place(items)
    keys = [place(slot) for slot in fresh]
    at = [bisect_left(ordered, key, key=place) for key in keys]
    return np.insert(ordered, at, fresh).astype(np.int32)


class _Place:
    """The sort key of one slot, comparable with `item_order`."""

    def __init__(self, items: ItemColumns) -> None:
        self._items = items
        self._columns = [
            column.rows(len(items)) for column in (items.happened, items.position, items.ids)
        ]

    def __call__(self, slot: int) -> tuple[int, int, int, bytes]:
        happened, position, ids = self._columns
        code = int(thread_codes(self._items, np.array([slot]))[0])
        return code, int(happened[slot]), int(position[slot]), bytes(ids[slot])


def build_threads(items: ItemColumns, ordered: Slots) -> ThreadOrder:
    """Return the threads of item slots that are in thread order."""
    codes = thread_codes(items, ordered)
    follows = np.zeros(len(codes), dtype=bool)
    follows[1:] = codes[1:] == codes[:-1]
    return ThreadOrder(items=ordered, follows=follows)
