"""Several messages of a session, added as one."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from simonides import InvalidInput, Memory


@pytest.fixture
def memory() -> Any:
    with Memory(":memory:") as opened:
        yield opened


def say(*texts: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": one} for one in texts]


def contents(memory: Memory) -> list[str]:
    return [one.content for one in memory.sessions.last("a", 100)]


def test_they_are_one_revision_in_their_order(memory: Memory) -> None:
    memory.sessions.create(session_id="a", title="Ferry")
    kept = memory.sessions.add_many("a", [
        {"role": "user", "content": "When does it leave?", "metadata": {"n": 1}},
        {"role": "assistant", "content": "At nine."},
    ])  # fmt: skip

    first, second = memory.sessions.messages("a").items
    assert [one.id for one in kept] == [first.id, second.id]
    assert (first.title, second.title, first.metadata["n"]) == ("Ferry", "", 1)
    assert (first.position, second.position) == (0, 1)
    assert first.revision == second.revision
    assert memory.sessions.add_many("a", []) == ()


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"role": "user", "content": "x" * 20_000_001}, "content"),
        ({"role": "tool", "content": "x"}, "role"),
        ({"content": "x"}, "role"),
        ({"role": "user", "content": "x", "when": "now"}, "messages.when"),
        ({"role": "user", "content": "x", "happened_at": 5}, "happened_at"),
        ("hello", "messages"),
    ],
)
def test_one_that_does_not_fit_keeps_the_others_out(memory: Memory, wrong: Any, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        memory.sessions.add_many("a", [*say("fits"), wrong])

    assert refused.value.field == field
    assert contents(memory) == []


def test_those_of_several_writers_stand_together(memory: Memory) -> None:
    with ThreadPoolExecutor(max_workers=8) as pool:
        list(pool.map(lambda n: memory.sessions.add_many("a", say(f"{n}a", f"{n}b")), range(20)))

    said = contents(memory)
    assert len(said) == 40
    assert all(said[at + 1] == said[at].replace("a", "b") for at in range(0, 40, 2))


def test_none_takes_the_place_of_one_that_was_forgotten(memory: Memory) -> None:
    kept = memory.sessions.add_many("a", say("0", "1", "2", "3"))
    memory.forget(kept[1].id, kept[3].id)
    memory.sessions.add_many("a", say("4", "5"))

    assert [one.position for one in memory.sessions.messages("a").items] == [0, 2, 4, 5]
