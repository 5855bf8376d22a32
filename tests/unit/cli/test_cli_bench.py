"""The bench verb: what it hands to the benches, and how figures are drawn."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simonides_bench import recall

Call = Callable[..., tuple[int, str, str]]

FIGURES: dict[str, Any] = {
    "questions": 12,
    "recall@10": 0.76543,
    "interval_95": {"recall@10": [0.7, 0.8]},
    "by_category": {
        "temporal": {"questions": 5, "recall@10": 0.5, "interval_95": {"recall@10": [0, 1]}},
        "open": {"questions": 7, "recall@10": 1.0},
    },
}


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the bench of recall was called with."""
    seen: dict[str, Any] = {}

    def run(data: Path, **rest: Any) -> dict[str, Any]:
        seen.update(data=data, **rest)
        rest["on_progress"](1, 2)
        return FIGURES

    monkeypatch.setattr(recall, "run", run)
    return seen


def test_the_options_of_recall_are_handed_on(call: Call, handed: dict[str, Any]) -> None:
    call(
        "bench", "recall", "--data", "d.jsonl", "--exclude-category", "a", "--exclude-category",
        "b", "--per-question", "out.jsonl", "--scorer", "rrf", "--embedder", "none",
        SIMONIDES_OWNER="Tom", SIMONIDES_TIMEZONE="Asia/Tokyo",
    )  # fmt: skip

    assert handed["data"] == Path("d.jsonl")
    assert handed["exclude_categories"] == ("a", "b")
    assert handed["per_question"] == Path("out.jsonl")
    assert handed["scorer"] == "rrf"
    settings = handed["settings"]
    assert (settings.embedder, settings.owner, settings.timezone) == ("none", (), "UTC")


@pytest.mark.usefixtures("handed")
def test_json_is_the_figures_as_they_are(call: Call) -> None:
    assert json.loads(call("bench", "recall", "--data", "d.jsonl", "--json")[1]) == FIGURES


@pytest.mark.usefixtures("handed")
def test_text_is_a_table_of_figures_and_one_of_each_group(call: Call) -> None:
    out = call("bench", "recall", "--data", "d.jsonl")[1]

    assert out.splitlines() == [
        "figure     value",
        "questions  12",
        "recall@10  0.7654",
        "",
        "interval_95  value",
        "recall@10    0.7 to 0.8",
        "",
        "by_category  questions  recall@10",
        "temporal             5  0.5",
        "open                 7  1",
    ]


def test_a_bench_must_be_named_and_have_its_data(call: Call) -> None:
    assert "BENCH" in call("bench")[2]
    assert "--data" in call("bench", "recall")[2]
    assert call("bench", "speed", "--chunks", "0")[0] == 2
