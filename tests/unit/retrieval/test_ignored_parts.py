"""A question can be asked without parts of how it is read."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from simonides import InvalidInput, Memory, Plan, PlanPart, Settings

NOW = datetime(2026, 3, 12, 9, tzinfo=UTC)
SETTINGS = Settings(embedder="none", timezone="UTC", durability="relaxed", owner=("Mira Okafor",))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path, settings=SETTINGS, clock=lambda: NOW) as made:
        made.add("Alpha is late", kind="email", source="gmail", people=["Sarah <s@x.example>"],
                 happened_at="2026-03-03", title="Project Alpha")  # fmt: skip
        made.add("Last week was quiet", kind="document", source="note", happened_at="2026-01-03")
        made.add("Call the harbor", kind="task", source="jira", people=["Mira Okafor"])
        yield made


def plan(memory: Memory, text: str, *parts: PlanPart | str) -> Plan:
    return memory.search(text, ignore=parts).plan


@pytest.mark.parametrize(
    ("text", "part", "field"),
    [
        ("What did Sarah send last week?", "time", "time"),
        ("the latest from Sarah", "direction", "direction"),
        ("When is Alpha due?", "when", "asks_when"),
        ("What is on my calendar tomorrow?", "agenda", "asks_agenda"),
        ("my open tasks", "tasks", "task_state"),
        ("What did Sarah send?", "people", "people"),
        ("What about project Alpha?", "entities", "entities"),
        ("emails of Sarah", "sources", "sources"),
        ("emails of Sarah", "kinds", "kinds"),
        ('who said "is late"', "phrases", "phrases"),
    ],
)
def test_a_part_that_is_ignored_is_not_read(
    memory: Memory, text: str, part: str, field: str
) -> None:
    empty = getattr(Plan(), field)

    assert getattr(plan(memory, text), field) != empty
    assert getattr(plan(memory, text, part), field) == empty


def test_its_words_are_words_again(memory: Memory) -> None:
    assert "last week" not in plan(memory, "Who was quiet last week?").searched
    assert "last week" in plan(memory, "Who was quiet last week?", "time").searched

    found = memory.search("Who was quiet last week?", ignore=["time"])
    assert found.hits[0].text == "Last week was quiet"


def test_the_other_parts_are_read_as_ever(memory: Memory) -> None:
    read = plan(memory, "emails of Sarah last week")
    without = plan(memory, "emails of Sarah last week", "time")

    assert (without.people, without.sources, without.kinds) == (
        read.people, read.sources, read.kinds,
    )  # fmt: skip


def test_a_receipt_says_what_was_ignored(memory: Memory) -> None:
    asked = "What did Sarah send last week?"
    plain = memory.brief(asked).receipt
    ignoring = memory.brief(asked, ignore=[PlanPart.TIME, "people"]).receipt

    assert (plain.ignore, ignoring.ignore) == ((), (PlanPart.TIME, PlanPart.PEOPLE))
    assert memory.replay(ignoring).exact
    changed = {one.field: (one.was, one.now) for one in memory.diff(plain, ignoring).settings}
    assert "ignore" in changed


@pytest.mark.parametrize("wrong", ["time", ["nonsense"], 3])
def test_what_is_no_part_is_refused(memory: Memory, wrong: Any) -> None:
    with pytest.raises(InvalidInput, match="ignore"):
        memory.search("Alpha", ignore=wrong)
