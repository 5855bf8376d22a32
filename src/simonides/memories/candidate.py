"""A text and its traits become a candidate: an item as it would be kept, and what was stated of it.

A function of its arguments alone. Must not know what else is kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from simonides.errors import InvalidInput
from simonides.memories.merge import traits_of
from simonides.model.coercion import refuse_unknown
from simonides.model.compose import compose
from simonides.model.item import Item, MemoryTraits, short_hash

TRAITS = tuple(one.name for one in fields(MemoryTraits))
"""What can be stated of a memory itself."""

OTHERS = (
    "source", "title", "summary", "tags", "people", "metadata", "collection", "session",
    "happened_at", "language",
)  # fmt: skip
"""What can be said of it as of any item. Its id is not among it: that is for the decision."""

_PLAIN = MemoryTraits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory that is to be kept, perhaps. `stated` are the traits that were given for it."""

    item: Item
    stated: frozenset[str]

    @property
    def ids(self) -> tuple[str, str]:
        """The ids that it may get: that of its words, and that of its words for whom they are."""
        traits, item = traits_of(self.item), self.item
        place = [traits.scope, traits.type, traits.workspace_id, traits.user_id, traits.session_id]
        return item.id, short_hash("\x1f".join(["memory", item.id, item.collection, *place]))

    @property
    def is_plain(self) -> bool:
        """Whether it is for nobody in particular, so that its words alone name it."""
        return _place(self.item) == _place(Item(content="x", traits=_PLAIN))

    def item_by(self, taken: Mapping[str, Item]) -> Item:
        """Return the item under the id that it is kept by, which nobody else's memory has.

        `taken` are the present items of `ids`.
        """
        by_words, by_place = self.ids
        other = taken.get(by_words)
        is_free = other is None or _place(other) == _place(self.item)
        return self.item if self.is_plain and is_free else replace(self.item, id=by_place)


def candidate_of(text: str, given: Mapping[str, Any]) -> Candidate:
    """Return the candidate that a text and what is said of it make.

    Raises:
        InvalidInput: A name is unknown, or a value does not fit.
    """
    if not isinstance(text, str):
        raise InvalidInput("text", f"must be text, got {type(text).__name__}")
    if not text.strip():
        raise InvalidInput("text", "is empty; there is nothing to remember")
    refuse_unknown(given, (*TRAITS, *OTHERS))
    stated = {name: given[name] for name in TRAITS if given.get(name) is not None}
    others = {name: given[name] for name in OTHERS if given.get(name) is not None}
    return Candidate(item=compose(text, traits=stated, **others), stated=frozenset(stated))


def _place(item: Item) -> tuple[str, ...]:
    traits = traits_of(item)
    ids = (traits.workspace_id, traits.user_id, traits.session_id)
    return (item.kind, item.collection, traits.scope, traits.type, *ids)
