"""The tables distributed by space, by what is sent to a stand-in for Citus."""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from typing import Final

import pytest

from simonides import Database, StoreError
from simonides.model.stored import EmbedderIdentity, Prepared
from simonides_bench.testing.servers.citus import add_citus, offer_citus
from simonides_bench.testing.servers.postgres import PostgresServer
from simonides_postgres import PostgresStore
from simonides_postgres.migrations import scripts, table_names
from simonides_postgres.pool import Pool

Prepare = Callable[..., Prepared]
OURS: Final = tuple(one for one in table_names() if one != "space_names")
BY_HAND: Final = "SELECT create_distributed_table('spaces', 'space_id', colocate_with => 'none')"


class Cluster:
    """A database with tables, its server, and its roles."""

    def __init__(self, server: PostgresServer, name: str) -> None:
        self.server = server
        self.name = name

    def dsn(self, user: str) -> str:
        return self.server.dsn(self.name, user=user)

    def first(self, statement: str) -> list[object]:
        return [row[0] for row in self.server.run(statement, database=self.name)]


@pytest.fixture
def plain(postgres_server: PostgresServer, postgres_template: str) -> Iterator[Cluster]:
    """A database without Citus."""
    name = postgres_server.make_database(template=postgres_template)
    yield Cluster(postgres_server, name)
    postgres_server.drop_database(name)


@pytest.fixture
def cluster(plain: Cluster) -> Cluster:
    """A database with the stand-in, whose tables are not distributed yet."""
    add_citus(plain.server, plain.name)
    return plain


def refused(dsn: str) -> str:
    with Database(dsn) as database, pytest.raises(StoreError) as caught:
        database.distribute()
    return str(caught.value)


def test_tables_with_rows_are_distributed_in_order_and_serve_as_before(
    cluster: Cluster, tiny: EmbedderIdentity, prepare: Prepare, noon: datetime
) -> None:
    with closing(PostgresStore(cluster.dsn("serves"))) as store:
        space = store.open("ana", embedder=tiny, create=True)
        space.commit([prepare("one\ntwo", id="x")], stored_at=noon)

    with Database(cluster.dsn("migrates")) as database:
        done = database.distribute()

    assert (done.citus, done.dry_run, done.tables, done.before) == ("13.0-1", False, OURS, ())
    assert cluster.first("SELECT call FROM citus_calls ORDER BY number") == [
        "function terms_words(bigint,bytea)",
        *(f"table {one}" for one in OURS),
        "truncate spaces",
    ]
    assert cluster.first("SELECT count(DISTINCT colocationid) FROM pg_dist_partition") == [1]
    walled = "SELECT relname::text FROM pg_class WHERE relforcerowsecurity"
    assert set(cluster.first(walled)) == set(table_names())
    with closing(PostgresStore(cluster.dsn("serves"))) as store:
        space = store.open("ana", embedder=tiny, create=False)
        space.commit([prepare("three", id="y")], stored_at=noon)
        other = store.open("ben", embedder=tiny, create=True)
        assert (space.stats().items, other.stats().items) == (2, 0)
        assert store.names() == ["ana", "ben"]


def test_a_second_time_nothing_is_done(cluster: Cluster) -> None:
    with Database(cluster.dsn("migrates")) as database:
        database.distribute()
        again = database.distribute()

    assert (again.tables, again.before, again.statements) == ((), OURS, ())


def test_what_is_distributed_by_hand_is_left(cluster: Cluster) -> None:
    cluster.server.run(BY_HAND, database=cluster.name)

    with Database(cluster.dsn("migrates")) as database:
        done = database.distribute()

    assert (done.tables, done.before) == (OURS[1:], ("spaces",))
    assert cluster.first("SELECT count(DISTINCT colocationid) FROM pg_dist_partition") == [1]


