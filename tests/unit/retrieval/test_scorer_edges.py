"""What the `classic` and `rrf` scorers must not count, and which passage speaks for a hit."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

import pytest

from simonides import Item, Kind, Memory
from simonides.config import Settings
from simonides.retrieval.rrf import RRF_WEIGHTS, kind_of_question

FILLER: Final = "Nothing of that sort was ever said on this page by anybody. " * 40


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("what moved", "factual"),
        ("so what moved", "factual"),
        ("tell me what moved", "exploring"),
        ("what explains why it moved", "explaining"),
        ("the budget and how it moved", "explaining"),
        ("whatever moved", "exploring"),
        ("", "exploring"),
    ],
)
def test_the_kind_of_a_question_is_told_by_its_words(question: str, kind: str) -> None:
    assert kind_of_question(tuple(question.split())) == kind


def test_the_weights_of_words_and_meaning_are_the_seeds() -> None:
    assert RRF_WEIGHTS == {"explaining": (0.3, 0.7), "factual": (0.7, 0.3), "exploring": (0.4, 0.5)}


@pytest.mark.parametrize("scorer", ["fused", "rrf", "classic"])
@pytest.mark.parametrize("mode", ["text", "hybrid"])
def test_the_passage_that_answers_speaks_for_a_long_item(
    memory: Memory, scorer: str, mode: str
) -> None:
    answer = "The harbor budget moved to Friday."
    memory.add(FILLER + answer + " " + FILLER, id="long")
    [hit] = memory.search("harbor budget moved", scorer=scorer, mode=mode)

    assert answer in hit.passage
    assert not hit.item.content.startswith(hit.passage)


def test_neither_other_kinds_nor_the_forgotten_take_a_place_among_the_last_twenty(
    open_memory: Callable[..., Memory], now: datetime
) -> None:
    memory = open_memory()
    for n in range(40):
        memory.add(
            Item(
                id=f"i{n:02}",
                kind=Kind.MESSAGE if n < 30 else Kind.DOCUMENT,
                content="alpha",
                session="s",
                position=n,
                happened_at=now - timedelta(minutes=90 - n),
            )
        )
    for n in range(20, 30):
        memory.forget(f"i{n:02}")
    found = memory.search("alpha", scorer="classic", limit=100)
    messages = {hit.id for hit in found if hit.item.kind is Kind.MESSAGE}

    assert messages == {f"i{n:02}" for n in range(20)}


def test_memory_for_warm_spaces_is_half_a_gibibyte_unless_it_is_set() -> None:
    assert Settings().view_bytes_max == 512 * 1024**2
