"""A look at the past: the same reader, whose statements look into the archive, too.

Knows which rows were alive at a revision. Must not know what is asked of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import apsw

from simonides.errors import InvalidInput
from simonides.model.item import Item
from simonides.ports.space import MentionRow
from simonides.storage.sqlite.meta import Meta
from simonides.storage.sqlite.pool import Lease
from simonides.storage.sqlite.queries import QUERIES, statements
from simonides.storage.sqlite.reader import SqliteReader
from simonides.storage.sqlite.revisions import gone

PAST = statements("past.sql")
"""The statements that stand for those on the present, by the same names."""


def look_back(loan: Lease, meta: Meta, *, revision: int) -> "SqlitePast":
    """Return a look at the space as it was at a revision.

    Raises:
        HistoryGone: It was compacted away.
        InvalidInput: The space has not reached it yet.
    """
    sqlite = loan.handle.sqlite
    if not 0 <= revision <= meta.revision:
        problem = f"the space is at revision {meta.revision}, got {revision}"
        raise InvalidInput("as_of", problem)
    if revision < meta.floor:
        raise gone(sqlite, meta, asked=f"revision {revision}")
    ceiling = _ceiling(sqlite, revision)
    return SqlitePast(loan, replace(meta, revision=revision), ceiling=ceiling)


def _ceiling(sqlite: apsw.Connection, revision: int) -> int:
    """Return the highest key given out up to a revision, or one above it that nothing has.

    Halving finds it: births rise with keys, over present and archive together.
    """
    low, high = 0, sqlite.execute(PAST["last_key"]).get or 0
    while low < high:
        middle = (low + high + 1) // 2
        born = sqlite.execute(PAST["ceiling"], {"key": middle}).get
        if born is not None and born <= revision:
            low = middle
        else:
            high = middle - 1
    return low


class SqlitePast(SqliteReader):
    """Answers as of an earlier revision; an adapter of `ports.Reader`."""

    def __init__(self, loan: Lease, meta: Meta, *, ceiling: int) -> None:
        super().__init__(loan, meta)
        self._then = {"revision": meta.revision, "ceiling": ceiling}

    def mention_rows(self, since: int) -> Iterator[MentionRow]:
        """Yield the mentions of the items alive then, born after `since`, by rising item key."""
        return self._stream("mention_rows", self._above(since), _mention_rows)

    def without_surrogates(
        self, *, algorithm: str, version: int, chars_min: int, after_key: int, limit: int
    ) -> Sequence[tuple[int, bytes, Item]]:
        """Return nothing: surrogates are built of what is present."""
        _ = algorithm, version, chars_min, after_key, limit
        return []

    def _above(self, since: int) -> dict[str, int]:
        return {"floor": _ceiling(self._handle().sqlite, since)}

    def _asked(self, query: str, values: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        if query not in PAST:
            return QUERIES[query], values
        return PAST[query], values | self._then


def _mention_rows(found: Iterator[tuple[Any, ...]]) -> Iterator[MentionRow]:
    return (MentionRow._make(row[:-1]) for row in found)
