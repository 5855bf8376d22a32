"""The owner found in an import: the person who takes part in most of its mails.

A pure function of the people of the mails read. Must not know what the owner is used for, nor
where the setting is kept.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from simonides.entities.extract import fold_address, fold_name
from simonides.model.item import Item, Kind, Person, Role, declared_trust

MAILS_MIN = 10
"""Mails in which each address takes part at least: of fewer nothing can be concluded."""

ALIAS_SHARE = 0.25
"""The share of all mails in which a further address must stand in the first one's place.

Anyone can write under the owner's name: a stranger would have to forge a quarter of all mail.
"""

MAYBE_SHARE = 0.5
"""The share of the mails without an own address in which an address to ask about takes part."""

PEOPLE_MAX = 20
"""People of one mail that are counted: a mail to more says little of each."""

_PARTS = frozenset({Role.AUTHOR, Role.TO, Role.CC})


@dataclass(slots=True, kw_only=True)
class _Address:
    """What is known of one address: whether it wrote and received any mail, and its names."""

    text: str
    has_written: bool = False
    has_received: bool = False
    names: Counter[str] = field(default_factory=Counter)

    def add(self, person: Person) -> None:
        """Note one part in one mail."""
        self.has_written |= person.role is Role.AUTHOR
        self.has_received |= person.role is not Role.AUTHOR
        name = " ".join(person.name.split())
        if name and "@" not in name:
            self.names[name] += 1

    @property
    def name(self) -> str:
        """The name that more than half of its named uses have; empty without one."""
        ((best, count),) = self.names.most_common(1) or [("", 0)]
        return best if 2 * count > self.names.total() else ""

    def is_like(self, other: "_Address") -> bool:
        """Return whether both names have a word in common, as Dan Osei and Daniel Osei."""
        return bool({*fold_name(self.name).split()} & {*fold_name(other.name).split()})


@dataclass(slots=True, kw_only=True)
class OwnerFinder:
    """Who takes part in the mails of an import: about 0.2 KB a mail, 1 KB an address."""

    _places: dict[str, int] = field(default_factory=dict)
    _addresses: list[_Address] = field(default_factory=list)
    _mails: Counter[tuple[int, ...]] = field(default_factory=Counter)

    def add(self, item: Item) -> None:
        """Count an item if it is a mail whose trust was not declared."""
        if item.kind is not Kind.EMAIL or declared_trust(item) is not None:
            return
        people = [one for one in item.people if one.role in _PARTS and "@" in one.address]
        self._mails[tuple(sorted({self._place(one) for one in people[:PEOPLE_MAX]}))] += 1

    def _place(self, person: Person) -> int:
        text = fold_address(person.address.strip())
        place = self._places.setdefault(text, len(self._addresses))
        if place == len(self._addresses):
            self._addresses.append(_Address(text=text))
        self._addresses[place].add(person)
        return place

    def conclude(self) -> tuple[str, ...]:
        """Return the owner's name, if there is one, and addresses; empty if nobody stands out.

        The first address takes part in more mails than any other. A further one has a word of its
        name, and takes part in many mails in which no other address of the owner does: those of
        other people in a mailbox hardly exist. Together they take part in more than half of all
        mails. Each has written and received some: a mailing list writes nothing, a newsletter
        receives nothing.
        """
        own, _ = self._own()
        if not own:
            return ()
        texts = (self._addresses[place].text for place in own)
        return tuple(filter(None, (self._addresses[own[0]].name, *texts)))

    def maybe(self) -> tuple[str, ...]:
        """Return the addresses that may be the owner's too, most mails first.

        They have what a further address has, in fewer mails: as many as a stranger could forge
        under the owner's name. So the owner is asked, and nothing is set.
        """
        own, rest = self._own()
        if not own:
            return ()
        counts = _counts(rest)
        least = max(MAILS_MIN, MAYBE_SHARE * sum(rest.values()))
        places = (place for place, _ in counts.most_common() if self._may_own(place, own))
        return tuple(self._addresses[place].text for place in places if counts[place] >= least)

    def _own(self) -> tuple[list[int], dict[tuple[int, ...], int]]:
        """Return the owner's addresses, none if nobody stands out, and the mails without them."""
        own: list[int] = []
        rest, total = dict(self._mails), self._mails.total()
        while (place := self._first(rest, own, total)) is not None:
            own.append(place)
            rest = {people: count for people, count in rest.items() if place not in people}
        return (own, rest) if 2 * sum(rest.values()) < total else ([], rest)

    def _first(self, rest: dict[tuple[int, ...], int], own: list[int], total: int) -> int | None:
        """Return the next address of the owner, by the mails in which no earlier one takes part."""
        counts = _counts(rest)
        ranked = [place for place, _ in counts.most_common() if self._may_own(place, own)]
        if not ranked:
            return None
        best = ranked[0]
        least = max(MAILS_MIN, ALIAS_SHARE * total)
        is_tie = list(counts.values()).count(counts[best]) > 1
        is_first = own or counts[best] == max(counts.values())
        return best if is_first and not is_tie and counts[best] >= least else None

    def _may_own(self, place: int, own: Iterable[int]) -> bool:
        one = self._addresses[place]
        is_used = one.has_written and one.has_received
        return is_used and all(one.is_like(self._addresses[other]) for other in [*own][:1])


def _counts(mails: dict[tuple[int, ...], int]) -> Counter[int]:
    """Return the number of mails in which each address takes part."""
    counts: Counter[int] = Counter()
    for people, count in mails.items():
        for place in people:
            counts[place] += count
    return counts
