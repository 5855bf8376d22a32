"""Counts of items by source, kind, collection and month, under the filters of a list."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from simonides import FilterLike, InvalidInput, ItemCounts, Memory, Settings

NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)
SETTINGS = Settings(embedder="none", timezone="UTC", durability="relaxed")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path, settings=SETTINGS, clock=lambda: NOON) as made:
        yield made


def test_a_space_that_is_not_there_yet_has_none(memory: Memory) -> None:
    assert memory.counts() == ItemCounts()


def test_items_are_counted_by_what_they_have_in_common(memory: Memory) -> None:
    memory.add("a", source="mail", kind="email", happened_at="2026-02-28T23:59:59Z")
    memory.add("b", source="mail", kind="email", happened_at="2026-03-01T00:00:00Z")
    memory.add("c", source="notes", kind="document", collection="work")
    gone = memory.add("d", source="mail", kind="email", happened_at="1969-12-31T23:00:00Z")
    assert memory.counts().by_month == {"1969-12": 1, "2026-02": 1, "2026-03": 1}
    memory.forget(gone.id)

    assert memory.counts() == ItemCounts(
        items=3, undated=1, by_source={"mail": 2, "notes": 1}, by_kind={"email": 2, "document": 1},
        by_collection={"main": 2, "work": 1}, by_month={"2026-02": 1, "2026-03": 1},
    )  # fmt: skip
    assert list(memory.counts().by_source) == ["mail", "notes"]


def test_they_are_those_of_the_list(memory: Memory) -> None:
    memory.add([f"text {n}" for n in range(7)], source="a", tags=["x"])
    memory.add("more", source="b")
    filters: list[FilterLike | None] = [
        {"sources": ["a"]}, {"tags": ["x"]}, {"sources": ["nope"]}, None,
    ]  # fmt: skip
    for wanted in filters:
        found = memory.counts(filter=wanted)
        assert found.items == len(memory.list(filter=wanted).items)
        assert found.items == sum(found.by_kind.values())


def test_a_past_state_is_counted(memory: Memory) -> None:
    item = memory.add("was here", source="then")
    memory.forget(item.id)

    assert memory.counts().items == 0
    assert memory.counts(as_of=item.revision).by_source == {"then": 1}
    with pytest.raises(InvalidInput, match="as_of"):
        memory.counts(as_of="whenever")


def test_people_are_counted_by_a_name_that_filters_for_just_these(memory: Memory) -> None:
    memory.add(
        "a",
        people=[
            "Sarah Lindqvist <sarah@x.example>",
            {"name": "Tom", "address": "tom@x.example", "role": "to"},
        ],
    )
    memory.add("b", people=["Sarah <sarah@x.example>"])
    memory.add("c", people=["Sarah Lindqvist <sarah@home.example>"])
    memory.add("d", people=["nobody@x.example"])

    found = memory.counts().by_person

    assert found == {"Sarah Lindqvist": 3, "Tom": 1, "nobody@x.example": 1}
    assert next(iter(found)) == "Sarah Lindqvist"
    for name, count in found.items():
        assert memory.counts(filter={"people": [name]}).items == count


def test_the_values_of_a_metadata_key_are_counted(memory: Memory) -> None:
    memory.add("a", metadata={"project": "Alpha", "size": 3})
    memory.add("b", metadata={"project": "Alpha"})
    memory.add("c", metadata={"project": ["Beta"]})
    gone = memory.add("d", metadata={"project": "Gamma"})
    memory.forget(gone.id)

    assert memory.counts(metadata="project").by_value == {"Alpha": 2, '["Beta"]': 1}
    assert memory.counts(metadata="size").by_value == {"3": 1}
    assert memory.counts(metadata="nope").by_value == {}
    assert memory.counts(metadata="project", filter={"where": {"size": 3}}).by_value == {"Alpha": 1}
    assert "Alpha" in memory.counts(metadata="project")._repr_html_()
