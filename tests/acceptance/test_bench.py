"""The benches through the real binary, on tiny sizes: that they answer, not how fast."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.unit.bench.desk_files import desk

BINARY = Path(sys.executable).with_name("simonides")

LINES: list[dict[str, Any]] = [
    {"type": "item", "group": "a", "id": "1", "text": "The ferry leaves at seven."},
    {"type": "item", "group": "a", "id": "2", "text": "Bread is sold behind the church."},
    {"type": "question", "group": "a", "id": "q", "question": "When does the ferry leave?",
     "evidence": ["1"], "category": "easy"},
    {"type": "question", "group": "a", "id": "r", "question": "Where is bread sold?",
     "evidence": ["2"], "category": "other"},
]  # fmt: skip


def ran(*argv: str | Path, home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    reported = {**os.environ, "SIMONIDES_HOME": str(home), **environment}
    return subprocess.run(
        [BINARY, "bench", *argv],
        env=reported,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def answer(*argv: str | Path, home: Path, **environment: str) -> Any:
    done = ran(*argv, "--json", home=home, **environment)

    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a file of two items and two questions."""
    path = tmp_path / "data.jsonl"
    path.write_text("\n".join(map(json.dumps, LINES)), "utf-8")
    return path


@pytest.mark.slow
def test_recall_is_measured_without_the_categories_that_are_left_out(
    data: Path, tmp_path: Path
) -> None:
    figures = answer(
        "recall", "--data", data, "--exclude-category", "other",
        home=tmp_path / "home", SIMONIDES_EMBEDDER="none",
    )  # fmt: skip

    assert (figures["questions"], figures["skipped"]) == (1, 1)
    assert figures["recall@10"] == 1.0


@pytest.mark.slow
def test_a_desk_is_imported_asked_and_kept(tmp_path: Path) -> None:
    folder, kept = desk(tmp_path / "tiny"), tmp_path / "kept"
    home = tmp_path / "home"
    asked = ("desk", "--data", folder, "--keep", kept)
    figures = answer(*asked, home=home, SIMONIDES_EMBEDDER="none")

    assert (figures["questions"], figures["sets"]["tiny"]["evidence_kept"]) == (6, 1.0)
    assert (figures["recall@20"], kept.joinpath("tiny").is_dir(), home.exists()) == (
        1.0,
        True,
        False,
    )
    assert answer(*asked, home=home, SIMONIDES_EMBEDDER="none") == figures


@pytest.mark.slow
def test_rankings_are_written_where_they_are_wanted(data: Path, tmp_path: Path) -> None:
    rankings = tmp_path / "rankings.jsonl"
    answer(
        "recall", "--data", data, "--per-question", rankings,
        home=tmp_path / "home", SIMONIDES_EMBEDDER="none",
    )  # fmt: skip
    rows = [json.loads(line) for line in rankings.read_text("utf-8").splitlines()]

    assert [(row["id"], row["ranking"][0]) for row in rows] == [("q", "1"), ("r", "2")]


@pytest.mark.slow
def test_a_file_of_another_format_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text('{"speaker": "Ana", "text": "Hello"}\n', "utf-8")

    done = ran("recall", "--data", path, home=tmp_path / "home")

    assert done.returncode == 4
    assert "chat.jsonl:1: is no object whose type is item or question" in done.stderr
