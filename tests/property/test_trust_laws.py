"""The laws of trust: beside a model in plain Python, and what strangers can not bring about."""

import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from simonides import Item, Kind, Memory, Person, Role, Settings
from simonides.model.item import TRUST_KEY, Trust, declared_trust, with_trust

NOW: Final = datetime(2026, 3, 12, 9, tzinfo=UTC)
OWNER: Final = ("Ana Silva", "ana@example.com", "ana.home@example.org")
OWN: Final = {"ana@example.com", "ana.home@example.org"}
ROLES: Final = {"user", "assistant", "system", "ana silva"}
ORDER: Final = list(Trust)

names = st.sampled_from(["", "Ana Silva", "ana silva", "Tom", "Eve", "User", "assistant", "Me"])
addresses = st.sampled_from(
    ["", "ana@example.com", "Ana@Example.com", "ana.home@example.org", "tom@example.com",
     "TOM@example.com", "eve@example.net", "ana@example.net"]
)  # fmt: skip
people = st.builds(
    lambda name, address, role: Person(name=name or "x", address=address, role=role),
    names, addresses, st.sampled_from([Role.AUTHOR, Role.AUTHOR, Role.TO, Role.CC, Role.MENTIONED]),
)  # fmt: skip
levels = st.sampled_from([None, None, None, "friend", *Trust])


@st.composite
def spaces(draw: st.DrawFn) -> list[Item]:
    """Draw the items of a small space; each is found by the word `harbor`."""
    drawn = draw(
        st.lists(
            st.tuples(st.sampled_from(Kind), st.lists(people, max_size=3), levels, st.booleans()),
            min_size=1, max_size=10,
        )
    )  # fmt: skip
    return [
        Item(
            id=f"i{n}", kind=kind, content=f"harbor {n}", people=tuple(who), language="en",
            metadata=({TRUST_KEY: str(said)} if said else {})
            | ({"_attached_to": "m"} if attached else {}),
        )
        for n, (kind, who, said, attached) in enumerate(drawn)
    ]  # fmt: skip


def found(items: Sequence[Item]) -> dict[str, Trust]:
    """Return what a search says of each of the items of a space."""
    settings = Settings(timezone="UTC", durability="relaxed", embedder="none", owner=OWNER)
    with (
        tempfile.TemporaryDirectory() as home,
        Memory(Path(home), settings=settings, clock=lambda: NOW) as memory,
    ):
        memory.add(items)
        return {hit.id: hit.trust for hit in memory.search("harbor", limit=100)}


def authors(item: Item) -> list[Person]:
    return [one for one in item.people if one.role is Role.AUTHOR]


def known_to_owner(items: Sequence[Item]) -> set[str]:
    """Return the addresses that the owner wrote to."""
    known: set[str] = set()
    for item in items:
        by = {one.address.casefold() for one in authors(item)}
        if by & OWN:
            to = (one for one in item.people if one.role in (Role.TO, Role.CC))
            known |= {one.address.casefold() for one in to} - by
    return known


def expected(item: Item, known: set[str]) -> Trust:
    """Return the trust of an item by the rules as the pages tell them."""
    said = item.metadata.get(TRUST_KEY)
    if said in ORDER:
        return Trust(said)
    if item.kind is Kind.MEMORY:
        return Trust.OWN
    if item.kind is Kind.MESSAGE:
        return of_speaker(item)
    sent = item.kind is Kind.EMAIL or "_attached_to" in item.metadata
    unsigned = Trust.UNKNOWN if sent else Trust.OWN
    is_tracked = item.kind is Kind.TASK and "_attached_to" not in item.metadata
    by = [
        of_name(one.name)
        if is_tracked and not one.address
        else of_sender(one.address.casefold(), known, unsigned)
        for one in authors(item)
    ]
    return max(by, key=ORDER.index) if by else unsigned


def of_sender(address: str, known: set[str], unsigned: Trust) -> Trust:
    if not address:
        return unsigned
    if address in OWN:
        return Trust.OWN
    return Trust.KNOWN if address in known else Trust.UNKNOWN


def of_name(name: str) -> Trust:
    return Trust.KNOWN if name.casefold() == "ana silva" else Trust.UNKNOWN


def of_speaker(item: Item) -> Trust:
    if item.author is None:
        return Trust.UNKNOWN
    if item.author.address.casefold() in OWN:
        return Trust.OWN
    is_role = not item.author.address and item.author.name.casefold() in ROLES | {"me"}
    return Trust.OWN if is_role else Trust.KNOWN


@given(items=spaces())
def test_trust_is_what_the_rules_say(items: list[Item]) -> None:
    known = known_to_owner(items)

    assert found(items) == {item.id: expected(item, known) for item in items}


@given(items=spaces(), strangers=spaces())
def test_nothing_that_strangers_send_makes_anyone_trusted_more(
    items: list[Item], strangers: list[Item]
) -> None:
    """Whatever comes that is not from one of the owner's addresses, the others keep their level."""
    sent = [
        Item(id=f"s{n}", kind=one.kind, content=one.content, people=one.people, language="en")
        for n, one in enumerate(strangers)
        if not {person.address.casefold() for person in one.people} & OWN
    ]
    together = found([*items, *sent])

    assert {item.id: together[item.id] for item in items} == found(items)


@given(items=spaces(), level=st.sampled_from(Trust))
def test_saying_a_level_never_raises_what_an_item_says_of_itself(
    items: list[Item], level: Trust
) -> None:
    for item in items:
        marked = declared_trust(with_trust(item, level))
        assert marked is not None
        assert ORDER.index(marked) >= ORDER.index(level)
        said = declared_trust(item)
        assert said is None or ORDER.index(marked) >= ORDER.index(said)
        assert with_trust(with_trust(item, level), level) == with_trust(item, level)
