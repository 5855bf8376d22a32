"""The named statements: all described, all used, all understood by SQLite."""

import re
from pathlib import Path

import apsw
import pytest

import simonides.storage.sqlite as package
from simonides.storage.sqlite import connection
from simonides.storage.sqlite.meta import MIGRATIONS
from simonides.storage.sqlite.queries import DESCRIPTIONS, QUERIES

ROOM = Path(package.__file__).parent
CODE = "\n".join(path.read_text("utf-8") for path in sorted(ROOM.parent.glob("**/*.py")))


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


def test_a_connection_keeps_every_statement_prepared() -> None:
    assert len(QUERIES) + len(("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")) < connection._STATEMENTS


@pytest.mark.parametrize("name", ["background", "backgrounds", "backgrounds_before"])
def test_the_latest_background_is_found_by_its_index(name: str) -> None:
    assert plan(name)[0] == (
        "SEARCH background USING INDEX background_latest (collection=?"
        + (")" if name == "backgrounds" else " AND created_us<?)")
    )
    assert not [step for step in plan(name) if "B-TREE" in step or "SCAN" in step]


@pytest.mark.parametrize("name", ["present_of", "past_of"])
def test_what_is_kept_of_many_ids_is_found_by_them(name: str) -> None:
    scans = [step for step in plan(name) if "SCAN" in step]

    assert all(step.endswith("VIRTUAL TABLE INDEX 1:") for step in scans)  # the list of ids
    assert any("(id=?)" in step for step in plan(name))


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("moved", "SCAN item USING INDEX item_moved"),
        ("documents_of", "SEARCH item USING INDEX item_document_session (session=?)"),
    ],
)
def test_what_an_import_looks_for_is_found_by_an_index_of_that_alone(name: str, step: str) -> None:
    assert plan(name) == [step]


@pytest.mark.parametrize("name", ["engagement", "surrogate", "version", "drop_surrogates"])
def test_what_lies_beside_an_item_is_found_without_a_scan(name: str) -> None:
    assert not [step for step in plan(name) if "SCAN" in step]


def plan(name: str) -> list[str]:
    """Return the steps by which SQLite runs a statement."""
    sqlite = apsw.Connection(":memory:")
    for step in MIGRATIONS:
        sqlite.execute(step.script)
    values = dict.fromkeys(re.findall(r":(\w+)", QUERIES[name]))
    return [row[3] for row in sqlite.execute("EXPLAIN QUERY PLAN " + QUERIES[name], values)]
