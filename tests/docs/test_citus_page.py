"""The page on Citus: its commands run as they stand, on a stand-in for Citus."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Final

from simonides_bench.testing.servers.citus import add_citus
from simonides_bench.testing.servers.postgres import PostgresServer
from simonides_postgres.distribution import LOCAL
from simonides_postgres.migrations import NOTE_TABLE

PAGE: Final = (Path(__file__).parents[2] / "docs/how-to/citus.md").read_text("utf-8")
COMMANDS: Final = re.findall(r"^SIMONIDES_STORE=\S+ simonides (.+)$", PAGE, re.MULTILINE)


def test_the_commands_of_the_page_run_in_their_order(
    postgres_server: PostgresServer, postgres_dsn: str, tmp_path: Path
) -> None:
    postgres_server.make_role("simonides_serve")
    add_citus(postgres_server, postgres_dsn.rpartition("/")[2])

    for command in COMMANDS:
        ran = subprocess.run(
            [sys.executable, "-m", "simonides", *shlex.split(command), "--home", tmp_path],
            env={"SIMONIDES_STORE": postgres_dsn, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (ran.returncode, ran.stderr) == (0, "")

    assert [command.split()[1] for command in COMMANDS] == ["upgrade", "distribute", "distribute"]
    assert "were distributed by space, 0 are already" in ran.stdout


def test_the_tables_that_stay_are_named() -> None:
    stay = re.findall(r"^\| `(\w+)` \| stays on the coordinator", PAGE, re.MULTILINE)

    assert stay == [*LOCAL, NOTE_TABLE]
