"""A look at every version that is kept: the same reader, the archive beside the present.

Knows which tables those are. Must not know who asks, nor what for.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from simonides.ports.space import ChunkRow, DeathRow, MentionRow
from simonides.storage.sqlite.erase import ERASE
from simonides.storage.sqlite.error_mapping import translated
from simonides.storage.sqlite.meta import Meta
from simonides.storage.sqlite.pool import Lease
from simonides.storage.sqlite.queries import QUERIES, statements
from simonides.storage.sqlite.reader import SqliteReader
from simonides.storage.sqlite.rows import askable

EVERY = statements("every.sql")


class AllVersions(SqliteReader):
    """Tells of past versions as if they were present; an adapter of `ports.Reader`."""

    def __init__(self, loan: Lease, meta: Meta, *, dimension: int) -> None:
        super().__init__(loan, meta)
        self._dimension = dimension

    def chunk_rows(self, since: int) -> Iterator[ChunkRow]:
        """Yield the chunks of every version born after `since`, by rising (item key, ordinal).

        Vectors of another model than the space's, which the archive empties, are zero.
        """
        none = bytes(self._dimension)
        for row in super().chunk_rows(since):
            yield row if row.vector else row._replace(vector=none)

    def mention_rows(self, since: int) -> Iterator[MentionRow]:
        """Yield the mentions of every version born after `since`, by rising item key."""
        return self._stream("mention_rows", self._above(since), _mention_rows)

    def deaths(self, since: int) -> Sequence[DeathRow]:
        """Return nothing: here, nobody has died."""
        _ = since
        return []

    def keys(self, ids: Sequence[str]) -> list[int]:
        """Return the rising keys of every version of these ids."""
        handle = self._handle()
        with translated(handle.file):
            return sorted(
                key
                for one in set(ids)
                for key, _ in handle.sqlite.execute(ERASE["version_keys"], {"id": askable(one)})
            )

    def _above(self, since: int) -> dict[str, int]:
        """Return the key above which to read; only everything can be asked for."""
        if since:
            raise ValueError(f"every version can only be read from the first on, got {since}")
        return {"floor": 0}

    def _asked(self, query: str, values: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        return (EVERY if query in EVERY else QUERIES)[query], values


def _mention_rows(found: Iterator[tuple[Any, ...]]) -> Iterator[MentionRow]:
    return (MentionRow._make(row[:-1]) for row in found)
