"""All spaces of one PostgreSQL database.

Knows how a space is made, found and opened. Must not know what is kept in it.
"""

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

from simonides.errors import InvalidInput, NotFound, StoreError
from simonides.model.database import (
    DatabaseCheck,
    DatabaseDistribution,
    DatabaseIndexes,
    DatabaseUpgrade,
)
from simonides.model.maintenance import RepairReport, WipeResult
from simonides.model.stored import ANALYSIS_VERSION, UNICODE_VERSION, EmbedderIdentity
from simonides.ports.maintenance import Check, Remake, SearchedFiles
from simonides.ports.space import Reader, Space, StoreLoad
from simonides.storage.names import check_name
from simonides.storage.reader import StoredReader
from simonides.storage.space_facts import SpaceFacts
from simonides.storage.writer import check_embedder
from simonides_postgres.distribution import distribute, is_distributed
from simonides_postgres.error_mapping import translate_errors
from simonides_postgres.facts import FACTS, as_facts
from simonides_postgres.inspection import inspect
from simonides_postgres.lanes.statements import MADE
from simonides_postgres.lanes.vector_indexes import index_vectors
from simonides_postgres.limits import limits
from simonides_postgres.maintenance import NO_FILE, SERVER
from simonides_postgres.migrations import FORMAT, grant, upgrade
from simonides_postgres.pool import Pool
from simonides_postgres.space import IN_ORDER, PostgresSpace, SpaceGone
from simonides_postgres.transaction import PostgresTransaction

_DROP_SPACE = "DELETE FROM spaces WHERE space_id = %s"
_DROP_NAME = "DELETE FROM space_names WHERE space_id = %s"

_SERVERS = "is in PostgreSQL, whose own tools repair and restore it; see the how-to on PostgreSQL"


