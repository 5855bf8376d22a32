"""What the lanes keep of a space, brought up to the revision that a transaction is about to commit.

It follows from rows by revision, as an index in memory does: what was born is added, what died is
subtracted, a vector that came late is added then. So no statement that writes has to know of it.
After an erasure, or where deaths were compacted away since, all is counted anew. Must not know
questions.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from simonides.scoring.quantise import MEAN_CHUNKS_MAX
from simonides_postgres.lanes.statements import LANES, to_halfvec
from simonides_postgres.transaction import Connection

Totals = npt.NDArray[np.int64]


@dataclass(slots=True, kw_only=True)
class _Counts:
    """Exact statistics of the present of a space."""

    chunks: int
    length_total: int
    vectors: int
    vector_total: Totals
    items: Counter[str]

    @classmethod
    def none(cls, dimension: int) -> Self:
        total = np.zeros(dimension, dtype=np.int64)
        return cls(chunks=0, length_total=0, vectors=0, vector_total=total, items=Counter())

    def add_chunks(self, count: int, length: int | None, vectors: bytes | None, sign: int) -> None:
        """Add, or subtract, chunks; `vectors` are of those that count in the mean."""
        self.chunks += sign * count
        self.length_total += sign * (length or 0)
        dimension = len(self.vector_total)
        if vectors and dimension:
            rows = np.frombuffer(vectors, dtype=np.int8).reshape(-1, dimension)
            self.vectors += sign * int(rows.any(axis=1).sum())
            self.vector_total += sign * rows.sum(axis=0, dtype=np.int64)

    def add_items(self, rows: Iterable[tuple[str, str, str, int]], sign: int) -> None:
        """Add, or subtract, numbers of items by kind, source and language."""
        for kind, source, language, count in rows:
            self.items[json.dumps([kind, source, language])] += sign * count


def follow(connection: Connection, space_id: int) -> None:
    """Bring what the lanes keep of a space up to its revision, in the transaction at hand."""
    own = {"space": space_id}
    row = connection.execute(LANES["standing"], own).fetchone()
    if row is None:
        return
    revision, epoch, floor, dimension, seen, seen_epoch, *counted = row
    if (seen, seen_epoch) == (revision, epoch):
        return
    if seen is None or seen_epoch != epoch or seen < floor:
        counts, since, known = _Counts.none(dimension), 0, 0
    else:
        counts, since = _read(counted), seen
        found = connection.execute(LANES["known_key"], {**own, "since": since}).fetchone()
        known = 0 if found is None else found[0]
        _subtract_dead(connection, counts, {**own, "since": since, "known": known})
    _add_born(connection, counts, {**own, "since": since, "known": known})
    _write(connection, counts, {**own, "revision": revision, "epoch": epoch})


def _read(counted: Sequence[Any]) -> _Counts:
    chunks, length_total, vectors, vector_total, items = counted
    return _Counts(
        chunks=chunks, length_total=length_total, vectors=vectors,
        vector_total=np.array(vector_total, dtype=np.int64), items=Counter(json.loads(items)),
    )  # fmt: skip


def _subtract_dead(connection: Connection, counts: _Counts, asked: dict[str, int]) -> None:
    values = {**asked, "counted": MEAN_CHUNKS_MAX}
    for count, length, vectors in connection.execute(LANES["dead_chunks"], values, binary=True):
        counts.add_chunks(count, length, vectors, -1)
    counts.add_items(connection.execute(LANES["dead_items"], asked).fetchall(), -1)


def _add_born(connection: Connection, counts: _Counts, asked: dict[str, int]) -> None:
    """Count what was born, and the vectors that came since; both get their place in the lane."""
    counts.add_items(connection.execute(LANES["born_items"], asked).fetchall(), 1)
    last = (asked["known"], -1)
    while True:
        values = {**asked, "after_key": last[0], "after_ordinal": last[1]}
        rows = connection.execute(LANES["born_chunks"], values, binary=True).fetchall()
        if not rows:
            break
        counts.add_chunks(len(rows), sum(r[2] for r in rows), _counted_vectors(rows, 3), 1)
        _place(connection, [(row[0], row[1], row[3]) for row in rows if not row[4]], asked)
        last = rows[-1][0], rows[-1][1]
    late = connection.execute(LANES["late_vectors"], asked, binary=True).fetchall()
    counts.add_chunks(0, 0, _counted_vectors(late, 2), 1)
    _place(connection, late, asked)


def _counted_vectors(rows: Iterable[Sequence[Any]], column: int) -> bytes:
    """Return the vectors of those chunks that count in the mean, one after another."""
    return b"".join(row[column] for row in rows if row[1] < MEAN_CHUNKS_MAX)


def _place(
    connection: Connection, rows: Sequence[tuple[int, int, bytes]], asked: dict[str, int]
) -> None:
    """Add the vectors that are there to the lane."""
    there = [row for row in rows if any(row[2])]
    if there:
        keys, ordinals, vectors = zip(*there, strict=True)
        values = {
            "space": asked["space"],
            "keys": list(keys),
            "ordinals": list(ordinals),
            "vectors": [to_halfvec(one) for one in vectors],
        }
        connection.execute(LANES["place_vectors"], values)


def _write(connection: Connection, counts: _Counts, own: dict[str, int]) -> None:
    items = {name: count for name, count in sorted(counts.items.items()) if count}
    values = {
        **own,
        "chunks": counts.chunks,
        "length_total": counts.length_total,
        "vectors": counts.vectors,
        "vector_total": counts.vector_total.tolist(),
        "counts": json.dumps(items),
    }
    connection.execute(LANES["put_statistics"], values)
