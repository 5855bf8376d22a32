"""Indexes of vectors (HNSW), each of one large space alone.

One of all spaces finds too few neighbours of a space among those of the others. Knows which spaces
get one, and how a look-up meets it. Must not know what the vectors are of.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import psycopg
from psycopg import errors

from simonides.errors import StoreError
from simonides.model.database import DatabaseIndexes
from simonides_postgres.inspection import space_names
from simonides_postgres.lanes.statements import LANES, MADE
from simonides_postgres.migrations import check_current

EF_SEARCH = 400
"""So many neighbours an index keeps in view while it looks: with them it finds .99 of the nearest
hundred of 100,000 (docs/explanation/capacity.md). It finds no more than so many."""

SEARCHED_WIDELY = f"SET LOCAL hnsw.ef_search = {EF_SEARCH:d}"

_PREFIX = "lane_vectors_of_"

_PRESENT = f"""SELECT relname, indisvalid FROM pg_index JOIN pg_class ON oid = indexrelid
WHERE indrelid = 'lane_vectors'::regclass AND starts_with(relname::text, '{_PREFIX}')
ORDER BY relname"""  # noqa: S608  our own name

_COUNTED = """SELECT dimension, vectors FROM spaces AS own
JOIN space_statistics AS counted ON counted.space_id = own.space_id
WHERE own.space_id = %s AND counted.space_id = %s"""

Connection = psycopg.Connection[Any]


class _Wanted(NamedTuple):
    """The index of a space that is to be there."""

    space: str
    space_id: int
    dimension: int

    @property
    def name(self) -> str:
        return f"{_PREFIX}{self.space_id}_{self.dimension}"

    @property
    def statement(self) -> str:
        rows = rows_of(self.space_id, self.dimension)
        return (
            f"CREATE INDEX CONCURRENTLY {self.name} ON lane_vectors "
            f"USING hnsw ((embedding::halfvec({self.dimension})) halfvec_cosine_ops) WHERE {rows}"
        )


def rows_of(space_id: int, dimension: int) -> str:
    """Return the condition by which a look-up meets the index of a space.

    Vectors of another model may come later: of another length they are none of the index.
    """
    return f"space_id = {space_id:d} AND vector_dims(embedding) = {dimension:d}"


def nearest_of_all(space_id: int, *, dimension: int, limit: int) -> str:
    """Return the statement of the chunks nearest to a query of a dimension.

    It meets the index of the space where there is one that finds so many, else it compares all.
    """
    indexed, sized = "", ""
    if limit <= EF_SEARCH:
        indexed, sized = f"AND {rows_of(space_id, dimension)}", f"({dimension:d})"
    return str(LANES["nearest_of_all"]).replace("{indexed}", indexed).replace("{sized}", sized)


def index_vectors(connection: Connection, *, chunks_min: int, dry_run: bool) -> DatabaseIndexes:
    """Make the index of each space of so many vectors or more, drop all others; say what was done.

    Spaces are read and written meanwhile.

    Raises:
        NewerFormat: A newer engine made the tables.
        StoreError: The tables are not of the present format, or were made without pgvector, or the
            role may not make indexes.
    """
    check_current(connection, needed_to="index")
    if connection.execute(MADE).fetchone() is None:
        problem = (
            "the tables were made without pgvector, 0.7 or newer, and keep no vectors to index"
        )
        raise StoreError(f"{problem}; see the how-to on PostgreSQL")
    wanted = list(_find_wanted(connection, chunks_min))
    present = dict(connection.execute(_PRESENT.encode()).fetchall())
    names = {one.name for one in wanted}
    before = [one for one in wanted if present.get(one.name)]
    missing = [one for one in wanted if one not in before]
    gone = [name for name, is_valid in present.items() if name not in names or not is_valid]
    statements = (
        *(f"DROP INDEX CONCURRENTLY {name}" for name in gone),
        *(one.statement for one in missing),
    )
    for one in () if dry_run else statements:
        _run(connection, one)
    return DatabaseIndexes(
        dry_run=dry_run,
        spaces=tuple(one.space for one in missing),
        before=tuple(one.space for one in before),
        dropped=tuple(gone),
        statements=statements,
    )


def _find_wanted(connection: Connection, chunks_min: int) -> Iterator[_Wanted]:
    """Yield what is to be indexed, space by space under row-level security."""
    with connection.transaction():
        for space_id, name in space_names(connection).items():
            connection.execute(f"SET LOCAL simonides.space = '{space_id:d}'".encode())
            row = connection.execute(_COUNTED, (space_id, space_id)).fetchone()
            if row is not None and row[0] and row[1] >= chunks_min:
                yield _Wanted(name, space_id, row[0])


def _run(connection: Connection, statement: str) -> None:
    try:
        connection.execute(statement.encode())
    except errors.InsufficientPrivilege as error:
        problem = "this role may not make indexes; use the one that migrates"
        raise StoreError(f"{problem}: {error}") from error
