"""Of two of one name, what has to do with the other ranks below and replaces nothing."""

from collections.abc import Callable

import pytest

from simonides import Memory, Person, Role

QUESTION = "how much did Priya, the customer, pledge?"
ROBOT = Person(name="Pledges", address="noreply@pledges.example", role=Role.AUTHOR)


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    """Return a memory with two of one name, and what a robot writes of each."""
    memory = open_memory()
    memory.set_owner("dan@carrick.example")
    for id_, name, address in (
        ("nair", "Priya Nair", "priya.nair@carrick.example"),
        ("raman", "Priya Raman", "priya.raman@northgate.example"),
    ):
        person = Person(name=name, address=address, role=Role.AUTHOR)
        memory.add("Good morning.", id=id_, kind="email", people=[person])
        memory.add(f"{name} has a pledge for you: 40.", id=f"of-{id_}", kind="email",
                   people=[ROBOT])  # fmt: skip
    return memory


def found(memory: Memory, question: str) -> dict[str, float]:
    """Return by item what being of a namesake takes from its score."""
    hits = memory.search(question, mode="text")
    assert all(
        hit.score == pytest.approx(sum(part.value for part in hit.explanation.contributions))
        for hit in hits
    )
    return {
        hit.id: part.value
        for hit in hits
        for part in hit.explanation.contributions
        if part.name == "namesake"
    }


def test_what_is_of_the_other_or_says_their_surname_ranks_below(memory: Memory) -> None:
    taken = found(memory, QUESTION)
    assert set(taken) == {"of-nair", "nair"}
    assert max(taken.values()) < 0.0
    assert memory.search(QUESTION, mode="text").hits[0].id == "of-raman"


def test_where_all_of_a_name_are_meant_none_is_a_namesake(memory: Memory) -> None:
    assert found(memory, "how much did Priya pledge?") == {}
    assert found(memory, "how much did Priya Nair pledge?") == {}
