"""The database that many tests use one after the other is as new for each of them."""

from contextlib import closing

import psycopg

from simonides.model.stored import EmbedderIdentity
from simonides_bench.testing.servers.postgres import PostgresServer
from simonides_postgres import PostgresStore


def test_open_transactions_locks_and_rows_of_the_test_before_are_gone(
    postgres_server: PostgresServer,
    one_database: tuple[str, str],
    pooled_dsn: str,
    tiny: EmbedderIdentity,
) -> None:
    name, empty = one_database
    with closing(PostgresStore(pooled_dsn)) as store:
        store.open("ana", embedder=tiny, create=True)
    with closing(psycopg.connect(postgres_server.dsn(name))) as left:
        left.execute("SELECT pg_advisory_lock(7)")
        left.execute("LOCK TABLE spaces IN ACCESS EXCLUSIVE MODE")

        postgres_server.run(empty, database=name)

        assert left.pgconn.socket >= 0  # it was not this side that let go
    assert postgres_server.run("SELECT count(*) FROM spaces", database=name) == [(0,)]
    assert postgres_server.run("SELECT pg_try_advisory_lock(7)", database=name) == [(True,)]


def test_numbers_begin_anew(
    postgres_server: PostgresServer,
    one_database: tuple[str, str],
    pooled_dsn: str,
    tiny: EmbedderIdentity,
) -> None:
    name, empty = one_database
    numbers = []
    for _ in range(2):
        with closing(PostgresStore(pooled_dsn)) as store:
            store.open("ana", embedder=tiny, create=True)
        numbers.append(postgres_server.run("SELECT space_id FROM spaces", database=name))
        postgres_server.run(empty, database=name)

    assert numbers[0] == numbers[1]


def test_the_notes_of_the_upgrade_stay(
    postgres_server: PostgresServer, one_database: tuple[str, str], pooled_dsn: str
) -> None:
    _ = pooled_dsn
    [(count,)] = postgres_server.run(
        "SELECT count(*) FROM simonides_format", database=one_database[0]
    )

    assert count
