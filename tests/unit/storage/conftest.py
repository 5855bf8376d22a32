"""A store on a home of its own, and small prepared items to keep in it."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from simonides.model.item import Item, digest
from simonides.model.stored import NO_EMBEDDER, Prepared, PreparedChunk
from simonides.ports.space import Space
from simonides.storage.sqlite import SQLiteStore

NOON: Final = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)


@pytest.fixture
def noon() -> datetime:
    """The time at which things are kept."""
    return NOON


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where the spaces are; it is not there yet."""
    return tmp_path / "home"


@pytest.fixture
def file(home: Path) -> Path:
    """Where the space `ana` is."""
    return home / "spaces" / "ana.sqlite3"


@pytest.fixture
def make_store(home: Path) -> Iterator[Callable[..., SQLiteStore]]:
    """Return a function that opens a store on the home; all are closed at the end."""
    made: list[SQLiteStore] = []

    def make(**settings: Any) -> SQLiteStore:
        made.append(SQLiteStore(home, **settings))
        return made[-1]

    yield make
    for store in made:
        store.close()


@pytest.fixture
def space(make_store: Callable[..., SQLiteStore]) -> Space:
    """A new space without vectors, whose writers wait a tenth of a second."""
    return make_store(timeout_s=0.1).open("ana", embedder=NO_EMBEDDER, create=True)


@pytest.fixture
def prepare() -> Callable[..., Prepared]:
    """Return a function that prepares an item as one chunk without a vector."""

    def prepared(content: str, **fields: Any) -> Prepared:
        item = Item(content=content, **fields)
        chunk = PreparedChunk(
            start=0,
            stop=len(content),
            words=1,
            dated=False,
            length=1,
            terms=bytes(9),
            vector=b"",
        )
        return Prepared(item=item, digest=digest(item), chunks=(chunk,), mentions=())

    return prepared
