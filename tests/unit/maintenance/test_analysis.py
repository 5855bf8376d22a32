"""A space records how its rows were derived; another analysis is told as one, not as damage."""

from collections.abc import Callable
from pathlib import Path

import pytest

from simonides import Memory, Person, move_space
from simonides.model.answer import Finding
from simonides.model.stored import Analysis
from simonides.storage.sqlite.pages import open_file

Open = Callable[..., Memory]
FULL_WIDTH = "sarah\uff20tidewater.example"
ROWS = "chunks and mentions say what their items say"


@pytest.fixture
def behind(open_memory: Open, tmp_path: Path) -> Callable[..., Memory]:
    """Return a function that changes rows of a space behind everybody's back, and opens it."""

    def change(*statements: str) -> Memory:
        with open_memory() as memory:
            memory.add("The harbor.", id="a", people=[Person(name="Sarah", address=FULL_WIDTH)])
        sqlite = open_file(tmp_path / "home" / "spaces" / "ana.sqlite3")
        for statement in statements:
            sqlite.execute(statement)
        sqlite.close()
        return open_memory()

    return change


FORGET_RECORD = "DELETE FROM meta WHERE key IN ('analysis', 'unicode')"
AS_BEFORE = "UPDATE mention SET entity = 'person:sarah@tidewater.example' WHERE name = 'Sarah'"


def said(findings: tuple[Finding, ...], check: str) -> list[tuple[bool, str]]:
    return [(one.sound, one.detail) for one in findings if one.check == check]


def test_a_new_space_records_this_engines_and_nothing_is_said(
    behind: Callable[..., Memory],
) -> None:
    memory = behind()

    assert all(one.sound for one in memory.verify())
    assert said(memory.verify(), "analysis") == []
    assert said(memory.doctor(), "analysis") == []


def test_a_space_of_before_opens_and_is_said_to_be_of_before(behind: Callable[..., Memory]) -> None:
    memory = behind(FORGET_RECORD)
    [(sound, reported)] = said(memory.verify(), "analysis")

    assert sound
    assert (
        "by analysis 1 with Unicode 14.0, this engine's is analysis 6 with Unicode 14.0" in reported
    )
    assert said(memory.doctor(), "analysis") == [(True, reported)]
    assert len(memory.search("harbor").hits) == 1


def test_rows_of_another_analysis_are_no_damage_and_repair_makes_them_anew(
    behind: Callable[..., Memory], open_memory: Open
) -> None:
    memory = behind(FORGET_RECORD, AS_BEFORE)
    [(sound, reported)] = said(memory.verify(), ROWS)
    memory.repair()
    mended = open_memory()

    assert sound
    assert reported.startswith(
        "derived by analysis 1 with Unicode 14.0, no damage (this engine's is "
    )
    assert all(one.sound for one in mended.verify())
    assert said(mended.verify(), "analysis") == []


def test_the_same_rows_are_damage_where_this_engine_wrote_them(
    behind: Callable[..., Memory],
) -> None:
    [(sound, reported)] = said(behind(AS_BEFORE).verify(), ROWS)

    assert not sound
    assert reported.startswith("version 1 of item 'a'")


def test_a_space_of_before_is_moved_and_the_copy_is_of_this_engine(
    behind: Callable[..., Memory], tmp_path: Path
) -> None:
    memory = behind(FORGET_RECORD, AS_BEFORE, "UPDATE chunk SET words = words + 1, length = 9")
    report = move_space(memory, tmp_path / "there")

    with Memory(tmp_path / "there", space="ana", embedder=memory._runtime.embedder) as moved:
        assert (report.items, len(moved.search("harbor"))) == (1, 1)
        assert all(one.sound for one in moved.verify())
        assert said(moved.verify(), "analysis") == []


@pytest.mark.parametrize(
    "later", ["UPDATE meta SET value = '15.1' WHERE key = 'unicode'",
              "UPDATE meta SET value = 9 WHERE key = 'analysis'"]
)  # fmt: skip
def test_a_later_analysis_is_reported_with_what_to_do(
    behind: Callable[..., Memory], later: str
) -> None:
    [(sound, reported)] = said(behind(later).verify(), "analysis")

    assert not sound
    assert reported.endswith("use the later simonides that made the space")


def test_an_analysis_is_named_in_words() -> None:
    assert str(Analysis()) == "analysis 6 with Unicode 14.0"
