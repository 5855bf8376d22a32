"""How far each hit may be trusted: whose words they are, and whether the user writes to them.

Knows who is the owner of the space and whom they wrote to, by the index. What was said when an
item was added (metadata `_trust`) always wins.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from simonides.entities.extract import person_id
from simonides.model.item import Item, Kind, Person, Trust
from simonides.retrieval.plan import owner_entities
from simonides.view.facets import author_key, part_key
from simonides.view.view import View

TRUST_KEY = "_trust"
"""The metadata key by which an item says how far it may be trusted."""

_SAID = frozenset(trust.value for trust in Trust)

ROLES = frozenset({"user", "assistant", "human", "me", "i", "system", "ai"})
"""Names of roles, not of people, that chats are kept under: both sides are the user's own."""


@dataclass(kw_only=True)
class Trusting:
    """Tells the trust of items of one view; `owner` are names and addresses of its user."""

    view: View
    owner: tuple[str, ...]
    _known: dict[str, bool] = field(default_factory=dict)

    def of(self, item: Item) -> Trust:
        """Return how far an item may be trusted."""
        said = item.metadata.get(TRUST_KEY)
        if isinstance(said, str) and said in _SAID:
            return Trust(said)
        if item.kind is Kind.EMAIL:
            return self._of_sender(item.author)
        if item.kind is Kind.MESSAGE:
            return self._of_speaker(item.author)
        return Trust.OWN

    def _of_sender(self, author: Person | None) -> Trust:
        if author is None:
            return Trust.UNKNOWN
        entity = person_id(author)
        if entity in self._owner_entities:
            return Trust.OWN
        if entity not in self._known:
            self._known[entity] = self._was_written_to(entity)
        return Trust.KNOWN if self._known[entity] else Trust.UNKNOWN

    def _of_speaker(self, author: Person | None) -> Trust:
        if author is None or author.name.casefold() in ROLES:
            return Trust.OWN
        return Trust.OWN if person_id(author) in self._owner_entities else Trust.KNOWN

    @cached_property
    def _owner_entities(self) -> frozenset[str]:
        return frozenset(owner_entities(self.owner, self.view.names))

    @cached_property
    def _by_owner(self) -> npt.NDArray[np.bool_]:
        """bool[items]: which present items the owner wrote."""
        return self.view.having(map(author_key, sorted(self._owner_entities))) & self.view.alive

    def _was_written_to(self, entity: str) -> bool:
        docs, _ = self.view.facets.find(part_key(entity))
        return bool(self._by_owner[docs].any())


def trusts(items: Sequence[Item], *, view: View, owner: tuple[str, ...]) -> list[Trust]:
    """Return how far each of the items may be trusted."""
    trusting = Trusting(view=view, owner=owner)
    return [trusting.of(item) for item in items]
