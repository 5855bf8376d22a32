"""The named statements: all described, all used, all understood by SQLite."""

import re
from pathlib import Path

import apsw
import pytest

import simonides.store.sqlite as package
from simonides.store.sqlite.migrate import MIGRATIONS
from simonides.store.sqlite.queries import DESCRIPTIONS, QUERIES

ROOM = Path(package.__file__).parent
CODE = "\n".join(path.read_text("utf-8") for path in sorted(ROOM.glob("*.py")))


def test_every_name_in_the_file_is_loaded() -> None:
    text = (ROOM / "queries.sql").read_text("utf-8")

    assert list(QUERIES) == re.findall(r"^-- name: (\S+)$", text, re.MULTILINE)[:]
    assert len(QUERIES) == len(set(QUERIES))


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_a_statement_is_described_in_sentences(name: str) -> None:
    assert re.fullmatch(r"[A-Z].*[.]", DESCRIPTIONS[name], re.DOTALL)


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_a_statement_is_used_under_its_name(name: str) -> None:
    assert f'"{name}"' in CODE


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_a_statement_is_one_that_the_schema_understands(name: str) -> None:
    sqlite = apsw.Connection(":memory:")
    for step in MIGRATIONS:
        sqlite.execute(step.script)
    values = dict.fromkeys(re.findall(r":(\w+)", QUERIES[name])) or [None] * QUERIES[name].count(
        "?"
    )

    explained = list(sqlite.execute("EXPLAIN " + QUERIES[name], values))

    assert explained
    assert QUERIES[name].count(";") == 1
