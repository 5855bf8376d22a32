"""The extractor without a model: what the owner plainly says of themselves, word for word.

Must not know what becomes of a proposal.
"""

from collections.abc import Iterator, Sequence

from simonides.entities.directory import OWNER_NAMES
from simonides.model.item import (
    Item,
    MemoryTraits,
    MemoryType,
    Person,
    Role,
    Trust,
    declared_trust,
)
from simonides.model.memories import ProposedMemory
from simonides.text.statements import matter_of, own_statements

CONFIDENCE = 0.8
"""How sure a proposal is: it is said in so many words, but may be meant otherwise."""


class RuleExtractor:
    """An extractor of sentences in which the owner states something about themselves.

    Where they live or work, their number, what they eat, prefer or are allergic to: plain
    statements in eleven languages, no questions and no suppositions.

    Args:
        owner: Names and addresses of the person whose memory this is; "user" and "me" always are.
    """

    name = "rules/1"

    def __init__(self, owner: Sequence[str] = ()) -> None:
        self._owner = OWNER_NAMES | {name.casefold() for name in owner}

    def extract(self, items: Sequence[Item]) -> Sequence[ProposedMemory]:
        """Return a proposal for each plain statement in what the owner wrote."""
        return [one for item in items if self._is_own(item) for one in _proposals(item)]

    def _is_own(self, item: Item) -> bool:
        """Return whether nobody but the owner wrote an item: of an address its name is no proof."""
        authors = [person for person in item.people if person.role is Role.AUTHOR]
        is_trusted = declared_trust(item) in {None, Trust.OWN}
        return is_trusted and bool(authors) and all(map(self._is_owner, authors))

    def _is_owner(self, author: Person) -> bool:
        return (author.address.strip() or author.name).casefold() in self._owner


def _proposals(item: Item) -> Iterator[ProposedMemory]:
    for sentence in own_statements(item.content):
        matter = matter_of(sentence)
        yield ProposedMemory(
            text=sentence,
            evidence=(item.id,),
            traits=MemoryTraits(type=MemoryType.PROFILE, confidence=CONFIDENCE),
            happened_at=item.dated_at,
            note=f"said by the owner{f', about: {matter}' if matter else ''}",
        )
