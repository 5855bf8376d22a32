"""The trust of each hit: its author, and whether the user writes to them.

Knows who is the owner of the space and whom they wrote to, by the index. What was said when an
item was added (metadata `_trust`) always wins. A display name is no proof: anyone can write under
any. Must not know whether a mail's address was forged; mail servers look after that.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from simonides.entities.extract import fold_address, fold_name, person_id
from simonides.index.facets import author_key, part_key, shared_key
from simonides.index.index_view import IndexView
from simonides.model.item import Item, Kind, Person, Role, Trust, declared_trust, least_trusted
from simonides.model.metadata_keys import ATTACHED_KEY

ROLES = frozenset({"user", "assistant", "human", "me", "i", "system", "ai"})
"""Names of roles, not of people, that chats are kept under: both sides are the user's own."""

TOOLS = frozenset({"tool", "function"})
"""Speakers of a chat that repeat what some program or page said."""

COMMENT_ON_KEY = "_comment_on"
"""The metadata key by which a comment in a tracker names its task; anyone may write there."""


@dataclass(kw_only=True)
class TrustResolver:
    """Resolves the trust of items of one view; `owner` are names and addresses of its user."""

    view: IndexView
    owner: tuple[str, ...]
    _known: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def for_view(cls, view: IndexView, owner: tuple[str, ...]) -> "TrustResolver":
        """Return the one of a view and its user, which remembers whom they wrote to."""
        return view.derive((cls, owner), lambda: cls(view=view, owner=owner))

    def of(self, item: Item) -> Trust:
        """Return the trust of an item.

        A memory is the user's own. A message is the user's, or of someone they talk with; nothing
        is known of one without a speaker, and what a tool said is from outside whatever it says of
        itself.
        Everything else (mail and what is attached to it, invitations, tickets, shared documents) is
        judged by the addresses of its authors, of several the least trusted; without an address
        it is the user's own, unless it was sent: then nothing is known of its sender. In a tracker
        of tasks anyone may write: there a name alone says nothing, but that it is the owner's. Of
        an attachment's authors those without an address, whom the file names itself, say nothing
        beside its mail's.
        """
        if item.kind is Kind.MESSAGE and speaker_trust(item.author) is Trust.EXTERNAL:
            return Trust.EXTERNAL
        said = declared_trust(item)
        if said is not None:
            return said
        if item.kind is Kind.MEMORY:
            return Trust.OWN
        is_comment = COMMENT_ON_KEY in item.metadata
        if item.kind is Kind.MESSAGE and not is_comment:
            return self._of_speaker(item.author)
        is_attached = ATTACHED_KEY in item.metadata
        was_sent = item.kind is Kind.EMAIL or is_attached or is_comment
        unsigned = Trust.UNKNOWN if was_sent else Trust.OWN
        authors = [person for person in item.people if person.role is Role.AUTHOR]
        addressed = [person for person in authors if person.address.strip()]
        levels = [self._of_sender(person) for person in addressed]
        if not (is_attached and addressed):
            in_tracker = is_comment or (item.kind is Kind.TASK and not is_attached)
            unaddressed = (person for person in authors if not person.address.strip())
            levels += [self._of_name(one) if in_tracker else unsigned for one in unaddressed]
        return least_trusted(*levels) if levels else unsigned

    def _of_sender(self, author: Person) -> Trust:
        entity = person_id(author)
        if entity in self._addresses:
            return Trust.OWN
        if entity not in self._known:
            self._known[entity] = self._was_written_to(entity)
        return Trust.KNOWN if self._known[entity] else Trust.UNKNOWN

    def _of_name(self, author: Person) -> Trust:
        """Return the trust of someone in a tracker whose address is not known."""
        return Trust.KNOWN if person_id(author) in self._names else Trust.UNKNOWN

    def _of_speaker(self, author: Person | None) -> Trust:
        entity = "" if author is None else person_id(author)
        if entity in self._addresses or entity in self._names:
            return Trust.OWN
        return speaker_trust(author)

    @cached_property
    def _addresses(self) -> frozenset[str]:
        """The ids of the people with the owner's addresses."""
        return frozenset(f"person:{text}" for text in self._owner_texts() if "@" in text)

    @cached_property
    def _names(self) -> frozenset[str]:
        """The ids of the people without an address who have one of the owner's whole names."""
        return frozenset(f"person:~{text}" for text in self._owner_texts() if "@" not in text)

    def _owner_texts(self) -> Iterator[str]:
        """Yield names and addresses; of a person's id without its prefix."""
        for text in map(_fold_owner, self.owner):
            if text:
                yield text.removeprefix("person:").removeprefix("~")

    @cached_property
    def _by_owner(self) -> npt.NDArray[np.bool_]:
        """bool[items]: the present items written from one of the owner's addresses, by them alone.

        Whoever sends a mail names its further authors, and the organizer of what is attached to it.
        """
        by_owner = self.view.having(map(author_key, sorted(self._addresses))) & self.view.alive
        return by_owner & ~self.view.having([shared_key()])

    def _was_written_to(self, entity: str) -> bool:
        """Return whether a person takes part in an item of the owner other than as an author.

        Authors take part in what they write: a mail in both names makes nobody known.
        """
        partaken = self._by_owner_among(part_key(entity))
        return partaken > 0 and partaken > self._by_owner_among(author_key(entity))

    def _by_owner_among(self, key: int) -> int:
        docs, _ = self.view.facets.find(key)
        return int(np.count_nonzero(self._by_owner[docs]))


def speaker_trust(author: Person | None) -> Trust:
    """Return the trust of a message's speaker if the owner of the space is unknown."""
    if author is None:
        return Trust.UNKNOWN
    role = _role(author)
    if role in TOOLS:
        return Trust.EXTERNAL
    return Trust.OWN if role in ROLES else Trust.KNOWN


def _fold_owner(text: str) -> str:
    return fold_address(text) if "@" in text else fold_name(text)


def _role(author: Person) -> str:
    """Return the folded name of a speaker without an address: it may be that of a role."""
    return "" if author.address.strip() else fold_name(author.name)
