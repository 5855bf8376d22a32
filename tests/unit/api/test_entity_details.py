"""One entity: its addresses, and what it is mentioned with."""

import pytest

from simonides import InvalidInput, Memory, NotFound, Person


@pytest.fixture
def desk(memory: Memory) -> Memory:
    """Return a memory of mails by Sarah, some of them to Tom."""
    sarah = Person(name="Sarah Lindqvist", address="sarah@tide.example")
    tom = Person(name="Tom Becker", address="tom@tide.example", role="to")
    ann = Person(name="Ann Lee", address="ann@lee.example", role="to")
    for number in range(3):
        memory.add(f"Mail {number}", kind="email", people=[sarah, tom])
    memory.add("One more", kind="email", people=[sarah, ann])
    return memory


def test_an_entity_has_its_addresses_and_whom_it_is_mentioned_with(desk: Memory) -> None:
    found = desk.entities.get("Sarah Lindqvist")

    assert found.entity.names[0] == "Sarah Lindqvist"
    assert found.addresses == ("sarah@tide.example",)
    assert [(one.name, one.items) for one in found.related] == [("Tom Becker", 3), ("Ann Lee", 1)]
    assert "Tom Becker" in found._repr_html_()


def test_merged_entities_share_their_addresses(desk: Memory) -> None:
    desk.entities.merge("tom@tide.example", "ann@lee.example")

    found = desk.entities.get("Ann Lee")

    assert found.addresses == ("ann@lee.example", "tom@tide.example")
    assert found.entity.mentions == 4
    assert [(one.name, one.items) for one in found.related] == [("Sarah Lindqvist", 4)]


def test_only_so_many_are_named(desk: Memory) -> None:
    assert [one.name for one in desk.entities.get("Sarah", related=1).related] == ["Tom Becker"]
    with pytest.raises(InvalidInput, match="related"):
        desk.entities.get("Sarah", related=0)


def test_pages_of_entities_follow_each_other(desk: Memory) -> None:
    every = desk.entities(limit=100)

    first = desk.entities(limit=2)
    assert first + desk.entities(limit=100, after=first[-1].id) == every
    assert desk.entities(after=every[-1].id) == ()
    with pytest.raises(InvalidInput, match="after"):
        desk.entities(after="person:nobody")


def test_who_is_not_there_is_not_found(memory: Memory, desk: Memory) -> None:
    with pytest.raises(NotFound, match="Nobody"):
        desk.entities.get("Nobody")
    with pytest.raises(NotFound, match="Sarah"):
        memory.in_space("empty").entities.get("Sarah")
