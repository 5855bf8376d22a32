"""Search while vectors wait: found by words, ranked among equals, and said in every answer."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from simonides import Item, Memory
from simonides.errors import EmbedderError
from simonides.ingest.keep import keep
from simonides.model.answer import Hit, Scorer
from simonides_bench.testing.hashing import HashingEmbedder

SCORERS = tuple(Scorer)


class NeverAsked(HashingEmbedder):
    """An embedder that must not be asked for the vector of a question."""

    def embed_query(self, text: str) -> Any:
        pytest.fail(f"was asked to embed {text!r}")


def later(memory: Memory, **texts: str) -> None:
    """Keep items by id whose vectors are left for later."""
    items = [Item(content=text, id=one, source="note") for one, text in texts.items()]
    keep(items, memory._opened, vectors=False)


def ranked(memory: Memory, question: str, **how: Any) -> list[str]:
    return [hit.id for hit in memory.search(question, limit=100, **how)]


def by_id(memory: Memory, question: str, **how: Any) -> dict[str, Hit]:
    return {hit.id: hit for hit in memory.search(question, limit=100, **how)}


def test_words_find_at_once_and_nobody_asks_for_a_vector(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory(embedder=NeverAsked())
    later(memory, a="the harbor lunch is on Friday", b="zebra")
    result = memory.search("harbor lunch")

    assert [hit.id for hit in result] == ["a"]
    assert result.diagnostics.waiting == 2
    assert result.diagnostics.mode_used == "text"
    assert result.diagnostics.notes == (
        "answered without vectors: all 2 chunks wait for their vectors",
    )
    with pytest.raises(EmbedderError, match="all 2 chunks wait for their vectors"):
        memory.search("harbor", mode="vector")


@pytest.mark.parametrize("scorer", SCORERS)
def test_what_waits_ranks_between_better_and_worse_words(memory: Memory, scorer: Scorer) -> None:
    memory.add([
        Item(content="harbor lunch friday crane boat", id="best", source="note"),
        Item(content="harbor and some other business over there", id="worst", source="note"),
    ])  # fmt: skip
    later(memory, middle="harbor lunch friday but of another kind")

    assert ranked(memory, "harbor lunch friday crane boat", scorer=scorer) == [
        "best", "middle", "worst",
    ]  # fmt: skip


@pytest.mark.parametrize("scorer", SCORERS)
def test_explanations_say_so_and_still_add_up(memory: Memory, scorer: Scorer) -> None:
    memory.add(Item(content="the harbor lunch", id="there", source="note"))
    later(memory, late="the harbor dinner")
    found = by_id(memory, "harbor lunch", scorer=scorer)

    for hit in found.values():
        assert math.isclose(hit.explanation.score, hit.score, abs_tol=1e-12)
    details = {
        one: [
            part.detail
            for part in hit.explanation.contributions
            if part.name in ("semantic", "passage")
        ]
        for one, hit in found.items()
    }
    assert details["late"] == ["vector waiting"]
    assert "vector waiting" not in details["there"]
    assert "semantic" not in found["late"].explanation.lanes


def test_the_answer_says_how_many_wait(memory: Memory) -> None:
    memory.add(Item(content="harbor", id="a"))
    later(memory, b="lunch")
    reported = memory.search("harbor").diagnostics

    assert reported.waiting == 1
    waits = "1 of 2 chunks wait for their vectors"
    assert reported.notes == (f"{waits} and are found by their words until then",)
    (semantic,) = (lane for lane in reported.lanes if lane.name == "semantic")
    assert (semantic.ran, semantic.note) == (True, waits)
    memory.embed()
    reported = memory.search("harbor").diagnostics
    assert (reported.waiting, reported.notes) == (0, ())


def test_a_revision_has_one_answer_before_and_after_vectors_come(memory: Memory) -> None:
    memory.add(Item(content="harbor lunch", id="a"))
    later(memory, b="harbor dinner", c="lunch there")
    before = memory.search("harbor lunch")
    memory.embed()
    after = memory.search("harbor lunch")
    again = memory.search("harbor lunch", as_of=before.diagnostics.revision)

    assert again.hits == before.hits
    assert again.diagnostics.waiting == before.diagnostics.waiting == 2
    assert after.hits != before.hits


def test_another_process_answers_the_same_while_vectors_wait(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory()
    memory.add(Item(content="harbor lunch", id="a"))
    later(memory, b="harbor dinner", c="lunch there", d="zebra")
    memory.search("harbor")
    memory.embed(chunks_max=2)
    warm = memory.search("harbor lunch")

    assert open_memory().search("harbor lunch").hits == warm.hits


def test_what_was_forgotten_or_erased_while_it_waited_stays_gone(memory: Memory) -> None:
    later(memory, a="harbor lunch", b="harbor dinner", c="harbor walk")
    memory.forget("a")
    assert memory.erase("b", prove=True).proof is not None
    assert memory.embed().embedded == 1

    assert ranked(memory, "harbor") == ["c"]
    assert memory.stats().waiting == 0
    assert all(one.sound for one in memory.verify())


def test_doctor_and_stats_say_how_many_wait(memory: Memory) -> None:
    later(memory, a="harbor", b="lunch")
    (finding,) = (one for one in memory.doctor() if one.check == "vectors")

    assert finding.sound
    assert finding.detail.startswith("2 chunks wait for theirs")
    assert memory.stats().waiting == 2
    memory.embed()
    assert [one for one in memory.doctor() if one.check == "vectors"] == []


def test_an_item_that_changes_while_it_waits_comes_with_its_vector(memory: Memory) -> None:
    later(memory, a="harbor")
    memory.update("a", content="lunch")

    assert memory.stats().waiting == 0
    assert memory.embed().embedded == 0
    assert ranked(memory, "lunch", mode="vector") == ["a"]


def test_reembedding_leaves_nothing_waiting(memory: Memory) -> None:
    later(memory, a="harbor", b="lunch")
    assert memory.reembed() == 2
    assert memory.stats().waiting == 0
    assert all(one.sound for one in memory.verify())
