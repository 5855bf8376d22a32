import json
from pathlib import Path
from typing import Any

import pytest

from simonides.config import Settings
from simonides.errors import InvalidInput
from simonides_bench.recall import run

WORDS_ONLY = Settings(embedder="none", timezone="UTC")

ITEMS = [
    ("a", "a1", "Ana", "The ferry to the island leaves at seven."),
    ("a", "a2", "Ben", "The gardener planted forty roses along the wall."),
    ("a", "a3", "Ana", "Fresh bread is sold behind the church."),
    ("b", "b1", "Cleo", "The orchestra needs a bassoon player."),
]
QUESTIONS = [
    ("a", "q1", "When does the ferry to the island leave?", ["a1"], "easy"),
    ("a", "q2", "Who needs a bassoon player?", ["a2"], "hard"),
    ("b", "q3", "What does the orchestra need?", ["b1"], "easy"),
    ("b", "q4", "What is not known?", [], "hard"),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a file of two groups, four items and four questions, one of them without evidence."""
    lines: list[dict[str, Any]] = [
        {"type": "item", "group": group, "id": name, "speaker": speaker, "text": text,
         "session": "s", "at": f"2025-03-0{n + 1}T10:00:00Z"}
        for n, (group, name, speaker, text) in enumerate(ITEMS)
    ]  # fmt: skip
    lines += [
        {"type": "question", "group": group, "id": name, "question": text, "evidence": evidence,
         "category": category}
        for group, name, text, evidence, category in QUESTIONS
    ]  # fmt: skip
    path = tmp_path / "data.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return path


def test_evidence_is_found_only_in_its_own_group(data: Path) -> None:
    figures = run(data, settings=WORDS_ONLY)

    assert figures["by_category"]["easy"]["recall@5"] == 1.0
    assert figures["by_category"]["hard"]["recall@5"] <= 1.0


def test_what_was_asked_and_what_was_not_adds_up(data: Path) -> None:
    everything = run(data, settings=WORDS_ONLY)
    easy = run(data, settings=WORDS_ONLY, exclude_categories=("hard",))

    assert (everything["questions"], everything["skipped"]) == (3, 1)
    assert (easy["questions"], easy["skipped"]) == (2, 2)
    assert set(easy["by_category"]) == {"easy"}


def test_figures_are_the_same_in_every_run_but_for_the_time(data: Path) -> None:
    def figures() -> str:
        found = run(data, settings=WORDS_ONLY)
        for one in (found, *found["by_category"].values()):
            del one["ms_per_question_p50"]
        return json.dumps(found)

    assert figures() == figures()


def test_tokens_are_those_of_the_first_ten_hits(data: Path) -> None:
    found = run(data, settings=WORDS_ONLY, exclude_categories=("hard",))

    assert 5 < found["tokens@10"] < 60


def test_each_ranking_is_written_on_request(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "rankings.jsonl"
    run(data, settings=WORDS_ONLY, per_question=path)
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]

    assert [row["id"] for row in rows] == ["q1", "q2", "q3"]
    assert rows[0]["ranking"][0] == "a1"
    assert rows[0]["evidence"] == ["a1"]
    assert rows[0]["mrr"] == 1.0


def test_progress_is_reported_in_items(data: Path) -> None:
    reported: list[tuple[int, int]] = []
    run(data, settings=WORDS_ONLY, on_progress=lambda done, total: reported.append((done, total)))

    assert reported == [(3, 4), (4, 4)]


@pytest.mark.parametrize("scorer", ["rrf", "classic"])
def test_another_scorer_can_be_judged(data: Path, scorer: str) -> None:
    assert run(data, settings=WORDS_ONLY, scorer=scorer)["questions"] == 3


def test_a_file_that_leaves_no_question_is_refused(data: Path) -> None:
    with pytest.raises(InvalidInput, match=r"data\.jsonl: leaves no question to ask"):
        run(data, settings=WORDS_ONLY, exclude_categories=("easy", "hard"))