class PostgresStore:
    """Keeps spaces in the tables of one database; an adapter of `ports.SpaceStore`.

    `durability` is `full` (a commit is on the server's disk when it returns) or `relaxed` (its
    failure may lose the last commits). `timeout_s`: how long a writer waits for others, and a
    caller for a connection; at most `connections_max` are open at once.
    """

    def __init__(
        self,
        dsn: str,
        *,
        durability: str = "full",
        timeout_s: float = 10.0,
        connections_max: int = 16,
    ) -> None:
        if durability not in ("full", "relaxed"):
            raise InvalidInput("durability", f"must be full or relaxed, got {durability!r}")
        self._pool = Pool(dsn, timeout_s=timeout_s, connections_max=connections_max)
        self._durability = durability
        self._timeout_s = timeout_s
        self._spaces: dict[str, PostgresSpace] = {}
        self._is_begun = False
        self._has_lanes = False
        self._is_closed = False

    def open(self, name: str, *, embedder: EmbedderIdentity, create: bool) -> Space:
        """Return the space, the same object while it stays open.

        Raises:
            InvalidSpaceName: The name is not safe.
            NotFound: There is no such space and `create` is false.
            NewerFormat: A newer engine made the tables.
            WrongEmbedder: Its vectors come from another model; says how to re-embed.
        """
        space = self._open(name, create_for=embedder if create else None)
        check_embedder(space.embedder, embedder, space=name)
        return space

    def open_any(self, name: str) -> Space:
        """Return an existing space whatever its embedder, as re-embedding and `doctor` need."""
        return self._open(name, create_for=None)

    @contextmanager
    def reading(self, name: str) -> Iterator[tuple[Space, Reader]]:
        """Open an existing space, whatever its embedder, and a view of it.

        Of one that is open already the view says whether it is still there: in one round trip.
        """
        with ExitStack() as stack:
            yield self._look_at(name, stack)

    def _look_at(self, name: str, stack: ExitStack) -> tuple[Space, Reader]:
        known = None if self._is_closed else self._spaces.get(name)
        if known is not None:
            with suppress(SpaceGone):
                return known, stack.enter_context(known.read())
        space = self.open_any(name)
        return space, stack.enter_context(space.read())

    def names(self) -> list[str]:
        """Return the names of all spaces, sorted."""
        self._begin()
        begin = "BEGIN READ ONLY; SET LOCAL simonides.name = '*'"
        with translate_errors(), self._pool.lend_begun(begin) as (connection, _row):
            found = connection.execute("SELECT name FROM space_names ORDER BY name")
            return [name for (name,) in found]

    def snapshot_path(self, name: str) -> str:
        """Return an empty path: what an index knows must go with an erasure by another server."""
        check_name(name)
        return ""

    def upgrade(self, *, grant_to: str = "") -> DatabaseUpgrade:
        """Bring the tables to the present format, and let a role use them, if one is named.

        Raises:
            NewerFormat: A newer engine made the tables.
            InvalidInput: There is no such role.
            StoreError: The role of the address may not do this.
        """
        with translate_errors(), self._pool.connect() as connection:
            before = upgrade(connection)
            if grant_to:
                grant(connection, grant_to)
        return DatabaseUpgrade(before=before, format=FORMAT, granted=grant_to)

    def inspect(self) -> DatabaseCheck:
        """Return the state of the database, for the role of the address.

        Raises:
            NewerFormat: A newer engine made the tables.
        """
        with translate_errors(), self._pool.connect() as connection:
            return inspect(connection)

    def distribute(self, *, dry_run: bool = False) -> DatabaseDistribution:
        """Distribute the tables by space over the nodes of Citus, or say how.

        Raises:
            StoreError: The server lacks Citus, or the tables are not as they must be; says what to
                do. Nothing was changed.
        """
        with translate_errors(), self._pool.connect() as connection:
            return distribute(connection, dry_run=dry_run)

    def index(self, *, chunks_min: int, dry_run: bool = False) -> DatabaseIndexes:
        """Give each large space an index of its vectors, and drop those that no space needs.

        Raises:
            StoreError: The server lacks pgvector, the tables are not as they must be, or the role
                may not do this; says what to do.
        """
        with translate_errors(), self._pool.connect() as connection:
            return index_vectors(connection, chunks_min=chunks_min, dry_run=dry_run)

    def remove(self, name: str, *, check: Check | None = None) -> WipeResult:
        """Remove a space with all its rows, in one transaction, in which `check` looks at it first.

        Raises:
            NotFound: There is no such space.
            StoreBusy: Another writer held it past the time-out; nothing was erased.
        """
        check_name(name)
        self._begin()
        space_id = self._number(name)
        if space_id is None:
            raise NotFound("space", name)
        begin = (
            f"BEGIN; SET LOCAL simonides.space = '{space_id:d}'; "
            f"{limits(self._timeout_s)}; {IN_ORDER}; "
            f"{FACTS}{space_id:d} FOR UPDATE"
        )
        with translate_errors(), self._pool.lend_begun(begin) as (connection, row):
            if row is None:
                raise NotFound("space", name)
            if check is not None:
                tx = PostgresTransaction(connection, space_id)
                check(StoredReader(lambda: tx, as_facts(row)))
                tx.close()
            for drop in (_DROP_SPACE, _DROP_NAME):
                connection.execute(drop, (space_id,))
            connection.execute("COMMIT")
        if name in self._spaces:
            self._spaces[name].close()
        return WipeResult(
            rewritten=False, log_emptied=False, bytes_before=0, bytes_after=0, problem=SERVER
        )

    def finish_erasures(self) -> tuple[str, ...]:
        """Return nothing: a removal is one transaction, which is never left unfinished."""
        return ()

    def files(self, name: str) -> SearchedFiles:
        """Return no file: what the server writes is not ours to search."""
        check_name(name)
        return NO_FILE

    def foreign_files(self) -> tuple[str, ...]:
        """Return no file."""
        return ()

    def repair(
        self, name: str, *, remake: Callable[[EmbedderIdentity], Remake], fallback: EmbedderIdentity
    ) -> RepairReport:
        """Refuse: the server repairs its own files.

        Raises:
            InvalidInput: Always.
        """
        _ = remake, fallback
        raise InvalidInput("space", f"{name!r} {_SERVERS}")

    def replace(self, name: str, backup: str) -> RepairReport:
        """Refuse: the server's own tools restore a database.

        Raises:
            InvalidInput: Always.
        """
        _ = backup
        raise InvalidInput("space", f"{name!r} {_SERVERS}")

    def load(self) -> StoreLoad:
        """Return the number of open spaces and connections, and of callers that wait."""
        in_use, idle, waiting = self._pool.counts()
        return StoreLoad(spaces=len(self._spaces), in_use=in_use, idle=idle, waiting=waiting)

    def close(self) -> None:
        """Close every open space. Closing twice is no error."""
        self._is_closed = True
        for space in list(self._spaces.values()):
            space.close()
        self._pool.close()

    def _begin(self) -> None:
        """Bring the tables to the present format, once; of several servers one does it."""
        if self._is_closed:
            raise StoreError("the store was closed; make a new one")
        if not self._is_begun:
            self.upgrade()
            with translate_errors(), self._pool.lend_begun(MADE) as (connection, row):
                self._has_lanes = row is not None
                self._pool.is_distributed = is_distributed(connection)
            self._is_begun = True

    def _open(self, name: str, *, create_for: EmbedderIdentity | None) -> PostgresSpace:
        check_name(name)
        self._begin()
        found = self._spaces.get(name)
        if found is not None:
            if found.is_still_there():
                return found
            self._spaces.pop(name, None)
        space_id, facts = self._admit(name, create_for=create_for)
        space = PostgresSpace(
            name=name,
            space_id=space_id,
            pool=self._pool,
            facts=facts,
            timeout_s=self._timeout_s,
            durability=self._durability,
            on_close=lambda: self._spaces.pop(name, None),
            has_lanes=self._has_lanes,
        )
        return self._spaces.setdefault(name, space)  # of two threads at once, the first one's

    def _admit(self, name: str, *, create_for: EmbedderIdentity | None) -> tuple[int, SpaceFacts]:
        space_id = self._number(name)
        if space_id is None:
            if create_for is None:
                raise NotFound("space", name)
            space_id = self._make(name, create_for)
        begin = f"BEGIN READ ONLY; SET LOCAL simonides.space = '{space_id:d}'; {FACTS}{space_id:d}"
        with translate_errors(), self._pool.lend_begun(begin) as (_connection, row):
            if row is None:
                raise NotFound("space", name)
            return space_id, as_facts(row)

    def _number(self, name: str) -> int | None:
        begin = f"BEGIN READ ONLY; SET LOCAL simonides.name = '{name}'"  # a checked name
        with translate_errors(), self._pool.lend_begun(begin) as (connection, _row):
            asked = "SELECT space_id FROM space_names WHERE name = %s"
            row = connection.execute(asked, (name,)).fetchone()
        return None if row is None else int(row[0])

    def _make(self, name: str, embedder: EmbedderIdentity) -> int:
        """Make a space; of two servers at once one does it, and the other finds it made."""
        own = f"SET LOCAL simonides.name = '{name}'"  # a checked name
        begin = f"BEGIN; {own}; {limits(self._timeout_s)}"
        with translate_errors(), self._pool.lend_begun(begin) as (connection, _row):
            add = "INSERT INTO space_names (name) VALUES (%s) ON CONFLICT DO NOTHING"
            made = connection.execute(f"{add} RETURNING space_id".encode(), (name,)).fetchone()
            if made is not None:
                connection.execute(f"SET LOCAL simonides.space = '{made[0]:d}'".encode())
                connection.execute(
                    "INSERT INTO spaces (space_id, uuid, created_us, revision, epoch, model, "
                    "dimension, window_words, quantiser, analysis, unicode) "
                    "VALUES (%s, %s, %s, 0, 0, %s, %s, %s, %s, %s, %s)",
                    (
                        made[0], uuid.uuid4().hex, time.time_ns() // 1000, embedder.model,
                        embedder.dimension, embedder.window_words, embedder.quantiser,
                        ANALYSIS_VERSION, UNICODE_VERSION,
                    ),
                )  # fmt: skip
                connection.execute("COMMIT")
        space_id = self._number(name)
        if space_id is None:
            raise NotFound("space", name)
        return space_id