def test_a_dry_run_says_what_would_be_run_and_changes_nothing(cluster: Cluster) -> None:
    with Database(cluster.dsn("migrates")) as database:
        said = database.distribute(dry_run=True)
        assert cluster.first("SELECT call FROM citus_calls") == []
        done = database.distribute()

    assert said.tables == done.tables == OURS
    assert said.statements == done.statements
    assert said.statements[-1] == "SELECT truncate_local_data_after_distributing_table('spaces')"


def test_what_fails_changes_nothing(cluster: Cluster) -> None:
    cluster.server.run("ALTER TABLE receipts ADD UNIQUE (text)", database=cluster.name)

    assert "receipts_text_key does not include" in refused(cluster.dsn("migrates"))

    assert cluster.first("SELECT call FROM citus_calls") == []
    loose = "SELECT relname FROM pg_class WHERE relrowsecurity AND NOT relforcerowsecurity"
    assert cluster.first(loose) == []


def test_a_server_without_citus_is_reported(plain: Cluster) -> None:
    said = refused(plain.dsn("migrates"))

    assert "the server has no Citus; install it on every node" in said


def test_a_database_without_citus_is_reported(plain: Cluster) -> None:
    offer_citus(plain.server, plain.name)

    assert "run CREATE EXTENSION citus in it, on every node" in refused(plain.dsn("migrates"))


def test_an_old_citus_is_reported(plain: Cluster) -> None:
    add_citus(plain.server, plain.name, version="11.3-2")

    said = refused(plain.dsn("migrates"))

    assert "the database has Citus 11.3-2, 12.1 or newer is needed" in said


def test_tables_of_an_older_format_are_upgraded_first(cluster: Cluster) -> None:
    last = scripts()[-1][0]
    older = "DELETE FROM simonides_format WHERE format = (SELECT max(format) FROM simonides_format)"
    cluster.server.run(older, database=cluster.name)

    said = refused(cluster.dsn("migrates"))

    assert f"has format {last - 1}" in said
    assert "run `simonides db upgrade` first" in said


@pytest.mark.parametrize(
    "how",
    [
        "UPDATE pg_dist_partition SET partmethod = 'n'",
        "INSERT INTO pg_dist_partition VALUES ('requests', 'h', 'digest', 1)",
        "INSERT INTO pg_dist_partition VALUES ('requests', 'h', 'space_id', 2)",
        "UPDATE pg_dist_partition SET logicalrelid = 'requests'",
    ],
)
def test_a_table_that_is_distributed_otherwise_is_told(cluster: Cluster, how: str) -> None:
    for statement in (BY_HAND, how):
        cluster.server.run(statement, database=cluster.name)

    assert "is distributed in another way than by space" in refused(cluster.dsn("migrates"))
    assert cluster.first("SELECT call FROM citus_calls WHERE call LIKE 'truncate%'") == []


def test_on_citus_each_setting_is_sent_alone_to_be_passed_on_to_the_nodes(plain: Cluster) -> None:
    pool = Pool(plain.dsn("serves"), timeout_s=10, connections_max=1)
    script = "BEGIN; SET LOCAL simonides.space = '7'; SELECT {}"

    def reported(what: str) -> object:
        with pool.lend_begun(script.format(what)) as (_connection, row):
            return None if row is None else row[0]

    with closing(pool):
        assert reported("current_query()") == script.format("current_query()")
        assert not reported("current_setting('citus.propagate_set_commands', true)")

        pool.is_distributed = True
        assert reported("current_query()") == "SELECT current_query()"
        assert reported("current_setting('citus.propagate_set_commands', true)") == "local"
        assert reported("current_setting('simonides.space')") == "7"


def test_a_store_tells_the_nodes_its_space_once_tables_are_distributed(
    cluster: Cluster, tiny: EmbedderIdentity
) -> None:
    def is_reported() -> bool:
        with closing(PostgresStore(cluster.dsn("serves"))) as store:
            store.open("ana", embedder=tiny, create=True)
            return store._pool.is_distributed

    assert not is_reported()
    with Database(cluster.dsn("migrates")) as database:
        database.distribute()
    assert is_reported()
