"""The walls of a store in PostgreSQL: no row of another space, whatever a connection forgot."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import psycopg
import pytest
from psycopg import errors

from simonides.errors import NotFound
from simonides.model.stored import EmbedderIdentity, Prepared
from simonides_bench.testing.servers.postgres import PostgresServer
from simonides_postgres import PostgresStore

Prepare = Callable[..., Prepared]
Connection = psycopg.Connection[Any]

NOTHING_OF_A_SPACE = {"simonides_format"}
"""The tables that no wall has to stand around."""

EVERY_TABLE = """SELECT relname, relrowsecurity AND relforcerowsecurity AND EXISTS (
  SELECT FROM pg_policy WHERE polrelid = c.oid) AND EXISTS (
  SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'space_id')
FROM pg_class AS c WHERE relkind IN ('r', 'p', 'm', 'f')
AND relnamespace = current_schema()::regnamespace ORDER BY relname"""


@pytest.fixture
def filled(
    served_dsn: str, tiny: EmbedderIdentity, prepare: Prepare, noon: datetime
) -> Iterator[PostgresStore]:
    """A store with two spaces, of one item each."""
    store = PostgresStore(served_dsn)
    for name in ("ana", "bo"):
        space = store.open(name, embedder=tiny, create=True)
        space.commit([prepare(f"of {name}", id="x")], stored_at=noon)
    yield store
    store.close()


@pytest.fixture
def serving(filled: PostgresStore, served_dsn: str) -> Iterator[Connection]:
    """A connection of the role that serves, which has said nothing yet."""
    _ = filled
    with psycopg.connect(served_dsn, autocommit=True) as connection:
        yield connection


def walled_tables(connection: Connection) -> list[str]:
    """Return the tables of the database that are behind a wall, after a look at all."""
    found = dict(connection.execute(EVERY_TABLE).fetchall())

    assert {name for name, is_walled in found.items() if not is_walled} == NOTHING_OF_A_SPACE
    return sorted(found.keys() - NOTHING_OF_A_SPACE)


def count(connection: Connection, table: str) -> int:
    row = connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()  # noqa: S608
    assert row is not None
    return int(row[0])


def test_every_table_is_behind_the_wall(serving: Connection) -> None:
    tables = walled_tables(serving)

    assert {"space_names", "spaces", "knowledge_items", "embeddings"} <= set(tables)


def test_a_table_without_a_wall_would_be_noticed(
    serving: Connection, served_dsn: str, postgres_server: PostgresServer
) -> None:
    database = served_dsn.rpartition("/")[2]
    postgres_server.run("CREATE TABLE forgotten (space_id bigint)", database=database)

    with pytest.raises(AssertionError, match="forgotten"):
        walled_tables(serving)


def test_a_connection_that_forgot_its_space_sees_no_row_of_any_table(
    serving: Connection, served_dsn: str, postgres_server: PostgresServer
) -> None:
    database = served_dsn.rpartition("/")[2]
    kept = postgres_server.run("SELECT count(*) FROM space_names", database=database)
    seen = {name: count(serving, name) for name in walled_tables(serving)}

    assert kept == [(2,)]
    assert {name for name, rows in seen.items() if rows} == set()


@pytest.mark.parametrize("view", ["entities", "chat_messages", "chat_sessions"])
def test_a_view_shows_no_more_than_its_tables(serving: Connection, view: str) -> None:
    assert count(serving, view) == 0


def test_a_connection_sees_the_space_that_it_names_for_the_length_of_a_transaction(
    serving: Connection,
) -> None:
    asked = "SELECT count(*), min(content) FROM knowledge_items"
    with serving.transaction():
        serving.execute("SET LOCAL simonides.space = '2'")
        assert serving.execute(asked).fetchone() == (1, "of bo")
        assert serving.execute("SELECT name FROM space_names").fetchall() == [("bo",)]

    assert serving.execute(asked).fetchone() == (0, None)
    assert count(serving, "space_names") == 0


def test_a_connection_that_asks_for_a_name_sees_that_one_alone(serving: Connection) -> None:
    with serving.transaction():
        serving.execute("SET LOCAL simonides.name = 'ana'")

        assert serving.execute("SELECT name FROM space_names").fetchall() == [("ana",)]


@pytest.mark.parametrize(
    "statement",
    [
        (
            "INSERT INTO spaces (space_id, uuid, created_us, revision, epoch, model, dimension, "
            "window_words, quantiser, analysis, unicode) "
            "VALUES (1, '', 0, 0, 0, '', 0, 1, '', 1, '')"
        ),
        "INSERT INTO revisions (space_id, revision, at_us, epoch) VALUES (1, 9, 0, 0)",
        "INSERT INTO space_names (name) VALUES ('eve')",
    ],
)
def test_a_row_of_another_space_is_not_written(serving: Connection, statement: str) -> None:
    with serving.transaction():
        serving.execute("SET LOCAL simonides.space = '2'; SET LOCAL simonides.name = 'bo'")

        with pytest.raises(errors.InsufficientPrivilege, match="row-level security"):
            serving.execute(statement.encode())


def test_the_rows_of_another_space_are_not_changed(serving: Connection) -> None:
    with serving.transaction():
        serving.execute("SET LOCAL simonides.space = '2'")
        changed = serving.execute("UPDATE knowledge_items SET content = '' WHERE space_id = 1")
        assert changed.rowcount == 0
        dropped = serving.execute("DELETE FROM spaces WHERE space_id = 1")

        assert dropped.rowcount == 0


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE spaces DISABLE ROW LEVEL SECURITY",
        "DROP POLICY own_space ON spaces",
        "TRUNCATE spaces CASCADE",
        "CREATE TABLE mine (n int)",
        "INSERT INTO simonides_format (format) VALUES (99)",
        "SET ROLE migrates",
    ],
)
def test_the_role_that_serves_cannot_take_a_wall_down(serving: Connection, statement: str) -> None:
    with pytest.raises((errors.InsufficientPrivilege, errors.InvalidParameterValue)):
        serving.execute(statement.encode())


def test_spaces_are_listed_and_removed_behind_the_walls(filled: PostgresStore) -> None:
    assert filled.names() == ["ana", "bo"]

    filled.remove("ana")

    assert filled.names() == ["bo"]
    with pytest.raises(NotFound):
        filled.open_any("ana")
