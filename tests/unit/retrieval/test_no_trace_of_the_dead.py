"""Laws 2, 5 and 9: what was forgotten or replaced steers no later answer of a warm space.

Every question is asked of a space that saw items come and go, and of one opened anew.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from simonides import Filter, Item, Kind, Memory, Person
from simonides.model.answer import SearchResult
from simonides.retrieval.by_time import DIRECTION

Answer = list[tuple[str, float, tuple[str, ...]]]


def answer(result: SearchResult) -> tuple[object, Answer]:
    hits = [(hit.id, hit.score, hit.explanation.lanes) for hit in result]
    ran = [(lane.name, lane.ran, lane.found, lane.note) for lane in result.diagnostics.lanes]
    return (result.plan, ran), hits


def kept(now: datetime) -> list[Item]:
    return [
        Item(id="a", content="She removed the harbor sign", people=(Person(name="Sarah Okafor"),)),
        Item(id="b", content="harbor houses", happened_at=now - timedelta(days=10)),
        Item(id="c", content="harbor house", happened_at=now - timedelta(days=5)),
        Item(id="d", kind=Kind.MESSAGE, content="harbor", people=(Person(name="user"),)),
        Item(id="e", content="She was singing"),
    ]


GONE: dict[str, dict[str, Any]] = {
    "a word found as a whole": {"content": "She moved"},
    "a name longer than another": {"content": "-", "people": [Person(name="Sarah Lindqvist")]},
    "another first name": {"content": "-", "people": [Person(name="Uwe")]},
    "another name of somebody": {
        "content": "-", "people": [Person(name="Sal", address="okafor@example.com")],
    },
    "the oldest time": {"content": "-", "happened_at": "2001-01-01T00:00:00Z"},
    "another language": {"content": "Häuser am Hafen", "language": "de"},
    "an issue": {"content": "fix HARBOR-7 and HOUSE-1"},
    "a session": {"content": "harbor", "kind": "message", "session": "s"},
}  # fmt: skip

QUESTIONS = (
    "moved", "what did Sarah Lindqvist say", "what did I say to Uwe", "Sal?", "the first harbor",
    "houses", "HARBOR-7 house", "latest harbor", "okafor@example.com", "what did I say",
    "singen",
)  # fmt: skip


@pytest.mark.parametrize("gone", GONE, ids=str)
@pytest.mark.parametrize("scorer", ["fused", "rrf", "classic"])
def test_a_warm_space_answers_as_one_opened_anew(
    open_memory: Callable[..., Memory], now: datetime, gone: str, scorer: str
) -> None:
    warm = open_memory()
    warm.add("something else", id="gone")
    warm.update("gone", **GONE[gone])
    warm.search("harbor")
    warm.forget("gone")
    warm.add(kept(now))
    asked = [answer(warm.search(q, scorer=scorer, mode="text", limit=50)) for q in QUESTIONS]

    anew = open_memory()
    assert [
        answer(anew.search(q, scorer=scorer, mode="text", limit=50)) for q in QUESTIONS
    ] == asked


def test_a_replaced_person_is_no_longer_named(memory: Memory) -> None:
    memory.add("the plan", id="a", people=[Person(name="Uwe Anders")])
    before = memory.search("what did Uwe say").plan.people
    memory.update("a", people=[Person(name="Ines Vidal")])

    assert before == ("person:~uwe anders",)
    assert memory.search("what did Uwe say").plan.people == ()
    assert memory.search("what did Ines say").plan.people == ("person:~ines vidal",)
    assert memory.list(filter=Filter(people=("Uwe",))).items == ()


def test_a_language_that_nothing_speaks_any_more_is_not_searched_in(memory: Memory) -> None:
    memory.add("Die Häuser am Hafen und der Weg dorthin", id="de", language="de")
    memory.add("houses", id="en", language="en")
    with_german = memory.search("Häusern", mode="text")
    memory.forget("de")

    assert [hit.id for hit in with_german] == ["de"]
    assert [hit.id for hit in memory.search("houses", mode="text")] == ["en"]
    assert len(memory.search("Häusern", mode="text")) == 0


def test_the_parts_of_words_are_found_again_once_the_whole_word_is_gone(memory: Memory) -> None:
    memory.add("She moved", id="whole")
    memory.add("She removed it", id="part")
    before = [hit.id for hit in memory.search("moved", mode="text")]
    memory.forget("whole")

    assert before == ["whole"]
    assert [hit.id for hit in memory.search("moved", mode="text")] == ["part"]


def test_the_first_is_the_first_of_those_that_are_left(memory: Memory, now: datetime) -> None:
    memory.add("harbor", id="old", happened_at=now - timedelta(days=4000))
    memory.add("harbor", id="new", happened_at=now - timedelta(days=10))
    memory.search("the first harbor")
    memory.forget("old")
    hit = memory.search("the first harbor", mode="text")[0]
    parts = {part.name: part.value for part in hit.explanation.contributions}

    assert parts["direction"] == DIRECTION
