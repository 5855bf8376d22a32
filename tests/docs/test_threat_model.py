"""The threat model holds together: each promise names a test, and every test it names exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/explanation/threat-model.md"
ROW = re.compile(r"^\| (?!promise|-)(.+?) \| (.+?) \|$", re.MULTILINE)
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")

PROMISES = dict(ROW.findall(PAGE.read_text("utf-8")))


def functions(file: Path) -> set[str]:
    """Return the names of the tests in a file."""
    tree = ast.parse(file.read_text("utf-8"))
    return {one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)}


@pytest.mark.parametrize("promise", PROMISES)
def test_a_promise_names_tests_that_exist(promise: str) -> None:
    named = NAMED.findall(PROMISES[promise])

    assert named, "names no test"
    for file, test in named:
        assert (ROOT / file).is_file(), file
        assert not test or test in functions(ROOT / file), f"{file} has no {test}"


def test_every_part_of_the_model_makes_promises() -> None:
    parts = re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    silent = [part.partition("\n")[0] for part in parts[1:] if "|" not in part]

    assert silent == ["What is protected", "Who may attack", "What is not promised"]
