"""The page on PostgreSQL: its statements and commands run as they stand, in their order."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from simonides import Database, Memory, Settings
from simonides_bench.testing.servers.postgres import PostgresServer
from simonides_bench.testing.servers.process import ServerFailed

PAGE: Final = (Path(__file__).parents[2] / "docs/how-to/postgresql.md").read_text("utf-8")
FENCED: Final = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
ROLES, LANES, LIMIT, ASKS, WIPE = (text for language, text in FENCED if language == "sql")
BLOCKS: Final[list[str]] = [text for language, text in FENCED if not language]


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A server with what the page makes: the database `memory`, its tables, and two roles."""
    with PostgresServer({"fsync": "on", "full_page_writes": "on"}) as made:
        for statement in filter(str.strip, f"{ROLES};{LIMIT};{ASKS}".split(";")):
            made.run(statement)
        made.run(LANES, database="memory")
        with Database(made.dsn("memory", user="simonides_migrate")) as database:
            database.upgrade(grant="simonides_serve")
        yield made


def served(server: PostgresServer, home: Path, database: str = "memory") -> Memory:
    store = server.dsn(database, user="simonides_serve")
    return Memory(home, settings=Settings(store=store, embedder="none"))


def block(word: str) -> str:
    """Return the block of the page that holds a word."""
    [found] = [one for one in BLOCKS if word in one]
    return found


def test_the_role_that_serves_finds_a_sound_database_and_works_in_it(
    server: PostgresServer, tmp_path: Path
) -> None:
    with Database(server.dsn("memory", user="simonides_serve")) as database:
        found = database.check().findings
        assert [one for one in found if not one.sound] == []
        assert "in their index" in [one.detail for one in found]

    with served(server, tmp_path) as memory:
        memory.add("The hall of Scopas fell", source="note")
        [kept] = memory.search("hall").hits
        memory.erase(kept.id)

        assert memory.search("hall").hits == ()


def test_other_roles_are_kept_out(server: PostgresServer) -> None:
    role = server.make_role("stranger")

    with (
        Database(server.dsn("memory", user=role)) as database,
        pytest.raises(Exception, match="permission denied for database"),
    ):
        database.check()


def test_the_commands_of_the_page_run(server: PostgresServer, tmp_path: Path) -> None:
    for line in block("db check").splitlines():
        assignment, _, command = line.partition("simonides db")
        role = "simonides_migrate" if assignment else "simonides_serve"
        ran = subprocess.run(
            [sys.executable, "-m", "simonides", "db", *shlex.split(command), "--home", tmp_path],
            env={"SIMONIDES_STORE": server.dsn("memory", user=role)},
            capture_output=True,
            text=True,
            check=False,
        )

        assert (ran.returncode, ran.stderr) == (0, "")


def test_the_example_in_python_runs(
    server: PostgresServer, capsys: pytest.CaptureFixture[str]
) -> None:
    address = "postgresql://simonides_migrate@db.example/memory"
    code = block("import Database").replace(address, server.dsn("memory", user="simonides_migrate"))

    exec(code, {})  # noqa: S102  the page is our own

    assert capsys.readouterr().out == "True\n"


def test_a_dump_is_restored_whole_and_behind_its_walls(
    server: PostgresServer, tmp_path: Path
) -> None:
    with served(server, tmp_path) as memory:
        memory.in_space("dumped").add("The hall fell", source="note")
    dump = f"{server.data}/memory.dump"

    for line in block("pg_dump").splitlines():
        program, *arguments = shlex.split(line.replace("memory.dump", dump))
        server.call(program, *arguments)

    with Database(server.dsn("restored", user="simonides_serve")) as database:
        assert [one for one in database.check().findings if not one.sound] == []
    with served(server, tmp_path, "restored") as memory:
        [hit] = memory.in_space("dumped").search("hall").hits
        assert hit.text == "The hall fell"


def test_a_dump_behind_the_walls_is_refused(server: PostgresServer) -> None:
    with pytest.raises(ServerFailed, match="row-level security"):
        server.call("pg_dump", "--dbname=memory", "--username=simonides_migrate")


def test_erased_bytes_leave_the_files_of_tables(server: PostgresServer, tmp_path: Path) -> None:
    word = b"xyzzyplugh"
    with served(server, tmp_path) as memory:
        kept = memory.in_space("erasing").add(word.decode(), source="note")
        server.run("CHECKPOINT", database="memory")
        assert found_in(server.data / "base", word)
        memory.in_space("erasing").erase(kept.id)

    for statement in filter(str.strip, WIPE.split(";")):
        server.run(statement, database="memory")

    assert not found_in(server.data / "base", word)


def found_in(folder: Path, word: bytes) -> bool:
    """Return whether any file below a folder holds a word."""
    return any(word in one.read_bytes() for one in folder.rglob("*") if one.is_file())
