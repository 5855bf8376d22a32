"""The opt-in for large spaces, through the door: what it says, and that answers stay the same."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from simonides import Filter, Item, Memory
from simonides.api import runtime
from simonides.errors import InvalidInput
from simonides.index.approximate import CANDIDATES
from simonides.model.answer import SearchResult

QUESTIONS: Final = ("w7 w8", "w30 w31 w200", "what of w299?")
SCORERS: Final = ("fused", "rrf", "classic")

Open = Callable[..., Memory]


def items(count: int = 900) -> list[Item]:
    words = np.random.default_rng(4).integers(300, size=(count, 7))
    return [
        Item(
            id=f"n{i}",
            content=" ".join(f"w{w}" for w in row),
            source="chat" if i % 2 else "note",
            session=f"s{i // 30}",
            position=i,
        )
        for i, row in enumerate(words)
    ]


@pytest.fixture
def both(open_memory: Open) -> tuple[Memory, Memory]:
    """The same space, asked exactly and by a graph that is built."""
    exact, near = open_memory(), open_memory(approximate_above=100)
    exact.add(items())
    near.search("w1")
    wait_for_graph(near)
    return exact, near


def wait_for_graph(memory: Memory) -> None:
    views = memory._runtime._views
    assert views is not None
    for space_view in views._views.values():
        assert space_view._view is not None
        near = space_view._view.near
        assert near is not None
        assert near._builder is not None
        near._builder.join()


def said(result: SearchResult) -> str:
    return next(lane.note for lane in result.diagnostics.lanes if lane.name == "semantic")


def found(result: SearchResult) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in result]


def test_the_first_question_is_answered_exactly_and_says_why(open_memory: Open) -> None:
    memory = open_memory(approximate_above=100)
    memory.add(items())
    result = memory.search("w7 w8")

    assert said(result).startswith("exact: the approximate index is being built")
    wait_for_graph(memory)
    assert said(memory.search("w7 w8")).startswith(f"approximate: {CANDIDATES} chunks by the graph")


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_best_hits_are_those_of_the_scan(both: tuple[Memory, Memory], question: str) -> None:
    exact, near = (memory.search(question) for memory in both)

    assert said(exact) == ""
    assert said(near).startswith("approximate")
    assert found(near)[:5] == found(exact)[:5]


@pytest.mark.parametrize("scorer", SCORERS)
def test_every_scorer_answers_with_a_graph(both: tuple[Memory, Memory], scorer: str) -> None:
    result = both[1].search("w7 w8", scorer=scorer, limit=20)

    assert len(result) == 20
    assert all(abs(hit.explanation.score - hit.score) == 0.0 for hit in result)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"limit": CANDIDATES + 1}, f"exact: more than {CANDIDATES}"),
        ({"filter": Filter(sessions=("s1", "s2"))}, "exact: the filter leaves less than 1 of 8"),
    ],
)
def test_what_the_graph_cannot_serve_is_answered_as_by_the_scan(
    both: tuple[Memory, Memory], asked: dict[str, Any], why: str
) -> None:
    exact, near = (memory.search("w7 w8", mode="vector", **asked) for memory in both)

    assert said(near).startswith(why)
    assert found(near) == found(exact)


def test_a_filter_gets_as_many_as_the_scan_gives(both: tuple[Memory, Memory]) -> None:
    half = Filter(sources=("chat",))
    exact, near = (m.search("w7 w8", mode="vector", filter=half, limit=50) for m in both)

    assert said(near).startswith("approximate")
    assert len(near) == len(exact) == 50
    assert {hit.item.source for hit in near} == {"chat"}


def test_what_was_forgotten_is_not_found(both: tuple[Memory, Memory]) -> None:
    exact, near = both
    best = near.search("w7 w8")[0].id
    exact.forget(best)

    assert best not in {hit.id for hit in near.search("w7 w8", limit=50)}


def test_the_graph_is_never_written_to_disk(both: tuple[Memory, Memory], tmp_path: Path) -> None:
    both[1].close()
    names = {path.name for path in (tmp_path / "home").rglob("*") if path.is_file()}

    assert not [name for name in names if "graph" in name or "hnsw" in name]


def test_without_the_library_the_setting_says_what_to_install(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "find_spec", lambda _: None)
    memory = open_memory(approximate_above=100)
    memory.add("alpha")

    with pytest.raises(InvalidInput, match=r"pip install 'simonides\[hnsw\]'"):
        memory.search("alpha")


def test_a_negative_bound_is_refused(open_memory: Open) -> None:
    with pytest.raises(InvalidInput, match="approximate_above: must be 0 or more"):
        open_memory(approximate_above=-1)
