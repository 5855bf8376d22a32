"""How far an item may be trusted, as it was said when it was added.

Knows the metadata key that says it. Must not know whom the user writes to: that is
`retrieval.trust`.
"""

from dataclasses import replace

from simonides.model.item import Item, Trust

TRUST_KEY = "_trust"
"""The metadata key by which an item says how far it may be trusted."""

_LEVELS = {trust.value: trust for trust in Trust}
_RANKS = {trust: rank for rank, trust in enumerate(Trust)}


def said_trust(item: Item) -> Trust | None:
    """Return how far the item is said to be trusted; None where nothing is, or what is no level."""
    said = item.metadata.get(TRUST_KEY)
    return _LEVELS.get(said) if isinstance(said, str) else None


def least(*levels: Trust) -> Trust:
    """Return the level of these that is trusted least."""
    return max(levels, key=_RANKS.__getitem__)


def with_trust(item: Item, trust: Trust) -> Item:
    """Return the item said to be trusted as far as `trust`, or less where it says less of itself.

    What comes with an item may lower its trust, never raise it.
    """
    said = said_trust(item)
    level = trust if said is None else least(said, trust)
    return replace(item, metadata={**item.metadata, TRUST_KEY: level.value})
