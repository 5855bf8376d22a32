"""How much of the evidence stands in a brief, measured on a file of our own."""

import json
from pathlib import Path
from typing import Any

import pytest

from simonides import Settings
from simonides.errors import InvalidInput
from simonides.model.compose import compose
from simonides.text.tokens import count
from simonides_bench.budget import plain, run, whole_line
from simonides_bench.steady import prefix_share

WORDS_ONLY = Settings(embedder="none", timezone="UTC")
WAYS = {"brief", "sourced", "scoped", "plain", "plain_content"}

ITEMS = [
    ("a", "a1", "Ana", "The ferry to the island leaves at seven from the old quay."),
    ("a", "a2", "Ben", "The gardener planted forty roses along the southern wall."),
    ("a", "a3", "Ana", "Fresh bread is sold behind the church every morning."),
    ("b", "b1", "Cleo", "The orchestra needs a second bassoon player before the summer."),
]
QUESTIONS = [
    ("a", "q1", "When does the ferry to the island leave?", ["a1"]),
    ("a", "q2", "What grows along the wall?", ["a2", "a3"]),
    ("b", "q3", "What does the orchestra need?", ["b1"]),
    ("b", "q4", "What is not known?", []),
]


def written(path: Path, questions: list[tuple[str, str, str, list[str]]]) -> Path:
    """Write a file of two groups and some questions."""
    lines: list[dict[str, Any]] = [
        {"type": "item", "group": group, "id": name, "speaker": speaker, "text": text,
         "session": "s", "at": f"2025-03-0{n + 1}T10:00:00Z"}
        for n, (group, name, speaker, text) in enumerate(ITEMS)
    ]  # fmt: skip
    lines += [
        {"type": "question", "group": group, "id": name, "question": text, "evidence": evidence}
        for group, name, text, evidence in questions
    ]
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return path


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    data = written(tmp_path_factory.mktemp("data") / "data.jsonl", QUESTIONS)
    return run(data, budgets=(0, 40, 300), settings=WORDS_ONLY)


def test_shares_are_reported_by_budget_and_way(figures: dict[str, Any]) -> None:
    assert figures["questions"] == 3
    assert list(figures["budgets"]) == ["0", "40", "300"]
    assert {frozenset(ways) for ways in figures["budgets"].values()} == {frozenset(WAYS)}
    assert set(figures["budgets"]["0"].values()) == {0.0}
    assert figures["budgets"]["300"]["brief"] == figures["budgets"]["300"]["plain"] > 0.8
    assert 0.0 < figures["budgets"]["40"]["plain"] < 1.0


def test_no_way_takes_more_than_its_budget(figures: dict[str, Any]) -> None:
    for budget, ways in figures["tokens"].items():
        assert set(ways) == WAYS
        assert max(ways.values()) <= int(budget)
    assert figures["tokens"]["40"]["plain"] > 15


def test_the_gain_has_an_interval_for_each_budget(figures: dict[str, Any]) -> None:
    assert set(figures["interval_95"]) == {"0", "40", "300"}
    for reported in figures["interval_95"].values():
        low, high = reported["brief less plain"]
        assert low <= high


def test_how_much_stays_a_prefix_is_reported_by_news_and_layout(figures: dict[str, Any]) -> None:
    prefix = figures["prefix"]

    assert set(prefix) == {"answering", "unrelated"}
    assert {frozenset(shares) for shares in prefix.values()} == {
        frozenset({"brief", "sourced", "scoped"})
    }
    assert 0.0 < prefix["answering"]["brief"] < 0.7
    assert 0.0 < prefix["answering"]["sourced"] < 0.7
    assert set(prefix["unrelated"].values()) == {1.0}


def test_nothing_is_left_of_what_was_added_to_see(tmp_path: Path, figures: dict[str, Any]) -> None:
    again = run(written(tmp_path / "x", QUESTIONS), budgets=(0, 40, 300), settings=WORDS_ONLY)

    assert again == figures


def test_progress_is_reported_in_items(tmp_path: Path) -> None:
    reported: list[tuple[int, int]] = []
    data = written(tmp_path / "data.jsonl", QUESTIONS[2:3])
    run(
        data, budgets=(40,), settings=WORDS_ONLY,
        on_progress=lambda done, total: reported.append((done, total)),
    )  # fmt: skip

    assert reported == [(1, 4)]


def test_a_file_that_leaves_no_question_is_refused(tmp_path: Path) -> None:
    data = written(tmp_path / "data.jsonl", QUESTIONS[3:])

    with pytest.raises(InvalidInput, match=r"data\.jsonl: leaves no question"):
        run(data, settings=WORDS_ONLY)


# ── plain joining ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({}, "Words."),
        ({"title": "Plan"}, "Plan\nWords."),
        ({"people": ["Ann <a@x.example>"]}, "Ann: Words."),
        ({"people": ["a@x.example"]}, "a@x.example: Words."),
        (
            {"people": ["Ann"], "title": "Plan", "happened_at": "2026-03-03T10:00:00+00:00"},
            "2026-03-03T10:00:00Z Ann: Plan\nWords.",
        ),
        ({"happened_at": "2026-03-03T10:00:00+00:00"}, "2026-03-03T10:00:00Z: Words."),
    ],
)
def test_a_whole_line_says_when_who_and_what(fields: dict[str, Any], line: str) -> None:
    assert whole_line(compose("Words.", **fields)) == line


def test_plain_stops_at_the_first_line_that_does_not_fit() -> None:
    lines = ["one two three", "four five six seven", "eight"]
    first, second = (count(f"{line}\n") for line in lines[:2])

    assert plain(lines, first - 1) == ""
    assert plain(lines, first) == "one two three"
    assert plain(lines, first + second - 1) == "one two three"
    assert plain(lines, first + second) == "one two three\nfour five six seven"
    assert plain(lines, 999) == "\n".join(lines)
    assert plain([], 9) == ""


# ── prefixes ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("before", "after", "share"),
    [
        ("abcd", "abcdef", 1.0),
        ("abcd", "abxd", 0.5),
        ("abcd", "ab", 0.5),
        ("abcd", "xbcd", 0.0),
        ("", "x", 1.0),
    ],
)
def test_a_prefix_ends_at_the_first_difference(before: str, after: str, share: float) -> None:
    assert prefix_share(before, after) == share
