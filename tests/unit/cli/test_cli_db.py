"""`simonides db`, on a database of its own."""

import io
import json
from pathlib import Path

import pytest

from simonides import Memory, Settings
from simonides.cli.main import run
from simonides.cli.options import Exit
from simonides.ports.models import Clock
from simonides_bench.testing.servers.citus import add_citus
from simonides_bench.testing.servers.postgres import PostgresServer
from simonides_postgres.migrations import FORMAT, table_names

TABLES = len(table_names()) - 1
"""All but the list of names."""


def opened(home: Path, *, space: str, settings: Settings, clock: Clock) -> Memory:
    return Memory(home, space=space, settings=settings, clock=clock)


def said(store: str, *argv: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    environment = {"SIMONIDES_EMBEDDER": "none", "SIMONIDES_STORE": store}
    status = run(
        ["db", *argv, "--home", "/nowhere"], stdin=io.StringIO(), out=out, err=err,
        environment=environment, open_memory=opened,
    )  # fmt: skip
    return status, out.getvalue(), err.getvalue()


def test_tables_are_made_and_granted_once(
    postgres_server: PostgresServer, postgres_dsn: str
) -> None:
    role = postgres_server.make_role("serves")

    status, out, err = said(postgres_dsn, "upgrade", "--grant", role, "--json")
    assert (status, err) == (0, "")
    assert json.loads(out) == {"before": 0, "format": FORMAT, "granted": role}
    status, out, _ = said(postgres_dsn, "upgrade")

    assert (status, out) == (0, f"the tables have format {FORMAT} already\n")


def test_new_and_upgraded_tables_are_reported(
    postgres_server: PostgresServer, postgres_dsn: str
) -> None:
    role = postgres_server.make_role("serves")

    assert said(postgres_dsn, "upgrade", "--grant", role)[1] == (
        f"the tables have format {FORMAT}, and are new\nserves may read and write rows\n"
    )


def test_a_check_draws_its_findings_and_ends_with_the_status_of_a_problem(served_dsn: str) -> None:
    status, out, _ = said(served_dsn, "check")

    assert status == Exit.PROBLEM_FOUND
    lines = out.splitlines()
    assert lines[0] == f"role serves, format {FORMAT} of {FORMAT}"
    assert [line.split("  ")[0] for line in lines if "PROBLEM" in line] == [
        "commits outlive a power cut"
    ]


def test_a_check_answers_in_json(served_dsn: str) -> None:
    status, out, err = said(served_dsn, "check", "--json")
    found = json.loads(out)

    assert (status, err) == (Exit.PROBLEM_FOUND, "")
    assert (found["sound"], found["format"], found["needs"], found["role"]) == (
        False, FORMAT, FORMAT, "serves",
    )  # fmt: skip
    assert {"check": "encoding", "sound": True, "detail": "UTF8", "extra": {}} in found["findings"]


@pytest.fixture
def citus_dsn(postgres_server: PostgresServer, postgres_dsn: str) -> str:
    """A database with tables and the stand-in for Citus."""
    add_citus(postgres_server, postgres_dsn.rpartition("/")[2])
    said(postgres_dsn, "upgrade")
    return postgres_dsn


def test_tables_are_distributed_once_and_said_before(citus_dsn: str) -> None:
    status, out, err = said(citus_dsn, "distribute", "--dry-run")
    lines = out.splitlines()
    assert (status, err) == (0, "")
    assert (
        "SELECT create_distributed_table('spaces', 'space_id', colocate_with => 'none');" in lines
    )
    assert lines[-1] == f"{TABLES} tables would be distributed by space, 0 are already"

    status, out, err = said(citus_dsn, "distribute", "--json")
    done = json.loads(out)
    assert (status, err, done["citus"], done["dry_run"]) == (0, "", "13.0-1", False)
    assert (len(done["tables"]), done["before"]) == (TABLES, [])

    assert said(citus_dsn, "distribute") == (
        0, f"0 tables were distributed by space, {TABLES} are already\n", ""
    )  # fmt: skip


def test_without_citus_nothing_is_distributed(served_dsn: str) -> None:
    status, _, err = said(served_dsn, "distribute")

    assert status == Exit.STORE
    assert "the server has no Citus; install it on every node" in err


@pytest.mark.parametrize("task", ["upgrade", "distribute", "index", "check"])
def test_without_a_database_there_is_nothing_to_look_after(task: str) -> None:
    status, _, err = said("", task)

    assert status == Exit.INVALID_INPUT
    assert "set it to postgresql://role@host/database" in err


def test_a_database_that_cannot_be_reached_is_an_error_of_the_store() -> None:
    status, _, err = said("postgresql://ana@127.0.0.1:9/none", "check")

    assert status == Exit.STORE
    assert "check that it can be reached" in err


def test_large_spaces_are_indexed_or_said_to_be(postgres_dsn: str) -> None:
    said(postgres_dsn, "upgrade")

    assert said(postgres_dsn, "index", "--dry-run") == (
        0, "0 indexes would be made, 0 are already there, 0 would be dropped\n", ""
    )  # fmt: skip
    status, out, _ = said(postgres_dsn, "index", "--chunks-min", "9", "--json")
    done = json.loads(out)
    assert (status, done["dry_run"], done["spaces"], done["statements"]) == (0, False, [], [])
    assert said(postgres_dsn, "index", "--chunks-min", "0")[0] == Exit.INVALID_INPUT
