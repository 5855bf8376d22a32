"""`simonides bench crash` through the real binary, with a few trials of each kind.

The trials of whole homes are those of tests/crash; here one of each is enough.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

BINARY = Path(sys.executable).with_name("simonides")
FAULTS = ("lost", "resurrected", "torn", "unopenable", "unclear")


@pytest.fixture
def ran(tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """A few trials of each kind."""
    numbers = (
        "--powercuts", "6", "--kills", "1", "--io-errors", "6", "--flips", "6",
        "--home-powercuts", "1", "--home-kills", "1", "--home-io-errors", "1", "--peers", "1",
    )  # fmt: skip
    return subprocess.run(
        [BINARY, "bench", "crash", *numbers, "--seed", "2", "--json"],
        env={**os.environ, "SIMONIDES_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_every_trial_is_made_and_nothing_is_wrong(
    ran: subprocess.CompletedProcess[str], tmp_path: Path
) -> None:
    figures = json.loads(ran.stdout)

    assert ran.returncode == 0, (figures["examples"], ran.stderr)
    assert figures["powercuts"] >= 6
    assert figures["kills"] == 1
    assert figures["io_errors"] + figures["short_reads"]["trials"] == 6
    assert {kind: one["trials"] for kind, one in figures["flips"].items()} == {
        "database": 2, "log": 2, "index": 2,
    }  # fmt: skip
    assert [figures[name] for name in FAULTS] == [0] * len(FAULTS)
    assert figures["examples"] == []
    assert not (tmp_path / "home").exists()
