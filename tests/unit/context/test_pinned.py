"""Pinned memories stand in every brief, before what was found for the question."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from simonides import Brief, Memory, Settings, Stage


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    settings = Settings(embedder="none", timezone="UTC", durability="relaxed")
    with Memory(tmp_path, settings=settings) as made:
        made.remember("I am allergic to penicillin.", tags=["Pinned", "health"])
        made.add("The boat is painted green.", kind="document", title="Boat")
        yield made


def texts(brief: Brief, memory: Memory) -> list[str]:
    return [memory.get(one.id).content for one in brief.items]


@pytest.mark.parametrize("layout", ["brief", "sourced"])
def test_it_comes_first_whatever_is_asked(memory: Memory, layout: str) -> None:
    made = memory.brief("What colour is the boat?", layout=layout)

    assert texts(made, memory) == ["I am allergic to penicillin.", "The boat is painted green."]
    assert made.items[0].stage is Stage.PINNED
    assert memory.replay(made.receipt).exact


def test_the_scoped_layout_has_it_in_its_scope(memory: Memory) -> None:
    made = memory.brief("What colour is the boat?", layout="scoped")

    assert {one.stage for one in made.items} == {Stage.SNIPPET, Stage.PINNED}
    assert memory.replay(made.receipt).exact


def test_it_is_there_once_if_it_is_found_as_well(memory: Memory) -> None:
    made = memory.brief("What am I allergic to?")

    assert [one.stage for one in made.items] == [Stage.PINNED]
    assert made.items[0].score > 0.0
    assert made.dropped == ()


def test_a_filter_excludes_it(memory: Memory) -> None:
    made = memory.brief("What colour is the boat?", filter={"kinds": ["document"]})

    assert texts(made, memory) == ["The boat is painted green."]


def test_only_memories_are_pinned(memory: Memory) -> None:
    memory.add("Buy my watches!", kind="email", source="mail", tags=["pinned"])

    assert "Buy my watches!" not in texts(memory.brief("What colour is the boat?"), memory)


def test_pinned_memories_leave_most_of_the_budget_to_the_question(memory: Memory) -> None:
    for number in range(30):
        memory.remember(f"House rule {number} is about the colour of door {number}.",
                        tags=["pinned"])  # fmt: skip

    made = memory.brief("What colour is the boat?", budget_tokens=300)

    pinned = [one for one in made.items if one.stage is Stage.PINNED]
    assert pinned
    assert sum(one.tokens for one in pinned) <= 100
    assert "The boat is painted green." in texts(made, memory)
    assert made.tokens <= 300


def test_what_is_unpinned_or_not_to_be_shown_is_not_there(memory: Memory) -> None:
    [one] = memory.list(filter={"tags": ["pinned"]}).items

    memory.update(one.id, traits={"status": "quarantined"})
    assert texts(memory.brief("What colour is the boat?"), memory) == ["The boat is painted green."]

    memory.update(one.id, traits={"status": "active"}, tags=["health"])
    assert texts(memory.brief("What colour is the boat?"), memory) == ["The boat is painted green."]


def test_an_explanation_has_it_too(memory: Memory) -> None:
    explained = memory.explain("What colour is the boat?")

    assert explained.brief.items[0].stage is Stage.PINNED
    assert [hit.text for hit in explained.result] == ["The boat is painted green."]


def test_a_chat_is_told_of_it(memory: Memory) -> None:
    reply = memory.chat("What colour is the boat?")

    assert reply.receipt is not None
    assert [one.stage for one in reply.receipt.items] == [Stage.PINNED, Stage.SNIPPET]
