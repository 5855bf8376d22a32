"""What a filter of an erasure takes; one that keeps nothing back is refused, however said."""

from collections.abc import Callable

import pytest

from simonides import Filter, Item, Kind, Memory, MemoryTraits, parse_condition
from simonides.errors import InvalidInput
from simonides.model.filter import AllOf, AnyOf, Compare, Condition, Not, Operator
from simonides.model.item import Status

Open = Callable[..., Memory]

ALWAYS = AllOf(parts=())
NEVER = AnyOf(parts=())
STARS = Compare(key="stars", operator=Operator.EQ, value=3)
EVERY_STATUS = tuple(Status)


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    """A space with a mail and memories of two statuses, one of them expired."""
    made = open_memory()
    made.add([
        Item(id="mail", kind=Kind.EMAIL, source="gmail", content="mail", metadata={"stars": 3}),
        Item(id="fact", content="a fact", traits=MemoryTraits(expires_at=made._runtime.clock())),
        Item(id="old", content="an old fact", traits=MemoryTraits(status=Status.SUPERSEDED)),
    ])  # fmt: skip
    return made


@pytest.mark.parametrize(
    "wanted",
    [
        Filter(),
        Filter(expired=True),
        Filter(statuses=()),
        Filter(statuses=(Status.ACTIVE, Status.ACTIVE)),
        Filter(where=parse_condition({})),
        Filter(where=parse_condition({"and": [{}, {"or": [{"stars": 3}, {}]}]})),
        Filter(where=Not(part=NEVER), expired=True),
        Filter(where=Not(part=AllOf(parts=(STARS, NEVER)))),
    ],
)
def test_a_filter_that_lets_everything_through_is_refused(memory: Memory, wanted: Filter) -> None:
    with pytest.raises(InvalidInput, match="restricts nothing"):
        memory.erase(filter=wanted)
    with pytest.raises(InvalidInput, match="restricts nothing"):
        memory.preview_erase(wanted)

    assert memory.stats().items == 3


@pytest.mark.parametrize(
    ("where", "gone"),
    [
        (NEVER, set()),
        (Not(part=ALWAYS), set()),
        (AllOf(parts=(ALWAYS, STARS)), {"mail"}),
        (AnyOf(parts=(NEVER, STARS)), {"mail"}),
        (Not(part=STARS), {"fact", "old"}),
        (AllOf(parts=(STARS, NEVER)), set()),
    ],
)
def test_a_condition_that_depends_on_the_item_or_lets_nothing_through_is_taken_at_its_word(
    memory: Memory, where: Condition, gone: set[str]
) -> None:
    assert set(memory.erase(filter=Filter(where=where)).items) == gone


@pytest.mark.parametrize(
    ("wanted", "gone"),
    [
        (Filter(statuses=(Status.SUPERSEDED,)), {"old"}),
        (Filter(statuses=EVERY_STATUS), {"fact", "old"}),
        (Filter(statuses=(Status.DELETED,)), set()),
        (Filter(statuses=(Status.SUPERSEDED,), kinds=(Kind.EMAIL, Kind.MEMORY)), {"mail", "old"}),
        (Filter(kinds=(Kind.MEMORY,)), {"fact", "old"}),
        (Filter(kinds=(Kind.MEMORY,), statuses=(Status.ACTIVE,)), {"fact", "old"}),
    ],
)
def test_a_status_takes_memories_and_no_mail(
    memory: Memory, wanted: Filter, gone: set[str]
) -> None:
    assert set(memory.preview_erase(wanted)) == gone
    assert set(memory.erase(filter=wanted).items) == gone
