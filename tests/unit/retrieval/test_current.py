"""What is current wins: a later statement of the same thing ranks above the earlier one.

An embedder of angles says how near two texts are: the cosine of `(0°)` and `(60°)` is one half.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from simonides import Memory
from simonides.model.answer import Hit
from simonides_bench.testing.hashing import HashingEmbedder

QUESTION = "the size of the shoes of Ila"
STATEMENT = "The shoes of Ila have this size"
CHANGED = "The shoes of Ila are another pair at present"
LOOSELY = "Ila: now another one, of size forty"
"""These have fewer of the question's words than the statement."""


class Angles(HashingEmbedder):
    """Embeds a text as the direction that it names, a question as `(20°)`."""

    identity = replace(HashingEmbedder().identity, model="angles/1")

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return float32[len(texts), dimension] of unit length."""
        rows = np.zeros((len(texts), self.identity.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            named = re.search(r"\((\d+)°\)", text)
            angle = math.radians(float(named[1]) if named else 20.0)
            length = math.sqrt(len(row) / 2)  # spread, as rows are kept in few bits
            row[::2], row[1::2] = math.cos(angle) / length, math.sin(angle) / length
        return rows


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    """Return a memory in which texts name their directions."""
    return open_memory(embedder=Angles())


Add = Callable[..., None]


@pytest.fixture
def add(memory: Memory, now: datetime) -> Add:
    """Return a function that adds a text of some days ago under an id."""

    def add_one(id_: str, text: str, *, days: float, **given: Any) -> None:
        given.setdefault("kind", "document")
        memory.add(text, id=id_, happened_at=now - timedelta(days=days), **given)

    return add_one


def parts(memory: Memory, question: str = QUESTION) -> dict[str, str]:
    """Return which items replace others or are replaced."""
    return {
        hit.id: part.name
        for hit in memory.search(question)
        for part in hit.explanation.contributions
        if part.name in ("replaced", "replaces")
    }


def order(memory: Memory, question: str = QUESTION, **how: Any) -> list[str]:
    return [hit.id for hit in memory.search(question, **how)]


def total(hit: Hit) -> float:
    return sum(part.value for part in hit.explanation.contributions)


def test_the_later_of_two_that_say_the_same_ranks_above_the_earlier(
    memory: Memory, add: Add
) -> None:
    add("old", f"{STATEMENT}: (0°)", days=60)
    add("new", f"{CHANGED}: (50°)", days=2)
    found = memory.search(QUESTION).hits

    assert [hit.id for hit in found] == ["new", "old"]
    assert all(hit.score == total(hit) for hit in found)
    assert parts(memory) == {"new": "replaces", "old": "replaced"}
    assert order(memory, limit=1) == ["new"]


def test_the_later_one_rises_half_of_the_way(memory: Memory, add: Add) -> None:
    add("old", f"{STATEMENT}: (0°)", days=60)
    add("new", f"{CHANGED}: (50°)", days=2)
    new, old = memory.search(QUESTION).hits
    changes = {
        part.name: part.value for hit in (new, old) for part in hit.explanation.contributions
    }

    gap = (old.score - changes["replaced"]) - (new.score - changes["replaces"])
    assert changes["replaces"] == pytest.approx(gap / 2)
    assert changes["replaced"] == pytest.approx(-gap / 2, abs=2e-6)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (f"the first {QUESTION[4:]}", ["old", "new"]),
        (f"the initial {QUESTION[4:]}", ["old", "new"]),
        (f"{QUESTION} this month", ["new", "old"]),
    ],
)
def test_the_time_that_is_asked_for_decides(
    memory: Memory, add: Add, question: str, expected: list[str]
) -> None:
    add("old", f"{STATEMENT}: (0°)", days=60)
    add("new", f"{CHANGED}: (40°)", days=2)

    assert order(memory, question) == expected


def test_where_the_first_is_asked_for_the_earlier_one_ranks_above_the_later(
    memory: Memory, add: Add
) -> None:
    add("new", f"{STATEMENT}: (0°)", days=2)
    add("old", f"{STATEMENT} at present, as it is said: (40°)", days=60)

    assert order(memory, f"the first {QUESTION[4:]}") == ["old", "new"]


def test_what_was_settled_in_the_end_is_the_later_one_though_the_question_says_first(
    memory: Memory, add: Add
) -> None:
    add("old", f"{STATEMENT}: (0°)", days=60)
    add("new", f"{CHANGED}: (40°)", days=2)

    assert order(memory, f"{QUESTION}, the first pair, that we settled on") == ["new", "old"]


def test_what_comes_after_the_next_one_does_not_replace_it(memory: Memory, add: Add) -> None:
    add("next", f"{STATEMENT}: (0°)", days=-2)
    add("after", f"{CHANGED}: (40°)", days=-60)

    assert parts(memory, f"the next time of {QUESTION}") == {}
    assert parts(memory) == {"after": "replaces", "next": "replaced"}


def test_what_was_cancelled_replaces_nothing_and_is_replaced_by_what_is_less_near(
    memory: Memory, add: Add
) -> None:
    cancelled = {"metadata": {"status": "cancelled"}}
    add("before", f"{STATEMENT}: (0°)", days=60, kind="event")
    add("off", f"{STATEMENT}: (0°)", days=30, kind="event", **cancelled)
    add("held", f"{CHANGED}: (63°)", days=2, kind="event")

    assert parts(memory) == {"held": "replaces", "off": "replaced"}


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("event", "event", {}),
        ("task", "task", {}),
        ("event", "email", {"new": "replaces", "old": "replaced"}),
        ("email", "event", {"new": "replaces", "old": "replaced"}),
    ],
)
def test_an_appointment_and_a_task_replace_none_of_their_kind(
    memory: Memory, add: Add, old: str, new: str, found: dict[str, str]
) -> None:
    add("old", f"{STATEMENT}: (0°)", days=60, kind=old)
    add("new", f"{CHANGED}: (40°)", days=2, kind=new)

    assert parts(memory) == found


def test_within_a_time_that_is_over_nothing_replaces_another(memory: Memory, add: Add) -> None:
    add("old", f"{STATEMENT}: (0°)", days=60)
    add("new", f"{CHANGED}: (40°)", days=2)

    assert parts(memory, f"{QUESTION} in January 2026") == {}


@pytest.mark.parametrize(
    ("angle", "given", "is_replaced"),
    [
        (50, {"people": [["Tom"], ["Ben"]]}, True),
        (57, {"people": [["Tom"], ["Ben"]]}, False),
        (57, {"people": [["Tom"], ["Tom"]]}, True),
        (63, {"people": [["Tom"], ["Tom"]], "session": ["t", "t"]}, False),
        (57, {"people": [["Tom"], ["Ben"]], "kind": ["memory", "memory"]}, True),
        (63, {"people": [["Tom"], ["Tom"]], "kind": ["memory", "memory"]}, True),
        (63, {"people": [["Tom"], ["Ben"]], "kind": ["memory", "memory"]}, False),
    ],
)
def test_how_near_two_have_to_be(
    memory: Memory, add: Add, *, angle: int, given: dict[str, list[Any]], is_replaced: bool
) -> None:
    old, new = ({name: values[at] for name, values in given.items()} for at in (0, 1))
    add("old", f"{STATEMENT}: (0°)", days=60, **{"kind": "email", **old})
    add("new", f"{STATEMENT} at present: ({angle}°)", days=2, **{"kind": "email", **new})

    assert ("old" in parts(memory)) == is_replaced


def test_a_question_of_how_things_stand_takes_a_later_one_that_fits_worse(
    memory: Memory, add: Add
) -> None:
    add("old", f"{STATEMENT}: (0°)", days=60)
    add("new", f"{LOOSELY}: (57°)", days=2)

    assert parts(memory) == {}
    assert parts(memory, f"{QUESTION} these days") == {"new": "replaces", "old": "replaced"}
    assert parts(memory, f"{QUESTION} in the end") == {"new": "replaces", "old": "replaced"}


def test_what_is_said_of_somebody_else_replaces_nothing_said_of_who_is_named(
    memory: Memory, add: Add
) -> None:
    add("of-tom", f"{STATEMENT}: (0°)", days=60, kind="email", people=["Tom Ash"])
    add("of-ben", f"{STATEMENT}: (0°)", days=2, kind="email", people=["Ben Oak"])

    assert parts(memory, f"what did Tom Ash say of {QUESTION}?") == {}
    assert parts(memory)["of-tom"] == "replaced"


def test_a_statement_of_the_same_day_and_one_without_a_date_replace_nothing(
    memory: Memory, add: Add
) -> None:
    add("old", f"{STATEMENT}: (0°)", days=0.9)
    add("new", f"{CHANGED}: (0°)", days=0)
    memory.add(f"{STATEMENT}, at present: (0°)", id="undated", kind="document")

    assert parts(memory) == {}


def test_lines_of_a_chat_replace_nothing_and_are_replaced(memory: Memory, add: Add) -> None:
    add("line", f"{STATEMENT}: (0°)", days=60, kind="message", session="s")
    add("later", f"{CHANGED}: (0°)", days=9, kind="message", session="t")
    assert parts(memory) == {}

    add("kept", f"{CHANGED} by now: (0°)", days=2, kind="memory")
    assert parts(memory)["line"] == "replaced"
    assert order(memory)[0] == "kept"


def test_each_of_several_ranks_below_the_next(memory: Memory, add: Add) -> None:
    for number, days in enumerate((90, 60, 30, 3)):
        add(f"s{number}", f"{STATEMENT}{' at present' * number}: (0°)", days=days)

    assert order(memory) == ["s3", "s2", "s1", "s0"]


def test_without_vectors_nothing_tells_that_two_say_the_same(
    open_memory: Callable[..., Memory], now: datetime
) -> None:
    memory = open_memory(embedder=None)
    memory.add(STATEMENT, id="old", kind="memory", happened_at=now - timedelta(days=60))
    memory.add(f"{STATEMENT} now", id="new", kind="memory", happened_at=now - timedelta(days=2))

    assert sorted(order(memory)) == ["new", "old"]
    assert parts(memory) == {}


def test_what_replaces_another_is_as_relevant_as_that(memory: Memory, add: Add) -> None:
    add("old", f"{STATEMENT}: (0°)", days=60)
    alone = memory.search(QUESTION).hits[0].relevance
    add("new", f"{CHANGED}: (50°)", days=2)
    new, old = memory.search(QUESTION).hits

    assert (new.id, old.id) == ("new", "old")
    assert new.relevance >= old.relevance > 0.0
    assert new.relevance == pytest.approx(alone, abs=0.2)


def test_what_was_remembered_without_a_time_was_so_when_it_was_remembered(
    now: datetime,
) -> None:
    at = [now - timedelta(days=300)]
    with Memory(":memory:", embedder=HashingEmbedder(), clock=lambda: at[0]) as memory:
        memory.remember("I live in Berlin")
        at[0] = now
        memory.remember("I live in Hamburg near the old harbor")

        found = memory.search("where do I live?")
    assert [hit.text for hit in found.hits] == [
        "I live in Hamburg near the old harbor",
        "I live in Berlin",
    ]
