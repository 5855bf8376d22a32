"""The runner of the tests: every file in one share, shares alike, and failures told."""

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts/run_tests.py"


@pytest.fixture(scope="module")
def runner() -> ModuleType:
    spec = spec_from_file_location("run_tests_under_test", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@given(st.dictionaries(st.text("ab", min_size=1), st.floats(0, 100)), st.integers(1, 5))
def test_every_file_is_in_one_share_and_none_waits_long_for_another(
    runner: ModuleType, seconds: dict[str, float], count: int
) -> None:
    dealt = runner.shares([*seconds, "new"], seconds, count)
    loads = [sum(seconds.get(one, 1.0) + runner.IMPORT_S for one in share) for share in dealt]

    assert sorted(one for share in dealt for one in share) == sorted({*seconds, "new"})
    assert max(loads) - min(loads) <= max([*seconds.values(), 1.0]) + runner.IMPORT_S + 1e-6


def test_the_files_of_tests_are_recorded(runner: ModuleType) -> None:
    known = set(runner.test_files())
    gone = runner.recorded_seconds().keys() - known

    assert Path(__file__).relative_to(ROOT).as_posix() in known
    assert len(gone) < len(known) / 4, "run `python scripts/run_tests.py 3 --record`"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, "2", *arguments], capture_output=True, text=True, check=False
    )


def test_the_counts_of_all_processes_are_added_up() -> None:
    files = ("trust", "chat", "background", "proposals")
    ran = run(*(f"tests/unit/test_wire_{one}.py" for one in files))

    assert ran.returncode == 0
    passed = ran.stdout.splitlines()[-1]
    assert passed.endswith(" passed, 0 failed, 0 skipped")
    assert int(passed.split()[0]) > 10


def test_what_fails_is_shown_and_told() -> None:
    ran = run("tests/unit/test_private_files.py", "-p", "no_such_plugin")

    assert ran.returncode != 0
    assert "no_such_plugin" in ran.stdout
