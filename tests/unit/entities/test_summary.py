"""Who is mentioned in a space: entities are what their mentions say."""

from collections.abc import Iterable

import pytest

from simonides.entities.summary import Summary, somebody
from simonides.model.answer import Entity
from simonides.ports.space import MentionRow


def summarise(mentions: Iterable[MentionRow], *, name: str = "") -> tuple[Entity, ...]:
    """Return the entities of mentions whose id or a name of which contains `name`."""
    return somebody(Summary(mentions).entities, name=name)


def mention(item: int, entity: str, name: str, role: str = "author") -> MentionRow:
    return MentionRow(
        item_key=item, entity=entity, kind=entity.partition(":")[0], name=name, role=role
    )


ADDRESS = "person:sarah@example.com"
ALONE = "person:~sarah lindqvist"


def test_the_most_mentioned_comes_first_then_by_id() -> None:
    found = summarise(
        [
            mention(1, "topic:b", "B"),
            mention(1, "topic:a", "A"),
            mention(2, "topic:c", "C"),
            mention(3, "topic:c", "C"),
            mention(3, "topic:c", "C", role="to"),
        ]
    )

    assert [(one.id, one.kind, one.mentions) for one in found] == [
        ("topic:c", "topic", 2),
        ("topic:a", "topic", 1),
        ("topic:b", "topic", 1),
    ]


def test_names_are_reported_by_how_often_they_occur() -> None:
    names = ["Sal", "Sarah L", "Sarah L", "Abe"]
    found = summarise([mention(n, ADDRESS, name) for n, name in enumerate(names)])

    assert found[0].names == ("Sarah L", "Abe", "Sal")


def test_a_name_alone_stands_under_the_one_address_that_bears_it() -> None:
    found = summarise(
        [
            mention(1, ADDRESS, "Sarah Lindqvist"),
            mention(1, ALONE, "sarah LINDQVIST"),
            mention(2, ALONE, "Sarah Lindqvist"),
        ]
    )

    assert [(one.id, one.mentions) for one in found] == [(ADDRESS, 2)]
    assert found[0].names == ("Sarah Lindqvist", "sarah LINDQVIST")


def test_a_name_that_two_addresses_bear_stands_alone() -> None:
    other = "person:sarah@other.example.com"
    found = summarise(
        [
            mention(1, ADDRESS, "Sarah Lindqvist"),
            mention(2, other, "Sarah Lindqvist"),
            mention(3, ALONE, "Sarah Lindqvist"),
        ]
    )

    assert {one.id: one.mentions for one in found} == {ADDRESS: 1, other: 1, ALONE: 1}


def test_a_part_of_a_name_is_no_bearer() -> None:
    found = summarise(
        [mention(1, ADDRESS, "Sarah Lindqvist"), mention(2, "person:~sarah", "Sarah")]
    )

    assert {one.id for one in found} == {ADDRESS, "person:~sarah"}


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("", {ADDRESS, "topic:harbor"}),
        ("SARAH", {ADDRESS}),
        ("example.com", {ADDRESS}),
        ("harb", {"topic:harbor"}),
        ("nobody", set()),
    ],
)
def test_a_name_keeps_those_that_hold_it(name: str, ids: set[str]) -> None:
    found = summarise(
        [mention(1, ADDRESS, "Sarah Lindqvist"), mention(1, "topic:harbor", "Harbor")], name=name
    )

    assert {one.id for one in found} == ids


def test_a_name_folded_into_an_address_is_found_under_it() -> None:
    found = summarise(
        [mention(1, ADDRESS, "Sarah Lindqvist"), mention(2, ALONE, "SARAH LINDQVIST")],
        name="sarah lind",
    )

    assert [one.id for one in found] == [ADDRESS]


def test_nothing_mentioned_is_nothing() -> None:
    assert summarise([]) == ()
