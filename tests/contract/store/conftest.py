"""Every adapter of `ports.SpaceStore`, and small prepared items to keep in them."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from simonides.model.item import Item, Role, digest
from simonides.model.stored import EmbedderIdentity, EntityKind, Mention, Prepared, PreparedChunk
from simonides.ports.space import Space, SpaceStore
from simonides.storage.postgres import PostgresStore
from simonides.storage.sqlite import SQLiteStore

ADAPTERS: Final = ("postgres", "sqlite")
TINY: Final = EmbedderIdentity(model="tiny", dimension=4, window_words=20, quantiser="fixed/1")


@pytest.fixture
def tiny() -> EmbedderIdentity:
    """The embedder that the spaces are made for."""
    return TINY


@pytest.fixture
def noon() -> datetime:
    """The time at which things are kept."""
    return datetime(2026, 3, 6, 12, 0, tzinfo=UTC)


ABOUT_FILES: Final = {
    "test_a_file_gives_its_room_back",
    "test_a_sweep_leaves_no_byte_of_what_was_erased",
    "test_what_is_written_is_counted_in_bytes",
    "test_what_the_files_say_by_themselves_names_no_item",
    "test_what_waits_and_what_came_outlasts_closing_backup_and_compaction",
}
"""Laws of a space's own files, which a space in a database has none of."""


@pytest.fixture(params=ADAPTERS)
def make_store(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Callable[[], SpaceStore]]:
    """Return a function that opens a store on the same home, as another process would.

    What is marked `files` is asked of stores alone whose spaces are files.
    """
    if request.param != "sqlite" and request.node.get_closest_marker("files"):
        pytest.skip("spaces of this store are no files")
    made: list[SpaceStore] = []
    is_sqlite = request.param == "sqlite"
    node = request.node
    is_about_files = node.originalname in ABOUT_FILES or "repair" in node.path.name
    if is_about_files and not is_sqlite:
        pytest.skip("is about a space's own files")
    dsn = "" if is_sqlite else request.getfixturevalue("postgres_dsn")

    def make() -> SpaceStore:
        made.append(SQLiteStore(tmp_path / "home") if is_sqlite else PostgresStore(dsn))
        return made[-1]

    yield make
    for store in made:
        store.close()


@pytest.fixture
def store(make_store: Callable[[], SpaceStore]) -> SpaceStore:
    """A store of each adapter."""
    return make_store()


@pytest.fixture
def space(store: SpaceStore) -> Space:
    """A new space."""
    return store.open("ana", embedder=TINY, create=True)


@pytest.fixture
def prepare() -> Callable[..., Prepared]:
    """Return a function that prepares an item: one chunk for each of its lines, one mention."""

    def prepared(content: str, *, vector: bytes = b"\x01\x02\x03\x04", **fields: Any) -> Prepared:
        item = Item(content=content, **fields)
        chunks, at = [], 0
        for line in content.split("\n"):
            chunks.append(
                PreparedChunk(
                    start=at,
                    stop=at + len(line),
                    words=len(line.split()),
                    dated=False,
                    length=len(line.split()),
                    terms=bytes(9 * len(line.split())),
                    vector=vector,
                )
            )
            at += len(line) + 1
        mention = Mention(entity="person:~ana", kind=EntityKind.PERSON, name="Ana", role=Role.TO)
        return Prepared(item=item, digest=digest(item), chunks=tuple(chunks), mentions=(mention,))

    return prepared
