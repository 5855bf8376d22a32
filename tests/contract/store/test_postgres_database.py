"""The tables of a PostgreSQL database: made once, upgraded, granted, and looked at."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from simonides import Database, InvalidInput, Memory, NewerFormat, Settings, StoreError
from simonides.model.answer import Finding
from simonides.model.database import DatabaseCheck
from simonides.model.lease import Work
from simonides_bench.testing.servers.postgres import PostgresServer
from simonides_postgres.migrations import FORMAT, scripts, table_names

AT_ONCE = 6
UNSYNCED = {"fsync": "on", "full_page_writes": "on"}
"""What the servers of tests leave off: they outlive no power cut, and the check says so."""


def name_of(dsn: str) -> str:
    return dsn.rpartition("/")[2]


def problems(found: DatabaseCheck) -> dict[str, str]:
    """Return the details of what is not sound, but for what all servers of tests lack."""
    return {
        one.check: one.detail
        for one in found.findings
        if not one.sound and one.check != "commits outlive a power cut"
    }


def checked(dsn: str) -> DatabaseCheck:
    with Database(dsn) as database:
        return database.check()


@pytest.fixture
def synced_server() -> Iterator[PostgresServer]:
    """A server that keeps what it acknowledges."""
    with PostgresServer(UNSYNCED) as server:
        yield server


def test_servers_that_start_at_once_make_the_tables_once(
    postgres_server: PostgresServer, postgres_dsn: str
) -> None:
    together = Barrier(AT_ONCE)

    def start(_: int) -> int:
        with Database(postgres_dsn) as database:
            together.wait()
            return database.upgrade().before

    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(start, range(AT_ONCE)))

    noted = postgres_server.run(
        "SELECT format FROM simonides_format ORDER BY format", database=name_of(postgres_dsn)
    )
    assert sorted(found) == [0] + [FORMAT] * (AT_ONCE - 1)
    assert noted == [(number,) for number, _ in scripts()]


def test_tables_are_made_beside_an_old_pgvector(
    postgres_server: PostgresServer, postgres_dsn: str
) -> None:
    """Before 0.7 it has no `halfvec`: questions are answered from memory."""
    postgres_server.run("CREATE DOMAIN vector AS text", database=name_of(postgres_dsn))

    with Database(postgres_dsn) as database:
        assert database.upgrade().format == FORMAT
        with pytest.raises(StoreError, match="made without pgvector"):
            database.index()

    columns = postgres_server.run(
        "SELECT attname FROM pg_attribute WHERE attrelid = 'lane_vectors'::regclass AND attnum > 0",
        database=name_of(postgres_dsn),
    )
    assert ("embedding",) not in columns


def test_an_earlier_format_is_upgraded_with_what_it_holds(
    postgres_server: PostgresServer, postgres_dsn: str
) -> None:
    noted = (
        "CREATE TABLE simonides_format (format integer PRIMARY KEY, at timestamptz DEFAULT now())"
    )
    for statements in (
        scripts()[0][1],
        noted,
        "INSERT INTO simonides_format VALUES (1)",
        "INSERT INTO space_names (name) VALUES ('ana')",
    ):
        postgres_server.run(statements, database=name_of(postgres_dsn))
    assert problems(checked(postgres_dsn)).keys() == {"format"}

    with Database(postgres_dsn) as database:
        done = database.upgrade()

    assert (done.before, done.format) == (1, FORMAT)
    assert problems(checked(postgres_dsn)).keys() == {"row-level security holds for the role"}
    with Memory("unused", settings=Settings(store=postgres_dsn, embedder="none")) as memory:
        assert memory.spaces() == ("ana",)


def test_an_upgrade_that_fails_leaves_nothing_behind(
    postgres_server: PostgresServer, postgres_dsn: str
) -> None:
    database = name_of(postgres_dsn)
    postgres_server.run("CREATE TABLE receipts (mine int)", database=database)

    with Database(postgres_dsn) as opened, pytest.raises(StoreError, match="already exists"):
        opened.upgrade()

    assert postgres_server.run(
        "SELECT relname FROM pg_class WHERE relkind = 'r' "
        "AND relnamespace = 'public'::regnamespace",
        database=database,
    ) == [("receipts",)]


def test_the_names_of_all_tables_are_known(
    postgres_server: PostgresServer, served_dsn: str
) -> None:
    made = postgres_server.run(
        "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') "
        "AND relnamespace = 'public'::regnamespace AND relname <> 'simonides_format'",
        database=name_of(served_dsn),
    )

    assert sorted(table_names()) == sorted(str(name) for (name,) in made)


def test_a_sound_database_is_reported_with_its_versions(synced_server: PostgresServer) -> None:
    for role in ("migrates", "serves"):
        synced_server.make_role(role)
    synced_server.run("CREATE EXTENSION vector; GRANT CREATE ON SCHEMA public TO migrates")
    with Database(synced_server.dsn(user="migrates")) as database:
        assert database.upgrade(grant="serves").granted == "serves"
        assert database.check().sound

    found = checked(synced_server.dsn(user="serves"))

    assert problems(found) == {}
    assert found.sound
    assert (found.format, found.needs, found.role) == (FORMAT, FORMAT, "serves")
    assert found.server.startswith("18.")
    assert Finding(check="pgvector", sound=True, detail=found.pgvector) in found.findings


def test_it_is_said_whether_words_are_looked_up_in_their_index(
    postgres_server: PostgresServer, served_dsn: str
) -> None:
    def said() -> str:
        found = checked(served_dsn)
        return next(one.detail for one in found.findings if one.check == "look-up of words")

    marked = said()
    postgres_server.run(
        "ALTER FUNCTION ts_match_vq(tsvector, tsquery) NOT LEAKPROOF", database=name_of(served_dsn)
    )

    assert marked == "in their index"
    assert "ALTER FUNCTION ts_match_vq(tsvector, tsquery) LEAKPROOF" in said()


def test_a_server_that_does_not_sync_is_a_problem(served_dsn: str) -> None:
    found = checked(served_dsn)

    assert not found.sound
    assert [one.detail for one in found.findings if not one.sound] == [
        "switch on fsync and full_page_writes of the server"
    ]


def test_a_superuser_is_not_held_by_the_walls(
    postgres_server: PostgresServer, served_dsn: str
) -> None:
    found = checked(postgres_server.dsn(name_of(served_dsn)))

    assert "a superuser" in problems(found)["row-level security holds for the role"]


def test_a_role_that_passes_walls_is_a_problem(
    postgres_server: PostgresServer, served_dsn: str
) -> None:
    role = postgres_server.make_role("passes_walls")
    postgres_server.run(f"ALTER ROLE {role} BYPASSRLS; GRANT serves TO {role}")

    found = checked(postgres_server.dsn(name_of(served_dsn), user=role))

    assert "BYPASSRLS" in problems(found)["row-level security holds for the role"]


@pytest.mark.parametrize(
    ("damage", "check", "said"),
    [
        ("ALTER TABLE receipts NO FORCE ROW LEVEL SECURITY", "rows are walled off", "receipts"),
        ("ALTER TABLE spaces DISABLE ROW LEVEL SECURITY", "rows are walled off", "spaces"),
        ("DROP POLICY own_space ON chunks", "rows are walled off", "chunks"),
        ("REVOKE DELETE ON receipts FROM serves", "the role may use", "DELETE of receipts"),
        ("REVOKE SELECT ON revisions FROM serves", "the role may use", "SELECT of revisions"),
        ("REVOKE SELECT ON leases FROM serves", "the role may use", "SELECT of leases"),
        ("DROP TABLE leases", "tables", "missing: leases"),
        ("DROP TABLE proposals", "tables", "missing: proposals"),
    ],
)
def test_what_is_wrong_with_the_tables_is_named(
    postgres_server: PostgresServer, served_dsn: str, damage: str, check: str, said: str
) -> None:
    postgres_server.run(damage, database=name_of(served_dsn))

    [(found, detail)] = problems(checked(served_dsn)).items()

    assert found.startswith(check)
    assert said in detail


def test_a_role_that_may_not_migrate_is_told_what_to_run(
    postgres_server: PostgresServer, postgres_dsn: str
) -> None:
    role = postgres_server.make_role("serves")
    dsn = postgres_server.dsn(name_of(postgres_dsn), user=role)

    assert "simonides db upgrade" in problems(checked(dsn))["format"]
    with Database(dsn) as database, pytest.raises(StoreError, match="simonides db upgrade"):
        database.upgrade()
    with (
        Memory("unused", settings=Settings(store=dsn, embedder="none")) as memory,
        pytest.raises(StoreError, match="simonides db upgrade"),
    ):
        memory.add("The hall fell")


def test_a_role_that_is_not_there_is_granted_nothing(postgres_dsn: str) -> None:
    with Database(postgres_dsn) as database, pytest.raises(InvalidInput, match="no role 'eve'"):
        database.upgrade(grant="eve")


def test_a_newer_format_is_left_alone(postgres_server: PostgresServer, served_dsn: str) -> None:
    postgres_server.run(
        "INSERT INTO simonides_format (format) VALUES (99)", database=name_of(served_dsn)
    )

    with Database(served_dsn) as database:
        for verb in (database.upgrade, database.check):
            with pytest.raises(NewerFormat, match="format 99"):
                verb()


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("", "is empty"),
        ("mysql://ana@h/d", "must begin with postgresql://"),
        ("postgresql://ana:secret@h/d", "must hold no password"),
    ],
)
def test_an_address_that_is_none_is_refused(address: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        Database(address)


def test_who_is_at_work_is_said(served_dsn: str) -> None:
    settings = Settings(store=served_dsn, embedder="none")
    with Memory("unused", space="ana", settings=settings) as memory:
        memory.add("The hall fell")
        space = memory._opened.space
        assert (
            Finding(check="work under way", sound=True, detail="none")
            in checked(served_dsn).findings
        )
        lease = space.take_lease(Work.IMPORT, holder="db-1 4711-ab12-cd34", for_s=600.0)
        over = space.take_lease(Work.VECTORS, holder="db-2 5-ab12-cd34", for_s=0.0)
        found = [one for one in checked(served_dsn).findings if one.check == "work under way"]

    assert lease is not None
    assert over is not None
    said = "ana: import by process 4711 of db-1"
    assert found == [Finding(check="work under way", sound=True, detail=said)]
