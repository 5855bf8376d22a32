"""Adding, as a user writes it: a text, an item, many of them; and what each returns."""

from datetime import UTC, date, datetime
from typing import assert_type

from simonides import Item, Memory, MemoryTraits, Outcome, Person, Remembered

with Memory(":memory:") as memory:
    one = memory.add(
        "Sarah moved the Alpha deadline to Friday.",
        kind="email",
        source="gmail",
        people=["Sarah Lindqvist <sarah@example.com>"],
        tags=["alpha"],
        metadata={"priority": 3, "team": "red"},
        happened_at="2026-03-02",
    )
    assert_type(one, Outcome)
    assert_type(memory.add(Item(content="Tom owns it.", kind="memory")), Outcome)

    many = memory.add(["first", Item(content="second", happened_at=date(2026, 3, 2))], source="x")
    assert_type(many, tuple[Outcome, ...])
    assert_type(memory.add(str(number) for number in range(3)), tuple[Outcome, ...])

    traits = MemoryTraits(scope="global", type="policy", expires_at="2027-01-01")
    item = Item(
        content="Answer in English.",
        traits=traits,
        people=[Person(name="Tom", role="author")],
        happened_at=datetime(2026, 3, 2, tzinfo=UTC),
    )
    assert_type(memory.add(item), Outcome)
    assert_type(memory.update(item.id, title="Language", tags=["rules"]), Item)
    assert_type(memory.remember("Sarah prefers mail.", confidence=0.9, source="chat"), Remembered)
    assert_type(memory.forget(item.id, if_version=1), tuple[str, ...])
