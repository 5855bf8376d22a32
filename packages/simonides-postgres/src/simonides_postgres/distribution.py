"""The tables distributed by space over the nodes of a Citus cluster.

Knows which table becomes what, in which order, and what Citus asks for. Must not know what the
tables hold.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import psycopg

from simonides.errors import StoreError
from simonides.model.database import DatabaseDistribution
from simonides_postgres.limits import limits
from simonides_postgres.migrations import check_current, table_names

CITUS_MIN = (12, 1)
"""The first for PostgreSQL 16; with an older one nothing was tried. Since 11.2 a node begins its
part of a transaction as the client did (READ ONLY, REPEATABLE READ); there are identity columns.
"""

TELL_NODES = "SET LOCAL citus.propagate_set_commands = 'local'"
"""Without it the nodes would not know which space a transaction is about, and show no row. Without
Citus it sets what nobody reads."""

COLUMN = "space_id"

ROOT = "spaces"
"""The table that all others refer to, directly or not: their rows lie where its rows lie."""

LOCAL = ("space_names",)
"""Tables that stay on the coordinator.

A name must be unique over all spaces, which no distributed table can see to. No statement joins it
with another table, so that it need not be on every node (a reference table): each new space would
be a write to all of them. The note of the format is not even listed: it holds nothing of spaces.
"""

FUNCTION = "terms_words(bigint, bytea)"
"""The function that a statement calls where the rows are; made before Citus could pass it on."""

_WAIT_S = 10.0
_HELP = "see the how-to on Citus"
_KNOWN = """SELECT logicalrelid::regclass::text, partmethod::text, colocationid,
column_to_column_name(logicalrelid, partkey) FROM pg_dist_partition
WHERE logicalrelid::regclass::text = ANY(%s)"""

Connection = psycopg.Connection[Any]


class _Known(NamedTuple):
    """What Citus says of a table."""

    name: str
    method: str
    colocation: int
    column: str | None


def is_distributed(connection: Connection) -> bool:
    """Return whether the tables are distributed, as far as a store must know."""
    known = connection.execute("SELECT to_regclass('pg_dist_partition') IS NOT NULL").fetchone()
    if known is None or not known[0]:
        return False
    row = connection.execute(_KNOWN.encode(), ([ROOT],)).fetchone()
    return row is not None


def distribute(connection: Connection, *, dry_run: bool) -> DatabaseDistribution:
    """Distribute all tables of spaces that are not, in one transaction; return what was done.

    Raises:
        NewerFormat: A newer engine made the tables.
        StoreError: Citus is not there, or a table is distributed in another way.
    """
    check_current(connection, needed_to="distribute")
    version = _citus(connection)
    with connection.transaction():
        connection.execute(limits(_WAIT_S).encode())
        before = _list_distributed(connection)
        tables = tuple(one for one in table_names() if one not in (*LOCAL, *before))
        statements = tuple(_statements(tables))
        for one in () if dry_run else statements:
            connection.execute(one.encode())
    return DatabaseDistribution(
        citus=version, dry_run=dry_run, tables=tables, before=before, statements=statements
    )


def _statements(tables: tuple[str, ...]) -> Iterator[str]:
    """Yield what distributes tables, those that others refer to first, as Citus asks.

    Citus copies rows by COPY, which row-level security refuses to an owner it is forced on. Copied
    rows stay in the files of the coordinator, hidden, where no erasure would find them: they go.
    """
    if not tables:
        return
    yield "SET LOCAL citus.multi_shard_modify_mode = 'sequential'"  # for foreign keys
    yield f"SELECT create_distributed_function('{FUNCTION}')"
    for one in tables:
        group = "none" if one == ROOT else ROOT
        yield f"ALTER TABLE {one} NO FORCE ROW LEVEL SECURITY"
        yield (f"SELECT create_distributed_table('{one}', '{COLUMN}', colocate_with => '{group}')")
    for one in tables:
        yield f"ALTER TABLE {one} FORCE ROW LEVEL SECURITY"
    yield f"SELECT truncate_local_data_after_distributing_table('{ROOT}')"


def _citus(connection: Connection) -> str:
    """Return the version of Citus in this database.

    Raises:
        StoreError: It is not there, or too old; says what to do.
    """
    asked = "SELECT installed_version FROM pg_available_extensions WHERE name = 'citus'"
    row = connection.execute(asked).fetchone()
    if row is None:
        raise StoreError(
            "the server has no Citus; install it on every node, set shared_preload_libraries = "
            f"'citus', restart, and run CREATE EXTENSION citus in this database; {_HELP}"
        )
    if row[0] is None:
        raise StoreError(
            "Citus is installed, but not in this database; as a superuser run CREATE EXTENSION "
            f"citus in it, on every node; {_HELP}"
        )
    version = str(row[0])
    number = tuple(int(one) for one in version.partition("-")[0].split("."))
    if number < CITUS_MIN:
        needed = ".".join(map(str, CITUS_MIN))
        raise StoreError(f"the database has Citus {version}, {needed} or newer is needed; {_HELP}")
    return version


def _list_distributed(connection: Connection) -> tuple[str, ...]:
    """Return the tables that are distributed by space already, in the order they are made in.

    Raises:
        StoreError: One is distributed in another way, or apart from the others.
    """
    ours = [one for one in table_names() if one not in LOCAL]
    rows = connection.execute(_KNOWN.encode(), (ours,)).fetchall()
    known = {one.name: one for one in (_Known(*row) for row in rows)}
    root = known.get(ROOT)
    for one in known.values():
        if root is None or one[1:] != ("h", root.colocation, COLUMN):
            raise StoreError(
                f"the table {one.name} is distributed in another way than by space together with "
                f"{ROOT}; make it a plain table again (undistribute_table) and try again"
            )
    return tuple(one for one in ours if one in known)
