"""What runs of visible characters say is looked up once, in tables that are bounded and emptied."""

import pytest

from simonides.text import terms
from simonides.text.analyse import analyse, clear_caches, term_keys
from simonides.text.dates import holds_time
from simonides.text.language import detect
from simonides.text.terms import MemoTable, clear_tables

SENTENCE = "The lamp by the river was lit on Monday, and nobody knows why it went out."


@pytest.fixture
def asked() -> list[str]:
    """The runs that a table had to find an answer for."""
    return []


@pytest.fixture
def said(asked: list[str]) -> MemoTable[int]:
    """A table of lengths."""

    def say(run: str) -> int:
        asked.append(run)
        return len(run)

    return MemoTable(say)


def test_a_run_is_asked_for_once(said: MemoTable[int], asked: list[str]) -> None:
    assert [said["lamp"], said["river"], said["lamp"]] == [4, 5, 4]
    assert asked == ["lamp", "river"]


def test_a_full_table_is_emptied(
    said: MemoTable[int], asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terms, "_RUNS_MAX", 2)

    assert [said[run] for run in ("a", "bb", "ccc", "a")] == [1, 2, 3, 1]
    assert asked == ["a", "bb", "ccc", "a"]
    assert len(said) == 2


def test_a_long_run_is_not_kept(said: MemoTable[int], asked: list[str]) -> None:
    assert (said["x" * 40], said["y" * 41], said["y" * 41]) == (40, 41, 41)
    assert list(said) == ["x" * 40]
    assert len(asked) == 3


def test_all_tables_can_be_emptied_at_once(said: MemoTable[int]) -> None:
    other = MemoTable(str.upper)
    assert (said["lamp"], other["lamp"]) == (4, "LAMP")

    clear_tables()

    assert not said
    assert not other
    assert other["lamp"] == "LAMP"


def test_what_erasing_asks_for_empties_every_table_of_words() -> None:
    before = (analyse(SENTENCE), term_keys(SENTENCE.split()), holds_time(SENTENCE))
    assert detect(SENTENCE, default="xx") == "en"
    assert any("lamp" in table for table in terms._TABLES)

    clear_caches()

    assert not any(terms._TABLES)
    assert (analyse(SENTENCE), term_keys(SENTENCE.split()), holds_time(SENTENCE)) == before


def test_languages_without_rules_share_a_table() -> None:
    analyse("lamp", "xx")
    tables = len(terms._TABLES)

    assert [analyse("lamps", f"x{n}") for n in range(50)] == [["lamps"]] * 50
    assert len(terms._TABLES) == tables
