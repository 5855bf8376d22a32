"""The two commands of the front page, as far as they can be checked without installing anything."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]


def make(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run make in a folder with nothing in the environment but where programs are."""
    return subprocess.run(
        ["make", *arguments],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a folder with what the Makefile reads, and no `.venv`."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    return tmp_path


def test_help_is_the_first_target_and_names_every_other() -> None:
    targets = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    text = make(folder=ROOT).stdout

    assert targets
    assert sorted(re.findall(r"make ([\w-]+)", text)) == sorted(targets[1].split())


def test_a_python_that_is_too_old_is_refused_with_what_to_do(clone: Path) -> None:
    run = make("demo", "PYTHON=false", folder=clone)

    assert run.returncode != 0
    assert "Python 3.11 or newer is needed" in run.stderr
    assert "make PYTHON=/path/to/python3.12 demo" in run.stderr
    assert not (clone / ".venv").exists()


def test_another_requirement_installs_again_and_nothing_else_does(clone: Path) -> None:
    stamp = re.compile(r"touch (\S*\.runtime-\S+)")

    def planned() -> list[str]:
        return stamp.findall(make("--dry-run", "demo", folder=clone).stdout)

    [first] = planned()
    assert planned() == [first]
    with (clone / "requirements" / "runtime.txt").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    [second] = planned()
    (clone / ".venv").mkdir()
    (clone / second).touch()

    assert second != first
    assert planned() == []
