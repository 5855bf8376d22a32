"""Facet keys of items: tags, entities by role, and names."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from simonides.entities.directory import Words, name_words
from simonides.index.columns import tags_of
from simonides.index.postings import Segment, build
from simonides.model.item import Role
from simonides.model.stored import EntityKind
from simonides.ports.space import ItemRow, MentionRow
from simonides.text.terms import term_key
from simonides.text.unicode_version import casefolded


def tag_key(tag: str) -> int:
    """Return the key of items with a tag, letter case ignored."""
    return term_key(f"tag\x1f{casefolded(tag)}")


def entity_key(entity: str) -> int:
    """Return the key of items that mention an entity in any role."""
    return term_key(f"entity\x1f{entity}")


def author_key(entity: str) -> int:
    """Return the key of items that an entity wrote or said."""
    return term_key(f"author\x1f{entity}")


def part_key(entity: str) -> int:
    """Return the key of items in which an entity takes part, as author, recipient or attendee."""
    return term_key(f"part\x1f{entity}")


def assignee_key(entity: str = "") -> int:
    """Return the key of items assigned to an entity; without one, to anybody."""
    return term_key(f"assignee\x1f{entity}")


def name_key(entity: str, name: Words) -> int:
    """Return the key of items that name a person by this whole name."""
    return term_key("\x1f".join(("name", entity, *name)))


def facet_segment(
    rows: Sequence[ItemRow], mentions: Iterable[MentionRow], *, first: int
) -> Segment:
    """Return the facet postings of items `rows` (slots from `first`) with their `mentions`."""
    slot_of = {row.key: first + i for i, row in enumerate(rows)}
    keys, slots = [], []
    for row in rows:
        for tag in tags_of(row):
            keys.append(tag_key(tag))
            slots.append(slot_of[row.key])
    for mention in mentions:
        own = _mention_keys(mention.entity, mention.kind, mention.name, mention.role)
        keys.extend(own)
        slots.extend([slot_of[mention.item_key]] * len(own))
    return _segment(keys, slots, first=first, stop=first + len(rows))


@lru_cache(maxsize=1 << 14)
def _mention_keys(entity: str, kind: str, name: str, role: str) -> tuple[int, ...]:
    keys = [entity_key(entity)]
    if kind == EntityKind.PERSON:
        keys.append(name_key(entity, name_words(name)))
    if role != Role.MENTIONED:
        keys.append(part_key(entity))
    if role == Role.AUTHOR:
        keys.append(author_key(entity))
    if role == Role.ASSIGNEE:
        keys += [assignee_key(entity), assignee_key()]
    return tuple(keys)


def forget_names() -> None:
    """Clear the name cache of this process; only speed is lost."""
    _mention_keys.cache_clear()


def _segment(keys: list[int], slots: list[int], *, first: int, stop: int) -> Segment:
    """Return the segment of pairs of key and slot, each pair once."""
    by_key, by_slot = np.array(keys, dtype=np.uint64), np.array(slots, dtype=np.uint32)
    order = np.lexsort((by_slot, by_key))
    by_key, by_slot = by_key[order], by_slot[order]
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (by_key[1:] != by_key[:-1]) | (by_slot[1:] != by_slot[:-1])
    return build(
        first=first,
        stop=stop,
        keys=by_key[fresh],
        docs=by_slot[fresh],
        counts=np.ones(int(fresh.sum()), dtype=np.uint8),
    )
