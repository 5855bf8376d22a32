"""The lanes of one space in PostgreSQL: adapters of `ports.Lanes`, and of `ports.Reader` for these.

Knows which statement each lane runs. Must not know how candidates are scored.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import psycopg

from simonides.ports.lanes import Lanes, Matches, SpaceCounts, Wanted
from simonides.ports.space import ChunkRow, DeathRow, ItemRow, MentionRow, VectorRow
from simonides.storage import rows
from simonides.storage.reader import StoredReader, values_of
from simonides.storage.space_facts import SpaceFacts
from simonides.storage.transaction import Transaction
from simonides_postgres.exact_text import load_as_kept, text_columns, unescape_rows
from simonides_postgres.lanes.conditions import condition
from simonides_postgres.lanes.statements import LANES, as_halfvec
from simonides_postgres.lanes.vector_indexes import nearest_of_all
from simonides_postgres.transaction import Connection, lane_word

Row = tuple[Any, ...]

_LIKE = str.maketrans({"\\": r"\\", "%": r"\%", "_": r"\_"})


class PostgresLanes:
    """The lanes of a space, on a connection with a transaction begun."""

    def __init__(self, connection: Connection, space_id: int, reader: "LaneReader") -> None:
        self._connection = connection
        self._space_id = space_id
        self._reader = reader
        self._nearest: tuple[tuple[str, int], list[int]] | None = None

    def counts(self) -> SpaceCounts | None:
        """Return the counts of the space; None where they are not of this revision."""
        ((_, _, _, _, revision, epoch, *counted),) = self.all("standing")
        if (revision, epoch) != (self._reader.revision, self._reader.epoch):
            return None
        chunks, length_total, vectors, vector_total, items = counted
        ((waiting,),) = self.all("waiting")
        by_sort = {tuple(json.loads(sort)): count for sort, count in json.loads(items).items()}
        return SpaceCounts(
            chunks=chunks, length_total=length_total, vectors=vectors, waiting=waiting,
            vector_total=vector_total, items=by_sort,
        )  # fmt: skip

    def names_of(self, entity: str) -> Sequence[str]:
        """Return the names by which present items mention an entity."""
        return [name for (name,) in self.all("names_of", entity=entity)]

    def holding(self, terms: Sequence[int]) -> Matches:
        """Return every present chunk that holds any of these terms."""
        words = (lane_word(self._space_id, key.to_bytes(8, "little").hex()) for key in terms)
        asked = "|".join(f"'{word}'" for word in words)
        ((heads, found, counts),) = self.all("holding", terms=asked)
        return _matches(
            np.frombuffer(heads or b"", dtype=_HEADS),
            np.frombuffer(found or b"", dtype="<u8"),
            np.frombuffer(counts or b"", dtype=np.uint8),
            asked=terms,
        )

    def find_unwanted(self, keys: Sequence[int], wanted: Wanted) -> frozenset[int]:
        """Return those of these items that are not wanted."""
        return frozenset(key for (key,) in self.all("unwanted", wanted, among=[*keys]))

    def nearest(self, query: Sequence[int], wanted: Wanted, *, limit: int) -> list[int]:
        """Return the items of the wanted chunks nearest to a centred query, nearest first.

        Most are wanted of most spaces: they are looked up among the nearest of all first, and all
        are looked at only where these are too few.
        """
        asked = as_halfvec(query)
        found = self._nearest_of_all(asked, limit, dimension=len(query))
        unwanted = self.find_unwanted(sorted(set(found)), wanted)
        if unwanted and len(found) == limit:
            return [key for (key,) in self.all("nearest", wanted, query=asked, limit=limit)]
        return [key for key in found if key not in unwanted]

    def _nearest_of_all(self, asked: str, limit: int, *, dimension: int) -> list[int]:
        """Return the nearest of all, looked up once: a question asks for more than one of it."""
        if self._nearest is None or self._nearest[0] != (asked, limit):
            statement = nearest_of_all(self._space_id, dimension=dimension, limit=limit)
            found = _rows(self._send(statement, {"query": asked, "limit": limit}))
            self._nearest = ((asked, limit), [key for (key,) in found])
        return self._nearest[1]

    def read_ordered(self, wanted: Wanted, *, limit: int, latest: bool = True) -> list[int]:
        """Return the latest wanted items, or the earliest."""
        name = "latest" if latest else "earliest"
        return [key for (key,) in self.all(name, wanted, limit=limit)]

    def saying(self, texts: Sequence[str], wanted: Wanted, *, limit: int) -> list[int]:
        """Return the latest wanted items that hold any of these texts, letter case ignored."""
        parts = [f"%{text.lower().translate(_LIKE)}%" for text in texts]
        return [key for (key,) in self.all("saying", wanted, limit=limit, texts=parts)]

    def tags(self) -> Sequence[tuple[int, Sequence[str]]]:
        """Return the keys and tags of the present items that have some."""
        return [(key, json.loads(tags)) for key, tags in self.all("tagged")]

    def around(self, keys: Sequence[int], *, steps: int) -> list[int]:
        """Return these items and so many before and after each in its session."""
        sessions = [session for (session,) in self.all("around", among=[*keys])]
        return sorted({*keys, *_near(sessions, keys, steps=steps)})

    def find_written_to(self, owner: Sequence[str], keys: Sequence[int]) -> list[int]:
        """Return one item by the owner to each author of these items whom the owner wrote to."""
        found = self.all("written_to", among=[*keys], owner=[*owner])
        return [key for (key,) in found]

    def among(self, keys: Sequence[int]) -> StoredReader:
        """Return a reader of the same revision that tells of these items alone."""
        return self._reader.among(keys)

    def all(self, name: str, wanted: Wanted | None = None, **values: Any) -> list[Row]:
        """Return the rows of a statement."""
        return _rows(self._start(name, wanted, values))

    def all_of(self, names: Sequence[str], **values: Any) -> dict[str, list[Row]]:
        """Return the rows of several statements, by name, asked in one round trip."""
        with self._connection.pipeline():
            started = {name: self._start(name, None, values) for name in names}
            return {name: _rows(cursor) for name, cursor in started.items()}

    def _start(
        self, name: str, wanted: Wanted | None, values: Mapping[str, Any]
    ) -> psycopg.Cursor[Row]:
        text, own = ("", {}) if wanted is None else condition(wanted)
        return self._send(LANES[name].replace("{wanted}", text), {**own, **values})

    def _send(self, statement: str, values: Mapping[str, Any]) -> psycopg.Cursor[Row]:
        cursor = self._connection.cursor(binary=True)
        load_as_kept(cursor.adapters)
        return cursor.execute(cast("Any", statement), {**values, "space": self._space_id})


def _rows(cursor: psycopg.Cursor[Row]) -> list[Row]:
    """Return the rows of a cursor that loads texts as they are kept."""
    return unescape_rows(cursor.fetchall(), text_columns(cursor))


def _near(sessions: Sequence[bytes], keys: Sequence[int], *, steps: int) -> list[int]:
    """Return the items that stand at most so many steps from any of `keys` in their session."""
    found = np.frombuffer(b"".join(sessions), dtype=">i8")
    own = np.isin(found, keys)
    sizes = [len(session) // found.itemsize for session in sessions]
    places = np.repeat(np.arange(len(sessions)), sizes)
    is_near = own.copy()
    for step in range(1, steps + 1):
        together = places[step:] == places[:-step]
        is_near[step:] |= own[:-step] & together
        is_near[:-step] |= own[step:] & together
    near: list[int] = found[is_near].tolist()
    return near


_HEADS = np.dtype([("item_key", ">i8"), ("ordinal", ">i4"), ("length", ">i4"), ("size", ">i4")])
"""What the statement `holding` says of each chunk."""


def _matches(
    heads: npt.NDArray[Any],
    terms: npt.NDArray[np.uint64],
    counts: npt.NDArray[np.uint8],
    *,
    asked: Sequence[int],
) -> Matches:
    """Return the matches in their order, with those of their terms that were asked for."""
    is_asked = np.zeros(len(terms), dtype=bool)
    for term in asked:
        is_asked |= terms == np.uint64(term)
    places = np.empty(len(heads), dtype=np.int64)
    order = np.lexsort((heads["ordinal"], heads["item_key"]))
    places[order] = np.arange(len(heads))
    owners = np.repeat(places, heads["size"])[is_asked]
    held = np.argsort(owners, kind="stable")
    return Matches(
        item_keys=heads["item_key"][order].astype(np.int64),
        ordinals=heads["ordinal"][order].astype(np.int64),
        lengths=heads["length"][order].astype(np.int64),
        sizes=np.bincount(owners, minlength=len(heads)),
        terms=terms[is_asked][held],
        counts=counts[is_asked][held],
    )


class LaneReader(StoredReader):
    """Answers as of one revision, and has the lanes of its space."""

    def __init__(
        self,
        begin: Callable[[], Transaction],
        meta: SpaceFacts,
        *,
        connection: Connection,
        space_id: int,
    ) -> None:
        super().__init__(begin, meta)
        self._connection = connection
        self._space_id = space_id

    @property
    def lanes(self) -> Lanes:
        """The lanes of the space."""
        return self._own_lanes

    @cached_property
    def _own_lanes(self) -> PostgresLanes:
        return PostgresLanes(self._connection, self._space_id, self)

    def among(self, keys: Sequence[int]) -> StoredReader:
        """Return a reader of the same revision that tells of some items alone."""
        self._pasts.append(
            found := AmongReader(self._begin, self._meta, lanes=self._own_lanes, keys=keys)
        )
        return found


class AmongReader(StoredReader):
    """Answers as if the present held these items alone; an adapter of `ports.Reader`."""

    def __init__(
        self,
        begin: Callable[[], Transaction],
        meta: SpaceFacts,
        *,
        lanes: PostgresLanes,
        keys: Sequence[int],
    ) -> None:
        super().__init__(begin, meta)
        self._of_space = lanes
        self._keys = sorted(keys)

    def item_rows(self, since: int) -> Iterator[ItemRow]:
        """Yield the items, by rising key."""
        _ = since
        return rows.item_rows(iter(self._own_rows["item_rows"]))

    def chunk_rows(self, since: int) -> Iterator[ChunkRow]:
        """Yield the chunks of the items, by rising (item key, ordinal)."""
        _ = since
        return map(ChunkRow._make, self._own_rows["chunk_rows"])

    def mention_rows(self, since: int) -> Iterator[MentionRow]:
        """Yield the mentions of the items, by rising item key."""
        _ = since
        return map(MentionRow._make, self._own_rows["mention_rows"])

    def late_vectors(self, since: int) -> Iterator[VectorRow]:
        """Yield nothing: every row comes with the vector that it has now."""
        _ = since
        return iter(())

    def deaths(self, since: int) -> Sequence[DeathRow]:
        """Return nothing: here, nobody has died."""
        _ = since
        return []

    def keys(self, ids: Sequence[str]) -> list[int]:
        """Return the rising keys of those of these ids that are among the items."""
        own = set(self._keys)
        return [key for key in super().keys(ids) if key in own]

    def metadata(self, name: str, after_key: int) -> Iterator[tuple[int, Any]]:
        """Yield (item key, value) of the items that have this metadata key, by key."""
        needle = rows.key_text(rows.lookup_text(name))
        found = self._of("metadata", floor=after_key, needle=needle)
        return values_of(name, iter(found))

    def containing(
        self, words: Sequence[str], *, among: Sequence[int] | None = None
    ) -> Iterator[tuple[int, int]]:
        """Yield (item key, number of these words in it) of the items, in the order of keys."""
        own = self._keys if among is None else sorted({*self._keys}.intersection(among))
        return super().containing(words, among=own)

    @cached_property
    def _own_rows(self) -> dict[str, list[Row]]:
        """All rows of the items, by what they are; whoever reads one kind reads all of them."""
        names = ("item_rows", "chunk_rows", "mention_rows")
        with self._tx().translate_errors():
            return self._of_space.all_of(names, among=self._keys)

    def _of(self, name: str, **values: Any) -> list[Row]:
        with self._tx().translate_errors():
            return self._of_space.all(name, among=self._keys, **values)
