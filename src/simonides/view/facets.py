"""Keys under which items are found besides their words: tags, entities by part taken, and names."""

from collections.abc import Iterable, Sequence

import numpy as np

from simonides.entities.directory import Words, name_words
from simonides.index.postings import Segment, build
from simonides.model.item import Role
from simonides.model.kept import EntityKind
from simonides.ports import ItemRow, MentionRow
from simonides.text.terms import term_key
from simonides.view.columns import tags_of


def tag_key(tag: str) -> int:
    """Return the key of items that carry a tag, letter case ignored."""
    return term_key(f"tag\x1f{tag.casefold()}")


def entity_key(entity: str) -> int:
    """Return the key of items that mention an entity in whatever part."""
    return term_key(f"entity\x1f{entity}")


def author_key(entity: str) -> int:
    """Return the key of items that an entity wrote or said."""
    return term_key(f"author\x1f{entity}")


def part_key(entity: str) -> int:
    """Return the key of items in which an entity takes part, as author, recipient or attendee."""
    return term_key(f"part\x1f{entity}")


def name_key(entity: str, name: Words) -> int:
    """Return the key of items that call a person by this whole name."""
    return term_key("\x1f".join(("name", entity, *name)))


def facet_segment(
    rows: Sequence[ItemRow], mentions: Iterable[MentionRow], *, first: int
) -> Segment:
    """Return the facet postings of items `rows` (slots from `first`) with their `mentions`."""
    slot_of = {row.key: first + i for i, row in enumerate(rows)}
    pairs = {(tag_key(tag), slot_of[row.key]) for row in rows for tag in tags_of(row)}
    for mention in mentions:
        slot = slot_of[mention.item_key]
        pairs.add((entity_key(mention.entity), slot))
        if mention.kind == EntityKind.PERSON:
            pairs.add((name_key(mention.entity, name_words(mention.name)), slot))
        if mention.role != Role.MENTIONED:
            pairs.add((part_key(mention.entity), slot))
        if mention.role == Role.AUTHOR:
            pairs.add((author_key(mention.entity), slot))
    ordered = sorted(pairs)
    return build(
        first=first,
        stop=first + len(rows),
        keys=np.array([key for key, _ in ordered], dtype=np.uint64),
        docs=np.array([slot for _, slot in ordered], dtype=np.uint32),
        counts=np.ones(len(ordered), dtype=np.uint8),
    )
