"""Erasing through the command line, as a user would: no byte is left, and nothing else is lost."""

import json
import sqlite3
from typing import Any

import pytest

CODEWORD = "the launch codeword is xyzzyplugh and nobody may know it"
SAID = b"xyzzyplugh"


def left(home: Any, needle: bytes = SAID) -> list[str]:
    """Return the files of a home in which some bytes stand."""
    files = [one for one in home.path.rglob("*") if one.is_file()]
    return sorted(one.name for one in files if needle in one.read_bytes())


@pytest.fixture
def secret(home: Any) -> str:
    """Keep a secret and something else, ask about it; return its id."""
    with home.memory() as memory:
        item_id = memory.add(CODEWORD).id
        memory.add("lunch with Tom on Monday")
        memory.brief("launch codeword", keep_receipt=True)
        memory.update(item_id, title="xyzzyplugh, too")
    return str(item_id)


def test_no_byte_of_an_erased_text_is_left(home: Any, secret: str) -> None:
    assert left(home) == ["default.sqlite3"]
    home.run("brief", "launch codeword", "--keep-receipt")
    report = home.answer("erase", secret, "--yes")

    assert (report["items"], report["versions"], report["complete"]) == ([secret], 2, True)
    assert report["proof"]["left"] == 0
    assert report["proof"]["looked_for"] > 5
    assert left(home) == []
    titles = [one["content"] for one in home.answer("list")["items"]]
    assert titles == ["lunch with Tom on Monday"]


def test_nothing_is_erased_without_a_yes(home: Any, secret: str) -> None:
    said = home.refuses("erase", secret, code="invalid_input")

    assert "nothing was erased" in said
    assert home.answer("get", secret)["id"] == secret
    said = home.refuses("erase", "--source", "note", code="invalid_input")
    assert "would erase 2 items that pass the filters" in said
    said = home.refuses("erase", "--everything", "--space", "default", code="invalid_input")
    assert "the whole space 'default', 2 items" in said


@pytest.mark.parametrize(
    "argv",
    [
        ["erase", "--yes"],
        ["erase", "x", "--source", "note", "--yes"],
        ["erase", "--everything", "--yes"],
        ["erase", "--everything", "x", "--space", "default", "--yes"],
    ],
)
def test_what_is_to_go_must_be_clear(home: Any, secret: str, argv: list[str]) -> None:
    home.refuses(*argv, code="invalid_input")

    assert home.answer("get", secret)["id"] == secret


def test_what_is_not_there_is_told_by_the_status(home: Any, secret: str) -> None:
    status, out, err = home.run("erase", secret, "nobody", "--yes")

    assert status == 3
    assert out == f"erased {secret}\n"
    assert "no item 'nobody'" in err
    assert "nothing is left" in err


def test_a_filter_erases_all_that_passes_it(home: Any, secret: str) -> None:
    home.run("add", "kept", "--source", "jira")

    report = home.answer("erase", "--source", "note", "--yes", "--no-prove")

    assert secret in report["items"]
    assert len(report["items"]) == 2
    assert report["proof"] is None
    assert left(home) == []
    assert [one["content"] for one in home.answer("list")["items"]] == ["kept"]


def test_a_whole_space_goes_with_its_files(home: Any, secret: str) -> None:
    home.run("add", "of another", "--space", "other")

    status, _, err = home.run("erase", "--everything", "--space", "default", "--yes")

    assert status == 0
    assert "nothing is left" in err
    assert home.answer("spaces")["spaces"] == ["other"]
    assert left(home) == left(home, secret.encode()) == []
    assert left(home, b"of another") == ["other.sqlite3"]


def test_what_a_reader_keeps_in_the_log_is_told_and_finished_later(home: Any, secret: str) -> None:
    reader = sqlite3.connect(f"file:{home.space}?mode=ro", isolation_level=None, uri=True)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM item").fetchone() == (2,)
    before = {"SIMONIDES_TIMEOUT_S": "0.2"}
    status, out, _ = home.run("erase", secret, "--yes", "--json", environment=before, apart=True)
    reader.close()

    report = json.loads(out)
    assert (status, report["complete"]) == (8, False)
    assert any("cannot be emptied under a reader" in note for note in report["notes"])
    status, _, err = home.run("erase", secret, "--yes")
    assert status == 3
    assert "is finished" in err
    assert left(home) == []


def test_an_export_brings_no_erased_item_back(home: Any, secret: str, tmp_path: Any) -> None:
    home.run("export", str(tmp_path / "before.simonides.jsonl"))
    home.run("erase", secret, "--yes")
    report = home.answer("import", str(tmp_path / "before.simonides.jsonl"))

    assert report["added"] == 0
    assert any("erased here" in one["reason"] for one in report["skipped"])
    assert left(home) == []


def test_an_answer_that_quoted_what_is_erased_goes_along(home: Any, secret: str) -> None:
    home.run("chat", "what is the launch codeword?")
    named = home.answer("erase", secret, "--yes", "--no-prove")
    again = home.answer("erase", *named["answers"], "--yes")

    assert len(named["answers"]) == 1
    assert again["proof"]["left"] == 0
    assert left(home) == []
