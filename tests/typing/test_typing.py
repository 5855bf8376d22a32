"""Type checkers take the examples as users write them, and find the mistakes in `mistaken.py`.

mypy reads pyproject.toml and shares the cache of `make types`; pyright reads the file beside this
one. Neither needs the network: the package that brings pyright brings its Node.js, too.
"""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a tool of this environment from the root of the project."""
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_mypy_takes_the_examples_and_finds_the_mistakes() -> None:
    checked = run("mypy", "--strict", "--warn-unused-ignores", str(FOLDER / "examples"))

    assert checked.returncode == 0, checked.stdout


def test_pyright_takes_the_examples_and_finds_the_mistakes() -> None:
    pytest.importorskip("basedpyright", reason="`make test-all` installs it")
    checked = run("basedpyright", "--project", str(FOLDER), "--pythonpath", sys.executable)

    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.endswith("0 errors, 0 warnings, 0 notes\n")
