"""What the image runs: its command and health check here, its database, and itself where it builds.

With CONTAINER_BUILDER=docker (or podman) the image is built, which needs the network, and started.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.unit.deploy.deployed import DEFAULT_PORT, DEPLOY, ROOT, USER
from tests.unit.deploy.test_containerfile import last

from simonides import Memory, Settings
from simonides_bench.testing.servers.postgres import PostgresServer

BUILDER = os.environ.get("CONTAINER_BUILDER", "")
WAIT_S = 60.0


def health(port: int) -> int:
    """Return the exit code of the image's health check, asked of a port of this machine."""
    program, *arguments = json.loads(last("HEALTHCHECK").partition("CMD ")[2])
    assert program == "python"
    here = [one.replace(f":{DEFAULT_PORT}/", f":{port}/") for one in arguments]
    done = subprocess.run([sys.executable, *here], check=False, capture_output=True)
    return done.returncode


def served(home: Path) -> "subprocess.Popen[str]":
    """Start the image's command, on a free port."""
    command = [*json.loads(last("ENTRYPOINT")), *json.loads(last("CMD"))]
    assert command[0] == "simonides"
    return subprocess.Popen(
        [sys.executable, "-m", *command, "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "SIMONIDES_HOME": str(home), "SIMONIDES_EMBEDDER": "none"},
    )  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "data" / "home"


@pytest.mark.slow
def test_the_command_refuses_to_serve_others_without_a_key(home: Path) -> None:
    with served(home) as process:
        _, said = process.communicate(timeout=WAIT_S)

    assert process.returncode != 0
    assert "keys create" in said


@pytest.mark.slow
def test_the_health_check_passes_while_the_command_serves(home: Path) -> None:
    with Memory(home, space="ana", settings=Settings(embedder="none")) as memory:
        memory.keys.create(space="ana")
    with served(home) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline().rsplit(":", 1)[1])

        assert health(port) == 0
        process.terminate()
        process.communicate(timeout=WAIT_S)
    assert process.returncode == 0
    assert health(port) != 0


@pytest.fixture
def database(postgres_server: PostgresServer) -> Iterator[str]:
    """The database that `database.sql` makes, for the role that serves."""
    script = DEPLOY / "postgres" / "database.sql"
    done = subprocess.run(
        [postgres_server._programs / "psql", "-q", "-f", "-", postgres_server.dsn()],
        input=script.read_text("utf-8"), check=False, capture_output=True, text=True,
        env={**os.environ, "SIMONIDES_DATABASE_PASSWORD": "it's \"a\" secret"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    yield postgres_server.dsn("simonides", user="simonides")
    postgres_server.drop_database("simonides")
    with psycopg.connect(postgres_server.dsn(), autocommit=True) as connection:
        connection.execute("DROP ROLE simonides")


def test_the_role_of_the_database_serves_and_sees_no_row_of_an_unnamed_space(
    home: Path, database: str
) -> None:
    settings = Settings(embedder="none", store=database)
    with Memory(home, space="ana", settings=settings) as memory:
        memory.add("The ferry leaves at nine.", id="ferry")
        assert [hit.item.id for hit in memory.search("ferry").hits] == ["ferry"]

    with psycopg.connect(database) as connection:
        role = connection.execute(
            "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb "
            "FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
        rows = connection.execute("SELECT count(*) FROM knowledge_items").fetchone()
    assert role == (False, False, False, False)
    assert rows == (0,)


def builder(*arguments: str) -> str:
    """Return what the builder says; it must succeed."""
    done = subprocess.run([BUILDER, *arguments], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.skipif(not BUILDER, reason="CONTAINER_BUILDER names no builder")
def test_the_image_builds_and_serves_with_a_read_only_root() -> None:
    image = f"simonides:test-{os.getpid()}"
    rights = ("--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges")
    volume = f"simonides-test-{os.getpid()}"
    held = (*rights, "--tmpfs=/tmp", f"--volume={volume}:/data")
    builder("build", "--file", str(DEPLOY / "Containerfile"), "--tag", image, str(ROOT))
    try:
        key = builder("run", "--rm", *held, image, "keys", "create", "--space", "ana")
        assert key.startswith("sim_")
        assert builder("run", "--rm", *held, "--entrypoint=id", image, "-u") == str(USER)
        server = builder("run", "--detach", *held, image)
        command = json.loads(last("HEALTHCHECK").partition("CMD ")[2])
        until = time.monotonic() + WAIT_S
        while subprocess.run([BUILDER, "exec", server, *command], check=False).returncode:
            assert time.monotonic() < until, builder("logs", server)
        builder("stop", server)
        assert builder("inspect", "--format={{.State.ExitCode}}", server) == "0"
        builder("rm", server)
    finally:
        subprocess.run([BUILDER, "volume", "rm", "--force", volume], check=False)
        subprocess.run([BUILDER, "rmi", "--force", image], check=False)
