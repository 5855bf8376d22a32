"""The columns of items and chunks, as growing arrays. One row per slot, in order of keys."""

import json
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from simonides.errors import StoreCorrupt
from simonides.index.growing import Codes, Growing
from simonides.index.postings import TERM_BYTES
from simonides.model.item import short_hash
from simonides.ports.space import ChunkRow, ItemRow
from simonides.scoring.temporal import UNDATED

ALIVE = np.iinfo(np.int64).max
"""Stands for no revision of death."""

NEVER = np.iinfo(np.int64).max
"""Stands for no time of expiry."""

CODED = (
    "kind", "source", "collection", "session", "scope", "type", "status",
    "workspace_id", "user_id", "session_id", "language",
)  # fmt: skip
"""The item columns that hold few different texts."""

ID_BYTES, ID_HEAD_BYTES = 26, 18
"""Bytes of an id kept for ordering; derived ids fit. Of a longer one the head and a hash are kept:
what begins alike is told apart, and compared whole where the order of ids matters."""


class ItemColumns:
    """What is kept of each item in memory. Numbers: keys, revisions, microseconds, shares."""

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
        """Every plain column by name."""
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
        self.ids.extend([kept_id(row.id) for row in rows])
        for name, codes in self.codes.items():
            codes.extend([getattr(row, name) for row in rows])


def kept_id(item_id: str) -> bytes:
    """Return at most 26 bytes by which an id is ordered: itself, or its head and a hash."""
    raw = item_id.encode()
    if len(raw) <= ID_BYTES:
        return raw
    return raw[:ID_HEAD_BYTES] + short_hash(item_id).encode()[: ID_BYTES - ID_HEAD_BYTES]


def _or(value: float | None, missing: float) -> float:
    return missing if value is None else value


class ChunkColumns:
    """What is kept of each chunk besides its terms and vector.

    `item` is the item's slot, `length` counts terms, `distinct` different ones, `words` the words
    of the chunk's own text.
    """

    __slots__ = ("dated", "distinct", "item", "length", "words")

    def __init__(self) -> None:
        self.item = Growing(np.int32)
        self.words = Growing(np.uint16)
        self.length = Growing(np.uint16)
        self.distinct = Growing(np.uint16)
        self.dated = Growing(np.bool_)

    def __len__(self) -> int:
        return len(self.item)

    @property
    def growing(self) -> dict[str, Growing]:
        """Every column by name."""
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
    told = f"the tags of item {row.id!r} cannot be read back ({problem})"
    raise StoreCorrupt(f"{told}; run `simonides doctor`")
