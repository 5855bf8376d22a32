"""A space on disk that items are kept in, and views of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from simonides.index.build import empty_view, extend
from simonides.index.index_view import IndexView
from simonides.ingest.prepare import Preparer
from simonides.model.item import Item
from simonides.ports.space import Reader, Space
from simonides.storage.sqlite import SQLiteStore
from simonides_bench.testing.hashing import HashingEmbedder

NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
DIMENSION: Final = 16


@dataclass
class Kept:
    """One space and the ways into it."""

    space: Space
    embedder: HashingEmbedder = field(default_factory=lambda: HashingEmbedder(DIMENSION))

    def keep(self, *items: Item) -> None:
        """Keep items in one revision."""
        preparer = Preparer(identity=self.embedder.identity, embedder=self.embedder)
        self.space.commit(preparer.prepare(items), stored_at=NOW)

    def words(self, *texts: str, **fields: Any) -> None:
        """Keep one item a text, whose id is the text."""
        self.keep(*(Item(content=text, id=text, **fields) for text in texts))

    def forget(self, *ids: str) -> None:
        """Forget items."""
        self.space.forget(ids, at=NOW)

    def anew(self) -> IndexView:
        """Return a view built from rows."""
        with self.space.read() as reader:
            return extend(empty_view(DIMENSION), reader)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLiteStore]:
    """A store of the embedded kind."""
    opened = SQLiteStore(tmp_path / "home", durability="relaxed")
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def keep_in() -> Callable[[SQLiteStore], Kept]:
    """Return a function that opens the space of a store, and makes it if there is none."""

    def opened(store: SQLiteStore) -> Kept:
        identity = HashingEmbedder(DIMENSION).identity
        return Kept(store.open("ana", embedder=identity, create=True))

    return opened


@pytest.fixture
def kept(store: SQLiteStore, keep_in: Callable[[SQLiteStore], Kept]) -> Kept:
    """A new space."""
    return keep_in(store)


class Watched:
    """A reader that remembers from where on it was asked for rows."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.since: list[int] = []
        self.metadata_after: list[tuple[str, int]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    def chunk_rows(self, since: int) -> Any:
        """Remember the revision asked for."""
        self.since.append(since)
        return self._reader.chunk_rows(since)

    def metadata(self, name: str, after_key: int) -> Any:
        """Remember the key asked for."""
        self.metadata_after.append((name, after_key))
        return self._reader.metadata(name, after_key)


@pytest.fixture
def watched() -> type[Watched]:
    """The reader that remembers."""
    return Watched
