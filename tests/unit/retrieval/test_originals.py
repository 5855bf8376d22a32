"""Originals first: what was made from items never ranks above them or pushes them out."""

import math
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from simonides import Item, Kind, Memory
from simonides.model.answer import Hit

QUESTION = "When is the Alpha deadline?"


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    """Return a memory that finds by words alone."""
    return open_memory(embedder=None)


@pytest.fixture
def mail(memory: Memory) -> str:
    """Return the id of the mail that answers the question, in many other words."""
    text = "Hello all, after a long talk with the client we now say that the Alpha deadline is on"
    memory.add(f"{text} Friday, and that the budget stays as it was in spring.", id="mail",
               kind="email")  # fmt: skip
    return "mail"


def ids(memory: Memory, question: str = QUESTION, **how: object) -> list[str]:
    return [hit.id for hit in memory.search(question, **how)]  # type: ignore[arg-type]


def answered(memory: Memory, text: str, **metadata: object) -> str:
    memory.sessions.add("s", "user", "Tell me the Alpha deadline, please?")
    return memory.sessions.add("s", "assistant", text, metadata=metadata).id


def total(hit: Hit) -> float:
    value = 0.0
    for part in hit.explanation.contributions:
        value += part.value
    return value


@pytest.mark.parametrize("scorer", ["fused", "rrf"])
def test_an_answer_and_its_question_rank_below_what_the_answer_cites(
    memory: Memory, mail: str, scorer: str
) -> None:
    answer = answered(memory, "The Alpha deadline is on Friday.", _cited=[mail])
    found = memory.search("the Alpha deadline", scorer=scorer)

    assert found.hits[0].id == mail
    assert answer in [hit.id for hit in found]
    assert all(hit.score < found.hits[0].score for hit in found.hits[1:])
    assert all(hit.score == total(hit) for hit in found)
    assert "derived" in {part.name for hit in found for part in hit.explanation.contributions}


def test_an_answer_without_citations_ranks_below_the_best_of_its_context(
    memory: Memory, mail: str
) -> None:
    memory.add("Tea is green.", id="tea")
    answered(memory, "The Alpha deadline is on Friday.", _context=["tea", mail, "gone"])

    assert ids(memory, "the Alpha deadline")[0] == mail


def test_the_score_of_an_answer_does_not_depend_on_what_else_is_asked_for(
    memory: Memory, mail: str
) -> None:
    answer = answered(memory, "The Alpha deadline is on Friday.", _cited=[mail])
    every = {hit.id: hit.score for hit in memory.search("Alpha deadline", limit=50)}
    alone = memory.search("Alpha deadline", limit=1, filter={"without_ids": (mail,)})

    assert alone.hits[0].score == every[alone.hits[0].id]
    assert every[answer] < every[mail]


def test_an_answer_of_what_is_gone_stands_for_itself(memory: Memory, mail: str) -> None:
    answer = answered(memory, "The Alpha deadline is on Friday.", _cited=[mail])
    memory.forget(mail)

    [score] = [hit.score for hit in memory.search("Alpha deadline") if hit.id == answer]
    assert not math.isnan(score)
    assert score > 0


def test_an_answer_that_quotes_is_no_hit_unless_it_is_asked_for(memory: Memory, mail: str) -> None:
    reply = memory.chat(QUESTION)
    assert [hit.id for hit in reply.items] == [mail]

    assert ids(memory) == [mail]
    assert ids(memory, limit=1) == [mail]
    assert ids(memory, filter={"ids": (reply.reply_id,)}) == [reply.reply_id]
    [dropped] = [memory.brief(QUESTION).dropped]
    assert all("duplicate" not in one.reason for one in dropped)


@pytest.mark.usefixtures("mail")
def test_a_question_is_no_hit_for_itself(memory: Memory) -> None:
    asked = memory.sessions.add("s", "user", QUESTION).id

    assert asked not in ids(memory, "when is the Alpha deadline")
    assert asked in ids(memory, "Alpha deadline")


def test_what_somebody_else_asks_or_the_user_states_is_found_by_its_words(memory: Memory) -> None:
    other = memory.add(QUESTION, kind="message", session="g", people=["Tom Berger"]).id
    stated = memory.sessions.add("s", "user", "I moved to Berlin in May").id

    assert other in ids(memory)
    assert ids(memory, "I moved to Berlin in May") == [stated]


def test_as_many_come_as_are_there(memory: Memory) -> None:
    memory.add([Item(content=f"Alpha note {n}.", id=f"n{n}") for n in range(4)])
    for n in range(30):
        memory.sessions.add(f"s{n}", "user", "Alpha note?")

    assert len(ids(memory, "Alpha note?", limit=4)) == 4


def test_a_forward_ranks_below_the_mail_that_it_forwards(memory: Memory, now: datetime) -> None:
    words = "The client moved the Alpha deadline to Friday because of the crane at pier four."
    first = Item(id="a", kind=Kind.EMAIL, content=words, session="t", happened_at=now)
    forward = Item(
        id="b", kind=Kind.EMAIL, session="t", happened_at=now + timedelta(days=1),
        title="Alpha deadline",
        content=f"Alpha deadline, see below.\n\n---------- Forwarded message ---------\n{words}",
    )  # fmt: skip
    memory.add([first, forward])

    assert ids(memory) == ["a", "b"]
    memory.forget("a")
    assert ids(memory) == ["b"]


def test_the_current_session_counts_more_than_another(memory: Memory, now: datetime) -> None:
    for session in ("s1", "s2"):
        memory.add(
            "We spoke of the Alpha crane.", kind="message", session=session, happened_at=now,
            people=["Tom"],
        )  # fmt: skip
    found = memory.search("Alpha crane", session_id="s2")

    assert [hit.item.session for hit in found] == ["s2", "s1"]
    parts = {part.name: part.value for part in found.hits[0].explanation.contributions}
    assert parts["conversation"] > 0.0
    assert total(found.hits[0]) == found.hits[0].score
