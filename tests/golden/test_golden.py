"""Rankings and briefs of a small corpus, stored as text, so that no change of them goes unseen.

A change that is meant is written down by `GOLDEN=write pytest tests/golden`; the difference then
stands in the commit, to be read line by line.
"""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from simonides import Hit, Memory, Settings
from simonides.codec.read import read_item
from simonides.model.answer import SearchResult
from simonides.model.brief import Brief, Layout
from simonides_bench.testing.hashing import HashingEmbedder

HERE: Final = Path(__file__).parent
NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
QUESTIONS: Final = (HERE / "questions.txt").read_text("utf-8").splitlines()
SCORERS: Final = ("fused", "rrf", "classic")
BUDGET_TOKENS: Final = 160


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Return a memory of the corpus; words stand in for meaning, so that no model is needed."""
    lines = (HERE / "corpus.jsonl").read_text("utf-8").splitlines()
    with Memory(
        tmp_path_factory.mktemp("home"),
        settings=Settings(timezone="UTC", durability="relaxed"),
        embedder=HashingEmbedder(),
        clock=lambda: NOW,
    ) as made:
        made.add([read_item(json.loads(line)) for line in lines])
        yield made


def ranked(question: str, scorer: str, found: SearchResult) -> str:
    lines = [_hit_line(place, hit) for place, hit in enumerate(found, start=1)]
    return "\n".join([f"# {question} · {scorer}", *(lines or ["nothing"]), ""])


def _hit_line(place: int, hit: Hit) -> str:
    return f"{place} {hit.id:14} {hit.score:.3f}  {' '.join(hit.explanation.lanes)}"


def briefed(question: str, made: Brief) -> str:
    dropped = [f"  {one.id}: {one.reason}" for one in made.dropped]
    head = f"# {question} · {made.tokens} of {made.budget} tokens"
    return "\n".join([head, *(f"> {line}" for line in made.text.split("\n")), *dropped, ""])


def check(name: str, text: str) -> None:
    """Compare with what is stored, or store it if that was asked for."""
    path = HERE / name
    if os.environ.get("GOLDEN") == "write":
        path.write_text(text, "utf-8")

    assert text == path.read_text("utf-8"), "if it is meant: GOLDEN=write pytest tests/golden"


def test_the_rankings_are_the_stored_ones(memory: Memory) -> None:
    parts = [
        ranked(question, scorer, memory.search(question, scorer=scorer, limit=5))
        for question in QUESTIONS
        for scorer in SCORERS
    ]

    check("rankings.txt", "\n".join(parts))


@pytest.mark.parametrize("layout", Layout)
def test_the_briefs_are_the_stored_ones(memory: Memory, layout: Layout) -> None:
    parts = [
        briefed(one, memory.brief(one, budget_tokens=BUDGET_TOKENS, layout=layout))
        for one in QUESTIONS
    ]

    check(f"briefs-{layout}.txt", "\n".join(parts))


def test_a_difference_is_reported_with_the_way_to_accept_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("GOLDEN", raising=False)

    with pytest.raises(AssertionError, match="GOLDEN=write pytest tests/golden"):
        check("questions.txt", "something else")
