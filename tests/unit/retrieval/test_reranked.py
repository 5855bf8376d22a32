"""The third stage of a search: a model that reads the best passages."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.contract.test_reranker_contract import write_model

from simonides import Memory, ModelError, Reranker, SearchResult, Settings

NOTES = {
    "a": "The ferry to Amrum leaves at nine.",
    "b": "The ferry to Foehr leaves at ten, and the ferry to Sylt at noon.",
    "c": "We missed the ferry.",
    "d": "The rent is due on Monday.",
}


class Judge:
    """A reranker that gives each text what it is told to by its last word."""

    name = "judge"

    def __init__(self, **scores: float) -> None:
        self.scores = scores
        self.read: list[str] = []

    def score(self, question: str, texts: Sequence[str], *, timeout_s: float) -> list[float]:
        assert question
        assert timeout_s == 2.0
        self.read = list(texts)
        return [self.scores.get(text.split()[-1].strip("."), 0.0) for text in texts]

    def close(self) -> None:
        """Nothing is open."""


class Broken(Judge):
    """One that fails."""

    def score(self, question: str, texts: Sequence[str], *, timeout_s: float) -> list[float]:
        raise ModelError(f"no answer to {question} and {len(texts)} texts in {timeout_s}")


class Giving(Judge):
    """One that gives what it is told to, or raises it."""

    def __init__(self, given: Any) -> None:
        super().__init__()
        self.given = given

    def score(self, *_: Any, **__: Any) -> Any:
        if isinstance(self.given, Exception):
            raise self.given
        return self.given


def searched(reranker: Reranker | None, **given: Any) -> SearchResult:
    settings = Settings(embedder="none", timezone="UTC")
    with Memory(":memory:", settings=settings, reranker=reranker) as memory:
        for source_id, text in NOTES.items():
            memory.add(text, source="notes", source_id=source_id)
        return memory.search(given.pop("question", "ferry"), **given)


def order(result: SearchResult) -> str:
    return "".join(hit.item.source_id for hit in result.hits)


def test_its_scores_decide_the_order_of_the_best() -> None:
    judge = Judge(nine=-3.0, noon=-1.0, ferry=-2.0)

    assert order(searched(judge)) == "bca"
    assert order(searched(Judge(nine=5.0)))[0] == "a"
    assert sorted(judge.read) == sorted(NOTES[one] for one in "abc")


def test_it_is_a_named_part_that_adds_up() -> None:
    for hit in searched(Judge(ferry=1.0)).hits:
        parts = {part.name: part for part in hit.explanation.contributions}
        assert sum(part.value for part in parts.values()) == pytest.approx(hit.score)
        if hit.item.source_id == "c":
            assert parts["reranker"].detail == "judge: 1"


def test_a_score_depends_on_neither_filter_nor_limit() -> None:
    judge = Judge(nine=3.0, noon=1.0)
    whole = {hit.item.source_id: hit.score for hit in searched(judge).hits}

    [best] = searched(judge, limit=1).hits
    few = searched(judge, filter={"ids": [best.item.id]}).hits

    assert best.score == whole[best.item.source_id]
    assert [hit.score for hit in few] == [best.score]


@pytest.mark.parametrize(
    ("reranker", "note"),
    [
        (Broken(), "no answer"),
        (Judge(nine=float("nan")), "3 finite scores"),
        (Giving([1.0]), "3 finite scores"),
        (Giving(ConnectionError("refused\nonce")), "judge failed: ConnectionError: refused"),
        (Giving(["a", "b", "c"]), "judge failed: ValueError"),
    ],
)
def test_a_search_goes_on_without_one_that_fails(reranker: Judge, note: str) -> None:
    result = searched(reranker)

    assert order(result) == order(searched(None))
    assert any(note in one for one in result.diagnostics.notes)


def test_the_formulas_of_others_are_left_alone() -> None:
    judge = Judge(nine=9.0)
    searched(judge, scorer="rrf")

    assert judge.read == []


def test_one_of_the_settings_is_loaded_from_its_folder(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "tiny")
    settings = Settings(embedder="none", timezone="UTC", reranker=f"onnx:{folder}")
    with Memory(tmp_path / "home", settings=settings) as memory:
        memory.add("ferry rent")
        memory.add("ferry quay")
        hits = memory.search("ferry").hits

    details = [part.detail for hit in hits for part in hit.explanation.contributions
               if part.name == "reranker"]  # fmt: skip
    assert hits[0].item.content == "ferry rent"
    assert details[0].startswith("tiny: ")
