"""A search for a brief: the same hits, without the parts of their scores, which nobody reads."""

from dataclasses import replace
from typing import Any

import pytest

from simonides import Memory
from simonides.model.answer import NO_EXPLANATION, Hit, Query, SearchResult
from simonides.model.brief import PRESETS
from simonides.retrieval.search import search

FACTS = ("The boiler is in the cellar.", "Ask Tom about the boiler.", "The roof was mended.")


@pytest.fixture
def house(memory: Memory) -> Memory:
    """A memory of a house."""
    memory.add(FACTS)
    return memory


def searched(memory: Memory, *, explained: bool) -> SearchResult:
    asked = Query(text="where is the boiler?", limit=3, now=memory._opened.now())
    return search(asked, memory._opened, explained=explained)


def test_only_the_explanation_of_a_hit_is_left_out(house: Memory) -> None:
    reported, bare = searched(house, explained=True), searched(house, explained=False)

    assert all(hit.explanation.contributions for hit in reported)
    assert bare.hits == tuple(replace(hit, explanation=NO_EXPLANATION) for hit in reported)
    assert (bare.plan, bare.background) == (reported.plan, reported.background)


@pytest.mark.parametrize("layout", ["brief", "sourced", "scoped"])
def test_a_brief_with_reasons_is_made_of_explained_hits(house: Memory, layout: str) -> None:
    made = house.brief("where is the boiler?", layout=layout, why=True)

    assert "words 0." in made.text or "sim=" in made.text
    assert all(one.why for one in made.receipt.items)
    assert house.replay(made.receipt).exact


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_a_brief_without_reasons_is_just_that_of_explained_hits(
    house: Memory, monkeypatch: pytest.MonkeyPatch, preset: str
) -> None:
    made = house.brief("where is the boiler?", preset=preset)
    hits: list[Hit] = []

    def explained(asked: Any, opened: Any, **_: bool) -> Any:
        hits.extend(found := search(asked, opened))
        return found

    monkeypatch.setattr("simonides.retrieval.across.search", explained)
    again = house.brief("where is the boiler?", preset=preset)

    assert all(hit.explanation.contributions for hit in hits)
    assert (again.text, again.items, again.dropped) == (made.text, made.items, made.dropped)
    assert again.receipt == made.receipt
