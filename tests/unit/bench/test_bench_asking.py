import numpy as np
import pytest

from simonides.api.memory import Memory
from simonides_bench.asking import Asker
from simonides_bench.corpus import Passage
from simonides_bench.replay import Blend, ReplayEmbedder
from simonides_bench.writing import BEGINNING, questions

Filled = tuple[Memory, ReplayEmbedder, Blend]


@pytest.fixture
def asker(filled: Filled, corpus: list[Passage]) -> Asker:
    """Return what asks the filled memory six questions whose vectors are known."""
    memory, embedder, _ = filled
    asked = questions(corpus, count=6)
    rows = np.random.default_rng(2).standard_normal((6, 64), dtype=np.float32)
    embedder.learn(asked, rows)
    return Asker(memory=memory, questions=asked, now=BEGINNING)


def test_every_figure_is_a_time(asker: Asker) -> None:
    figures = asker.figures()
    by_mode, by_lane = figures.pop("search_ms_by_mode"), figures.pop("search_ms_by_lane")

    assert set(figures) == {
        "search_ms_p50", "search_ms_p95", "search_cpu_ms_p50", "filtered_search_ms_p50",
        "filter_first_use_ms", "brief_ms_p50", "searches_without_hits",
    }  # fmt: skip
    assert figures.pop("searches_without_hits") == 0
    assert all(isinstance(value, float) for value in figures.values())
    assert set(by_mode) == {"hybrid", "text", "vector"}
    assert {"semantic", "lexical"} <= set(by_lane)


def test_only_lanes_that_ran_are_timed(asker: Asker) -> None:
    lanes = asker.figures()["search_ms_by_lane"]

    assert all(took_ms > 0.0 for took_ms in lanes.values())


def test_the_filter_keeps_one_shelf(asker: Asker) -> None:
    asked: list[object] = []
    search = asker.memory.search

    class Spied:
        def search(self, question: str, **how: object) -> object:
            found = search(question, **how)  # type: ignore[arg-type]
            asked.append([hit.item.metadata["_shelf"] for hit in found])
            return found

    spied = Asker(memory=Spied(), questions=asker.questions, now=asker.now)  # type: ignore[arg-type]
    spied._filtered()

    assert len(asked) == len(asker.questions) + 1
    assert all(shelves == [7] for shelves in asked)
