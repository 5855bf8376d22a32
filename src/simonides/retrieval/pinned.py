"""The memories that every brief begins with: those that carry the tag `pinned`.

What came in from elsewhere pins nothing: the tag counts on memories alone.
"""

from simonides.index.facets import tag_key
from simonides.index.masks import mask_of
from simonides.model.answer import Hit, Query
from simonides.model.item import PINNED, Kind
from simonides.retrieval.looking import Look
from simonides.retrieval.trust import TrustResolver

PINNED_MAX = 20
"""More are not shown: what stands in every brief is paid for in every brief."""


def pinned_memories(query: Query, look: Look, *, owner: tuple[str, ...]) -> tuple[Hit, ...]:
    """Return the pinned memories that pass the filter of a question, last kept first."""
    view, reader = look.view, look.reader
    tagged = view.having([tag_key(PINNED)])
    if not tagged.any():
        return ()
    count = view.item_count
    tagged &= view.of_kind(Kind.MEMORY)
    tagged &= mask_of(query.filter, view=view, reader=reader, now=query.now)
    keys = view.items.keys.rows(count)[tagged][::-1][:PINNED_MAX].tolist()
    found = reader.items(keys)
    trusting = TrustResolver.for_view(view, owner)
    kept = [found[key] for key in keys]
    return tuple(Hit(item=one, score=0.0, trust=trusting.of(one), pinned=True) for one in kept)
