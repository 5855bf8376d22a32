"""Every adapter of `ports.SpaceStore`, and small prepared items to keep in them.

Where `CITUS_DSN` is set, PostgreSQL is asked once more, with its tables distributed. It is the
address of the superuser of an empty database with the extension, on the coordinator of a cluster
that trusts the role `serves`, too: a superuser alone would pass all walls.
"""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from simonides import Database
from simonides.model.item import Item, Role, digest
from simonides.model.stored import EmbedderIdentity, EntityKind, Mention, Prepared, PreparedChunk
from simonides.ports.space import Space, SpaceStore
from simonides.storage.sqlite import SQLiteStore
from simonides_postgres import PostgresStore

CITUS_DSN: Final = os.environ.get("CITUS_DSN", "")
ADAPTERS: Final = ("postgres", "sqlite", *(["citus"] if CITUS_DSN else []))
DSNS: Final = {"postgres": "pooled_dsn", "citus": "citus_dsn"}
EMPTY: Final = "SET lock_timeout = '10s'; TRUNCATE spaces CASCADE; DELETE FROM space_names"
TINY: Final = EmbedderIdentity(model="tiny", dimension=4, window_words=20, quantiser="fixed/1")


@pytest.fixture
def tiny() -> EmbedderIdentity:
    """The embedder that the spaces are made for."""
    return TINY


@pytest.fixture
def noon() -> datetime:
    """The time at which things are kept."""
    return datetime(2026, 3, 6, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def distributed_dsn() -> str:
    """The address of tables distributed by Citus, for a role that only reads and writes."""
    with psycopg.connect(CITUS_DSN, autocommit=True) as connection:
        known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = 'serves'").fetchone()
        if known is None:
            connection.execute("CREATE ROLE serves LOGIN")
    with Database(CITUS_DSN) as database:
        database.upgrade(grant="serves")
        database.distribute()
    return make_conninfo(CITUS_DSN, user="serves")


@pytest.fixture
def citus_dsn(distributed_dsn: str) -> str:
    """The same with empty tables."""
    with psycopg.connect(CITUS_DSN, autocommit=True) as connection:
        for statement in EMPTY.split("; "):
            connection.execute(statement.encode())
    return distributed_dsn


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
    dsn = "" if is_sqlite else request.getfixturevalue(DSNS[request.param])

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
def other(make_store: Callable[[], SpaceStore], space: Space, tiny: EmbedderIdentity) -> Space:
    """The same space, as another process has it."""
    _ = space
    return make_store().open("ana", embedder=tiny, create=False)


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
